"""The benchmark's tables, in Markdown."""

import dataclasses
import math
import statistics

import attaching
import workloads

HEAD = """# What measuring costs

Written by `bench/run.py` on {when}, on {machine}.

{rounds} rounds, interleaved; tools marked with * ran once. A ratio of 1.00 is the speed of the
bare run: each run is compared with the bare one of its round, and given is the median.
"""


@dataclasses.dataclass
class Measured:
    """What there is so far."""
    chosen: list = dataclasses.field(default_factory=list)     # tools
    results: dict = dataclasses.field(default_factory=dict)    # {program: {tool: [runner.Run]}}
    fast: list = dataclasses.field(default_factory=list)       # tools that took part in `longer`
    longer: dict = dataclasses.field(default_factory=dict)     # as `results`, each with more to do
    startup: dict = dataclasses.field(default_factory=dict)    # as costs.startup() gives it
    memory: dict = dataclasses.field(default_factory=dict)     # as costs.memory() gives it
    rebuilders: list = dataclasses.field(default_factory=list) # tools that took part in `rebuilt`
    rebuilt: dict = dataclasses.field(default_factory=dict)    # as `results`
    attaching: dict = dataclasses.field(default_factory=dict)  # as attaching.measure() gives it


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def median(runs, field):
    return statistics.median(getattr(run, field) for run in runs)


def ratio(by_tool, tool, field):
    """The median of the tool's runs as ratios to the bare one of the same round, or None where it
    has no sound run: a machine's speed changes from round to round more than within one."""
    ratios = [getattr(run, field) / max(getattr(bare, field), 1e-6)
              for run, bare in zip(by_tool[tool], by_tool["bare"])
              if (run.output, run.status) == (bare.output, bare.status)]
    return statistics.median(ratios) if ratios else None


def show(value):
    return "failed" if value is None else f"{value:.2f}"


def markdown(rows):
    head, *body = rows
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in body]) + "\n"


# Columns of the README's table: a tool, and what it is called there.
README_COLUMNS = {"trammel": "functions", "trammel-edges": "edges", "trammel-calls": "calls",
                  "trammel-callgraph": "call graph", "callgrind": "callgrind"}


def ratio_rows(others, results, field):
    """A row for each program, with the ratio of each tool in `others`, and one of their means."""
    rows = []
    columns = {tool.name: [] for tool in others}
    for name, by_tool in results.items():
        row = [name]
        for tool in others:
            value = ratio(by_tool, tool.name, field)
            row.append(show(value))
            if value is not None:
                columns[tool.name].append(value)
        rows.append(row)
    return rows + [["**geometric mean**"] + [
        show(geometric_mean(v)) if len(v) == len(results) else "-" for v in columns.values()]]


def ratio_table(chosen, results, field):
    others = [tool for tool in chosen if tool.name != "bare"]
    rows = [["program", "bare s"] + [t.name + ("*" if t.slow else "") for t in others]]
    for row in ratio_rows(others, results, field):
        by_tool = results.get(row[0])
        bare = f"{median(by_tool['bare'], field):.2f}" if by_tool else ""
        rows.append([row[0], bare] + row[1:])
    return markdown(rows)


def readme_table(chosen, results):
    """The ratios of CPU time that the README has: five columns in its own words."""
    others = [tool for tool in chosen if tool.name in README_COLUMNS]
    head = ["program"] + [README_COLUMNS[tool.name] for tool in others]
    return markdown([head] + ratio_rows(others, results, "cpu"))


def startup_table(startup):
    tools = list(next(iter(startup.values())))
    tools = ["bare"] + [tool for tool in sorted(tools) if tool != "bare"]
    rows = [["command", "bare ms"] + [f"{tool} adds ms" for tool in tools[1:]]]
    for name, times in startup.items():
        bare = statistics.median(times["bare"]) * 1000
        added = [f"{statistics.median(times[tool]) * 1000 - bare:.1f}" for tool in tools[1:]]
        rows.append([name, f"{bare:.1f}"] + added)
    return markdown(rows)


MEMORY_ROWS = (
    ("python3 process: anonymous KiB", "anonymous_kib"),
    ("python3 process: memfd KiB (counters and code)", "memfd_kib"),
    ("largest process, KiB resident", "other_kib"),
    ("thread: µs to create and join", "thread_us"),
    ("thread: KiB before it does anything", "thread_kib"),
)


def memory_table(memory):
    rows = [["", *memory]]
    for label, field in MEMORY_ROWS:
        rows.append([label] + [f"{getattr(value, field):,.1f}" for value in memory.values()])
    return markdown(rows)


REBUILT = """## Beside a rebuild with gcc's -fprofile-arcs: CPU time, ratio to the plain build
"""


CPU = "## CPU time, user and system of all processes: ratio to bare\n"
WALL = "## Wall time: ratio to bare\n"
STARTUP = "## Time added at start-up (\"cold\": nothing cached)\n"
LONGER = f"## CPU time of runs with {workloads.LONGER} times as much to do: ratio to bare\n"


def shorter_sections(measured):
    return [(CPU, ratio_table(measured.chosen, measured.results, "cpu")),
            (WALL, ratio_table(measured.chosen, measured.results, "wall"))]


def longer_sections(measured):
    return [(LONGER, ratio_table(measured.fast, measured.longer, "cpu"))]


def startup_sections(measured):
    return [(STARTUP, startup_table(measured.startup))]


def section_by_itself(section, conditions):
    """The text of a section of the results that was measured by itself, under the conditions."""
    heading, table = section
    return f"{heading}\nMeasured {conditions}.\n\n{table}"


def replace_section(path, section):
    """Puts a section in place of the one in a file that has its heading."""
    with open(path, encoding="utf-8") as file:
        head, rest = file.read().split(section.split("\n", 1)[0], 1)
    tail = rest.split("\n## ", 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}{section}\n## {tail}")


def joined(sections):
    return [part for section in sections for part in section]


def document(machine, when, rounds, measured, wrong):
    parts = [HEAD.format(when=when, machine=machine, rounds=rounds)]
    parts += joined(shorter_sections(measured))
    if measured.longer:
        parts += joined(longer_sections(measured))
    if measured.rebuilt:
        parts += [REBUILT, ratio_table(measured.rebuilders, measured.rebuilt, "cpu")]
    if measured.startup:
        parts += joined(startup_sections(measured))
    if measured.attaching:
        parts += ["## Attaching to a server of eight threads\n",
                  "CPU time of its work as a ratio to before, medians; \"stop\": all threads stand.\n",
                  markdown(attaching.rows(measured.attaching))]
    if measured.memory:
        parts += ["## Memory and threads\n", memory_table(measured.memory)]
    parts.append("Every run gave the bare run's output and exit status.\n" if not wrong
                 else "Runs that went wrong:\n\n" + "".join(f"- {line}\n" for line in wrong))
    return "\n".join(parts)


def raw_runs(results):
    return {name: {tool: [dataclasses.asdict(run) for run in runs]
                   for tool, runs in by_tool.items()}
            for name, by_tool in results.items()}


def raw(machine, when, measured):
    """Everything measured, for --json."""
    return {
        "machine": machine, "date": when,
        "programs": raw_runs(measured.results),
        "longer": raw_runs(measured.longer),
        "rebuilt": raw_runs(measured.rebuilt),
        "startup": measured.startup,
        "attaching": {name: dataclasses.asdict(value)
                      for name, value in measured.attaching.items()},
        "memory": {tool: dataclasses.asdict(value) for tool, value in measured.memory.items()},
    }
