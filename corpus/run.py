"""Judges an engine without denota (README.md): python run.py "PROGRAM ARGS" CASE_OR_FOLDER ..."""
import collections, datetime, glob, json, pathlib, re, shlex, subprocess, sys, yaml
XSD, INPUTS = "http://www.w3.org/2001/XMLSchema#", "language query streams kb readings evaluate"
QUOTED = re.compile(r"""("{3}|'{3}|"|')(.*)\1(?:@([\w-]+)|\^\^(\S+))?""", re.DOTALL)
BARE = r"(?P<integer>[-+\d]+)|(?P<decimal>[-+.\d]+)|(?P<double>[-+.\deE]+)|(?P<boolean>true|false)"
yaml.SafeLoader.add_constructor("tag:yaml.org,2002:timestamp", lambda _, node: round(
    datetime.datetime.fromisoformat(node.value).timestamp() * 1_000_000))  # as in the protocol
def term(it, names):  # in Turtle, or as in SPARQL 1.1 Query Results JSON; blank nodes are alike
    if isinstance(it, list):
        return tuple(term(each, names) for each in it)
    if isinstance(it, dict):
        kind = (it.get("xml:lang") or "").lower() or it.get("datatype") or XSD + "string"
        return {"uri": (it["value"],), "bnode": "_:"}.get(it["type"], (it["value"], kind))
    if quoted := QUOTED.fullmatch(it := it if isinstance(it, str) else json.dumps(it)):
        value = quoted[2].encode("latin-1", "backslashreplace").decode("unicode-escape")
        return value, (quoted[3] or "").lower() or term(quoted[4] or "xsd:string", names)[0]
    if (bare := re.fullmatch(BARE, it)) or it[0] in "<_":
        return (it, XSD + bare.lastgroup) if bare else "_:" if it[0] == "_" else (it[1:-1],)
    return (re.sub("([^:]*):", lambda prefix: names[prefix[1]], it, count=1),)
def rows(results, keys, names, whole):
    for it in results:
        found = [frozenset((v, term(t, names)) for v, t in mu.items() if t is not None)
                 for mu in it.get("solutions", [it.get("solution", {})])]
        place = json.dumps([it.get(key) for key in keys])
        yield from ((place, row) for row in ([frozenset(found)] if whole else found))
def verdict(case, level, answer):
    expect, wanted = case["expect"], case["expect"].get("results") or []
    if answer["type"] == "error" and "error" in expect:
        return "passed" if re.search(expect["error"], answer["message"]) else "open"
    if answer["type"] != "result" or "error" in expect:
        return "unsupported" if answer["type"] == "unsupported" else "failed"
    level = max(expect["level"], level, key="pair solutions bag row positions".index)
    unnamed = {"solution", "solutions"} | ({"window", "rank"} if level == "row" else set())
    named = [{*result} - unnamed for result in wanted] or [set()]
    keys, names = sorted(set.intersection(*named)), {"xsd": XSD, **case.get("prefixes", {})}
    kind = set if level not in ("solutions", "bag") or case["language"] == "cqels" else list
    right, said = (collections.Counter(kind(rows(results, keys, names, level == "pair")))
                   for results in (wanted, answer["results"]))
    if right != said or "graph" in keys:
        return "open" if "graph" in keys or "choice" in case.get("tags", ()) else "failed"
    return "partly" if "'_:'" in str(right) or any(each > {*keys} for each in named) else "passed"
def ask(messages):
    lines = [json.dumps(each) + "\n" for each in ({"type": "hello", "protocol": 1}, *messages)]
    done = subprocess.run(shlex.split(sys.argv[1]), input="".join(lines).encode(), stdout=-1)
    return [json.loads(line) for line in done.stdout.splitlines() if line.endswith(b"}")]
cases = {path: yaml.safe_load(pathlib.Path(path).read_text("utf-8")) for place in sys.argv[2:]
         for path in sorted(glob.glob(f"{place}/**/*.case.yaml", recursive=True)) or [place]}
(hello,), answers, counts = ask([]), {}, collections.Counter()
asked = [{"type": "case", "id": id} | {key: case.get(key) or {} for key in INPUTS.split()}
         for id, case in cases.items() if case["language"] in hello["languages"]]
while asked:  # a program that ends before its last answer is started again after the case
    answers |= {each["id"]: each for each in ask(asked)[1:]}
    left = [each for each in asked if each["id"] not in answers]
    answers, asked = answers | {each["id"]: {"type": "silent"} for each in left[:1]}, left[1:]
for id, case in cases.items():
    outcome = verdict(case, hello["level"], answers.get(id, {"type": "unsupported"}))
    counts[outcome] += 1
    print(outcome, id)
print(f"{len(cases)} cases:", ", ".join(f"{counts[each]} {each}" for each in counts))
sys.exit(1 if counts["failed"] else 0 if counts["passed"] else 3)
