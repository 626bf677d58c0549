"use strict";

const $ = id => document.getElementById(id);
let menu = { languages: [], examples: [] };
let language = null; // the entry of the menu
let readings = {}, other = {}; // of A, and of B where the two are compared
let request = null; // the AbortController of the request under way

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// --- the inputs ---

function input(place, kind, { name = "", format = "", text = "", declaration = "" }) {
  const formats = kind === "stream" ? language.formats
    : language.changing ? ["turtle", "trig"] : ["turtle"];
  const box = element("div", { className: "input" });
  const select = element("select", { ariaLabel: "format" },
    ...formats.map(each => element("option", { textContent: each })));
  select.value = formats.includes(format) ? format : formats[0];
  const area = element("textarea", { value: text, spellcheck: false, ariaLabel: kind,
    rows: Math.min(16, Math.max(4, text.split("\n").length)) });
  const typed = element("input", { value: declaration, spellcheck: false,
    placeholder: "declaration (CREATE STREAM …), if any", ariaLabel: "declaration" });
  box.append(element("div", { className: "names" },
    element("input", { value: name, spellcheck: false, ariaLabel: "name",
      placeholder: language.tuples ? "name" : "name or IRI" }),
    select,
    element("button", { className: "small", textContent: "Remove", onclick: () => box.remove() })),
    area);
  if (language.tuples) box.append(element("div", { className: "names" }, typed));
  $(place).append(box);
}

function inputs(place) {
  return [...$(place).children].map(box => {
    const [name, declaration] = box.querySelectorAll("input");
    return { name: name.value, format: box.querySelector("select").value,
      text: box.querySelector("textarea").value,
      declaration: declaration ? declaration.value : "" };
  });
}

function state() {
  return { language: language.name, query: $("query").value, streams: inputs("streams"),
    graphs: inputs("graphs"), readings, evaluate: $("evaluate").value };
}

function show(given) {
  language = menu.languages.find(each => each.name === given.language) || menu.languages[0];
  $("language").value = language.name;
  $("query").value = given.query;
  $("query").rows = Math.min(30, Math.max(8, given.query.split("\n").length));
  $("streams").replaceChildren();
  $("graphs").replaceChildren();
  for (const each of given.streams) input("streams", "stream", each);
  for (const each of given.graphs) input("graphs", "graph", each);
  $("evaluate").value = given.evaluate;
  $("evaluate").placeholder = `${language.evaluate.join(", ")}: as in a case, {${
    language.evaluate[0]}: 5}`;
  $("evaluate-field").hidden = !language.evaluate.length;
  $("evaluate-field").style.display = language.evaluate.length ? "" : "none";
  $("background").hidden = language.tuples;
  $("missing").placeholder = language.tuples ? "{end: 4}" : '{time: 20, h: ":H1"}';
  readings = { ...given.readings };
  other = given.other ? { ...given.other } : {};
  $("comparing").checked = Boolean(given.other);
  switches();
}

function switches() {
  const comparing = $("comparing").checked;
  const row = ([name, values]) => element("tr", {}, element("th", { textContent: name }),
    element("td", {}, oneSwitch(name, values, readings, "A")),
    ...comparing ? [element("td", {}, oneSwitch(name, values, other, "B"))] : []);
  $("readings").replaceChildren(
    ...comparing ? [element("tr", {}, element("th"), element("th", { textContent: "A" }),
      element("th", { textContent: "B" }))] : [],
    ...Object.entries(language.readings).map(row));
  $("distinguish").hidden = !comparing;
}

function oneSwitch(name, values, chosen, side) {
  return element("span", { className: "switch" }, ...values.map((value, index) => {
    const radio = element("input", { type: "radio", name: `${side} ${name}`, value,
      checked: (chosen[name] || values[0]) === value });
    radio.onchange = () => {
      if (index) chosen[name] = value; else delete chosen[name];
      if (side === "A") evaluate();
    };
    return element("label", {}, radio, value);
  }));
}

