"""Tests of `attach`: processes that run already, before, during and after a measurement.

Each test is called with (folder, tool, options), as those of job_control.
"""

import os
import select
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.request

from transparency import job_control, running, sources, trammel
from transparency.job_control import expect
from transparency.results import Failure, Skip

WAIT_SECONDS = 30
THREADS = 8


class Server:
    """tests/programs/lib/server.c, running; with `program` another one that says ready."""

    def __init__(self, folder, name, program="server"):
        path = job_control.build(folder, program, "attach-" + name)
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=running.tool_environment(), start_new_session=True)
        self.expect_line("ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        running.kill_group(self.process)
        self.process.wait()

    @property
    def pid(self):
        return self.process.pid

    def expect_line(self, wanted):
        line = self.process.stdout.readline().rstrip("\n")
        expect(line == wanted, f"the server says {line!r}, not {wanted!r}; "
                               f"status {self.process.poll()}")

    def do(self, command):
        print(command, file=self.process.stdin, flush=True)
        self.expect_line(command.split()[0] + " done")

    def mark(self):
        print("mark", file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())

    def finish(self):
        self.process.stdin.close()
        expect(self.process.wait(WAIT_SECONDS) == 0, f"the server ended with "
                                                     f"{self.process.returncode}")

    def mappings(self):
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as file:
            return file.read()


class Attached:
    """trammel attach, measuring when the constructor returns."""

    def __init__(self, tool, pid, profile, *more, cache=None):
        environment = running.tool_environment()
        if cache:
            environment["TRAMMEL_CACHE_DIR"] = cache
        self.process = subprocess.Popen(
            [tool, "attach", "-p", str(pid), "-o", profile, *more],
            stderr=subprocess.PIPE, text=True, env=environment)
        first = self.process.stderr.readline()
        expect(first.startswith("trammel: measuring process"), f"attach says: {first!r}")

    def end(self, number=signal.SIGINT):
        """Ends the measurement; returns what it says."""
        if number:
            self.process.send_signal(number)
        text = self.process.communicate(timeout=WAIT_SECONDS)[1]
        expect(self.process.returncode == 0, f"attach: {self.process.returncode}: {text!r}")
        return text


def attach_quietly(tool, pid, profile, *more):
    return running.run([tool, "attach", "-q", "-p", str(pid), "-o", profile, *more], "/",
                       timeout=WAIT_SECONDS)


def measure(options):
    """The words that say what is measured."""
    return ("-m", options.measure)


def has_flow(options):
    return bool({"blocks", "edges", "paths"} & set(options.measure.split(",")))


def read(options, tool, profile):
    """The report of a profile, which must be consistent; None if none is wanted."""
    if options.no_profile:
        return None
    report = trammel.Report(tool, profile)
    if has_flow(options):
        trammel.check_counts(tool, profile, report, options.measure)
    return report


def expect_calls(options, tool, profile, wanted, function="work_once", when=""):
    report = read(options, tool, profile)
    if not report or options.measure.endswith("coverage"):
        return
    calls = report.calls(function)
    expect(calls == wanted, f"{when}{calls} calls of {function}, not {wanted}")


def expect_ways(options, tool, profile, calls, runs):
    """The ways of the switch in the server's `work`: see tests/programs/lib/server.c."""
    if options.no_profile or "edges" not in options.measure.split(","):
        return
    rows = trammel.read_json(tool, ["report", "--by", "edge"], profile)["rows"]
    found = sorted(row["count"] for row in rows
                   if row["function"] == "work" and row["edge.kind"] == "switch")
    wanted = [calls] * 3 + [calls + runs]
    expect(found == wanted, f"ways of the switch of `work`: {found}, not {wanted}")


def stop_of(report):
    return int(report.profile["attach.stop.ns"]) / 1e6


def exact(folder, tool, options):
    """Calls of threads, old and new, and of children: exactly those of the measurement."""
    profile = os.path.join(folder, "exact.trm")
    longest = 0.0
    with Server(folder, "exact") as server:
        server.do("calls 100")
        before = server.mappings()
        for turn in range(20):
            attached = Attached(tool, server.pid, profile, *measure(options))
            server.do(f"calls {1000 + turn}")
            server.do("thread 300")
            server.do("child 50")
            attached.end((signal.SIGINT, signal.SIGTERM)[turn % 2])
            if not turn:
                before = server.mappings()  # with the heaps of new threads
            server.do("calls 10")
            expect(server.mappings() == before, f"turn {turn}: its mappings changed: " + \
                running.first_difference(before.encode(), server.mappings().encode(), 600))
            wanted = THREADS * (1000 + turn) + 300 + 50
            expect_calls(options, tool, profile, wanted, when=f"turn {turn}: ")
            expect_ways(options, tool, profile, wanted, THREADS + 2)
            if not options.no_profile:
                longest = max(longest, stop_of(trammel.Report(tool, profile)))
        expect(server.mark() == THREADS * sum(1000 + turn + 10 for turn in range(20))
               + THREADS * 100, "the server lost calls")
        server.finish()
    return f"longest stop {longest:.1f} ms"


def window(folder, tool, options):
    """Threads that call all the time: the count lies between what is possible."""
    profile = os.path.join(folder, "window.trm")
    with Server(folder, "window") as server:
        server.do("spin")
        for turn in range(20):
            first = server.mark()
            attached = Attached(tool, server.pid, profile, *measure(options))
            second = server.mark()
            time.sleep(0.05)
            third = server.mark()
            attached.end()
            last = server.mark()
            report = read(options, tool, profile)
            if not report or options.measure.endswith("coverage"):
                continue
            calls = report.calls("work_once") or 0
            # A thread may be between its call and its counter.
            expect(third - second - THREADS <= calls <= last - first + THREADS,
                   f"turn {turn}: {calls} calls, not {third - second} to {last - first}")
        server.do("still")
        server.do("calls 5")
        server.finish()


def together(folder, tool, options):
    """Edges and calls of threads that run all the time, by thread: where each of them stood when
    it began and ended is known, so all calls of a function come from somewhere."""
    profile = os.path.join(folder, "together.trm")
    with Server(folder, "together") as server:
        server.do("spin")
        for turn in range(10):
            attached = Attached(tool, server.pid, profile, "-m", "edges,calls", "--threads")
            time.sleep(0.02)
            attached.end()
            if options.no_profile:
                continue
            report = trammel.Report(tool, profile)
            trammel.check_counts(tool, profile, report, "edges,calls")
            sums = {}
            for row in report.arcs:
                place = (row["module.path"], row["function"], row["offset"])
                sums[place] = sums.get(place, 0) + row["arc.count"]
            wrong = [row for row in report.rows if row["calls"] != sums.get(
                (row["module.path"], row["function"], row["offset"]), 0)]
            expect(not wrong, f"turn {turn}: calls are not those of all places: {wrong[:3]}")
            expect(report.calls("work_once"), f"turn {turn}: no calls")
        server.do("still")
        server.do("calls 5")
        server.finish()


def within(folder, tool, options):
    """What is called while it is measured is called within what was called before; and that has
    the time of its threads from then on."""
    profile = os.path.join(folder, "within.trm")
    with Server(folder, "within") as server:
        server.do("spin")
        for turn in range(5):
            start = time.monotonic_ns()
            attached = Attached(tool, server.pid, profile, "-m", "callgraph")
            time.sleep(0.1)
            attached.end()
            passed = time.monotonic_ns() - start
            if options.no_profile:
                continue
            report = trammel.Report(tool, profile)
            trammel.check_counts(tool, profile, report, "callgraph")
            contexts = {row["context"]: row for row in report.contexts}
            serve = [row for row in contexts.values() if row["function"] == "serve"]
            expect(len(serve) == 1 and serve[0]["calls"] == 0, f"turn {turn}: serve: {serve}")
            called = [row for row in contexts.values() if row["function"] == "work_once"]
            known = 0
            for row in called:
                calls = row["calls"]
                while row and row["function"] != "serve":
                    row = contexts.get(row.get("parent"))
                known += calls if row else 0
            # `work` has no call-frame information: who stands in it has no known callers.
            expect(known > 0, f"turn {turn}: work_once is called by: {called}")
            expect(sum(row["calls"] for row in called) == report.calls("work_once") > 0,
                   f"turn {turn}: {called}")
            inside = serve[0]["time.inclusive.ns"] / THREADS
            expect(0.2 * int(report.profile["run.wall.ns"]) < inside < 1.02 * passed,
                   f"turn {turn}: {inside} ns in serve, of {passed}")
        server.do("still")
        server.do("calls 5")
        server.finish()


def modules(folder, tool, options):
    """A library that is loaded later, and a program that is executed, are measured."""
    profile = os.path.join(folder, "modules.trm")
    library = os.path.join(folder, "attach-plugin.so")
    sources.compile_one(["gcc", "-O1", "-shared", "-fPIC"], ["lib/plugin.c"], library)
    with Server(folder, "modules") as server:
        attached = Attached(tool, server.pid, profile, *measure(options))
        for _ in range(3):
            server.do("load " + library)
        server.do("exec")
        attached.end()
        server.do("load " + library)
        server.finish()
    expect_calls(options, tool, profile, 21, "plugin_work")
    if options.no_profile:
        return
    report = trammel.Report(tool, profile)
    expect(report.processes_of("true"), f"no /bin/true in it: {report.programs()}")
    states = [record["process.state"] for record in report.processes_of("server")]
    expect("detached" in states, f"states of the server: {states}")


def forgetful(folder, tool, options):
    """A process unmaps what is needed to leave it: it is left as it is, and the others as ever."""
    profile = os.path.join(folder, "forgetful.trm")
    with Server(folder, "forgetful") as server:
        attached = Attached(tool, server.pid, profile, *measure(options))
        server.do("forget")
        server.do("calls 100")
        text = attached.end()
        expect("unmaps what it did not map" in text, f"attach says: {text!r}")
        server.do("reap")
        server.do("calls 10")
        expect("memfd:trammel" not in server.mappings(), "the server keeps something")
        server.finish()
    expect_calls(options, tool, profile, THREADS * 100)


def crowded(folder, tool, options):
    """The usual places of trampolines are taken: there are others, and what is planned for them
    is kept. Which of them a module gets depends on which is planned first, so a later turn may
    want another one, but not all the time."""
    profile = os.path.join(folder, "crowded.trm")
    cache = os.path.join(folder, "cache-crowded")
    os.mkdir(cache, 0o700)
    kept = []
    with Server(folder, "crowded") as server:
        server.do("crowd 60")
        while kept[-1:] != kept[-2:-1] or len(kept) < 4:
            turn = len(kept)
            expect(turn < 9, f"plans are made again: {[len(names) for names in kept]}")
            attached = Attached(tool, server.pid, profile, *measure(options), cache=cache)
            server.do("calls 100")
            text = attached.end()
            expect("Not measured" not in text, text)
            expect_calls(options, tool, profile, THREADS * 100, when=f"turn {turn}: ")
            kept.append(sorted(name for name in os.listdir(cache) if name.endswith(".plan")))
        server.finish()
    if options.no_profile:
        return
    names = {record["module"]: record for record in
             trammel.read_json(tool, ["report", "--by", "module"], profile)["modules"]}
    expect(names["libc.so.6"]["functions.executed"] > 0, f"nothing of the C library: {names}")


def children(folder, tool, options):
    """Processes that were forked meanwhile are left, too; one that vfork holds up is waited
    for."""
    profile = os.path.join(folder, "children.trm")
    with Server(folder, "children") as server:
        attached = Attached(tool, server.pid, profile, *measure(options))
        server.do("leave 5000")
        time.sleep(0.05)
        attached.end()
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="utf-8") as file:
            pids = file.read().split()
        expect(len(pids) == 2, f"{len(pids)} children, not 2")
        for pid in pids:
            with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
                expect("memfd:trammel" not in file.read(), "a child has mappings of trammel's")
        server.do("reap")
        print("vfork", file=server.process.stdin, flush=True)
        time.sleep(0.05)
        attached = Attached(tool, server.pid, profile, *measure(options))
        server.expect_line("vfork done")
        server.do("calls 10")
        attached.end()
        server.do("calls 10")
        server.finish()
    expect_calls(options, tool, profile, 10 * THREADS)


