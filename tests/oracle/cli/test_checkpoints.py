"""`denota run --checkpoint`: killed at any item, a run goes on and writes what it would have."""

from __future__ import annotations

import json
import os
import resource
import signal
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pyoxigraph import RdfFormat, parse, serialize

from denota.engine.tuning import capacities
from denota.oracle.cli import main
from denota.oracle.cli.run.checkpointing import Checkpointed
from denota.semantics.streams.files.outputs import Output

ITEMS = 60
_PREFIX = "PREFIX : <http://example.org/> "
QUERIES = {
    "spaseq": _PREFIX + "SELECT ?m ?a ?b WITHIN 30 FROM STREAM S :s WHERE { SEQ(A; B)"
    " DEFINE GPM A ON S { ?m :a ?a } DEFINE GPM B ON S { ?m :b ?b . GRAPH :kb { ?m :is :on } } }",
    "rsepql": _PREFIX + "REGISTER ISTREAM :o AS SELECT ?m ?a ?b FROM NAMED WINDOW :w ON :s"
    " [RANGE 30 STEP 1] WHERE { MATCH { EVENT :w { ?m :a ?a } SEQ EVENT :w { ?m :b ?b } } }",
    "cqels": _PREFIX + "SELECT ?m ?a ?b FROM NAMED WINDOW :W ON :s [RANGE 30] WHERE {"
    " WINDOW :W { SEQ({ ?m :a ?a }, { ?m :b ?b }) } }",
    "epsparql": _PREFIX + "SELECT ?m ?a ?b FROM STREAM :s WHERE { { ?m :a ?a } SEQ { ?m :b ?b }"
    " FILTER (getDURATION() < 30) }",
    "ceql": "SELECT * FROM S WHERE A ; B PARTITION BY [m] WITHIN 20 EVENTS",
}


def asked(folder: Path, language: str) -> list[str]:
    """The words of a run over a stream in this folder."""
    draw = Random(7)
    events = [(draw.choice("ab"), draw.randrange(5)) for _ in range(ITEMS)]
    (folder / "query").write_text(QUERIES[language])
    if language == "ceql":
        lines = ["type,m", *(f"{kind.upper()},m{machine}" for kind, machine in events)]
        (folder / "s.csv").write_text("\n".join(lines) + "\n")
        return ["run", str(folder / "query"), "--stream", f"S={folder / 's.csv'}"]
    head = "@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"
    (folder / "s.trig").write_text(head + "\n".join(
        f":g{at} prov:generatedAtTime {at} . :g{at} {{ :m{machine} :{kind} {at} }}"
        for at, (kind, machine) in enumerate(events)
    ))
    (folder / "kb.ttl").write_text(head + " ".join(f":m{n} :is :on ." for n in range(4)))
    return [
        "run", str(folder / "query"), "--language", language,
        "--stream", f"http://example.org/s={folder / 's.trig'}",
        "--kb", f"http://example.org/kb={folder / 'kb.ttl'}",
    ]


def in_a_child(words: list[str], before: Callable[[], None] = lambda: None) -> int:
    """How a process ends that runs these words."""
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        code = 99
        try:
            before()
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def ended_at(item: int, by: signal.Signals) -> Callable[[], None]:
    """Makes a run end by a signal before it has counted this item."""

    def prepare() -> None:
        count = Checkpointed._count

        def counted(self: Checkpointed, arrival: object) -> int:
            if sum(self.taken.values()) >= item:
                os.kill(os.getpid(), by)
            return count(self, arrival)

        Checkpointed._count = counted  # type: ignore[method-assign]

    return prepare


@pytest.mark.parametrize("language", QUERIES)
def test_a_run_that_is_killed_goes_on(language: str, tmp_path: Path) -> None:
    words = asked(tmp_path, language)
    whole, part = tmp_path / "whole", tmp_path / "part"
    assert in_a_child([*words, "-o", str(whole)]) == 0
    expected = whole.read_text().splitlines()
    assert len(expected) > 10
    kept = [*words, "-o", str(part), "--checkpoint", str(tmp_path / "state"),
        "--checkpoint-interval", "7"]
    draw = Random(language)
    for item in (draw.randrange(8, 30), draw.randrange(30, ITEMS)):
        assert in_a_child(kept, ended_at(item, signal.SIGKILL)) == -signal.SIGKILL
    assert in_a_child(kept) == 0
    assert sorted(part.read_text().splitlines()) == sorted(expected)
    if language == "rsepql":  # the end of the streams is not in the checkpoint: it comes again
        assert in_a_child(kept) == 0
        assert sorted(part.read_text().splitlines()) == sorted(expected)


