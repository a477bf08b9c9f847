"""Profiles of test programs, exported in all formats, compared with what the report shows; and
imported again."""

import json
import os
import re
import subprocess

from exports.readers import READERS, sums
from transparency import running, sources
from transparency.results import Failure

# Programs whose source is in tests/programs, and what is measured of each: 50 profiles.
MEASURES = ("functions", "blocks,calls", "callgraph", "memory", "edges")
PROGRAMS = ("calls_first", "calls_from", "calls_virtual", "cold_parts", "computed_goto", "contexts_thrown",
            "exceptions", "hot_cold", "ifunc", "loop_entry")
# Columns of reports, and the types that they are in exports.
COLUMNS = {"calls": "calls", "instructions": "instructions", "samples": "samples",
           "loads": "loads", "stores": "stores"}
IMPORTED = ("pprof", "callgrind", "perf-script", "folded")


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(command, status=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          **{"env": running.tool_environment(), **more})
    expect(done.returncode == status,
           f"{' '.join(command[1:4])}: status {done.returncode}: {done.stderr.strip()}")
    return done


def report(tool, profile, *options):
    return json.loads(run([tool, "report", "--json", *options, profile]).stdout)


def shown(tool, profile, *options):
    """{function: {type: sum}} of a report, and the types that it has."""
    rows = report(tool, profile, *options)["rows"]
    types = {COLUMNS[name] for row in rows for name in row if name in COLUMNS}
    return sums((row["function"], {COLUMNS[name]: value for name, value in row.items()
                                   if name in COLUMNS}) for row in rows), types


def export(tool, profile, name, *options):
    path = f"{profile}.{name}"
    run([tool, "export", "--to", name, "-o", path, *options, profile])
    return path


def compare(what, got, wanted, types):
    """Of two {function: {type: sum}}, those types."""
    cut = [{function: {name: number for name, number in values.items() if name in types}
            for function, values in of.items()} for of in (got, wanted)]
    cut = [{function: values for function, values in of.items() if values} for of in cut]
    for function in sorted(set(cut[0]) | set(cut[1])):
        one, other = cut[0].get(function), cut[1].get(function)
        expect(one == other, f"{what}: {function}: {one}, and in the report {other}")


def one_type(tool, profile, name, kind, options):
    """The sums of a format that shows one type."""
    _, rows = READERS[name](export(tool, profile, name, "--type", kind, *options))
    return sums((function, {kind: number for number in values.values()})
                for function, values in rows)


def check_formats(tool, profile, options):
    wanted, types = shown(tool, profile, *options)
    expect(wanted, "nothing was measured")
    for name, read in READERS.items():
        if name in ("perf-script", "folded"):
            for kind in types - {"samples"}:
                compare(name, one_type(tool, profile, name, kind, options), wanted, {kind})
            continue
        got_types, rows = read(export(tool, profile, name, *options))
        expect(types <= set(got_types), f"{name}: {got_types}, not {types}")
        compare(name, sums(rows), wanted, types)


def check_imports(tool, profile, options):
    wanted, types = shown(tool, profile, *options)
    for name in IMPORTED[:2]:
        back = f"{profile}.{name}.trm"
        run([tool, "import", "-o", back, f"{profile}.{name}"])
        compare(f"import of {name}", shown(tool, back)[0], wanted, types)
    for name in IMPORTED[2:]:
        for kind in types - {"samples"}:
            path = export(tool, profile, name, "--type", kind, *options)
            back = f"{path}.trm"
            more = ["--type", kind] if name == "folded" else []
            run([tool, "import", "--from", name, "-o", back, *more, path])
            compare(f"import of {name}", shown(tool, back)[0], wanted, {kind})


def measure(tool, folder, name, what, *options):
    source = sources.read(os.path.join(sources.FOLDER, name))
    program = sources.build(source, list(source.builds)[0], folder)
    profile = os.path.join(folder, name.split(".")[0] + ".trm")
    subprocess.run([tool, "run", "-q", "-m", what, "-o", profile, *options, "--", program],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                   env=running.tool_environment(), cwd=folder)
    return program, profile


def check_program(tool, folder, name, what):
    program, profile = measure(tool, folder, name, what)
    # Those of other modules would be read with all their debug information, each time.
    options = ["--module", program]
    check_formats(tool, profile, options)
    check_imports(tool, profile, options)


def arcs(tool, profile, *options):
    out = {}
    for row in report(tool, profile, "--by", "arc", *options)["rows"]:
        if row.get("caller"):
            key = row["caller"], row["function"]
            out[key] = out.get(key, 0) + row["arc.count"]
    return out