def prefork(folder, tool, options):
    """Processes that were forked before are not measured, and the report names each; those that
    are forked later are."""
    profile = os.path.join(folder, "prefork.trm")
    with Server(folder, "prefork") as server:
        server.do("leave 1000000")
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="utf-8") as file:
            before = sorted(int(pid) for pid in file.read().split())
        expect(len(before) == 2, f"{len(before)} children, not 2")
        attached = Attached(tool, server.pid, profile, *measure(options))
        server.do("child 30")
        said = attached.end()
        for pid in before:
            expect(f"Not measured: process {pid} (" in said and "before the measurement" in said,
                   f"attach says: {said!r}")
            os.kill(pid, signal.SIGKILL)
    expect_calls(options, tool, profile, 30)
    if not options.no_profile:
        rows = trammel.read_json(tool, ["report", "--by", "process"], profile)["processes"]
        left = sorted(row["process"] for row in rows if row["process.state"] == "untraced")
        expect(left == before, f"the profile says {left}, not {before}")


def waits(folder, tool, options):
    """System calls that threads wait in are not cut short, and a fast timer goes on."""
    shown = {}
    for kind in ("bare", "measured"):
        with Server(folder, "waits-" + kind, "waits") as server:
            for _ in range(4 if kind == "measured" else 0):
                done = attach_quietly(tool, server.pid, os.path.join(folder, "waits.trm"),
                                      "--for", "200ms", *measure(options))
                expect(done.status == 0, f"attach: {done.status_text()}: {done.stderr!r}")
            shown[kind] = server.process.communicate(timeout=WAIT_SECONDS)[0]
            expect(server.process.returncode == 0, f"status {server.process.returncode}")
    difference = running.first_difference(shown["bare"].encode(), shown["measured"].encode())
    expect(not difference, difference)


