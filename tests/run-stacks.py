#!/usr/bin/python3
"""Looks at threads that do known things: `trammel stacks`, `-m stacks` and `-m waits`.

Usage: run-stacks.py [--trammel PATH] [--only NAME] [--keep DIR]

The programs in stacks/ say of each of their threads what it does (see their heads). Ends with
`N passed, N failed`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import suite
from suite import expect, expect_undisturbed

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "stacks")

BUILDS = {
    "O0": ["gcc", "-O0", "-g"],
    "O2": ["gcc", "-O2", "-g"],
    "clang": ["clang", "-O1", "-g"],
    "static": ["gcc", "-O2", "-static"],
    # Without the tables by which frames are left, but with frame pointers.
    "pointers": ["gcc", "-O1", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables",
                 "-fno-optimize-sibling-calls"],
}


# Programs that wait in many ways, and print the same each time; what some of them waits for.
PYTHON = """
import queue, socket, threading, time
jobs, lock, total = queue.Queue(), threading.Lock(), [0]
def work():
    while (job := jobs.get()) is not None:
        with lock:
            total[0] += job
server = socket.create_server(("127.0.0.1", 0))
def serve():
    connection, _ = server.accept()
    connection.sendall(connection.recv(100)[::-1])
threads = [threading.Thread(target=work) for _ in range(4)] + [threading.Thread(target=serve)]
for thread in threads: thread.start()
time.sleep(0.2)  # for looks to find them waiting
for job in range(200): jobs.put(job)
for _ in range(4): jobs.put(None)
client = socket.create_connection(server.getsockname())
client.sendall(b"abc")
print(client.recv(100), sep="")
for thread in threads: thread.join()
print(total)
"""
NODE = """
const http = require('http');
const server = http.createServer((q, a) => setTimeout(() => a.end('answer'), 60));
server.listen(0, () => http.get({port: server.address().port}, (a) => {
    a.on('data', (d) => console.log(String(d))); a.on('end', () => server.close()); }));
"""
REAL = {
    "python3": ([sys.executable, "-c", PYTHON], "thread|semaphore|socket|condition"),
    "node": (["node", "-e", NODE], "poll|condition|semaphore"),
    "xz": (["sh", "-c", "seq 1 300000 | xz -T2 --block-size=200000 -c | xz -dc | sha256sum"], "pipe"),
    "pigz": (["sh", "-c", "seq 1 300000 | pigz -p 3 -c | gzip -dc | sha256sum"], "pipe"),
    "sort": (["sh", "-c", "seq 1 100000 | sort -rn --parallel=2 | tail -1; sleep 0.1"], "child|sleep"),
}




def build(folder, name, variant="O2"):
    program = os.path.join(folder, variant, name)
    os.makedirs(os.path.dirname(program), exist_ok=True)
    subprocess.run([*BUILDS[variant], "-w", "-pthread", os.path.join(SOURCES, name + ".c"), "-o", program],
                   check=True)
    return program


def has_path(names, wanted, same=str.__eq__):
    """Whether functions are there, the outermost first, others maybe between. `same`: the C library
    has several names for one."""
    at = iter(names)
    return all(any(same(name, word) for name in at) for word in wanted)


def expectations(text):
    return {name: (state, what, functions.split())
            for name, state, what, functions in re.findall(r"^= (\S+) (\S+) (.*)\t(.*)$", text, re.M)}


class Running:
    """A program that waits for ever, until it is left."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.text = ""
        while "ready" not in self.text:
            line = self.process.stdout.readline()
            expect(line, f"{command} ended")
            self.text += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def switches(self):
        """How often each thread has waited, and lost its processor."""
        folder = f"/proc/{self.process.pid}/task"
        found = {}
        for tid in os.listdir(folder):
            with open(f"{folder}/{tid}/status", encoding="utf-8") as file:
                found[tid] = re.findall(r"ctxt_switches:\t(\d+)", file.read())
        return found


