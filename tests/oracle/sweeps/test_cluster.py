"""A cluster on loopback as docs/clusters.md starts one: a master and two workers by hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import denota

pytestmark = pytest.mark.spark

MakeCorpus = Callable[..., Path]

LITTLE_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SUBMIT_ARGS = (
    f"--driver-java-options '{LITTLE_JAVA}' --conf spark.executor.extraJavaOptions='{LITTLE_JAVA}'"
    # A busy machine may keep an executor or a worker from its heartbeat for minutes.
    " --conf spark.network.timeout=100000s --conf spark.sql.codegen.wholeStage=false pyspark-shell"
)
QUICK_TO_START = {"PYSPARK_SUBMIT_ARGS": SUBMIT_ARGS}


def started(folder: Path, name: str, *words: str, said: str) -> tuple[subprocess.Popen[str], str]:
    """A process of Spark's that has said something; what it said."""
    pyspark = pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    from denota.oracle.sweeps.spark.java import java_home

    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    process = subprocess.Popen(
        [Path(pyspark.__file__).parent / "bin" / "spark-class", *words], cwd=folder, text=True,
        env={**own, "JAVA_HOME": str(java_home()), "SPARK_LOCAL_IP": "127.0.0.1",
             "SPARK_DAEMON_JAVA_OPTS": f"{LITTLE_JAVA} -Dspark.worker.timeout=100000"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    told = []
    with (folder / f"{name}.log").open("w") as log:
        for line in process.stderr:
            log.write(line)
            told.append(line)
            if found := re.search(said, line):
                # What it says later is nobody's concern, but must not fill the pipe.
                subprocess.Popen(
                    ["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL
                )
                return process, found[0]
    raise AssertionError("".join(told))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a master that has two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    running: list[subprocess.Popen[str]] = []
    deploy = "org.apache.spark.deploy"
    host = ("--host", "127.0.0.1", "--webui-port", "0")
    try:
        master, url = started(
            folder, "master", f"{deploy}.master.Master", *host, "--port", "0",
            said=r"spark://127\.0\.0\.1:\d+",
        )
        running.append(master)
        for name in ("worker-1", "worker-2"):
            worker, _ = started(
                folder, name, f"{deploy}.worker.Worker", *host, "--cores", "1", "--memory", "1g",
                "--work-dir", name, url, said="Successfully registered with master",
            )
            running.append(worker)
        yield url
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()


def swept(cluster: str, corpus: Path, out: Path, *words: str, **more: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "denota", "sweep", corpus, "-o", out, "--master", cluster,
         "--baseline", "0", *words],
        capture_output=True, text=True, check=False, env={**os.environ, **QUICK_TO_START, **more},
    )
    return done.returncode, done.stdout, done.stderr


def environment(folder: Path, *, packages: bool) -> str:
    """The Python of an environment without denota, and of `packages` with all that it needs."""
    venv.create(folder, with_pip=False, symlinks=True)
    if packages:
        (there,) = folder.glob("lib/python*/site-packages")
        for each in Path(pytest.__file__).parents[1].iterdir():
            if "denota" not in each.name and not (there / each.name).exists():
                (there / each.name).symlink_to(each)
    return str(folder / "bin" / "python")


KILLER = '''
import os
import signal
from pathlib import Path

from denota.engine import spaseq


def run(query, *, streams, kb, readings, start):
    """Kills the executor, which has started the processes that lead to this one, once."""
    try:
        Path("FOLDER/killed").touch(exist_ok=False)
    except FileExistsError:
        return spaseq.run(query, streams, kb, readings, start)
    pid = os.getppid()
    while "java" not in Path(f"/proc/{pid}/comm").read_text():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)
    signal.pause()
'''


BOTH = '''
import sys
from pathlib import Path

from denota.oracle.cli import main
from denota.oracle.sweeps.spark.session import spark_session

cut = sys.argv.index("run")
with spark_session(sys.argv[1], Path("spark.log")):
    sys.exit(max(main(words) for words in (sys.argv[2:cut], sys.argv[cut:])))
'''

STREAM = """
@prefix : <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .
:g1 prov:generatedAtTime 1 . :g1 { :m1 :a 1 } :g2 prov:generatedAtTime 2 . :g2 { :m2 :a 2 }
:g3 prov:generatedAtTime 3 . :g3 { :m3 :a 3 } :g4 prov:generatedAtTime 4 . :g4 { :m2 :b 4 }
:g5 prov:generatedAtTime 5 . :g5 { :m1 :b 5 }
"""
QUERY = """
PREFIX : <http://example.org/> SELECT ?m ?by WITHIN 30 FROM STREAM S :s WHERE { SEQ(A; B)
DEFINE GPM A ON S { ?m :a ?a GRAPH :known { ?m :by ?by } } DEFINE GPM B ON S { ?m :b ?b } }
"""


@pytest.mark.slow
def test_two_workers_that_have_no_denota_and_lose_an_executor(
    cluster: str, make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    """One driver sweeps, and then runs a query on a stream, with a background graph."""
    (tmp_path / "killer.py").write_text(KILLER.replace("FOLDER", str(tmp_path)))
    (tmp_path / "both.py").write_text(BOTH)
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / "s.trig").write_text(STREAM)
    (tmp_path / "known.ttl").write_text(
        "@prefix : <http://example.org/> . :m1 :by :smith . :m2 :by :jones ."
    )
    python = environment(tmp_path / "packages", packages=True)
    alone = subprocess.run([python, "-c", "import denota"], cwd=tmp_path, env={}, check=False,
                           capture_output=True, text=True)
    assert "No module named 'denota'" in alone.stderr
    path = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(tmp_path))))
    run = ["run", "q.rq", "--stream", "S=s.trig", "--kb", "http://example.org/known=known.ttl"]
    done, plain = (
        subprocess.run(
            [sys.executable, *words], cwd=tmp_path, check=False, capture_output=True, text=True,
            env={**os.environ, **QUICK_TO_START, "PYSPARK_PYTHON": python, "PYTHONPATH": path},
        )
        for words in (
            ["both.py", cluster, "sweep", str(make_corpus(("keys", 1, 1, 40))), "-o", "out",
             "--master", cluster, "--baseline", "0", "--engine", "python:killer:run",
             "--timeout", "1000", *run, "--spark", "--master", cluster],
            ["-m", "denota", *run],
        )
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "killed").exists()
    assert "all cases passed" in done.stdout
    # If map outputs are lost as well, Spark repeats the stage, whose tasks count from 0 again. So
    # the sweep's own count of repeated tasks depends on where the map tasks ran.
    assert "Lost executor" in (tmp_path / "spark.log").read_text()
    assert f"Spark on {cluster}: 40 cases" in done.stdout
    found = [line for line in done.stdout.splitlines() if line.startswith("{")]
    assert found == plain.stdout.splitlines()
    assert ["jones" in line for line in found] == [True, False]


@pytest.mark.slow
def test_a_worker_without_what_denota_needs(
    cluster: str, make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    python = environment(tmp_path / "bare", packages=False)
    code, out, err = swept(
        cluster, make_corpus(("keys", 1, 1, 4)), tmp_path / "out", PYSPARK_PYTHON=python,
        PYSPARK_SUBMIT_ARGS=f"--conf spark.cores.max=1 {SUBMIT_ARGS}",
    )
    assert (code, out) == (2, "")
    assert "a worker's Python has no module '" in err
    assert "denota comes to the workers by itself" in err
    assert err.count("\n") == 1


def test_the_page_says_how() -> None:
    page = Path(denota.__file__).with_name("docs") / "clusters.md"
    text = page.read_text(encoding="utf-8")
    for words in ("deploy.master.Master", "deploy.worker.Worker", "PYSPARK_PYTHON"):
        assert words in text