def writes(folder, tool, options):
    """No write does less for being measured, but those that the stops at the very end meet: one in
    the program, one in a thread that unmaps what is left, and one in the last stop."""
    profile = os.path.join(folder, "writes.trm")
    with Server(folder, "writes", "writes") as server:
        for _ in range(3):
            done = attach_quietly(tool, server.pid, profile, "--for", "200ms", *measure(options))
            expect(done.status == 0, f"attach: {done.status_text()}: {done.stderr!r}")
        shown = server.process.communicate(timeout=WAIT_SECONDS)[0].split()
        expect(server.process.returncode == 0, f"status {server.process.returncode}")
    expect(shown[0] == "less" and int(shown[1]) <= 3 * 3 < int(shown[3]), f"{shown}")


def stopped(folder, tool, options):
    """A process that is stopped stays so, and one that is stopped meanwhile, too."""
    profile = os.path.join(folder, "stopped.trm")

    def is_stopped():
        # The kernel puts a thread that is let go back into its stop, when it gets to that.
        for _ in range(100):
            with open(f"/proc/{server.pid}/stat", encoding="utf-8") as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
            if state == "T":
                return True
            time.sleep(0.01)
        return False

    with Server(folder, "stopped") as server:
        server.process.send_signal(signal.SIGSTOP)
        done = attach_quietly(tool, server.pid, profile, "--for", "100ms", *measure(options))
        expect(done.status == 0, f"attach: {done.status_text()}: {done.stderr!r}")
        expect(is_stopped(), "the stopped process runs")
        server.process.send_signal(signal.SIGCONT)
        attached = Attached(tool, server.pid, profile, *measure(options))
        server.do("calls 10")
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        attached.end()
        expect(is_stopped(), "the process that was stopped meanwhile runs")
        server.process.send_signal(signal.SIGCONT)
        server.do("calls 10")
        server.finish()
    expect_calls(options, tool, profile, 10 * THREADS)


