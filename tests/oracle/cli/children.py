"""Children that are told things while they run, and what they are told: for tests of live runs.

A child is forked from this process, so that it need not import the command line again. A child
that never answers is ended by a watchdog after minutes, and its output then ends.
"""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections import Counter
from contextlib import suppress

from denota.oracle.cli import main

SPASEQ = """PREFIX : <http://example.org/>
SELECT ?x ?y WITHIN 100 FROM STREAM S :s FROM STREAM T :t
WHERE { SEQ(A : B) DEFINE GPM A ON S { ?x :p 1 } DEFINE GPM B ON T { ?y :p 2 } }"""
ONE_STREAM = SPASEQ.replace("FROM STREAM T :t", "").replace("ON T", "ON S")
RSEPQL = """PREFIX : <http://example.org/>
REGISTER RSTREAM :out AS SELECT ?x ?y FROM NAMED WINDOW :w ON :s [RANGE 100 STEP 1]
WHERE { MATCH { EVENT :w { ?x :p 1 } SEQ EVENT :w { ?y :p 2 } } }"""
CQELS = """PREFIX : <http://example.org/>
SELECT ?x ?y FROM NAMED WINDOW :w ON :s [RANGE 100]
WHERE { WINDOW :w { SEQ({?x :p 1}, {?y :p 2}) } }"""
EPSPARQL = """PREFIX : <http://example.org/>
SELECT ?x ?y FROM STREAM :s WHERE { ?x :p 1 } SEQ { ?y :p 2 }"""
EQUALS = """PREFIX : <http://example.org/>
SELECT ?x ?y FROM STREAM :s WHERE { ?x :p 1 } EQUALSOPTIONAL { ?y :p 2 }"""

PREFIXES = """@prefix : <http://example.org/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
"""
XSD = "^^<http://www.w3.org/2001/XMLSchema#integer>"


def trig(time, value):
    return f":g{time} prov:generatedAtTime {time} . :g{time} {{ :x{time} :p {value} }}\n"


def nquads(time, value, *, time_first=False):
    ex = "http://example.org/"
    fact = f'<{ex}x{time}> <{ex}p> "{value}"{XSD} <{ex}g{time}> .\n'
    stamp = f'<{ex}g{time}> <http://www.w3.org/ns/prov#generatedAtTime> "{time}"{XSD} .\n'
    return stamp + fact if time_first else fact + stamp


def heartbeat(time):
    return f'_:h <urn:denota:heartbeat> "{time}"{XSD} .\n'


def open_descriptors():
    """Return the descriptors of open files, without the one that reading them needs.

    Each is there with the number of its file: a descriptor that is closed gives its own to the next
    file.
    """
    found = set()
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):
            found.add((int(name), os.fstat(int(name)).st_ino))
    return found


def fork(call, folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE):
    """Start a fork of this process in this folder that ends with the exit code of a call."""
    before = open_descriptors()

    def run():
        gc.freeze()  # a collection that visits the parent's objects would copy their pages
        # Popen returns when its own pipe to the child is closed: by exec, or here. The files of
        # this process stay open, since what it has started is reached through them. Another thread
        # may have closed one meanwhile, and Popen's pipe have its number; of that pipe one end is
        # here, both ends of those that libraries make anew in a fork (Arrow).
        here = open_descriptors()
        ends = Counter(file for _, file in here)
        numbers = {descriptor for descriptor, _ in before}
        for descriptor, file in here - before:
            if descriptor > 2 and (descriptor not in numbers or ends[file] == 1):
                os.close(descriptor)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1)  # noqa: SIM115
        code = 1
        try:
            code = int(call())
            sys.stdout.flush()
        except SystemExit as ended:
            code = ended.code
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)

    return subprocess.Popen(
        [sys.executable], cwd=folder, stdin=stdin, stdout=stdout, stderr=stderr, text=True,
        preexec_fn=run, restore_signals=False,
    )


def fork_denota(words, folder, stdin=subprocess.PIPE):
    """Start `denota` with these words in a fork of this process, with pipes for its streams."""
    return fork(lambda: main(words), folder, stdin)


class Child:
    """`denota run` as a child, with the writing ends of the pipes that it reads."""

    def __init__(self, folder, query, *options, pipes=(), stdin=subprocess.PIPE, forked=True):
        """Start it as a fork, or as a program, which alone runs what is due when it ends."""
        (folder / "q").write_text(query, encoding="utf-8")
        for name in pipes:
            os.mkfifo(folder / name)
        words = ["run", "q", *options]
        self.process = fork_denota(words, folder, stdin) if forked else subprocess.Popen(
            [sys.executable, "-m", "denota", *words], cwd=folder, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.watchdog = threading.Timer(300, self.process.kill)
        self.watchdog.start()
        self.pipes = {name: (folder / name).open("w", encoding="utf-8") for name in pipes}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.process.kill()
        self.process.communicate()
        for pipe in self.pipes.values():
            pipe.close()

    def tell(self, text, pipe=None):
        to = self.process.stdin if pipe is None else self.pipes[pipe]
        to.write(text)
        to.flush()

    def line(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return line

    def read_to(self, text):
        """Reads until it has said this, be the line at its end or not."""
        read = ""
        while text not in read:
            letter = self.process.stdout.read(1)
            assert letter, self.process.stderr.read()
            read += letter

    def match(self):
        return json.loads(self.line())

    def interrupted(self):
        """Its exit code after Ctrl-C, and what it still had to say."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate()
        return self.process.returncode, out, err

    def ended(self):
        """Its exit code when its input has ended, and what it still had to say."""
        for pipe in self.pipes.values():
            pipe.close()
        out, err = self.process.communicate()
        return self.process.returncode, out, err