def check_calls(tool, folder):
    """Calls by caller, in callgrind's files and imports of them; jumps where they are asked for."""
    program, profile = measure(tool, folder, "calls_from.c", "calls,edges")
    options = ["--module", program]
    wanted = arcs(tool, profile, *options)
    path = export(tool, profile, "callgrind", *options)
    from exports.readers import Callgrind
    got = Callgrind(path)
    expect({key: n for key, n in got.calls.items() if n} == wanted,
           f"{sorted(got.calls.items())}, not {sorted(wanted.items())}")
    expect(not got.jumps, "jumps that nobody asked for")
    run([tool, "import", "-o", path + ".trm", path])
    expect(arcs(tool, path + ".trm") == wanted, "calls of the import")
    path = export(tool, profile, "callgrind", "--jumps", "--addresses", *options)
    got = Callgrind(path)
    expect(got.jumps, "no jumps")
    run([tool, "import", "-o", path + ".trm", path])
    compare("with addresses", shown(tool, path + ".trm")[0], shown(tool, profile, *options)[0],
            {"calls", "instructions"})


def check_whole(tool, folder):
    """All modules of a run, those of libraries, too; and several profiles as one."""
    _, profile = measure(tool, folder, "ifunc.c", "functions")
    wanted, types = shown(tool, profile)
    for name in ("pprof", "callgrind", "csv"):
        _, rows = READERS[name](export(tool, profile, name))
        compare(name, sums(rows), wanted, types)
    twice = os.path.join(folder, "twice.csv")
    run([tool, "export", "--to", "csv", "-o", twice, profile, profile])
    _, rows = READERS["csv"](twice)
    doubled = {function: {name: 2 * number for name, number in values.items()}
               for function, values in wanted.items()}
    compare("two profiles", sums(rows), doubled, types)


def check_places(tool, folder):
    """Lines, inlined functions, linked names, and one location for each inlined function."""
    from exports.readers import Pprof
    source = os.path.join(folder, "inlined.cc")
    with open(source, "w", encoding="utf-8") as file:
        file.write("volatile int sink;\n"
                   "static inline __attribute__((always_inline)) void innermost() { sink++; }\n"
                   "static inline __attribute__((always_inline)) void inner() {\n"
                   "\tinnermost();\n}\n"
                   "__attribute__((noinline)) void outer(int n) {\n"
                   "\tfor (int i = 0; i < n; i++)\n\t\tinner();\n}\n"
                   "int main() { outer(1000); }\n")
    program = source[:-3]
    run(["g++", "-O2", "-g", source, "-o", program])
    profile = program + ".trm"
    run([tool, "run", "-q", "-m", "blocks", "-o", profile, "--", program])
    whole = Pprof(export(tool, profile, "pprof", "--module", program))
    stacks = [[(whole.name(function), line) for function, line in whole.lines(location)]
              for location in whole.locations]
    expect([("innermost", 2), ("inner", 4), ("outer(int)", 8)] in stacks, str(stacks))
    linked = {whole.name(number): whole.strings[function.get(3, [0])[0]]
              for number, function in whole.functions.items()}
    expect(linked["outer(int)"] == "_Z5outeri" and linked["main"] == "", str(linked))
    files = {whole.strings[function[4][0]] for function in whole.functions.values() if 4 in function}
    expect(source in files, str(files))
    split = Pprof(export(tool, profile, "pprof", "--split-inlined", "--module", program))
    expect(all(len(split.lines(location)) == 1 for location in split.locations), "several lines")
    expect(any([split.name(split.lines(n)[0][0]) for packed in sample[1] for n in packed] ==
               ["innermost", "inner", "outer(int)"] for sample in split.samples), "stacks")


def check_samples(tool, folder):
    """Call paths, and periods; perf forbids events in some containers."""
    from transparency.results import Skip
    program = os.path.join(folder, "split")
    run(["gcc", "-O2", "-g", os.path.join(os.path.dirname(sources.FOLDER), "samples", "split.c"),
         "-o", program])
    profile = program + ".trm"
    done = subprocess.run([tool, "run", "-q", "-m", "samples:callpath", "-o", profile, "--", program],
                          capture_output=True, text=True, check=False,
                          env=running.tool_environment())
    if done.returncode not in (0, 7):
        raise Skip("no samples here: " + done.stderr.strip())
    options = ["--module", program]
    wanted, types = shown(tool, profile)
    if not wanted:
        raise Skip("no samples were taken")
    for name in ("pprof", "speedscope", "firefox", "csv", "json-lines", "cachegrind", "callgrind"):
        _, rows = READERS[name](export(tool, profile, name, *options))
        compare(name, sums(rows), shown(tool, profile, *options)[0], types)
    export(tool, profile, "pprof")
    event = report(tool, profile)["events"][0]
    _, rows = READERS["perf-script"](export(tool, profile, "perf-script"))
    expect(len(rows) == event["event.samples"], f"{len(rows)} samples, not {event}")
    for name in ("pprof", "perf-script"):
        back = f"{profile}.{name}.trm"
        run([tool, "import", "-o", back, f"{profile}.{name}"])
        compare(f"import of {name}", shown(tool, back)[0], wanted, types)
        expect(paths(tool, back) == paths(tool, profile), f"import of {name}: other call paths")