@pytest.mark.parametrize("language", ["spaseq", "cqels"])
def test_a_run_by_columns_goes_on(language: str, tmp_path: Path) -> None:
    """Over a file that grows between the runs, and killed in the second."""
    words = asked(tmp_path, language)
    trig = tmp_path / "s.trig"
    store = parse(trig.read_bytes(), format=RdfFormat.TRIG)
    quads = serialize(store, format=RdfFormat.N_QUADS).decode().splitlines(keepends=True)
    file = tmp_path / "s.nq"
    words = [word.replace("s.trig", "s.nq") for word in words]
    file.write_text("".join(quads))
    assert in_a_child([*words, "-o", str(tmp_path / "whole")]) == 0
    expected = (tmp_path / "whole").read_text().splitlines()
    kept = [*words, "-o", str(tmp_path / "part"), "--checkpoint", str(tmp_path / "state")]
    with capacities(large=0, handed=2, handed_first=5, handed_most=9):
        file.write_text("".join(quads[: 2 * 29]))
        assert in_a_child([*kept, "--checkpoint-interval", "12"]) == 0
        file.write_text("".join(quads))
        assert in_a_child([*kept, "--checkpoint-interval", "7"], ended_at(45, signal.SIGKILL)) < 0
        assert in_a_child(kept) == 0
    assert sorted((tmp_path / "part").read_text().splitlines()) == sorted(expected)
    assert len(expected) > 10


def test_terms_may_be_hashed_otherwise_in_the_other_process(tmp_path: Path) -> None:
    words = [*asked(tmp_path, "epsparql"), "--format", "csv"]
    kept = [*words, "-o", str(tmp_path / "part"), "--checkpoint", str(tmp_path / "state")]
    assert in_a_child([*words, "-o", str(tmp_path / "whole")]) == 0
    killed = ended_at(40, signal.SIGKILL)
    assert in_a_child([*kept, "--checkpoint-interval", "4"], killed) == -signal.SIGKILL
    environment = {**os.environ, "PYTHONHASHSEED": "3"}
    command = [sys.executable, "-m", "denota", *kept]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    lines = [(tmp_path / name).read_text().splitlines() for name in ("part", "whole")]
    assert sorted(lines[0]) == sorted(lines[1])


@pytest.mark.parametrize(
    ("by", "code", "format"), [(signal.SIGINT, 130, "jsonl"), (signal.SIGTERM, 143, "csv")]
)
def test_a_run_that_is_interrupted_writes_a_checkpoint(
    by: signal.Signals, code: int, format: str, tmp_path: Path
) -> None:
    words = [*asked(tmp_path, "ceql"), "--format", format]
    kept = [*words, "-o", str(tmp_path / "part"), "--checkpoint", str(tmp_path / "state")]
    assert in_a_child([*kept, "--checkpoint-interval", "9"], ended_at(50, by)) == code
    assert (tmp_path / "state").exists()
    assert in_a_child([*words, "-o", str(tmp_path / "whole")]) == 0
    assert in_a_child(kept) == 0
    assert (tmp_path / "part").read_text() == (tmp_path / "whole").read_text()


def test_a_run_gives_the_handlers_of_signals_back(tmp_path: Path) -> None:
    asked_for = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(each) for each in asked_for]
    words = [*asked(tmp_path, "ceql"), "-o", str(tmp_path / "out.jsonl")]
    assert main([*words, "--checkpoint", str(tmp_path / "kept.ckpt")]) == 0
    assert [signal.getsignal(each) for each in asked_for] == before


