"""Finding and calling the trammel under test, and reading its reports."""

import json
import os
import subprocess
import sys

from transparency import running

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def find(build=None):
    """The path of trammel: $TRAMMEL, else in the given or a usual build folder."""
    if os.environ.get("TRAMMEL"):
        return os.path.abspath(os.environ["TRAMMEL"])
    folders = [build] if build else [os.path.join(ROOT, name) for name in ("build", "builddir")]
    for folder in folders:
        for name in ("src/cli/trammel", "trammel"):
            path = os.path.abspath(os.path.join(folder, name))
            if os.access(path, os.X_OK):
                return path
    sys.exit("no trammel found: build it, or give --build DIR or the variable TRAMMEL")


# A measurement that is more than a name: calls of all functions are regions.
SPANS = "spans"

# The same, and what is counted is kept apart by these regions.
PHASES = "phases"


# Another one: a tool is loaded, which $TRAMMEL_TEST_TOOL names.
TOOL = "tool"


TOOL_HELP = "measure with the tool of this source, and nothing else (-m tools) if not told more"


def tool_options(options):
    """Options of tests, which --tool changes: profiles of tools alone have no counts."""
    if options.tool:
        options.tool = os.path.abspath(options.tool)
        options.no_profile |= options.measure == "functions"
        options.measure = "tools" if options.measure == "functions" else options.measure
        options.measure += "," + TOOL
        running.TIMEOUT_SECONDS = 120  # a routine at each access of memory takes its time
    return options


def has_spans(measure):
    """Whether calls are regions, alone or beside what is counted."""
    return not {SPANS, PHASES}.isdisjoint(measure.split(","))


def run_command(trammel, profile, command, measurement="functions", options=()):
    """The command line that measures another one."""
    names = [name for name in measurement.split(",") if name not in (SPANS, PHASES, TOOL)]
    what = ["-m", ",".join(names)] if names else []
    if has_spans(measurement):
        what += ["--by-region" if PHASES in measurement.split(",") else "--regions", "*"]
    if TOOL in measurement.split(","):
        what += ["--tool", os.environ["TRAMMEL_TEST_TOOL"], "--tool-output", profile + ".said"]
    return [trammel, "run", "--quiet", *what, "-o", profile, *options, "--", *command]


def preloads(measure):
    """Whether programs have a library loaded into them."""
    return only_preloads(measure) or has_spans(measure)


def only_preloads(measure):
    """Whether they run as they are beside that."""
    return set(measure.split(",")) <= {"regions", "trace"}


class ReportError(Exception):
    """A profile that is missing or cannot be read."""