REGIONS = """
#include <trammel/annotate.h>
#include <pthread.h>
static void *work(void *unused)
{
	for (int i = 0; i < 5; i++) {
		TRM_REGION("outer");
		{
			TRM_REGION("inner");
		}
	}
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, 0, work, 0);
	work(0);
	pthread_join(thread, 0);
	return 0;
}
"""


def check_events(tool, folder):
    """Of several events the first that anything was counted of is shown; others by their name."""
    source = os.path.join(folder, "events.txt")
    with open(source, "w", encoding="utf-8") as file:
        for number, event in enumerate(("cycles", "faults", "cycles", "faults")):
            file.write(f"x 1/1 {number}.5: {0 if event == 'cycles' else number} {event}:\n\t12 f{number} (/x)\n\n")
    run([tool, "import", "-o", source + ".trm", source])
    _, rows = READERS["folded"](export(tool, source + ".trm", "folded"))
    expect(sums(rows) == {"f1": {"": 1}, "f3": {"": 3}}, str(rows))
    types, rows = READERS["pprof"](export(tool, source + ".trm", "pprof"))
    expect(list(types)[-1] == "faults" and types["faults"] == "count", str(types))
    expect(sums(rows)["f3"] == {"samples:faults": 1, "faults": 3}, str(sums(rows)))
    run([tool, "import", "-o", source + ".back.trm", source + ".trm.pprof"])
    expect(report(tool, source + ".back.trm")["events"][1]["event.total"] == 4, "the import")


def check_regions(tool, folder):
    """Regions as stacks with numbers and times; in traces, when they began and ended."""
    source = os.path.join(folder, "regions.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(REGIONS)
    program = source[:-2]
    run(["gcc", "-O2", "-pthread", "-I" + os.path.join(os.path.dirname(sources.FOLDER), "..", "include"),
         source, "-o", program])
    profile = program + ".trm"
    run([tool, "run", "-q", "-m", "regions,trace", "-o", profile, "--", program])
    rows = report(tool, profile, "--by", "region")["rows"]
    wanted = {row["path"][-1]: row["count"] for row in rows if row.get("count")}
    expect(wanted == {"outer": 10, "inner": 10}, str(rows))
    for name in ("pprof", "callgrind", "speedscope", "firefox", "csv", "json-lines"):
        _, got = READERS[name](export(tool, profile, name))
        got = {region: values["entries"] for region, values in sums(got).items() if "entries" in values}
        expect(got == wanted, f"{name}: {got}")
    with open(profile + ".speedscope", encoding="utf-8") as file:
        whole = json.load(file)
    evented = [one for one in whole["profiles"] if one["type"] == "evented"]
    names = [frame["name"] for frame in whole["shared"]["frames"]]
    opened = [[names[event["frame"]] for event in one["events"] if event["type"] == "O"] for one in evented]
    expect(opened == [["outer", "inner"] * 5] * 2, str(opened))
    run([tool, "import", "-o", program + ".back.trm", profile + ".pprof"])
    back = report(tool, program + ".back.trm", "--by", "region")["rows"]
    expect([(row["path"], row["count"], row["time.inclusive.ns"]) for row in back] ==
           [(row["path"], row["count"], row["time.inclusive.ns"]) for row in rows], f"{back}, not {rows}")


def paths(tool, profile):
    """{path of functions: samples}"""
    rows = report(tool, profile, "--by", "callgraph")["rows"]
    by_number = {row["context"]: row for row in rows}
    out = {}
    for row in rows:
        chain, at = [], row
        while at:
            chain.append(at["function"])
            at = by_number.get(at.get("parent"))
        key = tuple(re.sub(r"^\[.*\]$", "[]", name) for name in chain)
        if row.get("samples"):
            out[key] = out.get(key, 0) + row["samples"]
    return out


TESTS = [("calls", check_calls), ("whole", check_whole), ("places", check_places), ("samples", check_samples),
         ("regions", check_regions), ("events", check_events)]