// --- the answers ---

async function ask(action, more = {}) {
  if (request) request.abort();
  const own = request = new AbortController();
  $("stop").hidden = false;
  tell("…");
  document.querySelectorAll("textarea.wrong").forEach(each => each.classList.remove("wrong"));
  try {
    const response = await fetch(action, { method: "POST", signal: own.signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ state: state(), ...more }) });
    const answer = await response.json();
    tell(answer.error || "", answer.error);
    if (answer.error) mark(answer);
    return answer.error ? null : answer;
  } catch (error) {
    if (error.name !== "AbortError") tell(`no answer from denota play: ${error.message}`, true);
    else if (request === own) tell("stopped");
    return null;
  } finally {
    if (request === own) { request = null; $("stop").hidden = true; }
  }
}

function tell(text, wrong = false) {
  $("status").textContent = text;
  $("status").className = wrong ? "error" : "";
}

// Put the cursor where the error is.
function mark({ source, line, column }) {
  const named = place => [...$(place).children].find(
    box => source === `${place.slice(0, -1)} ${box.querySelector("input").value}`);
  const box = source === "query" ? $("query")
    : (named("streams") || named("graphs"))?.querySelector("textarea");
  if (!box || !line) return;
  const before = box.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
  box.classList.add("wrong");
  box.focus();
  box.setSelectionRange(before + Math.max(0, column - 1), before + Math.max(1, column));
}

async function evaluate() {
  save();
  $("answers").classList.add("stale");
  $("difference").hidden = true;
  const answer = await ask("evaluate");
  if (!answer) return;
  $("answers").classList.remove("stale");
  $("answers").hidden = false;
  const several = answer.noun === "match" ? "matches" : `${answer.noun}s`;
  $("count").textContent = answer.results === 1 ? `1 ${answer.noun}`
    : `${answer.results || "No"} ${several}`;
  const rows = answer.rows.map(row => {
    const made = element("tr", { tabIndex: 0, title: "explain" },
      ...row.cells.map(cell => element("td", { textContent: cell })));
    made.onclick = () => explain({ match: row.number }, made);
    made.onkeydown = event => { if (event.key === "Enter") made.click(); };
    return made;
  });
  $("matches").replaceChildren(
    element("thead", {}, element("tr", {},
      ...answer.columns.map(name => element("th", { textContent: name })))),
    element("tbody", {}, ...rows));
  $("notes").textContent = [...answer.notes,
    ...answer.left_out ? [`${answer.left_out} more rows are not shown`] : []].join("\n");
  $("timeline-title").textContent = "Timeline";
  $("timeline").innerHTML = answer.timeline; // escaped by the server
  $("explanation").replaceChildren(element("p", { className: "quiet", textContent:
    answer.results ? `Click a ${answer.noun} for its explanation.` : "" }));
  $("picture-card").hidden = !answer.picture;
  $("picture").src = `data:image/svg+xml,${encodeURIComponent(answer.picture)}`;
  $("cites").textContent = answer.cites.length ? `Decided by ${answer.cites.join("; ")}` : "";
}

async function explain(asked, row) {
  document.querySelectorAll("tr.chosen").forEach(each => each.classList.remove("chosen"));
  if (row) row.classList.add("chosen");
  const answer = await ask("explain", asked);
  if (!answer) return;
  $("timeline-title").textContent = "Explanation";
  $("timeline").replaceChildren();
  $("explanation").innerHTML = answer.html; // escaped by the server
}

