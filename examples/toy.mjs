// A smaller engine for CEQL, in JavaScript: sequences of event types within so many events.
import { createInterface } from "node:readline";

const hello = {
  type: "hello", protocol: 1, name: "toy.mjs", version: "1.0",
  languages: ["ceql"], level: "positions",
  capabilities: { ceql: {
    operators: [";"], conditions: [], predicates: [], strategies: [],
    windows: ["WITHIN events"], clauses: [], readings: [], streams: ["1"],
  } },
};
const FORM = /^\s*SELECT\s+\*(?:\s+FROM\s+\w+)?\s+WHERE\s+([\w\s;()]+?)\s+WITHIN\s+(\d+)\s+EVENTS\s*$/i;

function types(csv) {
  const [header, ...rows] = csv.trimEnd().split("\n").map((row) => row.split(","));
  return rows.map((row) => row[header.indexOf("type")]);
}

function* matches(wanted, events, start) {
  if (wanted.length === 0) { yield []; return; }
  for (let place = start; place < events.length; place++)
    if (events[place] === wanted[0]) {
      for (const rest of matches(wanted.slice(1), events, place + 1)) yield [place, ...rest];
      if (start > 0) return;
    }
}

function answer(message) {
  if (message.type === "hello") return hello;
  const { id, language, query, streams, readings } = message;
  const form = FORM.exec(query ?? "");
  if (language !== "ceql" || !form || Object.keys(readings).length || Object.keys(streams).length !== 1)
    return { type: "unsupported", id, reason: "sequences of event types on one stream" };
  const wanted = form[1].replace(/[()\s]/g, "").split(";");
  const found = [...matches(wanted, types(Object.values(streams)[0].csv), 0)]
    .filter((places) => places.at(-1) - places[0] <= Number(form[2]))
    .map((places) => ({ start: places[0], end: places.at(-1), positions: places }));
  return { type: "result", id, results: found };
}

for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(answer(JSON.parse(line))));