def interrupted(folder, tool, options):
    """Handlers will go back to bytes that a patch covers: it is not made before they did,
    unless all of the function is relocated, and they are led on."""
    profile = os.path.join(folder, "interrupted.trm")
    with Server(folder, "interrupted", "interrupted") as server:
        server.expect_line("waiting")
        attach = subprocess.Popen(
            [tool, "attach", "-p", str(server.pid), "-o", profile, *measure(options)],
            stderr=subprocess.PIPE, text=True, env=running.tool_environment())
        waits = not has_flow(options) and options.measure != "block-coverage"
        begun = select.select([attach.stderr], [], [], 0.7 if waits else WAIT_SECONDS)[0]
        expect(bool(begun) != waits,
               f"attach said, while handlers run: {begun and attach.stderr.readline()!r}")
        # Between two of these the way is free, as it is at the end.
        for _ in range(2):
            print("on", file=server.process.stdin, flush=True)
            server.expect_line("waiting")
        attach.send_signal(signal.SIGINT)
        text = attach.communicate(timeout=WAIT_SECONDS)[1]
        print("on", file=server.process.stdin, flush=True)
        server.expect_line("fine")
        expect(server.process.wait(WAIT_SECONDS) == 0, f"status {server.process.returncode}")
    expect(attach.returncode in (0, 4), f"attach: {attach.returncode}: {text!r}")
    if not attach.returncode:
        read(options, tool, profile)
    # Attached to while no handler waits, and left while one does.
    with Server(folder, "faulting", "interrupted") as server:
        server.expect_line("waiting")
        with subprocess.Popen(
                [tool, "attach", "-q", "-p", str(server.pid), "-o", profile, "--for", "300ms",
                 *measure(options)], stderr=subprocess.PIPE, env=running.tool_environment()) as attach:
            server.process.communicate("on\non\non\n", timeout=WAIT_SECONDS)
            attach.wait(WAIT_SECONDS)
        expect(server.process.returncode == 0, f"status {server.process.returncode}")


