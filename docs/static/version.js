// The switch of versions: leads to the same page of another version, or to its first page.
for (const menu of document.querySelectorAll("#version-switch")) {
  const { root, version, page } = menu.dataset;
  for (const { name } of globalThis.EGONET_VERSIONS ?? []) {
    const option = document.createElement("option");
    option.textContent = name;
    option.selected = name === version;
    menu.append(option);
  }
  menu.addEventListener("change", () => {
    const chosen = globalThis.EGONET_VERSIONS.find(({ name }) => name === menu.value);
    location.href = `${root}../${chosen.name}/${chosen.pages.includes(page) ? page : "index.html"}`;
  });
}