async function distinguish() {
  save();
  const answer = await ask("distinguish", { other });
  if (!answer) return;
  const place = $("difference");
  place.hidden = false;
  place.replaceChildren(element("h2", { textContent: "On these streams" }));
  for (const error of answer.errors) place.append(element("p", { textContent: error }));
  if (answer.here) {
    const [head, ...rows] = answer.here;
    let side = "";
    place.append(element("div", { className: "scroll" }, element("table", { className: "rows" },
      element("tr", {}, ...head.map(name => element("th", { textContent: name }))),
      ...rows.map(cells => {
        side = cells[0] || side;
        return element("tr", { className: side === "only A" ? "a" : "b" },
          ...cells.map(cell => element("td", { textContent: cell })));
      }))));
  } else if (!answer.errors.length) {
    place.append(element("p", { textContent: "A and B give the same results." }));
  }
  place.append(element("h2", { textContent: "The smallest stream" }),
    element("pre", { textContent: answer.text }));
  if (answer.smallest) place.append(element("button", { textContent: "Use these streams",
    onclick: () => {
      show({ ...state(), streams: answer.smallest.streams, graphs: answer.smallest.graphs,
        evaluate: "", other });
      evaluate();
    } }));
  place.scrollIntoView({ behavior: "smooth", block: "nearest" });
}

// --- links: the state, compressed, after the # ---

async function through(stream, bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
}

async function link() {
  const whole = { ...state(), ...$("comparing").checked ? { other } : {} };
  const bytes = new TextEncoder().encode(JSON.stringify(whole));
  const packed = new Uint8Array(await through(new CompressionStream("deflate-raw"), bytes));
  const text = btoa(Array.from(packed, byte => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function linked(text) {
  const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")),
    letter => letter.charCodeAt(0));
  const bytes = await through(new DecompressionStream("deflate-raw"), packed);
  return JSON.parse(new TextDecoder().decode(bytes));
}

// Each state is an entry of the history, so that "Back" brings back what an example has replaced.
async function save() {
  const text = await link();
  if (text === location.hash.slice(1)) return;
  history[location.hash ? "pushState" : "replaceState"](null, "", `#${text}`);
}

async function restore() {
  const text = location.hash.slice(1);
  if (!text) return false;
  try {
    show(await linked(text));
  } catch (error) {
    tell("the link is damaged: what follows the # is no state of this page", true);
    return false;
  }
  $("about").textContent = "";
  await evaluate();
  return true;
}

// --- the menu ---

async function example(name) {
  const entry = menu.examples.find(each => each.name === name);
  if (!entry) return;
  $("examples").value = name;
  show(await (await fetch(`examples/${name}`)).json());
  $("about").textContent = [entry.title, entry.cites].filter(Boolean).join(" — ");
  await evaluate();
}

async function start() {
  menu = await (await fetch("menu")).json();
  $("language").append(...menu.languages.map(each =>
    element("option", { value: each.name, textContent: each.title })));
  const groups = new Map();
  for (const each of menu.examples) {
    if (!groups.has(each.group)) {
      groups.set(each.group, element("optgroup", { label: each.group }));
      $("examples").append(groups.get(each.group));
    }
    groups.get(each.group).append(element("option", { value: each.name,
      textContent: `${each.name.split("/")[2]}: ${each.title}` }));
  }
  $("examples").onchange = event => example(event.target.value);
  $("language").onchange = event => {
    const first = menu.examples.find(each => each.language === event.target.value);
    if (first) example(first.name);
    else show({ language: event.target.value, query: "", streams: [], graphs: [], readings: {},
      evaluate: "" });
  };
  $("run").onclick = evaluate;
  $("stop").onclick = () => request && request.abort();
  $("link").onclick = async () => {
    await save();
    await navigator.clipboard.writeText(location.href)
      .then(() => tell("The link is copied; it holds all inputs."),
        () => tell("The link is in the address bar; it holds all inputs."));
  };
  $("add-stream").onclick = () => input("streams", "stream", {});
  $("add-graph").onclick = () => input("graphs", "graph", {});
  $("comparing").onchange = switches;
  $("distinguish").onclick = distinguish;
  $("missing-form").onsubmit = event => {
    event.preventDefault();
    explain({ missing: $("missing").value });
  };
  document.onkeydown = event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) evaluate();
  };
  window.onhashchange = restore;
  if (!await restore() && !$("status").textContent) await example(menu.examples[0]?.name);
  document.body.dataset.ready = "yes";
}

start();