def leftovers(folder, tool, options):
    """Words of a stack that only look as if a handler was to go back from there: nothing waits for it."""
    profile = os.path.join(folder, "leftovers.trm")
    with Server(folder, "leftovers", "leftovers") as server:
        for _ in range(2):
            server.expect_line("waiting")
            done = running.run([tool, "attach", "-q", "-p", str(server.pid), "-o", profile, "--for", "50ms",
                                *measure(options)], folder, environment=running.tool_environment())
            expect(done.status == 0 and not done.timed_out, f"attach: {done}")
            print("on", file=server.process.stdin, flush=True)
        server.expect_line("fine")
        expect(server.process.wait(WAIT_SECONDS) == 0, f"status {server.process.returncode}")


def process_ends(folder, tool, options):
    """The process ends while it is measured: all of its calls are in the profile."""
    profile = os.path.join(folder, "ends.trm")
    with Server(folder, "ends") as server:
        attached = Attached(tool, server.pid, profile, *measure(options))
        server.do("calls 77")
        server.finish()
        text = attached.end(0)
    expect("exit 0" in text, f"the summary does not tell its status: {text!r}")
    expect_calls(options, tool, profile, 77 * THREADS)


def killed(folder, tool, options):
    """trammel is killed at any moment: the server works on."""
    for turn in range(30):
        with Server(folder, f"killed{turn}") as server:
            server.do("spin")
            attach = subprocess.Popen(
                [tool, "attach", "-q", "-p", str(server.pid), "--for", "20ms", "-o",
                 os.path.join(folder, "killed.trm"), *measure(options)], stderr=subprocess.DEVNULL,
                env=running.tool_environment())
            time.sleep(turn * 0.004)
            attach.kill()
            attach.wait()
            first = server.mark()
            time.sleep(0.02)
            expect(server.mark() > first, f"killed after {turn * 4} ms: its threads stand")
            server.do("thread 100")
            server.do("child 100")
            server.do("exec")
            server.do("still")
            server.do("calls 100")
            server.finish()


