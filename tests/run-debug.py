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
import signal
import socket
import subprocess
import sys
import tempfile
import time

from transparency.results import asked

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "debug")
FLAGS = {"O2": ["-O2", "-g"], "O0": ["-O0", "-g"], "fixed": ["-O1", "-g", "-no-pie"]}
BEGIN = """set pagination off
set confirm off
set sysroot /
set debuginfod enabled off
set width 0
target remote {place}
"""
SECONDS = 300


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
        place = os.path.join(self.folder, "socket")
        commands = os.path.join(self.folder, "commands")
        with open(commands, "w", encoding="utf-8") as file:
            file.write(BEGIN.format(place=place) + script)
        run = subprocess.Popen(
            [self.trammel, "debug", "-q", "-m", measure, "--gdb", "unix:" + place, "-o",
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


PLUGIN = """int plug(int x) { return x * 3; }
int plug_both(int x) { return plug(x) + plug(x + 1); }
"""
PLUGGED = "int plug_both(int); int main(void) { return plug_both(1) - 3; }\n"


def test_left_out(place, measure):
    """Names in a library that is not measured, and has no plan."""
    for name, source, flags in (("libplugin.so", PLUGIN, ["-shared", "-fPIC"]),
                                ("plugged", PLUGGED, ["-Wl,-rpath," + place.folder, "-L" + place.folder, "-lplugin"])):
        subprocess.run(["gcc", "-O1", "-g", "-x", "c", "-", "-o", os.path.join(place.folder, name), *flags], check=True,
                       input=source, text=True)
    text, status = place.prompt(os.path.join(place.folder, "plugged"), [
        "break plug", "continue", "x/1i plug", "backtrace", "delete", "continue"], ["--skip", "libplugin*:"], measure=measure)
    expect_all(text, [r"^Breakpoint 1: there is no", r"^Breakpoint 1, thread \d+: 0x[0-9a-f]+ in plug at .*:1$",
                      r"^   0x[0-9a-f]+ +lea ", r"^#0 .* in plug at", r"^#1 .* in plug_both\+0x", r"^#2 .* in main\+0x"])
    expect(status == 6, f"status {status}: {text}")


# What is refused, in one line each, and changes nothing.
WRONG = {
    "x": "an address is missing", "x/3z $pc": "'z' is no format", "x/0 $pc": "a count is", "handle USR1 nostop print": "'print' is none of",
    "handle 9x": "'9x' is no signal", "break leaf if (1": "a ) is missing", "break leaf if $no == 1": "no such register",
    "break leaf if 1 1": "something is left", "tbreak leaf if": "'leaf if' is no place", "break main junk": "'main junk' is no place",
    "break main+": "'main+' is no place", "break loops.c:11x": "'loops.c:11x' is no place", "break 0x12z": "'0x12z' is no place",
    "condition 3 +": "a value is missing", "ignore 3": "is no number", "ignore 3 z": "'z' is no number",
    "backtrace z": "'z' is no number", "info registers zz": "no register 'zz'", "delete 3 4": "'4' is too much",
    "disable 3z": "there is no breakpoint", "set {0}$sp = 1": "{BYTES} is wrong", "set {4}$sp z = 1": "is too much",
}


def test_wrong(place, measure):
    """Commands that are wrong are refused; in a program that is not measured names are found."""
    program = place.build("loops")
    text, status = place.prompt(program, ["break main", "condition 1 nothere == 4 / 0", "condition 2", *WRONG, "handle USR1",
                                          "handle 40 nopass", "info breakpoints", "continue", "x/1i main", "delete", "continue"],
                                ["--skip", "*:"], measure=measure)
    expect(status == 0, f"status {status}: {text}")
    expect_all(text, [r"^Breakpoint 1 at", r"^Breakpoint 2 at", r"^Breakpoint 3 at",
                      *(rf"^\(trammel\) {re.escape(command)}\n.*{re.escape(words)}.*$"
                        for command, words in WRONG.items()),
                      r"^SIGUSR1: stop, pass$", r"^signal 40: stop, nopass$", r"^\(trammel\) info breakpoints\n3  main .*\n\(trammel\)",
                      r"^Breakpoint 3, thread \d+: 0x[0-9a-f]+ in main at", r"^   0x[0-9a-f]+ +sub ", r"^490050 7$"])
    for alone, words in (("samples", "as '-m functions,samples'"), ("waits", "measure something else")):
        text, status = place.prompt(program, [], measure=alone)
        expect(status == 2 and text.endswith(words + "\n") and text.count("\n") == 1, text)


def test_steps(place, measure):
    """Steps through 150 instructions go the way of those of a gdb on the bare program."""
    program = os.path.join(place.folder, "static")
    if not os.path.exists(program):
        subprocess.run(["gcc", "-O2", "-g", "-static", "-o", program, os.path.join(SOURCES, "loops.c")],
                       check=True)
    steps = 'set $n=0\nwhile $n<150\nstepi\nprintf "at %lx\\n", $pc\nset $n=$n+1\nend\n'
    commands = os.path.join(place.folder, "bare")
    with open(commands, "w", encoding="utf-8") as file:
        file.write("set pagination off\nset confirm off\nbreak *middle\nrun\n" + steps)
    bare_run = subprocess.run(["gdb", "-nx", "-batch", "-x", commands, program], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS,
                              stdin=subprocess.DEVNULL, check=False)
    text, output, _ = place.gdb(program, "break *middle\ncontinue\n" + steps + "delete\ncontinue\n", measure)
    ways = [re.findall(r"^at ([0-9a-f]+)$", run, re.M) for run in (bare_run.stdout, text)]
    expect(len(ways[0]) == 150, f"the bare program: {bare_run.stdout}")
    expect(ways[0] == ways[1], f"{[pair for pair in zip(*ways) if pair[0] != pair[1]][:3]}")
    expect(output == "490050 7\n", f"the program: {output}")


ODD = """set breakpoint pending on
handle SIGALRM nostop noprint pass
{breaks}set $k = 0
while $k < 9
continue
set $n = 0
while $n < 12
stepi
set $n = $n + 1
end
set $k = $k + 1
end
info breakpoints
delete
continue
signal SIGTRAP
"""
ODD_PLACES = ("moves", "flags", "own_trap", "jumps", "forks", "vforks", "sleeps", "reads", "plugin")


def test_odd(place, measure):
    """Stops at and steps through what is hard. gdb does not pass the program's own trap on in the first
    image; in the second, without breakpoints, it does."""
    program = place.build("odd")
    script = ODD.format(breaks="".join(f"break {name}\n" for name in ODD_PLACES))
    text, output, status = place.gdb(program, script, measure)
    expected = bare(program)[0].replace("traps 1", "traps 0", 1)
    expect((output, status) == (expected, 6), f"the program: {output!r}, {status}\n{text[-2000:]}")
    expect(len(hits_of(text)) == len(ODD_PLACES), f"hits: {hits_of(text)}\n{text[-3000:]}")


CORE = """break leaf if x == 40
continue
print leaf(5)
info proc
info auxv
gcore {core}
print $xmm0
print $eflags
kill
"""


def test_core(place, _):
    """Calls in the program, and a core that shows the original."""
    program = place.build("loops")
    core = os.path.join(place.folder, "core")
    text, _, status = place.gdb(program, CORE.format(core=core))
    expect_all(text, [r"leaf \(x=x@entry=40\)", r"^\$\d+ = 16$", r"^process \d+$", r"AT_ENTRY", r"^Saved corefile",
                      r"v4_float"])
    expect(status == -9, f"killed, but {status}")
    seen = subprocess.run(["gdb", "-nx", "-batch", "-ex", "backtrace", "-ex", "x/1i $pc", program, core],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          timeout=SECONDS).stdout
    expect_all(seen, [r"^#0  leaf \(x=x@entry=40\)", r"^#1 .* in middle", r"^#2 .* in main", r"<leaf>:\s+lea "])


def test_crash(place, measure):
    program = place.build("crash")
    text, status = place.prompt(program, ["backtrace", "print $rdi", "continue"], ["--on-crash"],
                                measure=measure)
    expect(status == -11, f"status {status}")
    expect_all(text, [r"^before$", r"^Signal SIGSEGV, thread \d+: 0x[0-9a-f]+ in poke", r"^#1 .* in main\+",
                      r"^16  0x10$", r"killed by SIGSEGV"])


def test_run_crash(place, measure):
    """trammel run --on-crash debug, without a terminal: what is known of the crash, and the program ends as bare."""
    program = place.build("crash")
    run = subprocess.run(
        [place.trammel, "run", "-q", "-m", measure, "--on-crash", "debug", "-o", os.path.join(place.folder, "out.trm"),
         "--", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=SECONDS, check=False)
    expect((run.stdout, run.returncode) == ("before\n", -11), f"{run}")
    expect_all(run.stderr, [r"^Signal SIGSEGV, thread \d+: 0x[0-9a-f]+ in poke", r"^#1 .* in main\+", r"^rdi +0x10 "])


def test_run_sound(place, measure):
    """The same of a program that does not crash."""
    program = place.build("loops")
    run = subprocess.run(
        [place.trammel, "run", "-q", "-m", measure, "--on-crash", "debug", "-o", os.path.join(place.folder, "out.trm"),
         "--", program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=SECONDS, check=False)
    expect((run.stdout, run.stderr, run.returncode) == ("490050 7\n", "", 0), f"{run}")
    expect(place.calls("leaf") == 4950, f"calls: {place.calls('leaf')}")


def test_measure(place, measure):
    """Calls are not counted from the 50th call of middle to the 70th: 0 to 49, and 70 to 99."""
    program = place.build("loops")
    text, status = place.prompt(program, [
        "break middle if arg0 == 50", "continue", "measure off", "measure", "tbreak middle if arg0 == 70", "continue",
        "measure on", "measure", "measure what", "delete", "continue"], measure=measure)
    expect(status == 0, f"status {status}: {text}")
    expect_all(text, [r"^measure off$", r"^measure on$", r"^measure on, or measure off$", r"^490050 7$"])
    expect((place.calls("middle"), place.calls("leaf")) == (80, 3760),
           f"calls: {place.calls('middle')}, {place.calls('leaf')}")


def test_family(place, measure):
    """Children of fork, vfork and posix_spawn are debugged, too, with what they execute; then they are not."""
    program = place.build("family")
    text, status = place.prompt(program, [
        "follow-children on", "break work", "continue", "print arg0", "backtrace", "continue", "print arg0", "stepi",
        "finish", "continue", "print arg0", "continue", "print arg0", "info breakpoints", "continue"], measure=measure)
    expect(status == 0, f"status {status}: {text}")
    expect_all(text, [r"^1  0x1$", r"^#1 .* in main\+", r"^2  0x2$", r"in work\+", r"in main\+", r"^2  0x2$",
                      r"^3  0x3$", r"^1  work .* hits 4$", r"^22$", r"^Process \d+ exited with 0\.$"])
    for line in bare(program)[0].splitlines():
        expect(re.search(f"^{line}$", text, re.M), f"no '{line}' in {text}")
    text, status = place.prompt(program, ["break work", "continue", "print arg0", "continue"], measure=measure)
    expect(status == 0 and "was forked" not in text, f"status {status}: {text}")
    expect_all(text, [r"^3  0x3$", r"^22$"])


def test_front_killed(place, measure):
    """Nobody has connected when the front is killed: the program does not wait any longer."""
    run, words = start_ticks(place, measure, "20", "1")
    try:
        tracer = tracer_of("ticks-O2")
        run.kill()
        run.wait()
        output = run.stdout.read()
    finally:
        run.kill()
    expect(output == "done\n", f"the program: {output!r}; {tracer}, {words}")


def test_python(place, measure):
    """Python at the prompt: values, registers, memory, commands in a loop, errors; names are kept."""
    program = place.build("loops")
    text, status = place.prompt(program, [
        "python n = 6 * 7", "break leaf", "python", "def arguments(times):", "    seen = []",
        "    for _ in range(times):", "        debug.execute('continue')", "        seen.append(debug.value('arg0'))",
        "    return seen", "end", "python arguments(4)", "py n", "py debug.registers()['rdi']",
        "py debug.read(debug.value('$rip'), 3).hex()", "py debug.value('nosuch')", "py 1 / 0", "py exit()", "python n + 1",
        "py debug.execute('delete') + debug.execute('continue')", "py n"], measure=measure)
    expect(status == 0, f"status {status}: {text}")
    expect_all(text, [r"^\[0, 0, 1, 0\]$", r"^42$", r"^0$", r"^'[0-9a-f]{6}'$", r"^ValueError: .*nosuch", r"^ZeroDivisionError: ",
                      r"^43$", r"^490050 7$", r"^EOFError"])


def address_of(program, symbol):
    """Where data of a program that is not position-independent is."""
    text = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(rf"^(\w+) \w {symbol}$", text, re.M).group(1), 16)


def test_watch(place, measure):
    """Watchpoints at the prompt: where values change, also in a thread that comes later; and at reads."""
    program = place.build("cells", "fixed")
    cell, narrow = address_of(program, "cell") + 8, address_of(program, "narrow")
    text, status = place.prompt(program, [
        "tbreak main", "continue", f"watch *{cell:#x}", f"watch *{narrow:#x} 4", f"watch *{narrow + 1:#x} 4",
        f"watch *{cell:#x} 3", "continue", "backtrace", "continue", "continue", "continue", "info breakpoints",
        "ignore 2 5", "delete 2", f"awatch *{cell:#x}", "continue", "continue"], measure=measure)
    expect(status == 0, f"status {status}: {text}")
    expect_all(text, [
        r"^Watchpoint 2: 8 bytes at", r"^Watchpoint 3: 4 bytes at", r"is no multiple of 4", r"^1, 2, 4 or 8 bytes can",
        r"^Watchpoint 2: 0x0, then 0xa, thread \d+: 0x[0-9a-f]+ in put\+", r"^#0 .* in put\+", r"^#1 .* in main\+",
        r"^Watchpoint 2: 0xa, then 0x14, thread", r"^Watchpoint 2: 0x14, then 0x1e, thread", r"in put\+",
        r"^Watchpoint 3: 0x0, then 0x5, thread .* in run\+", r"^2  watch .* hits 3$", r"is a watchpoint",
        r"^Watchpoint 4: 0x1e, thread .* in get\+", r"^20 30 5$", r"exited with 0\."])


WATCHES = """break main
continue
watch cell[1]
continue
continue
backtrace
continue
awatch narrow
delete 2
rwatch cell[1]
continue
continue
backtrace
continue
delete
continue
"""


def test_gdb_watch(place, measure):
    program = place.build("cells", "fixed")
    text, output, status = place.gdb(program, WATCHES, measure)
    expect(status == 0 and output == bare(program)[0], f"the program: {output!r}, {status}\n{text}")
    expect_all(text, [
        r"^Hardware watchpoint 2: cell\[1\]", r"^Old value = 0\nNew value = 10$", r"^Old value = 10\nNew value = 20$",
        r"^#0 .*put ", r"^#1 .* in main ", r"^Old value = 20\nNew value = 30$",
        r"^Hardware access \(read/write\) watchpoint 3: narrow", r"^Old value = 0\nNew value = 5$",
        r"^Hardware read watchpoint 4: cell\[1\]\n\nValue = 30$|hit Hardware read watchpoint 4: cell\[1\]\n\nValue = 30$",
        r"^#0 .*get ", r"Hardware access .* 3: narrow", r"^Value = 5$"])


def test_ticks(place, measure):
    """Threads that come at once: the last call is stopped in, and no other."""
    program = place.build("ticks")
    text, status = place.prompt(program, ["watch tick 300", "continue", "info threads", "continue"],
                                arguments=["100", "1"], measure=measure)
    expect(status == 7, f"status {status}: {text}")
    expect_all(text, [r"^Breakpoint 1, thread", r"^done$", r"exited with 7"])


def start_ticks(place, measure, *arguments):
    """Starts ticks, with prompts waited for. Returns the run, and the words of a prompt."""
    program = place.build("ticks")
    prompts = os.path.join(place.folder, "prompts")
    run = subprocess.Popen(
        [place.trammel, "debug", "-q", "-m", measure, "--listen", "unix:" + prompts, "--token", "secret", "-o",
         os.path.join(place.folder, "out.trm"), "--", program, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place.folder)
    said = run.stderr.readline()
    expect("--connect" in said, f"no prompt is waited for: {said}")
    return run, [place.trammel, "debug", "--connect", "unix:" + prompts]


def connect(words, *more):
    return subprocess.run([*words, *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)


def test_far(place, measure):
    """A prompt of another process, with and without the token; then garbage."""
    run, words = start_ticks(place, measure, "20", "1")
    try:
        refused = connect(words, "--token", "wrong", "-e", "continue")
        expect("token is wrong" in refused.stdout and refused.returncode == 4, f"refused: {refused}")
        with socket_at(words[-1]) as far:
            far.sendall(b"k\xff\xff\xff\xff" + b"x" * 5000)
            expect(far.recv(100)[:1] == b"r", "a message of 4 GiB was not refused")
        seen = connect(words, "--token", "secret", "-e", "break tick", "-e", "continue", "-e", "detach")
        expect_all(seen.stdout, [r"^Breakpoint 1 at", r"^Breakpoint 1, thread"])
        output = run.communicate(timeout=SECONDS)[0]
    finally:
        run.kill()
        run.wait()
    expect((output, run.returncode) == ("done\n", 7), f"the program: {output!r}, {run.returncode}")


def test_alone(place, measure):
    """When the prompt is gone a signal does not stop the program."""
    run, words = start_ticks(place, measure, "0", "1")
    try:
        with socket_at(words[-1]) as far:
            for kind, line in ((b"k", b"secret"), (b"l", b"break tick"), (b"l", b"continue")):
                far.sendall(kind + len(line).to_bytes(4, "little") + line)
            seen = b""
            while b"Breakpoint 1, thread" not in seen:
                more = far.recv(4096)
                expect(more, f"it ended: {seen}")
                seen += more
        os.kill(pid_of("ticks-O2"), signal.SIGUSR1)
        output = run.communicate(timeout=SECONDS)[0]
    finally:
        run.kill()
        run.wait()
    expect((output, run.returncode) == ("done\n", 7), f"the program: {output!r}, {run.returncode}")


def pid_of(name):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == name:
                return int(pid)
        except OSError:
            continue
    raise Failure(f"'{name}' does not run")


def socket_at(address):
    far = socket.socket(socket.AF_UNIX)
    far.settimeout(SECONDS)
    far.connect(address.removeprefix("unix:"))
    return far


def tracer_of(name):
    """The tracer of the process whose program has this name."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) != name:
                continue
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                found = re.search(r"^TracerPid:\s+([1-9]\d*)$", file.read(), re.M)
        except OSError:
            continue
        if found:
            return int(found.group(1))
    raise Failure(f"nobody traces '{name}'")


def test_killed(place, measure):
    """The tracer is killed while the program stands at a breakpoint: it goes on as if there were none."""
    run, words = start_ticks(place, measure, "20", "1")
    try:
        with socket_at(words[-1]) as far:
            for kind, line in ((b"k", b"secret"), (b"l", b"break tick"), (b"l", b"continue")):
                far.sendall(kind + len(line).to_bytes(4, "little") + line)
            seen = b""
            while b"Breakpoint 1, thread" not in seen:
                more = far.recv(4096)
                expect(more, f"it ended: {seen}")
                seen += more
            os.kill(tracer_of("ticks-O2"), signal.SIGKILL)
            output = run.communicate(timeout=SECONDS)[0]
    finally:
        run.kill()
        run.wait()
    expect(output == "done\n", f"the program: {output!r}, {run.returncode}")


def test_killed_hits(place, measure):
    """Tracers are killed while breakpoints are met all the time, which do not stop."""
    for _ in range(3):
        run, words = start_ticks(place, measure, "400", "1")
        try:
            with socket_at(words[-1]) as far:
                for kind, line in ((b"k", b"secret"), (b"l", b"break tick"), (b"l", b"ignore 1 100000000"),
                                   (b"l", b"continue")):
                    far.sendall(kind + len(line).to_bytes(4, "little") + line)
                wait_until_guarded("ticks-O2")
                os.kill(tracer_of("ticks-O2"), signal.SIGKILL)
                output = run.communicate(timeout=SECONDS)[0]
        finally:
            run.kill()
            run.wait()
        expect(output == "done\n", f"the program: {output!r}, {run.returncode}")


def wait_until_guarded(name):
    """Waits until a program has a handler of SIGTRAP: break instructions are in its code."""
    for _ in range(SECONDS * 100):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.path.basename(os.readlink(f"/proc/{pid}/exe")) != name:
                    continue
                with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                    caught = re.search(r"^SigCgt:\s+(\w+)$", file.read(), re.M)
            except OSError:
                continue
            if caught and int(caught.group(1), 16) >> (signal.SIGTRAP - 1) & 1:
                return
        time.sleep(0.01)
    raise Failure(f"'{name}' has no handler of SIGTRAP")


def test_traps(place, measure):
    """What the program itself sees of SIGTRAP."""
    program = place.build("traps")
    text, status = place.prompt(program, ["break here", "ignore 1 1000", "handle SIGTRAP nostop pass", "continue"],
                                measure=measure)
    expected = bare(program)[0]
    lines = [line for line in text.splitlines() if line in expected.splitlines()]
    expect((lines, status) == (expected.splitlines(), 0), f"status {status}: {text}")


def test_attach(place, measure):
    program = place.build("ticks")
    run = subprocess.Popen([program, "0", "1"], stdout=subprocess.PIPE, text=True)
    try:
        seen = subprocess.run(
            [place.trammel, "debug", "-q", "-p", str(run.pid), "-m", measure, "-o",
             os.path.join(place.folder, "out.trm"), "-e", "info threads", "-e", "break tick", "-e", "continue", "-e",
             "backtrace", "-e", "stepi", "-e", "delete", "-e", "quit"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=SECONDS, check=False)
        run.send_signal(signal.SIGUSR1)
        output = run.communicate(timeout=SECONDS)[0]
    finally:
        run.kill()
        run.wait()
    expect((output, run.returncode) == ("done\n", 7), f"the program: {output!r}, {run.returncode}")
    expect(seen.returncode == 0, f"status {seen.returncode}: {seen.stdout}")
    expect_all(seen.stdout, [r"^\* \d+\.\d+", r"^Breakpoint 1, thread", r"^#0 .* in tick", r"^#1 .* in run\+",
                             r"in tick\+"])


def cases_of(name, test, *measures):
    return {f"{name}-{measure}": lambda place, measure=measure: test(place, measure) for measure in measures}


CASES = {
    **cases_of("odd", test_odd, "functions"),
    **cases_of("core", test_core, "functions"),
    **cases_of("crash", test_crash, "edges"),
    **cases_of("run-crash", test_run_crash, "functions"),
    **cases_of("run-sound", test_run_sound, "functions"),
    **cases_of("measure", test_measure, "functions", "callgraph"),
    **cases_of("family", test_family, "functions", "blocks"),
    **cases_of("alone", test_alone, "functions"),
    **cases_of("front-killed", test_front_killed, "functions"),
    **cases_of("python", test_python, "functions"),
    **cases_of("watch", test_watch, "functions", "edges"),
    **cases_of("gdb-watch", test_gdb_watch, "functions", "blocks"),
    **cases_of("ticks", test_ticks, "functions", "blocks"),
    **cases_of("far", test_far, "functions"),
    **cases_of("killed", test_killed, "blocks"),
    **cases_of("killed-hits", test_killed_hits, "functions", "blocks"),
    **cases_of("traps", test_traps, "functions", "edges"),
    **cases_of("attach", test_attach, "blocks"),
    **cases_of("left-out", test_left_out, "functions"),
    **cases_of("wrong", test_wrong, "blocks"),
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
    results = [run_case(name, arguments) for name in CASES
               if arguments.only in name and asked(name)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
