// Comparison of two graphs: which test distinguishes them at which radius, and the classes with their sizes.

const CLASSES_LISTED = 200;
const EAGER_WORK = 3e6; // below this many steps (nodes times arcs) all radii are tested at once

/** Return whether each test distinguishes two graphs at one radius: {total: [alone, refined], ...}. */
function testsAtRadius(graphs, radius, settings) {
  const found = {};
  for (const degrees of KINDS) {
    const alone = encodingClasses(graphs, radius, { ...settings, degrees, smallerRadii: false });
    found[degrees] = [!sameMultiset(alone), !sameMultiset(refine(graphs, alone, Infinity).classes)];
  }
  return found;
}

/** Return a cached function from a radius to the results of its tests. */
function cachedTests(graphs, settings) {
  const known = new Map();
  return (radius) => {
    if (!known.has(radius)) known.set(radius, testsAtRadius(graphs, radius, settings));
    return known.get(radius);
  };
}

/** Fill the verdict panel. */
function showVerdict(panel, graphs, state, tests, classes) {
  if (graphs.some((graph) => graph.sampled)) {
    panel.replaceChildren(
      element("p", { class: "hint" }, "One of the graphs is shown as a sample, so there is no verdict."),
    );
    return;
  }
  const work = graphs.reduce((sum, graph) => sum + graph.numNodes * (graph.indices.length + 1), 0);
  const radii = work <= EAGER_WORK ? RADII : [state.radius];
  const columns = new Map(radii.map((radius) => [radius, tests(radius)]));
  const plain = !sameMultiset(refine(graphs, uniformClasses(graphs), Infinity).classes);
  const split = !sameMultiset(classes);
  panel.replaceChildren(verdictLine(graphs, state, split, plain), verdictTable(state, columns, plain));
}

/** Return the verdict of the current setting in one sentence, and that of 1-WL alone. */
function verdictLine(graphs, state, split, plain) {
  const names = `${clipped(graphs[0].name, 40)} and ${clipped(graphs[1].name, 40)}`;
  const result = element("strong", { class: split ? "split" : "same" }, split ? "Different" : "Equal");
  const by = state.degrees === "none" ? "1-WL" : `${settingText(state)}`;
  const also =
    state.degrees === "none" ? "" : ` 1-WL alone ${plain ? "also distinguishes them" : "does not distinguish them"}.`;
  return element("p", { class: "verdict", id: "verdict" }, result, ` · ${by}: ${names}.${also}`);
}

/** Return the current coloring as text. */
function settingText(state) {
  const rounds =
    state.rounds === 0
      ? ""
      : state.rounds === Infinity
        ? ", then 1-WL until stable"
        : `, then ${counted(state.rounds, "round", "rounds")} of 1-WL`;
  if (state.degrees === "none")
    return state.rounds === Infinity ? "1-WL until stable" : counted(state.rounds, "round of 1-WL", "rounds of 1-WL");
  const radius = state.smallerRadii && state.radius > 1 ? `radii 1 to ${state.radius}` : `radius ${state.radius}`;
  return `${state.degrees} degrees, ${radius}${rounds}`;
}

/** Return the table of tests: a row per test, a column per radius. */
function verdictTable(state, columns, plain) {
  const radii = [...columns.keys()];
  const current = (radius) => (radius === state.radius ? "now" : "");
  const row = (name, ...cells) => element("tr", {}, element("th", { scope: "row" }, name), ...cells);
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "test"),
    ...radii.map((radius) => element("th", { scope: "col", class: current(radius) }, `r = ${radius}`)),
  );
  const encodings = KINDS.flatMap((kind) =>
    ["", " + 1-WL"].map((suffix, refined) =>
      row(kind + suffix, ...radii.map((radius) => verdictCell(columns.get(radius)[kind][refined], current(radius)))),
    ),
  );
  const strong = DATA.verdicts
    .filter(({ test }) => test !== "isomorphic")
    .map((verdict) => row(verdict.test, strongCell(verdict, radii.length)));
  const implied = plain || [...columns.values()].some((found) => KINDS.some((kind) => found[kind].includes(true)));
  const exact = row("exact isomorphism", exactCell(implied, radii.length));
  const caption = element("caption", {}, "≠ different  ·  = equal");
  const body = element("tbody", {}, row("1-WL", verdictCell(plain, "", radii.length)), ...encodings, ...strong, exact);
  return element(
    "div",
    { class: "scroll" },
    element("table", { class: "tests" }, caption, element("thead", {}, head), body),
    testWords(DATA.verdicts.map(({ test }) => test)),
  );
}