def web_server(folder, tool, options):
    """A server of the distribution answers all requests, while it is attached to and left."""
    python = shutil.which("python3", path="/usr/bin:/bin")
    if not python:
        raise Skip("needs /usr/bin/python3")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    site = os.path.join(folder, "site")
    os.mkdir(site)
    with open(os.path.join(site, "page"), "w", encoding="utf-8") as file:
        file.write("text\n" * 1000)
    profile = os.path.join(folder, "web.trm")
    answers, going = [], threading.Event()
    server = subprocess.Popen(
        [python, "-m", "http.server", str(port), "--bind", "127.0.0.1"], cwd=site,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def ask():
        while not going.is_set():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/page", timeout=10) as page:
                    answers.append(len(page.read()))
            except OSError as error:
                answers.append(str(error))
            time.sleep(0.01)

    try:
        for _ in range(100):
            with socket.socket() as probe:
                if not probe.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        asking = threading.Thread(target=ask)
        asking.start()
        try:
            for _ in range(5):
                done = attach_quietly(tool, server.pid, profile, "--for", "200ms",
                                      *measure(options))
                expect(done.status == 0, f"attach: {done.status_text()}: {done.stderr!r}")
                read(options, tool, profile)
        finally:
            going.set()
            asking.join()
        expect(server.poll() is None, f"the server ended: {server.returncode}")
    finally:
        running.kill_group(server)
        server.wait()
    wrong = [answer for answer in answers if answer != 5000]
    expect(answers and not wrong, f"{len(wrong)} of {len(answers)} answers: {wrong[:3]}")
    if not options.no_profile:
        return f"longest stop {stop_of(trammel.Report(tool, profile)):.1f} ms"
    return None


def compress(folder, tool, options, xz, lines):
    """One run of a compressor; how often it was measured, and the longest stop, ms."""
    path = os.path.join(folder, "numbers")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{number * number % 99991}\n" for number in range(lines))
    command = [xz, "-T8", "--block-size=1MiB", "-4", "-k", "-c", path]
    bare = running.run(command, folder, timeout=4 * WAIT_SECONDS)
    profile = os.path.join(folder, "compressor.trm")
    measured, longest = 0, 0.0
    with open(os.path.join(folder, "compressed"), "w+b") as out:
        with subprocess.Popen(command, stdout=out, start_new_session=True) as process:
            while process.poll() is None and measured < 4:
                done = attach_quietly(tool, process.pid, profile, "--for", "100ms",
                                      *measure(options))
                expect(done.status == 0 or b"ended" in done.stderr,
                       f"attach: {done.status_text()}: {done.stderr!r}")
                if done.status or process.poll() is not None:
                    break
                measured += 1
                report = read(options, tool, profile)
                longest = max(longest, stop_of(report) if report else 0)
            with subprocess.Popen([tool, "attach", "-q", "-p", str(process.pid), "-o", profile,
                                   *measure(options)], stderr=subprocess.DEVNULL,
                                  env=running.tool_environment()) as attach:
                time.sleep(0.3)
                attach.kill()
            expect(process.wait(4 * WAIT_SECONDS) == 0, f"xz: {process.returncode}")
        out.seek(0)
        expect(out.read() == bare.stdout, "what it wrote is not what it writes")
    return measured, longest


def compressor(folder, tool, options):
    """A program of the distribution with eight threads at work: it writes what it always does,
    also if trammel is killed in the middle."""
    xz = shutil.which("xz", path="/usr/bin:/bin")
    if not xz:
        raise Skip("needs /usr/bin/xz")
    # On a slow machine it may have ended before it is measured.
    for lines in (1500000, 3000000, 6000000):
        measured, longest = compress(folder, tool, options, xz, lines)
        if measured:
            return f"longest of {measured} stops {longest:.1f} ms"
    raise Failure("it ended before it was measured")


def can_see_dispatch():
    """Whether system calls can come back as signals here, and tracers are told (Linux 6.4)."""
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    return release >= (6, 4)


def refused(folder, tool, _):
    """What cannot be measured is said in a line, and runs on."""
    profile = os.path.join(folder, "refused.trm")

    def attempt(what, pid, *words, **more):
        done = running.run([tool, "attach", "-p", str(pid), "-o", profile], "/",
                           timeout=WAIT_SECONDS, **more)
        text = done.stderr.decode()
        expect(done.status == 4 and text.count("\n") == 1 and
               all(word in text for word in words), f"{what}: {done.status}: {text!r}")

    gone = subprocess.Popen(["true"])
    gone.wait()
    attempt("no process", gone.pid, "no process")
    with Server(folder, "refused") as server:
        thread = max(int(name) for name in os.listdir(f"/proc/{server.pid}/task"))
        attempt("a thread", thread, "is a thread of process")
        if os.geteuid() == 0:
            attempt("another user's", server.pid, "belongs to user 0",
                    prepare=job_control.as_nobody,
                    environment=running.without_cache_variable("/nonexistent"))
        attached = Attached(tool, server.pid, profile)
        attempt("measured already", server.pid, "being measured already")
        attached.end()
        if shutil.which("strace"):
            with subprocess.Popen(["strace", "-qf", "-o", "/dev/null", "-p",
                                   str(server.pid)]) as tracer:
                for _ in range(200):
                    with open(f"/proc/{server.pid}/status", encoding="utf-8") as file:
                        if f"TracerPid:\t{tracer.pid}\n" in file.read():
                            break
                    time.sleep(0.02)
                attempt("traced already", server.pid, "strace", "traced already")
                tracer.terminate()
        server.do("dispatch 1")
        if can_see_dispatch():
            attempt("with calls that come back", server.pid, "PR_SET_SYSCALL_USER_DISPATCH")
        server.do("dispatch 0")
        server.do("gs 4097")  # ARCH_SET_GS
        attempt("with a GS base", server.pid, "GS")
        server.do("filter")
        attempt("under a filter", server.pid, "filter")
        server.do("calls 10")
        server.finish()
    done = running.run(["sh", "-c", f'exec "{tool}" attach -p $$ -o {profile}'], "/")
    expect(done.status == 4 and b"trammel itself" in done.stderr, f"itself: {done.stderr!r}")
    if os.path.exists("/proc/2/status") and not os.path.exists("/proc/2/exe"):
        attempt("a kernel thread", 2, "kernel")
    for arguments in (["attach"], ["attach", "-p", "x"], ["attach", "-p", "1", "--for", "no"]):
        done = running.run([tool, *arguments], "/")
        expect(done.status == 2, f"{arguments}: {done.status_text()}: {done.stderr!r}")


def ends_meanwhile(folder, tool, options):
    """The process ends at any moment while it is attached to: that is said in a line."""
    said = set()
    for turn in range(4):
        environment = running.tool_environment() | {
            "TRAMMEL_CACHE_DIR": os.path.join(folder, f"cold{turn}")}
        with Server(folder, f"meanwhile{turn}") as server:
            with subprocess.Popen(
                    [tool, "attach", "-q", "-p", str(server.pid), "-o",
                     os.path.join(folder, "meanwhile.trm"), *measure(options)],
                    stderr=subprocess.PIPE, text=True, env=environment) as attach:
                time.sleep(turn * 0.02)
                server.process.kill()
                text = attach.communicate(timeout=WAIT_SECONDS)[1]
        expect(attach.returncode == 0 and not text or
               attach.returncode == 4 and text.count("\n") == 1 and "ended" in text,
               f"turn {turn}: {attach.returncode}: {text!r}")
        said.add(attach.returncode)
    expect(4 in said, "it was always measured before it ended")


def many_threads(folder, tool, options):
    """Children and threads that come and go while trammel attaches and leaves."""
    profile = os.path.join(folder, "busy.trm")
    with Server(folder, "busy") as server:
        server.do("spin")
        ending = threading.Event()

        def bustle():
            while not ending.is_set():
                for command in ("thread 20", "child 20", "exec"):
                    server.do(command)

        problem = []

        def guarded():
            try:
                bustle()
            except Failure as failure:
                problem.append(str(failure))

        worker = threading.Thread(target=guarded)
        worker.start()
        try:
            for turn in range(10):
                done = attach_quietly(tool, server.pid, profile, "--for", "50ms",
                                      *measure(options))
                expect(done.status == 0, f"turn {turn}: {done.status_text()}: {done.stderr!r}")
                read(options, tool, profile)
        finally:
            ending.set()
            worker.join()
        expect(not problem, "; ".join(problem))
        server.do("still")
        server.finish()
    if not options.no_profile:
        expect(trammel.Report(tool, profile).calls("work_once"), "nothing was counted")


TESTS = [("attach-" + test.__name__, test) for test in (
    exact, window, together, within, modules, crowded, forgetful, children, prefork, waits,
    writes, stopped, interrupted, leftovers, process_ends,
    ends_meanwhile, killed, web_server, compressor,
    refused, many_threads)]
