#!/usr/bin/python3
"""Compares samples with programs whose functions take known shares of the processor time.

Usage: run-samples.py [--trammel PATH] [--only NAME] [--keep DIR]

The programs in samples/ print lines that begin with "=":

    = share FUNCTION PERCENT    of all samples, the calls below not counted
    = path PERCENT FUNCTION...  of all samples, in the last function, called from those before it
    = region PATH FUNCTION PERCENT   of all samples, in the function and in a region of the program
    = only PATH FUNCTION        all samples of the function are in this region
    = threads N, = processes N  that have samples, or were there

Shares may be off by TOLERANCE: with some hundred samples chance alone makes some percent. Where
perf events are forbidden only what works without them is tested. Ends with `N passed, N failed`.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import suite
from suite import Failure, expect, expect_undisturbed

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "samples")
INCLUDE = os.path.join(HERE, "..", "include")
TOLERANCE = 15  # percent of all

BUILDS = {
    "O2": ["gcc", "-O2", "-g"],
    "clang": ["clang", "-O2"],
    "static": ["gcc", "-O2", "-static"],
    "musl": ["musl-gcc", "-O2", "-static"],
    "pointers": ["gcc", "-O2", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables",
                 "-fno-optimize-sibling-calls"],
}



def build(folder, name, variant):
    source = os.path.join(SAMPLES, name + (".cc" if name == "paths" else ".c"))
    program = os.path.join(folder, variant, name)
    os.makedirs(os.path.dirname(program), exist_ok=True)
    command = list(BUILDS[variant])
    if name == "paths":
        command[0] = {"gcc": "g++", "clang": "clang++"}[command[0]]
    subprocess.run([*command, "-pthread", "-I", INCLUDE, source, "-o", program], check=True)
    return program



def name_pattern(name):
    """A name; "*" stands for any characters of it."""
    return re.escape(name).replace(r"\*", "[^ ]*")


class Tests:
    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder
        self.forbid = False  # perf events

    def run(self, program, *options, status=0, env=None):
        """What a sampled program prints, and the path of its profile."""
        command = [program] if isinstance(program, str) else program
        profile = command[0] + ".trm"
        done = subprocess.run([self.trammel, "run", "-q", "-o", profile, *options, "--", *command],
                              capture_output=True, text=True, check=False, env=self.environment(env))
        expect(done.returncode == status, f"status {done.returncode}: {done.stderr}")
        return done.stdout, profile

    def environment(self, more=None):
        forbid = {"TRAMMEL_NO_PERF_EVENTS": "1"} if self.forbid else {}
        return {**os.environ, **forbid, **(more or {})}

    def report(self, profile, *options):
        out = subprocess.run([self.trammel, "report", "--json", *options, profile], check=True,
                             capture_output=True, text=True).stdout
        return json.loads(out)

    def check_shares(self, text, profile, least=100):
        report = self.report(profile)
        samples = {}
        for row in report["rows"]:
            samples[row["function"]] = samples.get(row["function"], 0) + row["samples"]
        total = sum(samples.values())
        expect(total >= least, f"only {total} samples")
        for name, share in re.findall(r"^= share (.+) (\S+)$", text, re.M):
            got = 100 * samples.get(name, 0) / total
            expect_undisturbed(abs(got - float(share)) <= TOLERANCE, f"{name}: {got:.1f} % and not {share} %")
        return report

    def check_paths(self, text, profile):
        rows = self.report(profile, "--by", "callgraph")["rows"]
        by_number = {row["context"]: row for row in rows}
        total = sum(row["samples"] for row in rows)
        got = {}
        for row in rows:
            chain, at = [], row
            while at:
                chain.append(at["function"])
                at = by_number.get(at.get("parent"))
            got[" ".join(reversed(chain))] = row["samples"]
        for share, path in re.findall(r"^= path (\S+) (.*)$", text, re.M):
            pattern = re.compile("(^| )" + "( .*)? ".join(name_pattern(name) for name in path.split(" ")) + "$")
            part = 100 * sum(n for chain, n in got.items() if pattern.search(chain)) / total
            expect_undisturbed(abs(part - float(share)) <= TOLERANCE, f"{path}: {part:.1f} %; {got}")

    def shares(self, name, variant, *options, status=0, least=100):
        text, profile = self.run(build(self.folder, name, variant), "-m", "samples", *options,
                                 status=status)
        return text, profile, self.check_shares(text, profile, least)

    def split(self):
        for variant in ("O2", "clang", "static"):
            self.shares("split", variant, status=7)

    def events(self):
        _, profile, report = self.shares("split", "O2", "--event", "task-clock,page-faults,cycles",
                                         "--frequency", "2000", status=7)
        events = {event["event"]: event for event in report["events"]}
        expect("task-clock" in events and "page-faults" in events, str(events))
        expect(events["task-clock"]["event.samples"] >= 300, str(events))
        expect("cycles" in events or "cycles" in report["profile"]["samples.notes"], profile)

    def fallback(self):
        """An event that no machine here has leaves the clock."""
        if self.machine_has("cycles"):
            return
        _, _, report = self.shares("split", "O2", "--event", "cycles", status=7)
        expect([event["event"] for event in report["events"]] == ["cpu-clock"], str(report["events"]))
        expect("cpu-clock is used instead" in report["profile"]["samples.notes"], "no note")

    def machine_has(self, event):
        _, profile = self.run(build(self.folder, "split", "O2"), "-m", "samples", "--event", event,
                              status=7)
        return event in [row["event"] for row in self.report(profile)["events"]]

    def period(self):
        _, _, report = self.shares("split", "O2", "--period", "500000", status=7)
        event = report["events"][0]
        expect(event["event.period"] == 500000 and event["event.samples"] >= 300, str(event))
        # Of events that the kernel counts itself, too: each sample stands for as many as were asked for.
        program = build(self.folder, "faults", "O2")
        for events in ("page-faults", "page-faults,task-clock", "task-clock,page-faults"):
            _, profile = self.run(program, "-m", "samples:callpath", "--event", events, "--period", "50")
            event = next(row for row in self.report(profile)["events"] if row["event"] == "page-faults")
            expect(event["event.total"] >= 4000 and 0 < event["event.samples"] <= event["event.total"] / 40,
                   f"{events}: {event}")

    def window(self):
        text, profile = self.run(build(self.folder, "split", "O2"), "-m", "samples", "--after", "1ms",
                                 "--for", "1h", status=7)
        self.check_shares(text, profile)
        _, profile = self.run(build(self.folder, "split", "O2"), "-m", "samples", "--after", "1h",
                              status=7)
        expect(not self.report(profile)["rows"], "samples before the window")

    def threads(self):
        _, profile, _ = self.shares("threads", "O2", "--threads")
        rows = [row for row in self.report(profile, "--by", "thread")["rows"] if row["samples"] > 50]
        expect(len(rows) == 2, str(rows))

    def children(self):
        for variant in ("O2", "static"):
            _, _, report = self.shares("children", variant)
            processes = {row["process"] for row in report["processes"]}
            expect(len(processes) == 3, str(report["processes"]))
        text, profile = self.run(os.path.join(self.folder, "O2", "children"), "-m", "samples",
                                 "--no-follow")
        expect(sum(row["samples"] for row in self.report(profile)["rows"]) < 20, "children counted")

    def paths(self):
        for variant in ("O2", "clang", "static"):
            text, profile = self.run(build(self.folder, "paths", variant), "-m", "samples:callpath")
            self.check_paths(text, profile)

    def pointers(self):
        """Code without call-frame information, by frame pointers."""
        text, profile = self.run(build(self.folder, "paths", "pointers"), "-m", "samples:callpath")
        self.check_paths("\n".join(text.splitlines()[:1]), profile)

    def languages(self):
        """Through the frames of Go, OCaml and Rust, also in relocated code."""
        compilers = (("go", ["go", "build", "-o"]), ("ml", ["ocamlopt", "-o"]),
                     ("rs", ["rustc", "-O", "-o"]))
        for suffix, command in compilers:
            if not shutil.which(command[0]):
                continue
            folder = os.path.join(self.folder, suffix)
            os.makedirs(folder, exist_ok=True)
            source = shutil.copy(os.path.join(SAMPLES, "paths." + suffix), folder)
            program = os.path.join(folder, "program")
            done = subprocess.run([*command, program, source], capture_output=True, text=True,
                                  check=False, cwd=folder,
                                  env={**os.environ, "GOCACHE": folder, "GO111MODULE": "off"})
            expect(done.returncode == 0, f"{command}: {done.stderr}")
            for measures in ("samples:callpath", "samples:callpath,edges"):
                text, profile = self.run(program, "-m", measures)
                self.check_paths(text, profile)

    def musl(self):
        if not shutil.which("musl-gcc"):
            return
        program = build(self.folder, "split", "musl")
        for forbid in (False, True):
            self.forbid = forbid
            text, profile = self.run(program, "-m", "samples:callpath", status=7)
            self.forbid = False
            self.check_shares(text, profile, least=30)
            self.check_paths("= path 66.7 main heavy_step\n= path 33.3 main light_step", profile)

    def nameless(self):
        """Frames of stripped programs have the names of places in their module, and paths are whole."""
        for variant in ("static", "pointers"):
            program = os.path.join(os.path.dirname(build(self.folder, "paths", variant)), "nameless")
            subprocess.run(["strip", "-o", program, os.path.join(os.path.dirname(program), "paths")],
                           check=True)
            _, profile = self.run(program, "-m", "samples:callpath")
            rows = {row["context"]: row for row in self.report(profile, "--by", "callgraph")["rows"]}
            hot = max(rows.values(), key=lambda row: row["samples"])
            depth, at = 0, hot
            while at:
                expect(variant != "static" or
                       re.match(r"(sub_[0-9a-f]+|\[nameless\+0x[0-9a-f]+\])$", at["function"]), str(at))
                depth, at = depth + 1, rows.get(at.get("parent"))
            expect(depth >= 4 and re.match(r"sub_|\[nameless", hot["function"]), f"{depth}: {hot}")

    def stripped(self):
        program = build(self.folder, "split", "O2")
        subprocess.run(["strip", program], check=True)
        _, profile = self.run(program, "-m", "samples", status=7)
        os.remove(program)
        names = {row["function"] for row in self.report(profile)["rows"]
                 if row["module"] == "split" and row["samples"] > 50}
        expect(len(names) == 2 and all(re.match(r"sub_[0-9a-f]+$", name) for name in names),
               str(names))

    def instructions(self):
        """The samples of a function are those of its instructions."""
        _, profile, report = self.shares("split", "clang", status=7)
        whole = next(row["samples"] for row in report["rows"] if row["function"] == "heavy_step")
        out = subprocess.run([self.trammel, "annotate", "--json", profile, "heavy_step"], check=True,
                             capture_output=True, text=True).stdout
        code = [row for block in json.loads(out)["blocks"] for row in block["code"]]
        expect(sum(row.get("samples", 0) for row in code) == whole, out)
        expect(len(code) > 2 and not code[-1].get("samples", 0) > whole / 2, out)

    def other_commands(self):
        _, profile, report = self.shares("split", "O2", status=7)
        total = sum(row["samples"] for row in report["rows"])
        merged = profile + ".merged"
        subprocess.run([self.trammel, "merge", "-o", merged, profile, profile], check=True)
        expect(sum(row["samples"] for row in self.report(merged)["rows"]) == 2 * total, "merged")
        out = subprocess.run([self.trammel, "query", "--json",
                              "aggregate sum(samples) where event=\"cpu-clock\"", profile],
                             check=True, capture_output=True, text=True).stdout
        expect(sum(row["sum#samples"] for row in json.loads(out)["rows"]) == total, out)
        out = subprocess.run([self.trammel, "diff", "--json", profile, merged], check=False,
                             capture_output=True, text=True).stdout
        rows = {row["function"]: row for row in json.loads(out)["rows"]}
        expect(rows["heavy_step"]["b"] == 2 * rows["heavy_step"]["a"] > 100, out)
        done = subprocess.run([self.trammel, "diff", profile, profile], check=False,
                              capture_output=True, text=True)
        expect(done.returncode == 0 and f"Samples: {total:,} in A" in done.stdout, str(done))

    def untouched(self):
        """The program is not traced, and not stopped by attaching."""
        program = build(self.folder, "split", "O2")
        profile = program + ".attached"
        with subprocess.Popen([program, "forever"], start_new_session=True) as process, \
                subprocess.Popen([self.trammel, "attach", "-q", "-p", str(process.pid), "-m",
                                  "samples", "--for", "2s", "-o", profile],
                                 stderr=subprocess.PIPE, text=True) as attached:
            try:
                while attached.poll() is None:
                    with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                        expect("TracerPid:\t0" in status.read(), "traced")
                    time.sleep(0.02)
                expect(attached.returncode == 0, attached.stderr.read())
            finally:
                os.killpg(process.pid, 9)
        text = "= share heavy_step 66.7\n= share light_step 33.3\n"
        report = self.check_shares(text, profile, least=50)
        expect(report["profile"]["run.exit"] == "running", str(report["profile"]))

    def top(self):
        program = build(self.folder, "split", "O2")
        with subprocess.Popen([program, "forever"]) as process:
            try:
                self.check_top("-n", "2", "-p", str(process.pid))
            finally:
                process.kill()
        self.check_top("--", program)

    def check_top(self, *words):
        out = subprocess.run([self.trammel, "top", "--samples", "-b", "-d", "700ms", *words],
                             check=True, capture_output=True, text=True,
                             env=self.environment()).stdout
        samples = re.findall(r" (\d+)  split +heavy_step$", out, re.M)
        expect(samples and int(samples[-1]) > 20, out)

    def generated(self):
        """Code made at run time has the names that a map or a jitdump file gives it."""
        program = build(self.folder, "generated", "O2")
        for words in ("map", "dump"):
            profile = f"{program}.{words}.trm"
            out = subprocess.run([self.trammel, "run", "-q", "-m", "samples", "-o", profile, "--",
                                  program, words], check=True, capture_output=True, text=True,
                                 env=self.environment()).stdout
            os.remove(re.search(r"^= file (.*)$", out, re.M).group(1))
            self.check_shares(out.replace("made_", "made "), profile)

    def counted(self):
        """Samples and exact counts in one run: code that trammel moved is led back."""
        for measures in ("samples,functions", "samples,blocks", "samples,calls"):
            text, profile = self.run(build(self.folder, "split", "O2"), "-m", measures, status=7)
            report = self.check_shares(text, profile)
            calls = {row["function"]: row["calls"] for row in report["rows"]}
            expect(calls["heavy_step"] > 100 and calls["main"] == 1, str(calls))
        text, profile = self.run(os.path.join(self.folder, "O2", "split"), "-m", "samples,blocks",
                                 status=7)
        out = subprocess.run([self.trammel, "annotate", profile, "heavy_step"], check=True,
                             capture_output=True, text=True).stdout
        expect("Each" in out and re.search(r" ns ±\d+ %", out), out)
        text, profile = self.run(build(self.folder, "children", "O2"), "-m", "samples,functions")
        self.check_shares(text, profile)

    def counted_paths(self):
        for measures in ("samples:callpath,functions", "samples:callpath,edges"):
            text, profile = self.run(build(self.folder, "paths", "O2"), "-m", measures)
            self.check_paths(text, profile)

    def check_regions(self, text, profile):
        out = subprocess.run([self.trammel, "query", "--json", "select region.path,function,sum(samples) "
                              "where samples group by region.path,function", profile],
                             check=True, capture_output=True, text=True).stdout
        rows = {(row["region.path"], row["function"]): row["sum#samples"]
                for row in json.loads(out)["rows"]}
        total = sum(rows.values())
        for path, function, share in re.findall(r"^= region (\S+) (\S+) (\S+)$", text, re.M):
            got = 100 * rows.get((path, function), 0) / total
            expect_undisturbed(abs(got - float(share)) <= TOLERANCE, f"{path} {function}: {got:.1f} %: {rows}")
        for path, function in re.findall(r"^= only (\S+) (\S+)$", text, re.M):
            everywhere = sum(n for (_, name), n in rows.items() if name == function)
            expect(everywhere > 30 and rows.get((path, function), 0) > 0.97 * everywhere, f"{function}: {rows}")
        expect(sum(row["samples"] for row in self.report(profile)["rows"]) == total, "report and query")

    def regions(self):
        """Each sample has the region of the program in which its thread was."""
        program = build(self.folder, "regions", "O2")
        for forbid in (False, True):
            for measures, words in (("samples,regions", ()), ("samples,regions", ("short",)),
                                    ("samples:callpath,regions,functions", ())):
                self.forbid = forbid
                text, profile = self.run([program, *words], "-m", measures)
                self.forbid = False
                self.check_regions(text, profile)
        # Functions that are chosen are regions, too.
        text, profile = self.run(build(self.folder, "split", "O2"), "-m", "samples", "--regions",
                                 "split:*_step", status=7)
        self.check_regions("= region heavy_step heavy_step 66.7\n= region light_step light_step 33.3\n",
                           profile)

    def kernel(self):
        """With --kernel its functions have what the program's calls take, below these."""
        program = build(self.folder, "calls", "O2")
        _, profile = self.run(program, "-m", "samples:callpath", "--kernel")
        report = self.report(profile)
        if "samples of the kernel are forbidden" in report["profile"].get("samples.notes", ""):
            return
        kernel = sum(row["samples"] for row in report["rows"] if row["module"] == "[kernel]")
        total = sum(row["samples"] for row in report["rows"])
        expect_undisturbed(abs(100 * kernel / total - 50) <= TOLERANCE, f"{kernel} of {total} in the kernel")
        rows = {row["context"]: row for row in self.report(profile, "--by", "callgraph")["rows"]}
        below = 0
        for row in rows.values():
            at, chain = row, []
            while at:
                chain.append(at["function"])
                at = rows.get(at.get("parent"))
            below += row["samples"] if "call_step" in chain else 0
        expect_undisturbed(abs(100 * below / total - 50) <= TOLERANCE, f"{below} of {total} below the call")
        _, profile = self.run(program, "-m", "samples")
        expect(all(row["module"] != "[kernel]" for row in self.report(profile)["rows"]), "unasked")

    def extras(self):
        """What a processor has not is left out, and said."""
        if self.machine_has("cycles"):
            return
        _, _, report = self.shares("split", "O2", "--event", "cycles:pp,cpu-clock", "--branches", status=7)
        notes = report["profile"]["samples.notes"]
        expect("event cycles:pp: " in notes and "no branches: " in notes, notes)

    def forbidden(self):
        """Why there are no perf events is said, and samples are taken without them."""
        program = build(self.folder, "split", "O2")
        filtered = build(self.folder, "filtered", "O2")
        for number, words in ((1, "forbidden"), (13, "perf_event_paranoid"), (38, "no perf events"), (24, "descriptors"), (5, "opened")):
            profile = f"{program}.{number}.trm"
            done = subprocess.run([filtered, str(number), self.trammel, "run", "-m", "samples", "-o",
                                   profile, "--", program], capture_output=True, text=True, check=False)
            if done.returncode == 77:
                return  # no filters here
            expect(done.returncode == 7 and words in done.stderr, str(done))
            report = self.check_shares(done.stdout, profile, least=30)
            expect(report["events"][0]["event.looks"] > 10, str(report["events"]))
            expect("where threads are instead" in report["profile"]["samples.notes"], str(report["profile"]))
        # An event that an ordinary user may not have, beside one that he may.
        if os.geteuid() == 0 and shutil.which("setpriv"):
            profile = os.path.join(self.folder, "user.trm")
            with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as file:
                strict = int(file.read()) == 2
            os.chmod(self.folder, 0o777)
            done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "env", f"XDG_CACHE_HOME={self.folder}/user", self.trammel,
                                   "run", "-m", "samples", "--event", "context-switches,cpu-clock", "-o", profile, "--", program],
                                  capture_output=True, text=True, check=False)
            expect(not strict or done.returncode in (7, 126) and (done.returncode == 126 or
                   "event context-switches: it is forbidden here: kernel.perf_event_paranoid" in done.stderr), str(done))
        done = subprocess.run([self.trammel, "run", "-m", "samples", "--event", "no-such", "--", program],
                              capture_output=True, text=True, check=False)
        expect(done.returncode == 2 and "'no-such'" in done.stderr and not done.stdout, str(done))

    def looked(self):
        """The same shares without perf events, in all that can be sampled."""
        self.forbid = True
        try:
            for name, variant, options, status in (
                    ("split", "static", (), 7), ("split", "O2", ("--period", "2000000"), 7),
                    ("split", "clang", ("--event", "page-faults,cpu-clock", "--frequency", "5000"), 7),
                    ("threads", "O2", ("--threads",), 0), ("children", "O2", (), 0)):
                self.shares(name, variant, *options, status=status, least=30)
            self.counted()
            self.window()
            for variant in ("O2", "static", "pointers"):
                text, profile = self.run(build(self.folder, "paths", variant), "-m", "samples:callpath")
                self.check_paths("\n".join(text.splitlines()[:1]) if variant == "pointers" else text,
                                 profile)
            self.generated()
            self.top()
        finally:
            self.forbid = False

    def looked_attached(self):
        program = build(self.folder, "split", "O2")
        profile = program + ".looked"
        with subprocess.Popen([program, "forever"], start_new_session=True) as process:
            try:
                subprocess.run([self.trammel, "attach", "-q", "-p", str(process.pid), "-m",
                                "samples:callpath", "--for", "2s", "-o", profile], check=True,
                               capture_output=True, env={**os.environ, "TRAMMEL_NO_PERF_EVENTS": "1"})
                with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                    expect("TracerPid:\t0" in status.read(), "still traced")
                expect(process.poll() is None, "ended")
            finally:
                os.killpg(process.pid, 9)
        self.check_shares("= share heavy_step 66.7\n= share light_step 33.3\n", profile, least=30)

    def hostile(self):
        """Programs that a timer's signal would disturb, or that would disturb it: as bare, with and
        without perf events."""
        program = build(self.folder, "hostile", "O2")
        for word in ("block", "ignore", "replace", "close", "timers", "no-pending", "exhaust", "fork",
                     "execute", "calls"):
            bare = subprocess.run([program, word], capture_output=True, text=True, check=False)
            expect(bare.returncode == 5, f"{word}: {bare}")
            for forbid in (False, True):
                self.forbid = forbid
                text, profile = self.run([program, word], "-m", "samples:callpath", status=5)
                self.forbid = False
                expect(text == bare.stdout, f"{word}: {text} and not {bare.stdout}")
                self.check_shares(text, profile, least=30)

    def killed(self):
        """A tracer that looks at threads and is killed: the program goes on, and its guardian has what
        there was some seconds before."""
        program = build(self.folder, "split", "O2")
        profile = program + ".killed"
        with subprocess.Popen([self.trammel, "run", "-q", "-m", "samples", "-o", profile, "--", program,
                               "forever"], start_new_session=True, stderr=subprocess.PIPE,
                              env={**os.environ, "TRAMMEL_NO_PERF_EVENTS": "1"}) as front:
            try:
                traced = self.await_traced(program)
                time.sleep(4)
                os.kill(traced[1], signal.SIGKILL)
                time.sleep(0.5)
                with open(f"/proc/{traced[0]}/status", encoding="utf-8") as status:
                    text = status.read()
                expect("TracerPid:\t0" in text and re.search(r"^State:\t[RS]", text, re.M), text)
                os.kill(traced[0], signal.SIGKILL)
                front.communicate(timeout=60)
            finally:
                if front.poll() is None:
                    os.killpg(front.pid, signal.SIGKILL)
        self.check_shares("= share heavy_step 66.7\n= share light_step 33.3\n", profile, least=20)

    def await_traced(self, program):
        """The pids of a program that is traced, and of its tracer."""
        for _ in range(600):
            time.sleep(0.05)
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.readlink(f"/proc/{pid}/exe") != os.path.realpath(program):
                        continue
                    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
                        tracer = int(re.search(r"^TracerPid:\t(\d+)", status.read(), re.M)[1])
                except OSError:
                    continue
                if tracer:
                    return int(pid), tracer
        raise Failure("nothing is traced")

    def empty(self):
        """A profile without samples says why."""
        program = build(self.folder, "hostile", "O2")
        for options, words in (((), "less than a period"), (("--after", "1h"), "no samples"),
                               (("--event", "major-faults"), "major-faults")):
            for forbid in (False, True):
                self.forbid = forbid
                _, profile = self.run([program, "nothing"], "-m", "samples", "--period", "50000000",
                                      *options)
                self.forbid = False
                notes = self.report(profile)["profile"]["samples.notes"]
                expect("no samples: " in notes and words in notes, f"{options}: {notes}")
        _, profile = self.run([program, "block"], "-m", "samples", "--after", "1h", status=5)
        expect("not chosen" in self.report(profile)["profile"]["samples.notes"], "outside of the window")

NAMES = ("split", "events", "fallback", "period", "window", "threads", "children", "paths", "pointers",
         "languages", "musl", "nameless", "stripped", "instructions", "other_commands", "untouched",
         "top", "generated", "counted", "counted_paths", "regions", "kernel", "extras", "forbidden", "looked", "looked_attached",
         "hostile", "killed", "empty")
WITHOUT_EVENTS = ("forbidden", "looked", "looked_attached", "hostile", "killed", "empty")


def choose(tests):
    """Where perf events are forbidden only what works without them is tested."""
    _, profile = tests.run(shutil.copy("/bin/true", tests.folder), "-m", "samples")
    if "event.looks" not in json.dumps(tests.report(profile)):
        return NAMES
    print("perf events are forbidden here: tests that need them are skipped")
    return WITHOUT_EVENTS


if __name__ == "__main__":
    suite.main(__doc__, Tests, choose)
