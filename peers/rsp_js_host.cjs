// rsp-js behind the adapter protocol: node host.cjs NODE_MODULES
//
// Beside what the protocol has, a case brings the `query` in rsp-js' words, the IRI of its `stream`
// and `items`: [time, N-Triples]. A result is a solution with the `close` of its window.
"use strict";
const fs = require("fs");
const path = require("path");
const readline = require("readline");
const need = require("module").createRequire(path.join(process.argv[2], "host.cjs"));

// What rsp-js logs would go to stdout, which is the protocol's.
for (const name of ["log", "debug", "info", "warn", "error"]) console[name] = () => {};

const { RSPEngine } = need("rsp-js");
const { Parser } = need("n3");
need("@comunica/query-sparql"); // which rsp-js loads with its first answer: seconds
const version = JSON.parse(
  fs.readFileSync(path.join(process.argv[2], "rsp-js", "package.json"), "utf8")
).version;

// A failure inside a subscription reaches nobody else; `watched` has told of it.
process.on("unhandledRejection", () => {});

function term(node) {
  if (node.termType === "NamedNode") return { type: "uri", value: node.value };
  if (node.termType === "BlankNode") return { type: "bnode", value: node.value };
  const shown = { type: "literal", value: node.value };
  if (node.language) shown["xml:lang"] = node.language;
  else shown.datatype = node.datatype.value;
  return shown;
}

// When each evaluation is over: rsp-js itself does not say.
function watched(engine) {
  const state = { pending: [], failure: null };
  const execute = engine.r2r.execute.bind(engine.r2r);
  engine.r2r.execute = (content) => {
    const running = execute(content);
    state.pending.push(
      running.then(
        (bindings) =>
          new Promise((resolve) => {
            if (bindings.done) resolve();
            bindings.on("end", resolve);
            bindings.on("error", (error) => { state.failure = error; resolve(); });
          }),
        (error) => { state.failure = error; }
      )
    );
    return running;
  };
  return state;
}

async function results(message) {
  const engine = new RSPEngine(message.query);
  const [window] = engine.windows;
  const state = watched(engine);
  const found = [];
  let close = null;
  window.subscribe("RStream", (content) => {
    for (const [each, held] of window.active_windows) if (held === content) close = each.close;
  });
  engine.register().on("RStream", (reported) => {
    const solution = {};
    for (const [variable, value] of reported.bindings) solution[variable.value] = term(value);
    found.push({ close, solution });
  });
  const stream = engine.getStream(message.stream);
  for (const [time, text] of message.items) {
    const parser = new Parser({ format: "N-Triples", blankNodePrefix: "" });
    for (const quad of parser.parse(text)) {
      stream.add(quad, time);
      // A subscription begins its evaluation in a later turn.
      while (state.pending.length) await state.pending.shift();
      if (state.failure) throw state.failure;
    }
  }
  return found;
}

async function answer(message) {
  if (message.type === "hello") {
    return { type: "hello", name: "rsp-js", version, languages: ["rsepql"], level: "solutions" };
  }
  try {
    return { type: "result", id: message.id, results: await results(message) };
  } catch (error) {
    return { type: "error", id: message.id, message: String(error).split("\n")[0] };
  }
}

async function serve() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    fs.writeSync(1, JSON.stringify(await answer(JSON.parse(line))) + "\n");
  }
}

serve();