class Tests:
    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder

    def call(self, *words, status=0, env=None):
        done = subprocess.run([self.trammel, *words], capture_output=True, text=True, check=False,
                              env={**os.environ, **(env or {})})
        expect(done.returncode == status, f"{words}: status {done.returncode}: {done.stderr}")
        return done

    def stacks(self, pid):
        return json.loads(self.call("stacks", "--json", "-p", str(pid)).stdout)["threads"]

    def rows(self, profile):
        return json.loads(self.call("stacks", "--json", profile).stdout)["rows"]

    def check_now(self, running, names=None):
        """What differs from what the program says."""
        found = {row["thread.name"]: row for row in self.stacks(running.process.pid)}
        wrong = []
        for name, (state, what, functions) in expectations(running.text).items():
            if names and name not in names:
                continue
            row = found.get(name)
            frames = [frame["function"] for frame in reversed(row["frames"])] if row else []
            if not row or row["state"] != state or not has_path(frames, functions) or \
                    not re.fullmatch(what, row.get("wait.on", "-")):
                wrong.append((name, row))
        return wrong

    def now(self):
        for variant in BUILDS:
            with Running(build(self.folder, "states", variant)) as running:
                for _ in range(50):
                    # A thread that runs has maybe no processor for a moment.
                    wrong = self.check_now(running)
                    if not wrong:
                        break
                    time.sleep(0.1)
                expect(not wrong, f"{variant}: {wrong}")

    def holder(self):
        with Running(build(self.folder, "states")) as running:
            threads = {row["thread.name"]: row for row in self.stacks(running.process.pid)}
            expect(threads["wanting"]["wait.holder.thread"] == threads["holder"]["thread"], str(threads))
            expect(threads["join"]["wait.on"] == f"thread {threads['holder']['thread']}", str(threads["join"]))

    def places(self):
        with Running(build(self.folder, "states", "O0")) as running:
            text = self.call("stacks", "-p", str(running.process.pid)).stdout
        expect(re.search(r"#\d+ +want at \S*states.c:\d+ in states$", text, re.M), text)
        expect(re.search(r"^thread \d+ wanting: blocked for mutex", text, re.M), text)

    def stripped(self):
        """Names that only symbols have are missing, and frames are all there."""
        program = build(self.folder, "states", "static")
        subprocess.run(["strip", program], check=True)
        with Running(program) as running:
            threads = {row["thread.name"]: row for row in self.stacks(running.process.pid)}
        expect(threads["wanting"]["state"] == "blocked" and
               threads["wanting"]["wait.holder.thread"] == threads["holder"]["thread"], str(threads))
        expect(len(threads["deep"]["frames"]) > 9, str(threads["deep"]))

    def undisturbed(self):
        """No thread that waits has run because it was looked at, and nothing is traced."""
        with Running(build(self.folder, "states")) as running:
            quiet = {row["thread"] for row in self.stacks(running.process.pid)
                     if row["state"] != "running"}
            before = running.switches()
            for _ in range(10):
                self.stacks(running.process.pid)
            after = running.switches()
            for tid in quiet:
                expect(before[str(tid)] == after[str(tid)], f"{tid}: {before} {after}")

    def check_looks(self, text, rows, names):
        for name, (state, what, functions) in expectations(text).items():
            if name not in names:
                continue
            got = [row for row in rows if row["state"] == state and
                   re.fullmatch(what, row.get("wait.on", "-")) and
                   has_path([frame["function"] for frame in reversed(row["frames"])], functions)]
            expect(got and got[0]["times"] > 0 and got[0]["time.ns"] > 0, f"{name}: {rows}")

    def looks(self):
        program = build(self.folder, "states")
        profile = program + ".trm"
        done = self.call("run", "-q", "-m", "stacks", "--interval", "20ms", "-o", profile, "--", program,
                         "1000")
        rows = self.rows(profile)
        self.check_looks(done.stdout, rows, set(expectations(done.stdout)))
        held = [row for row in rows if row.get("wait.kind") == "mutex"]
        expect(held and "hold < begin" in held[0]["wait.holder"], str(held))
        text = self.call("stacks", profile).stdout
        expect("Held or released on the path" in text and "-> sleep" in text, text)

    def looks_without_samples(self):
        """Without perf events threads that run have no stacks, and the rest is as before."""
        program = build(self.folder, "states")
        profile = program + ".none.trm"
        done = self.call("run", "-q", "-m", "stacks", "--interval", "20ms", "-o", profile, "--", program,
                         "1000", env={"TRAMMEL_NO_PERF_EVENTS": "1"})
        rows = self.rows(profile)
        self.check_looks(done.stdout, rows, set(expectations(done.stdout)) - {"burn"})
        expect(any(row["state"] == "running" and row["frames"][0]["function"] == "[running]"
                   for row in rows), str(rows))
        expect("perf_event_paranoid" in self.call("stacks", profile).stdout, "no note")

    def attached(self):
        program = build(self.folder, "states")
        profile = program + ".attached.trm"
        with Running(program) as running:
            self.call("attach", "-q", "-m", "stacks", "--interval", "20ms", "-p", str(running.process.pid),
                      "--for", "500ms", "-o", profile)
            report = json.loads(self.call("report", "--json", profile).stdout)
            waiting = next(row for row in report["events"] if row["event"] == "waiting")
            expect(waiting["event.total"] >= waiting["event.samples"] * 20000000 > 0, str(waiting))
            self.check_looks(running.text, self.rows(profile), set(expectations(running.text)) - {"burn"})
            expect(running.process.poll() is None, "the program has ended")

    def children(self):
        """Processes that are made, and programs that they execute."""
        for env in ({}, {"TRAMMEL_NO_PERF_EVENTS": "1"}):
            profile = os.path.join(self.folder, "children.trm")
            done = self.call("run", "-q", "-m", "stacks", "--interval", "10ms", "-o", profile, "--", "bash",
                             "-c", "sleep 0.7 & sleep 0.7; wait; exit 3", env=env, status=3)
            expect(not done.stdout, done.stdout)
            rows = self.rows(profile)
            sleeping = {row["process"] for row in rows if row.get("wait.on") == "sleep"}
            expect(len(sleeping) == 2, str(rows))
            expect(any(row.get("wait.kind") == "child" for row in rows), str(rows))

    def waits(self):
        """Each wait is counted once, with what it waited for and the calls that led there."""
        for variant in ("O2", "static"):
            program = build(self.folder, "calls", variant)
            for word in ("sleeps", "pipes", "mutexes", "restarts", "interrupted", "jumps", "cancels", "stops",
                         "children", "selects", "ends", "killed"):
                profile = f"{program}.{word}.trm"
                done = self.call("run", "-q", "-m", "waits", "--threshold", "0", "-o", profile, "--", program,
                                 word, status=-15 if word == "killed" else 0)
                self.check_waits(word, done.stdout, self.rows(profile), variant)

    def check_waits(self, word, text, rows, variant):
        wanted = re.findall(r"^= (\d+) (\d+) (.*)\t(.*)$", text, re.M)
        expect(wanted, f"{word}: {text}")
        for times, least_ms, what, functions in wanted:
            got = [row for row in rows if re.fullmatch(what, row.get("wait.on", "")) and
                   has_path([frame["function"] for frame in reversed(row["frames"])], functions.split(),
                            str.endswith)]
            expect(sum(row["times"] for row in got) == int(times) and
                   sum(row["time.ns"] for row in got) >= int(least_ms) * 1000000,
                   f"{word} ({variant}): not {times}, {least_ms} ms, {what}, {functions}: "
                   f"{[(row.get('wait.on'), row['times'], row['time.ns']) for row in got]} of {rows}")

    def waits_held(self):
        """Where a mutex was released, by whom it was waited for."""
        program = build(self.folder, "calls")
        profile = program + ".held.trm"
        self.call("run", "-q", "-m", "waits", "-o", profile, "--", program, "mutexes")
        rows = [row for row in self.rows(profile) if row.get("wait.kind") == "mutex"]
        expect(len(rows) == 1 and "let_go < hold_mutex" in rows[0]["wait.holder"] and
               rows[0]["longest.ns"] == rows[0]["time.ns"], str(rows))
        text = self.call("stacks", profile).stdout
        expect("Longest" in text and "let_go < hold_mutex" in text, text)
        expect("waits: " in self.call("report", profile).stdout, "report")

    def waits_threshold(self):
        program = build(self.folder, "calls")
        profile = program + ".threshold.trm"
        self.call("run", "-q", "-m", "waits", "--threshold", "1h", "-o", profile, "--", program, "sleeps")
        expect(not self.rows(profile), "rows")
        expect("threshold" in self.call("stacks", profile).stdout, "no reason")
        expect("that may wait took less" in self.call("report", profile).stdout, "no reason in the report")

    def waits_like_strace(self):
        """The numbers of calls of a program that makes the same ones each time."""
        command = ["dd", "if=/dev/zero", "of=/dev/null", "bs=4k", "count=150"]
        if not shutil.which("strace"):
            return
        log = os.path.join(self.folder, "strace")
        subprocess.run(["strace", "-f", "-o", log, "-e", "trace=read,write", *command], check=True,
                       capture_output=True)
        with open(log, encoding="utf-8", errors="replace") as file:
            wanted = len(re.findall(r"^\d+ +(?:read|write)\(", file.read(), re.M))
        profile = os.path.join(self.folder, "dd.trm")
        self.call("run", "-q", "-m", "waits", "--threshold", "0", "-o", profile, "--", *command)
        got = sum(row["times"] for row in self.rows(profile)
                  if row["frames"][0]["function"].endswith(("read", "write", "read_nocancel"))
                  or "ld-linux" in row["frames"][0]["module.path"] and row["wait.on"].startswith("file"))
        opened = sum(row["times"] for row in self.rows(profile)
                     if "open" in row["frames"][0]["function"] or "close" in row["frames"][0]["function"])
        expect(wanted <= got <= wanted + opened, f"{got} and not {wanted}")

    def waits_traced(self):
        """A process that traces others has them to itself."""
        if not shutil.which("strace"):
            return
        profile = os.path.join(self.folder, "strace.trm")
        log = os.path.join(self.folder, "strace2")
        done = self.call("run", "-q", "-m", "waits", "-o", profile, "--", "strace", "-f", "-o", log, "sh", "-c",
                         "echo hello; exit 5", status=5)
        expect(done.stdout == "hello\n", done.stdout)
        expect("traced by another process" in self.call("stacks", profile).stdout, "no note")

    def waits_killed(self):
        """The program goes on when its tracer is killed."""
        profile = os.path.join(self.folder, "killed.trm")
        with subprocess.Popen([self.trammel, "run", "-m", "waits", "-o", profile, "--", "sh", "-c",
                               "echo begun; sleep 1; echo alive; exit 3"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as front:
            expect(front.stdout.readline() == "begun\n", "not begun")
            children = subprocess.run(["pgrep", "-P", str(front.pid), "trammel"], capture_output=True,
                                      text=True, check=True).stdout.split()
            os.kill(int(children[0]), 9)
            out, err = front.communicate()
            expect(out == "alive\n" and front.returncode == 3 and "tracer was killed" in err,
                   f"{out} {err} {front.returncode}")

    def waits_attached(self):
        """A running process is followed for a while, and its calls end as always."""
        program = build(self.folder, "attached")
        profile = program + ".waits.trm"
        with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            try:
                expect(process.stdout.readline() == "ready\n", "not ready")
                attach = ("attach", "-q", "-p", str(process.pid), "-m", "waits", "-o", profile, "--for")
                for _ in range(4):
                    self.call(*attach, "20ms")
                self.call(*attach, "400ms")
                out, _ = process.communicate(timeout=60)
            finally:
                process.kill()
        expect(out == "fine\n" and process.returncode == 0, f"{process.returncode}: {out}")
        rows = self.rows(profile)
        for what, function, times in (("epoll of pipe", "await_event", 1), ("semaphore set", "await_semaphore", 1),
                                      ("pipe", "write_much", 1), ("socket", "receive_all", 1)):
            found = [row for row in rows if row["wait.on"].startswith(what) and
                     has_path([frame["function"] for frame in reversed(row["frames"])], [function])]
            expect(sum(row["times"] for row in found) == times and
                   sum(row["time.ns"] for row in found) > 50 * 1000000, f"{function}: {found} of {rows}")
        timed = [row for row in rows if has_path([frame["function"] for frame in reversed(row["frames"])],
                                                 ["await_nothing", "epoll_wait"])]
        expect(sum(row["times"] for row in timed) > 2, f"timed: {timed}")

    def waits_attached_killed(self):
        """Nothing is left of a tracer that is killed; calls in which threads are go on."""
        program = build(self.folder, "attached")
        with subprocess.Popen([program, "quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            expect(process.stdout.readline() == "ready\n", "not ready")
            with subprocess.Popen([self.trammel, "attach", "-p", str(process.pid), "-m", "waits", "-o", program + ".killed.trm"],
                                  stderr=subprocess.PIPE, text=True) as attached:
                expect("measuring process" in attached.stderr.readline(), "not begun")
                time.sleep(0.2)
                attached.kill()
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                expect("TracerPid:\t0" in status.read(), "still traced")
            out, _ = process.communicate(timeout=60)
        expect(out == "fine\n" and process.returncode == 0, f"{process.returncode}: {out}")

    def waits_attached_ends(self):
        """A process that ends meanwhile; and one that executes another program, and makes children."""
        for script, status in (("sleep 0.3; exit 3", "exited 3"), ("exec sh -c 'sleep 0.2 & wait; kill -9 $$'", "SIGKILL")):
            profile = os.path.join(self.folder, "ends.trm")
            with subprocess.Popen(["sh", "-c", "read x; " + script], stdin=subprocess.PIPE) as process, \
                    subprocess.Popen([self.trammel, "attach", "-p", str(process.pid), "-m", "waits", "-o", profile],
                                     stderr=subprocess.PIPE, text=True) as attached:
                expect("measuring process" in attached.stderr.readline(), "not begun")
                process.communicate(b"go\n")
                _, text = attached.communicate(timeout=60)
                expect(attached.returncode == 0 and status in text, f"{attached.returncode}: {text}")
            expect(any(row["wait.kind"] in ("child", "signal") for row in self.rows(profile)), str(self.rows(profile)))

    def waits_hostile(self):
        """Programs that do odd things with signals, descriptors and memory do as bare."""
        program = os.path.join(self.folder, "hostile")
        subprocess.run(["gcc", "-O2", "-pthread", os.path.join(HERE, "samples", "hostile.c"), "-o", program],
                       check=True)
        for word in ("block", "ignore", "replace", "close", "no-pending", "exhaust", "fork", "execute"):
            bare = subprocess.run([program, word], capture_output=True, text=True, check=False)
            done = self.call("run", "-q", "-m", "waits", "-o", program + ".trm", "--", program, word,
                             status=bare.returncode)
            expect(done.stdout == bare.stdout and done.stderr == bare.stderr, f"{word}: {done} and not {bare}")

    def kernel_thread(self):
        """It has no program, and is no process whose stacks could be shown."""
        with open("/proc/2/stat", encoding="utf-8") as file:
            if "(kthreadd)" in file.read():
                expect("thread of the kernel" in self.call("stacks", "-p", "2", status=4).stderr, "shown")

    def ended(self):
        """A process that nobody has waited for, and one whose first thread alone has ended."""
        profile = os.path.join(self.folder, "ended.trm")
        with subprocess.Popen(["true"]) as process:
            pid = str(process.pid)
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            for words in (("stacks", "-p", pid), ("attach", "-m", "stacks", "-p", pid, "-o", profile),
                          ("attach", "-m", "samples", "-p", pid, "-o", profile),
                          ("attach", "-m", "waits", "-p", pid, "-o", profile),
                          ("top", "--samples", "-b", "-n", "1", "-p", pid)):
                expect("ended already" in self.call(*words, status=4).stderr, str(words))
        with Running(build(self.folder, "leader")) as running:
            pid = str(running.process.pid)
            for _ in range(50):
                rows = self.stacks(pid)
                if len(rows) == 1 and rows[0]["state"] == "waiting":
                    break
                time.sleep(0.1)
            expect(rows[0]["wait.on"] == "sleep" and has_path([frame["function"] for frame in reversed(rows[0]["frames"])],
                                                              ["sleep_on"]), str(rows))
            self.call("attach", "-q", "-m", "stacks", "--interval", "20ms", "-p", pid, "--for", "300ms", "-o", profile)
            expect(any(row.get("wait.on") == "sleep" for row in self.rows(profile)), str(self.rows(profile)))
            expect("first thread" in self.call("attach", "-m", "waits", "-p", pid, "-o", profile, status=4).stderr, "waits")

    def real(self):
        """Programs of the distribution behave as bare."""
        for name, (command, kinds) in REAL.items():
            if not shutil.which(os.path.basename(name)):
                continue
            bare = subprocess.run(command, capture_output=True, text=True, check=True)
            for measure in (["stacks", "--interval", "5ms"], ["waits"]):
                profile = os.path.join(self.folder, f"{name}.{measure[0]}.trm")
                done = self.call("run", "-q", "-m", *measure, "-o", profile, "--", *command)
                expect(done.stdout == bare.stdout and done.stderr == bare.stderr,
                       f"{name}, {measure}: {done} and not {bare}")
                found = {row.get("wait.kind") for row in self.rows(profile)}
                expect_undisturbed(any(re.fullmatch(kinds, kind or "") for kind in found), f"{name}, {measure}: {found}")

    def other_commands(self):
        program = build(self.folder, "states")
        profile = program + ".other.trm"
        self.call("run", "-q", "-m", "stacks", "--interval", "20ms", "-o", profile, "--", program, "500")
        query = 'SELECT sum(samples) AS n WHERE wait.kind="pipe" GROUP BY wait.on'
        once = json.loads(self.call("query", "--json", query, profile).stdout)["rows"]
        merged = profile + ".merged"
        self.call("merge", "-o", merged, profile, profile)
        twice = json.loads(self.call("query", "--json", query, merged).stdout)["rows"]
        expect(once and [2 * row["n"] for row in once] == [row["n"] for row in twice], f"{once} {twice}")
        expect(2 * sum(row["times"] for row in self.rows(profile)) ==
               sum(row["times"] for row in self.rows(merged)), "merged")
        self.call("diff", profile, profile)
        expect("waiting" in self.call("report", profile).stdout, "report")

    def refused(self):
        for words, status, text in (
                (("stacks", "-p", "4194303"), 4, "no process"),
                (("stacks", "-p", "0"), 2, "pid"),
                (("stacks",), 2, "one profile is needed"),
                (("stacks", "-p", "1", "x.trm"), 2, "leave one out"),
                (("stacks", "--threshold", "x", "x.trm"), 2, "percentage"),
                (("run", "-m", "stacks,functions", "--", "true"), 2, "alone"),
                (("run", "-m", "stacks", "--interval", "10M", "--", "true"), 2, "is a time"),
                (("run", "-m", "stacks", "--frequency", "10", "--", "true"), 2, "--interval"),
                (("run", "-m", "waits,functions", "--", "true"), 2, "alone"),
                (("run", "-m", "waits", "--threshold", "x", "--", "true"), 2, "--threshold"),
                (("run", "--threshold", "1ms", "--", "true"), 2, "-m waits"),
                (("attach", "-m", "waits", "-p", str(os.getpid()), "--for", "0"), 2, "--for"),
                (("attach", "-m", "waits", "-p", "4194303", "--for", "1s"), 4, "no process")):
            done = self.call(*words, status=status)
            expect(text in done.stderr and not done.stdout, f"{words}: {done.stderr}")
        profile = os.path.join(self.folder, "true.trm")
        self.call("run", "-q", "-o", profile, "--", "true")
        expect("has no stacks" in self.call("stacks", profile, status=2).stderr, "no stacks")

    def short(self):
        """An empty profile says why."""
        profile = os.path.join(self.folder, "short.trm")
        self.call("run", "-q", "-m", "stacks", "--interval", "1h", "-o", profile, "--", "true")
        expect("shorter --interval" in self.call("stacks", profile).stdout, "no reason")


NAMES = ("now", "holder", "places", "stripped", "undisturbed", "looks", "looks_without_samples", "attached", "kernel_thread",
         "children", "waits", "waits_held", "waits_threshold", "waits_like_strace", "waits_traced",
         "waits_killed", "waits_attached", "waits_attached_killed", "waits_attached_ends",
         "waits_hostile", "ended", "real", "other_commands", "refused", "short")


if __name__ == "__main__":
    suite.main(__doc__, Tests, lambda tests: NAMES)
