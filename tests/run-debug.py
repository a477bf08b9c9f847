#!/usr/bin/python3
"""Debugs measured programs: `trammel debug` with a real gdb, and its own prompt.

Usage: run-debug.py [--trammel PATH] [--only NAME] [--keep DIR]

The programs in debug/ say in their heads what they do. Each case runs one while a debugger stops it,
and compares what the debugger says with that; the program must print and end as without. Ends with
`N passed, N failed`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "debug")
FLAGS = {"O2": ["-O2", "-g"], "O0": ["-O0", "-g"]}
BEGIN = """set pagination off
set confirm off
set sysroot /
set debuginfod enabled off
set width 0
target remote {place}
"""
SECONDS = 120


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Place:
    """Where a case runs."""

    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder

    def build(self, name, variant="O2"):
        program = os.path.join(self.folder, f"{name}-{variant}")
        source = os.path.join(SOURCES, name + ".c")
        if not os.path.exists(program):
            subprocess.run(["gcc", *FLAGS[variant], "-pthread", "-o", program, source], check=True)
        return program

    def gdb(self, program, script, measure="functions", options=()):
        """Runs a program measured, and a gdb on it. Returns what gdb prints, what the program does, and its
        status."""
        socket = os.path.join(self.folder, "socket")
        commands = os.path.join(self.folder, "commands")
        with open(commands, "w", encoding="utf-8") as file:
            file.write(BEGIN.format(place=socket) + script)
        run = subprocess.Popen(
            [self.trammel, "debug", "-q", "-m", measure, "--gdb", "unix:" + socket, "-o",
             os.path.join(self.folder, "out.trm"), *options, "--", program],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        try:
            said = run.stderr.readline()
            expect("target remote" in said, f"it does not wait for gdb: {said}")
            gdb = subprocess.run(["gdb", "-nx", "-batch", "-x", commands, program], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                                 check=False, stdin=subprocess.DEVNULL)
            output, errors = run.communicate(timeout=SECONDS)
        finally:
            run.kill()
            run.wait()
        expect("rror in sourced" not in gdb.stdout, f"gdb: {gdb.stdout}\n{errors}")
        return gdb.stdout, output, run.returncode

    def prompt(self, program, commands, options=(), arguments=(), measure="functions"):
        """Runs a program measured, with these commands at the prompt. Returns what both print, and the status."""
        words = [word for command in commands for word in ("-e", command)]
        run = subprocess.run(
            [self.trammel, "debug", "-q", "-m", measure, "-o", os.path.join(self.folder, "out.trm"), *words,
             *options, "--", program, *arguments],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            cwd=self.folder, timeout=SECONDS, check=False)
        return run.stdout, run.returncode

    def calls(self, function):
        """Returns how often the profile says that a function was called."""
        text = subprocess.run([self.trammel, "report", "--all", os.path.join(self.folder, "out.trm")],
                              text=True, stdout=subprocess.PIPE, check=True).stdout
        found = re.search(rf"^ *([0-9,]+) .* {function}$", text, re.M)
        return int(found.group(1).replace(",", "")) if found else 0


def bare(program):
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    return run.stdout, run.returncode


def hits_of(text):
    return [int(n) for n in re.findall(r"already hit (\d+) time", text)]


HITS = """break *leaf
ignore 1 100000
break *middle
ignore 2 100000
break *(leaf+4)
ignore 3 100000
continue
info breakpoints
"""


def test_hits(place, measure):
    program = place.build("loops")
    text, output, status = place.gdb(program, HITS, measure)
    expect((output, status) == bare(program), f"the program: {output!r}, {status}")
    expect(hits_of(text) == [4950, 100, 4950], f"hits: {hits_of(text)}\n{text}")
    if measure == "functions":
        expect(place.calls("leaf") == 4950, f"calls: {place.calls('leaf')}")


THREADS = """handle SIGUSR1 nostop noprint pass
break touch
ignore 1 100000
break on_usr1
break child_work
continue
backtrace
finish
stepi
stepi
continue
info breakpoints
"""


def test_threads(place, measure):
    program = place.build("threads")
    text, output, status = place.gdb(program, THREADS, measure)
    expect((output, status) == bare(program), f"the program: {output!r}, {status}")
    expect(hits_of(text) == [801, 1], f"hits: {hits_of(text)}\n{text}")
    expect("<signal handler called>" in text and re.search(r"#\d+ .*in main \(\) at", text),
           f"no stack: {text}")


def expect_all(text, patterns):
    """Expects lines that match, in this order."""
    at = 0
    for pattern in patterns:
        found = re.compile(pattern, re.M).search(text, at)
        expect(found, f"no '{pattern}' behind {text[:at][-200:]!r} in:\n{text}")
        at = found.end()


def test_prompt(place, measure):
    """Each kind of command, on a program whose calls are known."""
    program = place.build("loops")
    text, status = place.prompt(program, [
        "break leaf", "tbreak loops.c:11 if arg0 == 7", "continue", "backtrace", "delete 1", "watch leaf 1000",
        "info breakpoints", "delete 2", "continue", "print $rdi", "x/2i $pc", "disassemble leaf", "finish",
        "info threads", "set $rax = $rax", "print u8($sp) & 0", "nosuch", "continue"], measure=measure)
    expect(status == 0, f"status {status}: {text}")
    expect_all(text, [
        r"^Breakpoint 1 at 0x[0-9a-f]+: leaf at .*loops\.c:\d+$", r"^Breakpoint 2 at", r"^Breakpoint 1, thread",
        r"^#0 .* in leaf at", r"^#1 .* in middle\+0x", r"^#2 .* in main\+0x", r"^Breakpoint 3 at",
        r"^1|^3 ", r"^Breakpoint 3, thread", r"^9  0x9$", r"^   0x[0-9a-f]+ +lea ", r"^.*lea .*\| 0x[0-9a-f]+ +lea ",
        r"^\(trammel\) finish\n.* in middle\+0x", r"^\* \d+\.\d+ \"loops", r"^0  0x0$", r"is no command",
        r"^490050 7$", r"exited with 0\."])


def test_steps(place, measure):
    """Steps through 250 instructions go the way of those of a gdb on the bare program."""
    program = os.path.join(place.folder, "static")
    if not os.path.exists(program):
        subprocess.run(["gcc", "-O2", "-g", "-static", "-o", program, os.path.join(SOURCES, "loops.c")],
                       check=True)
    steps = 'set $n=0\nwhile $n<250\nstepi\nprintf "at %lx\\n", $pc\nset $n=$n+1\nend\n'
    commands = os.path.join(place.folder, "bare")
    with open(commands, "w", encoding="utf-8") as file:
        file.write("set pagination off\nset confirm off\nbreak *middle\nrun\n" + steps)
    bare_run = subprocess.run(["gdb", "-nx", "-batch", "-x", commands, program], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, check=False)
    text, output, _ = place.gdb(program, "break *middle\ncontinue\n" + steps + "delete\ncontinue\n", measure)
    ways = [re.findall(r"^at ([0-9a-f]+)$", run, re.M) for run in (bare_run.stdout, text)]
    expect(len(ways[0]) == 250, f"the bare program: {bare_run.stdout}")
    expect(ways[0] == ways[1], f"{[pair for pair in zip(*ways) if pair[0] != pair[1]][:3]}")
    expect(output == "490050 7\n", f"the program: {output}")


CASES = {
    **{f"prompt-{measure}": lambda place, measure=measure: test_prompt(place, measure)
       for measure in ("functions", "blocks")},
    **{f"steps-{measure}": lambda place, measure=measure: test_steps(place, measure)
       for measure in ("functions", "edges", "calls", "callgraph")},
    **{f"hits-{measure}": lambda place, measure=measure: test_hits(place, measure)
       for measure in ("functions", "blocks", "callgraph")},
    **{f"threads-{measure}": lambda place, measure=measure: test_threads(place, measure)
       for measure in ("functions", "edges")},
}


def run_case(name, arguments):
    folder = tempfile.mkdtemp(prefix="debug-")
    try:
        CASES[name](Place(os.path.abspath(arguments.trammel), folder))
    except (Failure, subprocess.SubprocessError, OSError) as failure:
        print(f"FAIL {name}: {failure}", flush=True)
        return False
    finally:
        if arguments.keep:
            shutil.copytree(folder, os.path.join(arguments.keep, name), dirs_exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"ok   {name}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trammel", default=os.path.join(HERE, "../build/src/cli/trammel"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    if not shutil.which("gdb"):
        print("no gdb here\n0 passed, 0 failed")
        return 0
    results = [run_case(name, arguments) for name in CASES if arguments.only in name]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