def test_what_does_not_fit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = asked(tmp_path, "spaseq")
    state, part = str(tmp_path / "state"), str(tmp_path / "part")
    kept = [*words, "-o", part, "--checkpoint", state, "--checkpoint-interval", "50"]
    assert in_a_child(kept) == 0

    def said(*more: str, instead: list[str] | None = None) -> str:
        capsys.readouterr()
        assert main([*(instead or kept), *more]) == 2
        return capsys.readouterr().err.replace(str(tmp_path), "").strip()

    assert said("--reading", "kleene=join") == (
        "/state: cannot resume: the checkpoint belongs to a run with other readings"
    )
    assert said("--from", "3").endswith(
        "with another evaluation: its start, times, policy, period or setting"
    )
    told = said("--max-out-of-orderness", "5")
    assert told.endswith("with other options for reading its streams")
    (tmp_path / "kb.ttl").write_text("")
    assert said().endswith("with another background")
    asked(tmp_path, "spaseq")
    (tmp_path / "query").write_text(QUERIES["spaseq"] + " ")
    assert said().endswith("with another query")
    asked(tmp_path, "spaseq")
    Path(part).write_text("")
    assert said().endswith("part is not the output that the checkpoint goes on with")
    whole = Path(state).read_bytes()
    Path(state).write_bytes(whole[:-1])
    assert said() == "/state: the checkpoint is truncated"
    Path(state).write_bytes(whole[:60] + b"?" + whole[61:])
    assert said() == "/state: the checkpoint is damaged: checksum mismatch"
    told = said("--checkpoint-interval", "5", instead=words)
    assert "--checkpoint-interval requires --checkpoint" in told
    assert "--limit is not allowed with --checkpoint" in said("--limit", "5")
    assert "--checkpoint requires --format jsonl or csv" in said("--format", "srj")
    Path(state).write_bytes(whole)
    told = said("--format", "csv")
    assert told.endswith("cannot resume: the checkpoint belongs to a run that writes jsonl")
    assert "--checkpoint requires --engine production" in said("--engine", "oracle")


def test_another_file_than_at_the_checkpoint_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_text("SELECT * FROM S WHERE A; B", encoding="utf-8")
    stream, kept = tmp_path / "s.csv", tmp_path / "kept"
    stream.write_text("type\nA\nB\n", encoding="utf-8")
    words = ["run", str(tmp_path / "q"), "--stream", f"S={stream}", "-o", str(tmp_path / "out")]
    words += ["--checkpoint", str(kept)]
    assert main(words) == 0
    whole = kept.read_bytes()

    def said() -> str:
        capsys.readouterr()
        assert main(words) == 2
        assert kept.read_bytes() == whole
        return capsys.readouterr().err.replace(f"{tmp_path}/", "").splitlines()[-1]

    stream.write_text("type\nA\n", encoding="utf-8")
    assert said() == "kept: s.csv is shorter than it was at the checkpoint: 7 of 9 bytes"
    stream.write_text("type\nA\nA\nB\n", encoding="utf-8")
    assert said() == (
        "kept: s.csv is another file than at the checkpoint: its first 9 bytes are others"
    )
    stream.write_text("type\nA\nB\n", encoding="utf-8")
    text, arrays, head = _split(whole)
    text["about"]["taken"] = {"": 5}
    whole = _joined(text, arrays, head)
    kept.write_bytes(whole)
    assert said() == "kept: the input ends 3 items before the checkpoint"


FEW, MANY = range(12), range(12, 60)
"""Seeds of forged checkpoints."""


@pytest.mark.parametrize("seeds", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=len)
@pytest.mark.parametrize("language", QUERIES)
def test_a_forged_checkpoint_ends_in_one_line(
    language: str, seeds: range, tmp_path: Path
) -> None:
    words = asked(tmp_path, language)
    stream = tmp_path / ("s.csv" if language == "ceql" else "s.trig")
    lines = stream.read_text().splitlines(keepends=True)
    stream.write_text("".join(lines[: len(lines) // 2]))
    kept, out = tmp_path / "state", tmp_path / "out"
    words += ["-o", str(out), "--checkpoint", str(kept)]
    assert main(words) == 0  # here, so that the children need not import what it needs
    stream.write_text("".join(lines))
    state, results = kept.read_bytes(), out.read_bytes()
    codes = Counter[int]()
    for seed in seeds:
        kept.write_bytes(_forged(state, Random(seed)))
        out.write_bytes(results)
        codes[in_a_child(words, _bounded)] += 1
    # An exception that nobody expects is 99, a segmentation fault and a loop are signals.
    assert codes[2] > len(seeds) // 3
    assert set(codes) <= {0, 2}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda engine: _runs(engine)[0].__setitem__(2, -1), id="states"),
        pytest.param(lambda engine: _moves(engine)[0].__setitem__(4, 1 << 40), id="target"),
        pytest.param(lambda engine: _store(engine).__setitem__(2, 0), id="no room"),
        pytest.param(lambda engine: _store(engine).__setitem__(2, 1 << 60), id="much room"),
        pytest.param(lambda engine: _store(engine).__setitem__(5, 0), id="empty lists"),
    ],
)
def test_numbers_of_ceql_that_fit_nothing_are_refused(
    change: Callable[[Any], object], tmp_path: Path
) -> None:
    words = asked(tmp_path, "ceql")
    (tmp_path / "query").write_text("SELECT MAX * FROM S WHERE A ; B:+ ; A PARTITION BY [m]")
    kept = tmp_path / "state"
    words += ["-o", str(tmp_path / "out"), "--checkpoint", str(kept)]
    assert main(words) == 0
    with open(tmp_path / "s.csv", "a") as more:
        more.write("A,m1\nB,m1\nA,m1\n" * 3)
    text, arrays, head = _split(kept.read_bytes())
    change(text["engine"])
    kept.write_bytes(_joined(text, arrays, head))
    assert in_a_child(words, _bounded) == 2


