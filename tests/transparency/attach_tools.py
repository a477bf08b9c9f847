"""Tests of `attach --tool`: tools in processes that run already. See lib/tool_attached.c."""

import os
import signal
import subprocess
import time

from transparency import running, sources
from transparency.attach import THREADS, Attached, Server
from transparency.job_control import expect

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOWS = {"fault": "was ended by SIGSEGV", "abort": "aborted", "exit": "called exit",
        "loop": "took too long", "wait": "took too long"}


def build(folder):
    path = os.path.join(folder, "tool_attached.so")
    if not os.path.exists(path):
        sources.compile_one(["gcc", "-O1", "-fPIC", "-shared", "-I" + os.path.join(ROOT, "include")],
                            ["lib/tool_attached.c"], path)
    return path


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def numbers(line):
    return [int(word) for word in line.split() if word.isdigit()]


def counts(folder, tool, _):
    """Calls of threads that were there, that come and go, and of a child, which has a copy; and
    afterwards there is nothing of it."""
    library = build(folder)
    said = os.path.join(folder, "attached.said")
    with Server(folder, "tools") as server:
        server.do("calls 100")
        before = server.mappings()
        for turn in range(3):
            attached = Attached(tool, server.pid, os.path.join(folder, "tools.trm"), "--tool",
                                library, "--tool-output", said)
            server.do(f"calls {500 + turn}")
            server.do("thread 30")
            server.do("child 20")
            server.do("exec")
            attached.end((signal.SIGINT, signal.SIGTERM)[turn % 2])
            if not turn:
                before = server.mappings()  # with the heaps of new threads
            server.do("calls 10")
            expect(server.mappings() == before, f"turn {turn}: its mappings changed: " +
                   running.first_difference(before.encode(), server.mappings().encode(), 600))
            lines = read(said)
            # /bin/true, which `exec` executes in a child, has tools of its own.
            expect(lines.count("started ") == 2, f"turn {turn}: {lines}")
            ends = sorted(numbers(line) for line in lines if line.startswith("calls "))
            main = THREADS * (500 + turn)
            # threads: all that there were, and the new one; the child's, before and after that
            wanted = [main + 30, THREADS + 2, THREADS + 2, 1, THREADS + 1]
            expect(wanted in ends, f"turn {turn}: {ends}, without {wanted}")
            child = [main + 50, THREADS + 2, THREADS + 2, 1, THREADS + 2]
            expect(child in ends, f"turn {turn}: {ends}, without {child}")
        server.finish()


def busy(folder, tool, _):
    """Threads that call all the time, as others come and go: all routines are left."""
    library = build(folder)
    said = os.path.join(folder, "busy.said")
    with Server(folder, "tools-busy") as server:
        server.do("spin")
        for turn in range(4):
            first = server.mark()
            attached = Attached(tool, server.pid, os.path.join(folder, "busy.trm"), "--tool",
                                library, "--tool-output", said)
            second = server.mark()
            time.sleep(0.03)
            third = server.mark()
            attached.end()
            last = server.mark()
            calls = numbers(read(said)[-1])[0]
            expect(third - second - THREADS <= calls <= last - first + THREADS,
                   f"turn {turn}: {calls} calls, not {third - second} to {last - first}")
            server.do("thread 20")
        server.do("still")
        server.do("calls 5")
        expect("memfd:trammel" not in server.mappings(), "the server keeps something")
        server.finish()


def fails(folder, tool, _):
    """A routine that fails is said, and the process goes on, also after that."""
    library = build(folder)
    said = os.path.join(folder, "fails.said")
    with Server(folder, "tools-fail") as server:
        for how, words in HOWS.items():
            server.do("calls 10")
            attached = Attached(tool, server.pid, os.path.join(folder, "fails.trm"), "--tool",
                                f"{library}:{how}", "--tool-output", said, "--tool-timeout", "1s")
            server.do("calls 500")
            attached.end()
            off = [line for line in read(said) if "switched off" in line]
            expect(len(off) == 1 and words in off[0] and "attached_call" in off[0],
                   f"{how}: {read(said)}")
            server.do("calls 10")
        server.finish()


def refused(folder, tool, _):
    """A tool that cannot be loaded changes nothing: neither one that the tracer cannot open nor
    one that fails in the loader."""
    source = os.path.join(folder, "lost.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("void lost(void); void _halt_startup(void) { lost(); }\n")
    lost = os.path.join(folder, "lost.so")
    subprocess.run(["gcc", "-fPIC", "-shared", source, "-o", lost], check=True)
    text = os.path.join(folder, "text.so")
    with open(text, "w", encoding="utf-8") as file:
        file.write("no tool\n")
    with Server(folder, "tools-refused") as server:
        before = server.mappings()
        for path, status, words in ((lost, 4, "undefined symbol: lost"),
                                    (text, 2, "file too short")):
            done = running.run([tool, "attach", "-p", str(server.pid), "-o",
                                os.path.join(folder, "no.trm"), "--tool", path], "/", timeout=30)
            said = done.stderr.decode()
            expect(done.status == status and words in said, f"{path}: {done.status}: {said!r}")
            expect(server.mappings() == before, f"{path}: its mappings changed")
        server.do("calls 10")
        server.finish()


def killed(folder, tool, _):
    """trammel is killed while tools are loaded, and while they work: the server works on."""
    library = build(folder)
    for turn in range(12):
        with Server(folder, f"tools-killed{turn}") as server:
            server.do("spin")
            with subprocess.Popen(
                    [tool, "attach", "-q", "-p", str(server.pid), "--for", "50ms", "-o",
                     os.path.join(folder, "killed.trm"), "--tool", library, "--tool-output",
                     "/dev/null"], stderr=subprocess.DEVNULL,
                    env=running.tool_environment()) as attach:
                time.sleep(turn * 0.014)
                attach.kill()
            first = server.mark()
            time.sleep(0.02)
            expect(server.mark() > first, f"killed after {turn * 14} ms: its threads stand")
            for command in ("thread 100", "child 100", "exec", "still", "calls 100"):
                server.do(command)
            server.finish()


TESTS = [("attach-tools_" + test.__name__, test) for test in (counts, busy, fails, refused, killed)]