/** Return what every test looks at in plain words, folded. */
function testWords(strong) {
  const names = ["1-WL", ...KINDS, ...strong];
  const words = names.map((test) =>
    element("div", {}, element("dt", {}, test), element("dd", {}, DATA.looksAt[test.split(/[ (]/)[0]])),
  );
  const more = element("div", {}, element("dt", {}, "+ 1-WL"), element("dd", {}, "the same, then 1-WL"));
  return element(
    "details",
    { class: "words" },
    element("summary", {}, "What the tests look at"),
    element("dl", {}, ...words, more),
  );
}

/** Return the cell of a test that was run when the page was written. */
function strongCell({ equal, note }, span) {
  if (equal === null) return element("td", { class: "open", colspan: span, title: note }, "not run");
  return verdictCell(!equal, "", span);
}

/** Return one cell of the table. */
function verdictCell(split, className, span = 1) {
  const title = split ? "different" : "equal";
  return element(
    "td",
    { class: `${split ? "split" : "same"} ${className}`.trim(), colspan: span, title },
    split ? "≠" : "=",
  );
}

/** Return the cell of exact isomorphism: computed when the page was written, or implied by a test that distinguishes the graphs. */
function exactCell(implied, span) {
  const given = DATA.verdicts.find(({ test }) => test === "isomorphic");
  const known = given?.equal ?? (implied ? false : null);
  if (known === null) return element("td", { class: "open", colspan: span, title: given?.note }, "not run");
  return element("td", { class: known ? "same" : "split", colspan: span }, known ? "= isomorphic" : "≠ not isomorphic");
}

/** Fill the table of classes: largest first; a click shows only its nodes. */
function showClasses(panel, graphs, looks, classes, pick, picked) {
  const sizes = classSizes(classes);
  const differs = (number) => graphs.length > 1 && sizes[0][number] !== sizes[1][number];
  const order = looks.filter(({ size }) => size > 1 || graphs.length > 1);
  order.sort((a, b) => differs(b.number) - differs(a.number) || b.size - a.size || a.number - b.number);
  const single = looks.length - order.length;
  const unknown = countUnknown(classes);
  const words = classWords(graphs, classes);
  const others = order.filter(({ mark }) => mark === "other");
  const shown = order.filter(({ mark }) => mark !== "other").slice(0, CLASSES_LISTED);
  const texts = tellApart(shown, words, edgeWords(graphs, classes));
  const rowOf = (look, text) => classRow(look, text, sizes, differs(look.number), pick, picked);
  const rows = shown.map((look, i) => rowOf(look, texts[i]));
  if (others.length) {
    const listed = others.slice(0, CLASSES_LISTED).map((look) => rowOf({ ...look, fill: null }, words(look.number)));
    rows.push(otherRow(others, listed, sizes, others.filter(({ number }) => differs(number)).length, picked));
  }
  const notes = [];
  if (single) notes.push(`${counted(single, "node has", "nodes have")} a unique class (hollow in the drawing).`);
  if (unknown)
    notes.push(
      `${counted(unknown, "node has", "nodes have")} no class here (pale): their ego-networks reach beyond the sample.`,
    );
  const hidden = Math.max(0, others.length - CLASSES_LISTED) + order.length - others.length - shown.length;
  if (hidden) notes.push(`${counted(hidden, "class is", "classes are")} not listed.`);
  const head =
    graphs.length > 1
      ? [
          element(
            "div",
            { class: "class-head" },
            ...graphs.map((graph) => element("span", {}, clipped(graph.name, 18))),
          ),
        ]
      : [];
  panel.replaceChildren(
    ...head,
    element("ul", { class: `classes${graphs.length > 1 ? " pair" : ""}` }, ...rows),
    ...notes.map((note) => element("p", { class: "hint" }, note)),
  );
}

/** Return the row of all classes without a color of their own; opened, it lists them. */
function otherRow(others, listed, sizes, numDiffering, picked) {
  const counts = sizes.map((side) => others.reduce((sum, { number }) => sum + side[number], 0));
  const swatch = element("span", { class: "badge swatch other" });
  swatch.style.setProperty("--fill", OTHER[0]);
  const nodes = counts.map((count) => counted(count, "node", "nodes")).join(" and ");
  const differing = numDiffering ? `, ${grouped(numDiffering)} of them with other numbers in the two graphs` : "";
  const title = `${counted(others.length, "other class", "other classes")}, all gray: ${nodes}${differing}`;
  return element(
    "li",
    { class: numDiffering ? "differs others" : "others" },
    element(
      "details",
      { open: others.some(({ number }) => number === picked) },
      element("summary", {}, swatch, title),
      element("ul", { class: `classes${sizes.length > 1 ? " pair" : ""}` }, ...listed),
    ),
  );
}

/** Return the words for classes; those that would read the same also say how many edges there are, if that differs. */
function tellApart(looks, words, edges) {
  const texts = looks.map(({ number }) => words(number));
  const alike = (text) => texts.filter((other) => other === text).length > 1;
  return texts.map((text, i) => (text && alike(text) ? `${text}${edges(looks[i].number)}` : text));
}

/** Return a function from a class to one of its nodes, as its graph and its row there. */
function firstMembers(graphs, classes) {
  const first = new Map();
  classes.forEach((side, index) =>
    side.forEach((number, v) => first.has(number) || first.set(number, [graphs[index].whole, graphs[index].rows[v]])),
  );
  return first;
}

/** Return a function that says how many edges the ego-networks of a class have; "" if its nodes may differ in that. */
function edgeWords(graphs, classes) {
  const first = firstMembers(graphs, classes);
  const chosen = options();
  const isExact = state.degrees === "total" && chosen.degreeBins === null && chosen.maxDegree === null;
  return (number) => {
    if (!isExact || !chosen.frontierEdges || graphs.some(({ directed }) => directed)) return "";
    const [whole, row] = first.get(number);
    let ends = 0;
    visitEgo({ ...whole, labels: null, typed: null }, row, state.radius, chosen, (_, __, [degree]) => (ends += degree));
    return `, ${counted(ends / 2, "edge", "edges")}`;
  };
}

/** Return a function that describes a class in words, by one of its nodes: "degree 3, 38 within 2 hops". */
function classWords(graphs, classes) {
  const first = firstMembers(graphs, classes);
  return (number) => {
    // Only encodings give every node of a class the same degree and the same number of nodes around it.
    if (state.degrees === "none" || state.radius === 0 || !first.has(number)) return "";
    const [whole, row] = first.get(number);
    let within = -1;
    visitBall(whole, row, state.radius, () => within++);
    const { indptr } = whole;
    return `degree ${indptr[row + 1] - indptr[row]}, ${grouped(within)} within ${counted(state.radius, "hop", "hops")}`;
  };
}

/** Return one class as a button: badge, its description, and its number of nodes in each graph as bars. */
function classRow(look, words, sizes, differs, pick, picked) {
  const most = Math.max(...sizes.map((side) => Math.max(...side)));
  const bars = sizes.map((side) => amountBar(side[look.number], most, look.fill));
  const label = `class ${look.number}${words ? `, ${words}` : ""}: ${sizes.map((side) => side[look.number]).join(" and ")} nodes`;
  const button = element(
    "button",
    {
      type: "button",
      "aria-pressed": String(picked === look.number),
      "aria-label": label,
      click: () => pick(picked === look.number ? null : look.number),
    },
    classBadge(look),
    element("span", { class: "title" }, words),
    ...bars,
  );
  return element("li", { class: differs ? "differs" : null }, button);
}