def _runs(engine: Any) -> list[Any]:
    return [value for value in engine["values"] if value[0] == "of" and value[1].endswith(".Run")]


def _moves(engine: Any) -> list[Any]:
    return [value for value in engine["values"] if value[0] == "of" and value[1].endswith(".Move")]


def _store(engine: Any) -> list[Any]:
    """The kept fields of the store: registers, nodes, quota, partitions, states, width, …"""
    kept: list[Any]
    [kept] = [kept for name, _, kept in engine["places"] if name.endswith(".Store")]
    return kept


def _bounded() -> None:
    """Let the process have 8 GiB more than it has, and a minute of a processor."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (8 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


_HEAD = struct.Struct("<16sIQQ")
_INSTEAD: list[Any] = [
    -1, 0, 1, 2**31, 2**63 - 1, -(2**63), 10**30, 1.5, float("inf"), "x", None, True, [0], [0, 0],
    [0, 1], [5], [3, 0], [10**9], {}, [],
]


def _forged(content: bytes, draw: Random) -> bytes:
    """A checkpoint with a few changes and the checksum that it has then."""
    text, arrays, head = _split(content)
    for _ in range(draw.choice((1, 1, 2, 4))):
        if arrays and draw.random() < 0.25:
            at = draw.randrange(len(arrays)) // 8 * 8
            number = draw.choice((-1, 0, 2, 1 << 40, (1 << 63) - 1, draw.randrange(-99, 999)))
            arrays[at : at + 8] = number.to_bytes(8, "little", signed=True)
            continue
        part = draw.choice([each for each in ("about", "terms", *["engine"] * 4) if text[each]])
        paths = [*_paths(text[part])]
        holder, key = draw.choice(paths)
        if isinstance(holder, list) and draw.random() < 0.2:
            del holder[key]
        else:
            holder[key] = draw.choice(_INSTEAD)
    return _joined(text, arrays, head)


def _paths(node: Any) -> Iterator[tuple[Any, Any]]:
    """All containers in JSON, each with each of its keys."""
    inside: Any = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in inside:
        yield node, key
        if isinstance(value, (dict, list)):
            yield from _paths(value)


def _split(content: bytes) -> tuple[Any, bytearray, tuple[Any, ...]]:
    *head, text, arrays = _HEAD.unpack_from(content)
    end = _HEAD.size + text
    return json.loads(content[_HEAD.size : end]), bytearray(content[end : end + arrays]), (*head,)


def _joined(text: Any, arrays: bytearray, head: tuple[Any, ...]) -> bytes:
    written = json.dumps(text, separators=(",", ":")).encode("ascii")
    content = _HEAD.pack(*head, len(written), len(arrays)) + written + arrays
    return content + sha256(content).digest()


def test_a_second_writer_of_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_text("SELECT * FROM S WHERE A; B", encoding="utf-8")
    (tmp_path / "s.csv").write_text("type\nA\nB\n", encoding="utf-8")
    run = ["run", str(tmp_path / "q"), "--stream", f"S={tmp_path / 's.csv'}"]
    out, kept = tmp_path / "out", tmp_path / "kept"
    for options, path in (
        (["-o", str(out)], out),
        (["-o", str(out), "--format", "parquet"], out),
        (["-o", str(out), "--checkpoint", str(kept)], kept),
    ):
        assert main([*run, *options]) == 0
        before = path.read_bytes()
        with Output(path):
            capsys.readouterr()
            assert main([*run, *options]) == 2
            error = capsys.readouterr().err.splitlines()[-1]
            assert error == f"{path}: another output is being written to this file"
        assert path.read_bytes() == before
    with Output(out):  # the run would go on, and cut off what its output has too much
        before = out.read_bytes() + b"of another run"
        out.write_bytes(before)
        assert main([*run, "-o", str(out), "--checkpoint", str(kept)]) == 2
        assert out.read_bytes() == before
    assert main([*run, "-o", str(kept), "--checkpoint", str(kept)]) == 2
    assert "-o and --checkpoint name the same file" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"q", "s.csv", "out", "kept"}
