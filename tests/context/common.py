"""Building the annotated programs, running them bare and measured, and reading what they said."""

import concurrent.futures
import functools
import json
import os
import subprocess

from transparency import running, trammel
from transparency.results import Disturbed, Failure

FOLDER = os.path.join(trammel.ROOT, "tests", "context")
INCLUDE = os.path.join(trammel.ROOT, "include")
FLAGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unknown-warning-option", "-Wno-clobbered",
         "-D_GNU_SOURCE", "-pthread", "-I", INCLUDE)
BUILDS = {
    "work": ("gcc", "-std=gnu11", "-O2", "work.c"),
    "work-plugin.so": ("gcc", "-O2", "-shared", "-fPIC", "plugin.c"),
    "work-nopie": ("gcc", "-O0", "-no-pie", "-fno-pic", "work.c"),
    "work-clang": ("clang", "-O2", "work.c"),
    "work-clang-nopie": ("clang", "-O1", "-no-pie", "-fno-pic", "work.c"),
    "scopes": ("g++", "-std=c++11", "-O2", "scopes.cc"),
    "scopes-clang": ("clang++", "-std=c++11", "-O1", "scopes.cc"),
    "spans": ("g++", "-std=c++11", "-O2", "spans.cc"),
    "spans-clang": ("clang++", "-std=c++11", "-O2", "spans.cc"),
    "phases": ("gcc", "-O2", "phases.c"),
    "phases-clang": ("clang", "-O1", "phases.c"),
    "tasks": ("gcc", "-O2", "tasks.c"),
    "properties": ("gcc", "-O2", "properties.c"),
    "phase_tool.so": ("gcc", "-O2", "-shared", "-fPIC", "phase_tool.c"),
    "count.so": ("gcc", "-O2", "-shared", "-fPIC", "count.c"),
}


def expect(condition, text):
    if not condition:
        raise Failure(text)


def expect_undisturbed(condition, text):
    """Expects what a machine that holds the program up can make wrong: see results.Disturbed."""
    if not condition:
        raise Disturbed(text)


def expect_samples(found, wanted, period_ms=1.0):
    """Samples, by name, are as many as wanted, within what the kernel's tick and a shared machine
    allow: all that came while a thread was held up counts where the thread stood afterwards, which
    may be the next name. In all no more than the last period of each name may be missing."""
    late = 40 / period_ms
    for name, count in wanted.items():
        expect_undisturbed(abs(found.get(name, 0) - count) < 0.05 * count + late, f"{name}: {found}, not {wanted}")
    total = sum(wanted.values())
    expect_undisturbed(abs(sum(found.get(name, 0) for name in wanted) - total) < 0.03 * total + 6 * len(wanted),
                       f"in all: {found}, not {wanted}")


def build_one(folder, name):
    compiler, *words = BUILDS[name]
    options = [word for word in words if not word.endswith((".c", ".cc"))]
    files = [os.path.join(FOLDER, word) for word in words if word.endswith((".c", ".cc"))]
    subprocess.run([compiler, *options, *FLAGS, "-o", os.path.join(folder, name), *files],
                   check=True)


def build_all(folder):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(functools.partial(build_one, folder), BUILDS))


class Place:
    """Where a test runs: the programs, trammel, a folder of its own."""

    def __init__(self, programs, folder, tool, records):
        self.programs, self.folder, self.tool, self.records = programs, folder, tool, records
        self.profile = os.path.join(folder, "profile.trm")
        self.spools = os.path.join(folder, "spools")
        os.mkdir(self.spools)

    @property
    def library(self):
        """What is preloaded into programs that link nothing."""
        return os.path.realpath(os.path.join(os.path.dirname(self.tool), "..", "runtime", "libtrammel.so.0"))

    def environment(self):
        return {**running.tool_environment(), "TMPDIR": self.spools}

    def bare(self, *words, program="work", prepare=None):
        return running.run([os.path.join(self.programs, program), *words], self.folder,
                           prepare=prepare)

    def run(self, *words, program="work", measure="regions", prepare=None, environment=None,
            options=()):
        command = trammel.run_command(self.tool, self.profile,
                                      [os.path.join(self.programs, program), *words], measure,
                                      options)
        return running.run(command, self.folder, prepare=prepare, timeout=40,
                           environment=environment or self.environment())

    def read(self):
        return Profile(self.records, self.profile)

    def check(self, *words, program="work", measure="regions", options=(), **more):
        """Bare and measured must be the same; the profile."""
        bare = self.bare(*words, program=program, **more)
        measured = self.run(*words, program=program, measure=measure, options=options, **more)
        problems = running.compare(bare, measured)
        expect(not problems, f"{words}: " + "; ".join(problems))
        expect(not os.listdir(self.spools), f"left behind: {os.listdir(self.spools)}")
        return self.read()


class Profile:
    """The records of a profile; paths are texts such as main/timestep/level=3."""

    def __init__(self, records, profile):
        done = subprocess.run([records, profile], capture_output=True, check=False)
        if done.returncode or done.stderr:
            raise Failure("records: " + done.stderr.decode()[-200:])
        self.globals, self.records = {}, []
        for line in done.stdout.decode().split("\n"):
            record = json.loads(line) if line else None
            if record and record.pop("global", 0):
                self.globals.update(record)
            elif record:
                record["path"] = tuple((name, value) for name, value in record["path"])
                self.records.append(record)
        self.processes = [record for record in self.records if "process" in record]
        self.events = [record for record in self.records if "event" in record]
        self.paths = [record for record in self.records
                      if "time.ns" in record and "process" not in record]
        self.metrics = [record for record in self.records
                        if any(name.startswith("count#") for name in record)]
        self.faults = self.globals.get("context.faults", "").split("\n")

    def count(self, path, **wanted):
        """How often the path was entered, by all threads and processes."""
        return sum(record["count"] for record in self.paths if text_of(record) == path
                   and all(record.get(name) == value for name, value in wanted.items()))

    def counts(self):
        found = {}
        for record in self.paths:
            found[text_of(record)] = found.get(text_of(record), 0) + record["count"]
        found.pop("", None)
        return found

    def expect(self, **counts):
        """Exactly these paths, with these counts; _ in names of the call stands for /."""
        self.expect_all({path.replace("_", "/"): count for path, count in counts.items()})

    def expect_all(self, counts):
        found = self.counts()
        wrong = {path: (found.get(path), counts.get(path)) for path in {*found, *counts}
                 if found.get(path, 0) != counts.get(path, 0)}
        expect(not wrong, f"{len(wrong)} paths differ (found, wanted): {dict(list(wrong.items())[:4])}")

    def expect_faults(self, *texts):
        expect(self.faults == (list(texts) or [""]), f"faults: {self.faults}")


def text_of(record):
    return "/".join(str(value) if name in ("region", "loop") else f"{name}={value}"
                    for name, value in record["path"])