def check_counts(trammel, profile, report, measure):
    """Counts of blocks and of calls by call site, if the profile has them, must fit the code
    and each other."""
    names = measure.split(",")
    if "calls" in names and report.rows:
        report.arcs = read_json(trammel, ["report", "--by", "arc"], profile)["rows"]
    if "callgraph" in names and report.rows:
        read_contexts(trammel, profile, report)
    blocks = {"blocks", "edges"} & set(names) and any(row.get("instructions") for row in report.rows)
    if not blocks and not report.arcs:
        return
    done = subprocess.run([trammel, "report", "--check", "--limit", "3", profile],
                          capture_output=True, timeout=running.TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        raise ReportError(f"trammel report --check: exit {done.returncode}: "
                          + (done.stdout + done.stderr).decode(errors="replace").strip()[-600:])
    if "edges" in names and blocks:
        report.checked = read_json(trammel, ["report", "--check"], profile)["rows"]
    if blocks:
        check_derived(trammel, profile, report)


def read_json(trammel, command, profile):
    """What `trammel COMMAND --json` says of a profile."""
    done = subprocess.run([trammel, *command, "--json", profile], capture_output=True,
                          timeout=running.TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        raise ReportError(f"trammel {command[0]}: exit {done.returncode}: "
                          + done.stderr.decode(errors="replace").strip()[-200:])
    return json.loads(done.stdout)


def read_contexts(trammel, profile, report):
    """The contexts of calls: there are none of Go's functions."""
    try:
        report.contexts = read_json(trammel, ["report", "--by", "callgraph"], profile)["rows"]
    except ReportError:
        if report.calls("runtime.main") is None:
            raise
    # Threads of a process that was let go have counters in common: two at one moment may be one.
    if all(process["process.state"] != "released" for process in report.processes):
        check_contexts(report)


def check_contexts(report):
    """Calls of each function are the sum over its contexts, but for
    those whose context is not known; no time is less than a part of it."""
    sums = {}
    for row in report.contexts:
        place = (row.get("module.path"), row.get("function"), row.get("offset"))
        sums[place] = sums.get(place, 0) + row["calls"]
    wrong = [row["function"] for row in report.rows
             if sums.get((row["module.path"], row["function"], row["offset"]), 0) > row["calls"]]
    if sum(sums.values()) > sum(row["calls"] for row in report.rows) or wrong:
        raise ReportError(f"more calls in contexts than there were: {wrong[:3]}")
    for row in report.contexts:
        if row.get("time.inclusive.ns", 0) + 1000 < row.get("time.exclusive.ns", 0):
            raise ReportError(f"less time with what it called than without: {row}")


def check_derived(trammel, profile, report):
    """What follows from counts of blocks must fit these: the instruction mix, and loops."""
    mix = read_json(trammel, ["mix", "--by", "function"], profile)
    known = {(row["module.path"], row["function"], row["offset"]): row.get("instructions", 0)
             for row in report.rows}
    lost = {trouble["module.path"] for trouble in mix["troubles"]}
    found = {(row["module.path"], row["function"], row["offset"]): row["instructions"]
             for row in mix["rows"]}
    wrong = [place for place, count in known.items()
             if place[0] not in lost and not mix["blocks.odd"] and found.get(place, 0) != count]
    wrong += [row["function"] for row in mix["rows"]
              if sum(row["classes"].values()) != row["instructions"]
              or row["load.bytes"] < row["loads"] or row["store.bytes"] < row["stores"]]
    for row in read_json(trammel, ["loops"], profile)["rows"]:
        place = (row["module.path"], row["function"], row["offset"])
        if (row.get("entries", 0) > row["iterations"] or row["instructions"] > known[place]
                or (row["depth"] > 1) != ("parent" in row)):
            wrong.append(row)
    if wrong:
        raise ReportError(f"trammel mix, loops: {len(wrong)} do not fit: {wrong[:3]}")


class Report:
    """A profile as `trammel report --json` tells it."""

    def __init__(self, trammel, profile):
        if not os.path.exists(profile):
            raise ReportError("no profile was written")
        done = subprocess.run([trammel, "report", profile, "--json"], capture_output=True,
                              timeout=running.TIMEOUT_SECONDS, check=False)
        if done.returncode != 0:
            raise ReportError(f"trammel report: exit {done.returncode}: "
                              + done.stderr.decode(errors="replace").strip()[-200:])
        try:
            content = json.loads(done.stdout)
        except ValueError as error:
            raise ReportError(f"trammel report: no valid JSON: {error}") from error
        self.warnings = done.stderr.decode(errors="replace")
        self.profile = content.get("profile", {})
        self.rows = content.get("rows", [])
        self.processes = content.get("processes", [])
        self.modules = content.get("modules", [])
        self.skipped = content.get("skipped", [])
        self.arcs = []  # see check_counts, as are the next
        self.checked = []
        self.contexts = []

    def calls(self, function, module=None):
        """Calls of a function in all processes; None if no row names it."""
        found = [row.get("calls", 0) for row in self.rows if matches(row, function, module)]
        return sum(found) if found else None

    def skip_reason(self, function, module=None):
        """Why a function was left out; None if it was not."""
        for row in self.skipped:
            if matches(row, function, module):
                return row.get("skip.reason") or row.get("reason") or "no reason given"
        return None

    def processes_of(self, program):
        """The process records whose program has this base name."""
        return [record for record in self.processes
                if os.path.basename(record.get("program", "")) == program]

    def programs(self):
        return sorted(os.path.basename(record.get("program", ""))
                      for record in self.processes)


def matches(row, function, module):
    if row.get("function") != function:
        return False
    return module is None or row.get("module", "").startswith(module)
