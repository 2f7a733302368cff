// The search box: finds nodes by id; arrow keys move through the matches, Enter selects.

const MATCHES_SHOWN = 8;

/** Turn an input and a list into a search box over the nodes of all graphs. */
function searchBox(input, list, graphs, choose) {
  let matches = [],
    active = 0;
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (match) => {
    choose(match.side, match.node);
    input.value = graphs[match.side].names[match.node];
    close();
  };
  const show = () => {
    matches = findNodes(graphs, input.value.trim());
    active = 0;
    if (input.value.trim() === "") return close();
    draw();
  };
  const draw = () => {
    const items = matches.map((match, i) => matchItem(graphs, match, i, i === active, () => take(match)));
    list.replaceChildren(...(items.length ? items : [element("li", { class: "none" }, "No node has this id.")]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (items.length) input.setAttribute("aria-activedescendant", `match-${active}`);
  };
  input.addEventListener("input", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && matches.length) {
      active = (active + step + matches.length) % matches.length;
      draw();
    } else if (event.key === "Enter" && matches.length && !list.hidden) take(matches[active]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
}

/** Return the nodes whose id equals, starts with, or contains a text, best first. */
function findNodes(graphs, text) {
  const wanted = text.toLowerCase();
  const found = [];
  graphs.forEach((graph, side) => {
    graph.names.forEach((name, node) => {
      const position = name.toLowerCase().indexOf(wanted);
      if (position >= 0) found.push({ side, node, rank: name === text ? 0 : position === 0 ? 1 : 2 });
    });
  });
  found.sort((a, b) => a.rank - b.rank || a.side - b.side || a.node - b.node);
  return found.slice(0, MATCHES_SHOWN);
}

/** Return one item of the list of matches. */
function matchItem(graphs, { side, node }, i, isActive, take) {
  const graph = graphs[side];
  const where = graphs.length > 1 ? [element("span", { class: "from" }, clipped(graph.name, 20))] : [];
  const attributes = { id: `match-${i}`, role: "option", "aria-selected": String(isActive) };
  const press = (event) => {
    event.preventDefault();
    take();
  };
  return element("li", { ...attributes, pointerdown: press }, clipped(graph.names[node], 40), ...where);
}
