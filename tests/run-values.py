#!/usr/bin/python3
"""Compares values of instructions with what single steps find.

Usage: run-values.py [--trammel PATH] [--only NAME] [--keep DIR]

values/forms.py writes a program of more than 2,000 forms of instructions, which are executed in
rounds that begin with eight different states; values/steps.c steps through it. Each value that
samples saw must be one that the steps saw at that instruction, and the most frequent one must be
about as frequent. The program must do the same as in the bare run. Ends with
`N passed, N failed`.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict

import suite
from suite import expect, expect_undisturbed

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = os.path.join(HERE, "values")
INCLUDE = os.path.join(HERE, "..", "include")
sys.path.insert(0, VALUES)
import forms  # noqa: E402 (it lies in the folder above)

FORMS = 2000     # at least
STATES = 8       # of values/main.c
ENOUGH = 64      # samples from which on shares are compared
TOLERANCE = 0.2  # of shares: with so few samples chance alone makes much
FUNCTIONS = ("forms_", "small")  # what the compared ones begin with




def signed(value):
    return value - (1 << 64) if value >> 63 else value


def addresses_of(rows):
    """The addresses of operands that have but one."""
    return {(row["address"], row["what"]): row["values"][0]["value"] for row in rows
            if row["kind"] == "address" and row["values"][0]["times"] == row["seen"]}


def requests_of(rows, addresses):
    """{what the steps are asked for: rows}; loads and stores only at one address."""
    asked = {}
    for row in rows:
        place = addresses.get((row["address"], row["what"]))
        text = {"result": f"after {row['what']}", "target": "next"}.get(row["kind"])
        if place is not None and row["kind"] in ("load", "store"):
            text = f"{'before' if row['kind'] == 'load' else 'after'} {place:#x} 8"
        if text:
            asked[f"{row['address']:x} {text}"] = row
    return asked


def single_steps(folder, program, asked):
    """{request: {value: times}}"""
    wanted, found = os.path.join(folder, "requests"), os.path.join(folder, "results")
    with open(wanted, "w", encoding="ascii") as file:
        file.writelines(line + "\n" for line in asked)
    subprocess.run([os.path.join(folder, "steps"), wanted, found, program, str(STATES)],
                   check=True, stdout=subprocess.DEVNULL)
    counts = defaultdict(dict)
    with open(found, encoding="ascii") as file:
        for line in file:
            request, _, rest = line.rstrip("\n").partition(" = ")
            value, times = rest.split()
            counts[request][value if value == "other" else int(value)] = int(times)
    return counts


def same_values(row, counted, exactly):
    """Whether the values are among those counted, cut to the size of the access; or just those."""
    values = {count["value"] & (1 << 64) - 1: count["times"] for count in row["values"]}
    for bits in [64, 32, 16, 8] if row["kind"] in ("load", "store") else [64]:
        cut = defaultdict(int)
        for value, times in counted.items():
            cut[value & (1 << bits) - 1] += times
        if values == cut or (not exactly and set(values) <= set(cut)):
            return True
    return False


class Tests:
    def __init__(self, trammel, folder):
        self.trammel = trammel
        self.folder = folder
        self.rows = None
        self.program = os.path.join(folder, "forms")
        assembly = os.path.join(folder, "forms.S")
        self.count = forms.write(assembly)
        subprocess.run(["gcc", "-O1", "-g", "-static", "-no-pie", "-o", self.program,
                        os.path.join(VALUES, "main.c"), assembly], check=True)
        self.known, self.regions_program = (self.compile(name) for name in ("known", "regions"))
        subprocess.run(["gcc", "-O2", "-o", os.path.join(folder, "steps"),
                        os.path.join(VALUES, "steps.c")], check=True)

    def compile(self, name):
        program = os.path.join(self.folder, name)
        subprocess.run(["gcc", "-O1", "-g", "-pthread", "-I", INCLUDE, "-o", program,
                        os.path.join(VALUES, name + ".c")], check=True)
        return program

    def bare(self, rounds, program):
        return subprocess.run([program, str(rounds)], check=True, capture_output=True,
                              text=True).stdout

    def measure(self, name, options, rounds, *, period_us="50", program=None):
        """The rows that `trammel values` shows."""
        program = program or self.program
        profile = self.path(name)
        environment = dict(os.environ)
        if period_us:
            environment["TRAMMEL_VALUES_US"] = period_us
        run = subprocess.run([self.trammel, "run", "-q", "-o", profile, *options, "--", program,
                              str(rounds)], capture_output=True, text=True, check=False,
                             env=environment)
        expect(run.returncode == 0 and not run.stderr, f"run: {run.returncode}: {run.stderr!r}")
        bare = self.bare(rounds, program)
        expect(run.stdout == bare, f"the program printed {run.stdout!r}, bare {bare!r}")
        return self.rows_of(profile)

    def show(self, *words):
        return subprocess.run([self.trammel, *words], capture_output=True, text=True, check=True).stdout

    def rows_of(self, profile):
        return json.loads(self.show("values", "--json", profile))["rows"]

    def path(self, name):
        return os.path.join(self.folder, name + ".trm")

    def all_rows(self):
        """Those of all executions."""
        if not self.rows:
            self.rows = self.measure("exact", ["-m", "values:exact", "--only",
                                               "forms:forms_*,small*"], STATES)
        return self.rows

    def compare(self, rows, exactly=False):
        """Compares all that can be with single steps; returns how many instructions that is."""
        asked = requests_of([row for row in rows if (row["function"] or "").startswith(FUNCTIONS)],
                            addresses_of(self.all_rows()))
        counts = single_steps(self.folder, self.program, asked)
        wrong = []
        for request, row in asked.items():
            counted = counts[request]
            if "other" in counted:
                continue
            if not same_values(row, counted, exactly):
                wrong.append(f"{request}: {row['kind']} {row['what']}: {row['values']}, "
                             f"but by steps {counted}")
        expect(not wrong, f"{len(wrong)} of {len(asked)} differ: " + "; ".join(wrong[:6]))
        return len({row["address"] for row in asked.values()})

    def sampled(self):
        """Values that samples saw are values that were there."""
        expect(self.count >= FORMS, f"only {self.count} forms")
        rows = self.measure("sampled", ["-m", "values", "--seed", "5", "--ninterpret", "48"], 30000, period_us="20")
        seen = self.compare(rows)
        expect(seen > FORMS // 10, f"values of {seen} instructions only")
        print(f"     {self.count} forms, values of {seen} instructions compared")

    def exact(self):
        """All executions, each value as often as the steps find it."""
        seen = self.compare(self.all_rows(), exactly=True)
        expect(seen > FORMS, f"values of {seen} instructions only")
        print(f"     {self.count} forms, all values of {seen} instructions compared")

    def agreement(self):
        """Shares that samples find are about those of all executions."""
        keys = ("address", "kind", "what")
        exact = {tuple(row[key] for key in keys): row
                 for row in self.measure("known-exact", ["-m", "values:exact", "--only", "known:"], 20,
                                         program=self.known)}
        rows = self.measure("known", ["-m", "values", "--seed", "7", "--ninterpret", "32"], 40000,
                            period_us="100", program=self.known)
        compared = 0
        for row in rows:
            other = exact.get(tuple(row[key] for key in keys))
            if row["seen"] < ENOUGH or not other or row["function"] not in ("loads", "partial", "alias"):
                continue
            if row["kind"] == "address":
                continue
            for share in ("invariance", "zero", "last"):
                if share == "last" and row["pairs"] < ENOUGH:
                    continue
                expect(abs(row[share] - other[share]) < TOLERANCE,
                       f"{row['function']}, {row['kind']} {row['what']} at {row['address']:#x}: "
                       f"{share} {row[share]:.3f}, of all {other[share]:.3f}")
                compared += 1
            if row["invariance"] > 0.5:
                expect(row["values"][0]["value"] == other["values"][0]["value"],
                       f"the most frequent value at {row['address']:#x}: {row['values'][0]}, "
                       f"of all {other['values'][0]}")
        expect(compared >= 10, f"only {compared} shares compared")
        self.replays(rows)
        strides = {row["strides"][0]["value"] for row in rows
                   if row["function"] == "loads" and row["kind"] == "address" and row["strides"]}
        expect(8 in strides, f"strides {strides}, not 8")
        print(f"     {compared} shares compared")

    @staticmethod
    def replays(rows):
        for function, wanted in (("loads", 0), ("partial", 2), ("alias", 3)):
            found = [row["values"][0]["value"] for row in rows
                     if row["function"] == function and row["kind"] == "replay" and
                     row["seen"] >= ENOUGH // 8]
            expect(wanted in found, f"replays of {function}(): {found}, not {wanted}")

    def latency(self):
        """Loads are timed, and told by levels."""
        levels = os.path.join(self.folder, "levels")
        with open(levels, "w", encoding="ascii") as file:
            file.write("# by ticks\n0 1000000 40 near\n")
        rows = self.measure("latency", ["-m", "values", "--values", "vlatency"], 20000,
                            program=self.known)
        expect({row["kind"] for row in rows} == {"ticks"}, "not only ticks")
        show = subprocess.run([self.trammel, "values", "--levels", levels,
                               os.path.join(self.folder, "latency.trm"), "loads"],
                              capture_output=True, text=True, check=True)
        expect("near " in show.stdout, show.stdout)

    def plugin(self):
        """A profiler that is built with the public header alone."""
        profiler = os.path.join(self.folder, "parity.so")
        subprocess.run(["gcc", "-O2", "-fPIC", "-shared", "-I", INCLUDE,
                        "-o", profiler, os.path.join(VALUES, "parity.c")], check=True)
        rows = self.measure("parity", ["-m", "values", "--values-plugin", profiler, "--ninterpret",
                                       "48"], 20000, program=self.known)
        own = [row for row in rows if row["kind"] == "parity" and row["function"] == "loads"]
        odd = {count["value"] for row in own if row["what"] == "odd" for count in row["values"]}
        apart = {count["value"] for row in own if row["what"] == "apart" for count in row["values"]}
        expect(odd == {0, 1}, f"odd: {odd}")
        expect(8 in apart, f"apart: {apart}")
        wrong = subprocess.run([self.trammel, "run", "-m", "values", "--values-plugin", self.known,
                                "--", "true"], capture_output=True, text=True, check=False)
        expect(wrong.returncode == 2 and "--values-plugin" in wrong.stderr, wrong.stderr)

    def environment(self):
        """trammel-uvrun, with DCPI's variables."""
        profile = os.path.join(self.folder, "uvrun.trm")
        script = os.path.join(os.path.dirname(self.trammel), "trammel-uvrun")
        # It ends as the program does, by a signal too; and says what is missing.
        for words, trammel, status, line in ((["sh", "-c", "kill -9 $$"], self.trammel, -9, ""),
                                             (["sh", "-c", "exit 3"], self.trammel, 3, ""),
                                             (["true"], "/no/trammel", 127, "set TRAMMEL")):
            done = subprocess.run([script, "-o", profile, *words], capture_output=True, text=True, check=False,
                                  env={**os.environ, "TRAMMEL": trammel})
            expect(done.returncode == status and line in done.stderr and done.stderr.count("\n") == bool(line), f"{words}: {done}")
        run = subprocess.run([script, "-o", profile, self.known, "8000"], capture_output=True,
                             text=True, check=True,
                             env={**os.environ, "DCPI_UVPROF_DEBUG": "1", "DCPI_UVPROF_VREPLAY": "0",
                                  "DCPI_UVPROF_NINTERPRET": "12", "TRAMMEL": self.trammel})
        expect(run.stdout == self.bare(8000, self.known), run.stdout)
        expect("12 instructions" in run.stderr and "interrupts" in run.stderr, run.stderr)
        show = subprocess.run([self.trammel, "values", "--json", profile], capture_output=True,
                              text=True, check=True)
        kinds = {row["kind"] for row in json.loads(show.stdout)["rows"]}
        expect("result" in kinds and "replay" not in kinds, f"kinds {kinds}")

    def convergence(self):
        """What has settled is not looked at for a while; executions count all the same."""
        rows = self.measure("settled", ["-m", "values:exact", "--only", "known:loads"], 40,
                            program=self.known)
        taken = [row for row in rows if row["kind"] == "target" and row["seen"] == 40 * 4096]
        expect(taken, f"no branch that was executed {40 * 4096} times")
        expect(any(row["looked"] < row["seen"] for row in taken), "none was switched off")

    def regions(self):
        """Each region of the program has values of its own, sampled and of all executions."""
        sampled = ["-m", "values,regions", "--ninterpret", "32", "--seed", "3"]
        exact = ["-m", "values:exact,regions", "--only", "regions:multiply"]
        for name, options, rounds in (("regions", sampled, 40000), ("all-regions", exact, 40)):
            rows = self.measure(name, options, rounds, period_us="100", program=self.regions_program)
            got = {}
            for row in rows:
                if row["function"] == "multiply" and row["kind"] == "result" and row["what"] == "rsi" and \
                        row["seen"] >= 5:
                    got.setdefault(row["region.path"], set()).update(
                        count["value"] for count in row["values"])
            wanted = {"threes": {3}, "fives/sevens": {7}, "fives": {5}, "elevens": {11}, "(none)": {2}}
            expect(all(wanted.get(path) == values for path, values in got.items()), f"{name}: {got}")
            expect_undisturbed(got == wanted, f"{name}: {got}")
            found = json.loads(self.show(
                "query", "--json", "SELECT region.path, sum(values#times) WHERE values#kind=result "
                "GROUP BY region.path", self.path(name)))["rows"]
            expect({row["region.path"] for row in found} >= set(got), f"query: {found}")

    def kinds(self):
        """Each kind has what it is about, and nothing else."""
        for kind, wanted in (("vprof", {"result", "load", "store", "target"}), ("vreplay", {"replay"}),
                             ("vaddr", {"address"}), ("vlatency", {"ticks"})):
            rows = self.measure("kind", ["-m", "values", "--values", kind, "--ninterpret", "32"], 4000,
                                program=self.known)
            found = {row["kind"] for row in rows}
            expect(found == wanted, f"{kind}: {found}")

    def merging(self):
        """Tables of two runs are one."""
        options = ["-m", "values:exact", "--only", "known:partial"]
        once = self.measure("once", options, 10, program=self.known)
        self.show("merge", "-o", self.path("twice"), self.path("once"), self.path("once"))
        twice = self.rows_of(self.path("twice"))
        expect(once and [2 * row["seen"] for row in once] == [row["seen"] for row in twice], f"{once} {twice}")
        for one, two in zip(once, twice):
            expect([(count["value"], 2 * count["times"]) for count in one["values"]] ==
                   [(count["value"], count["times"]) for count in two["values"]], f"{one} and not {two}")

    def annotated(self):
        """Each instruction's most frequent value stands beside it, with and without counts."""
        for measures in ("values", "values,blocks"):
            rows = self.measure("beside", ["-m", measures, "--ninterpret", "48"], 20000, program=self.known)
            listing = self.show("annotate", self.path("beside"), "partial")
            shown = json.loads(self.show("annotate", "--json", self.path("beside"), "partial"))
            found = {line["address"]: line["values"] for block in shown["blocks"] for line in block["code"]
                     if "values" in line}
            own = {f"{row['address']:#x}" for row in rows if row["function"] == "partial"}
            expect(own and set(found) == own, f"{measures}: {own} and not {set(found)}")
            taken = [value for values in found.values() for value in values if value["kind"] == "target"]
            expect(taken and taken[0]["share"] > 0.9, str(found))
            expect(f"branch {taken[0]['value']:#x} {100 * taken[0]['share']:.1f} %" in listing, listing)
            expect(("Count" in listing) == ("blocks" in measures), listing)

    def calls(self):
        """Stretches make system calls that leave the program as it is, and end in front of others; that is told."""
        rows = self.measure("calls", ["-m", "values", "--ninterpret", "64"], 600, period_us="50",
                            program=self.compile("calls"))
        made = {row["address"] for row in rows if row["what"] == "r11" and row["function"] == "call_known"}
        results = [row for row in rows if row["what"] == "rax" and row["address"] in made]
        expect_undisturbed(len(results) == 1 and results[0]["invariance"] == 1, f"results {results}")
        expect(not any(row["what"] == "r11" and row["function"] == "call_other" for row in rows), "getpgrp")
        out = self.show("values", self.path("calls"))
        expect_undisturbed("ended at system calls" in out or "ended at a system call" in out, out.splitlines()[0])

    def made(self):
        """Code that the program makes is copied, and never what it was before it was changed."""
        program = self.compile("made")
        if subprocess.run([program, "8"], stdout=subprocess.DEVNULL, check=False).returncode == 77:
            return
        rows = self.measure("made", ["-m", "values", "--ninterpret", "48", "--seed", "2"], 12000, program=program,
                            period_us="20")
        own = [row for row in rows if row["module.path"] is None and row["address"] >> 12 == 0x100000]
        found = {row["address"] & 0xfff: row for row in own if row["kind"] == "result" and row["what"] == "rax"}
        expect(found[2]["strides"][0]["value"] == 3, f"the sum of threes: {found[2]}")
        out = self.show("values", self.path("made"))
        expect("[generated code]+0x100000002" in out, out)
        expect("ended where the program changed the code" in out, out.splitlines()[0])

    def hostile(self):
        """Programs that do odd things with signals, descriptors and memory do as bare."""
        program = os.path.join(self.folder, "hostile")
        subprocess.run(["gcc", "-O2", "-pthread", os.path.join(HERE, "samples", "hostile.c"), "-o", program],
                       check=True)
        for word in ("block", "ignore", "replace", "close", "timers", "no-pending", "exhaust", "fork",
                     "execute", "calls"):
            bare = subprocess.run([program, word], capture_output=True, text=True, check=False)
            run = subprocess.run([self.trammel, "run", "-q", "-m", "values", "-o", self.path("hostile"), "--", program,
                                  word], capture_output=True, text=True, check=False,
                                 env={**os.environ, "TRAMMEL_VALUES_US": "200"})
            expect((run.returncode, run.stdout, run.stderr) == (bare.returncode, bare.stdout, bare.stderr),
                   f"{word}: {run} and not {bare}")
            expect(self.rows_of(self.path("hostile")), f"{word}: no values")

    def empty(self):
        """A profile without values says why."""
        for measures, words in ((("values",), "less processor time than a period"),
                                (("values", "--frequency", "1"), "less processor time than a period"),
                                (("values:exact", "--only", "true:none*"), "no instruction of a chosen function")):
            done = subprocess.run([self.trammel, "run", "-m", *measures, "-o", self.path("empty"), "--", "true"],
                                  capture_output=True, text=True, check=True)
            expect(words in done.stderr, f"{measures}: {done.stderr}")
            show = subprocess.run([self.trammel, "values", self.path("empty")], capture_output=True, text=True,
                                  check=False)
            expect(show.returncode == 2 and words in show.stderr, f"{measures}: {show}")


NAMES = ("exact", "sampled", "agreement", "latency", "convergence", "plugin", "environment", "regions",
         "kinds", "merging", "annotated", "calls", "made", "hostile", "empty")

if __name__ == "__main__":
    suite.main(__doc__, Tests, lambda tests: NAMES)
