"""What is counted in each region is kept apart: --by-region."""

import json
import os
import re
import shutil
import subprocess

from context.common import expect
from transparency import running
from transparency.results import Skip

FIELDS = ("module.path", "function", "offset", "block", "edge", "edge.from", "edge.to", "edge.kind",
          "arc.kind", "arc.site", "caller", "caller.path")
NUMBERS = ("calls", "count", "block.stayed", "arc.count", "flow.fault")


def rows(place, program):
    """All records of the program's own code: (region.path, place) -> number, by what it is."""
    done = subprocess.run([place.tool, "query", f'select * where module="{program}" format json', place.profile],
                          check=True, capture_output=True, text=True, timeout=running.TIMEOUT_SECONDS)
    found = {}
    for row in json.loads(done.stdout):
        if "function" not in row or row["function"].startswith(("_", "frame_dummy", "deregister", "register")):
            continue
        where = tuple(row.get(name) for name in FIELDS)
        for name in NUMBERS:
            if name in row:
                key = (row.get("region.path"), (name, *where))
                found[key] = found.get(key, 0) + int(str(row[name]), 0)
    return found


def sums(found):
    """The same without regions."""
    total = {}
    for (_, where), number in found.items():
        total[where] = total.get(where, 0) + number
    return {where: number for where, number in total.items() if number}


def calls(found, function):
    return {region: number for (region, where), number in found.items()
            if where[0] == "calls" and where[2] == function}


def turns(found):
    """How often the block of the loop in `turn` ran, by region: there is no other that runs more often."""
    blocks = {}
    for (region, where), number in found.items():
        if where[0] == "count" and where[2] == "turn" and where[4]:
            blocks.setdefault(where[4], {})[region] = number
    return max(blocks.values(), key=lambda counts: sum(counts.values()), default={})


def measured(place, *words, measure, options=("--by-region",), program="phases", environment=None):
    bare = place.bare(*words, program=program)
    done = place.run(*words, program=program, measure=f"{measure},regions", options=options,
                     environment={**place.environment(), **(environment or {})})
    problems = running.compare(bare, done)
    expect(not problems, f"{words}: " + "; ".join(problems))
    found = rows(place, program)
    faults = [key for key in found if key[1][0] == "flow.fault"]
    expect(not faults, f"{words}, {measure}: {faults}")
    return found


def check_sums(place, *words, measure, alone=(), **more):
    """For each function, block and edge the sum over all regions is what it counts without them."""
    found = measured(place, *words, measure=measure, **more)
    together = measured(place, *words, measure=measure, options=alone, program=more.get("program", "phases"))
    wrong = {where: (sums(found).get(where), sums(together).get(where))
             for where in {*sums(found), *sums(together)} if sums(found).get(where) != sums(together).get(where)}
    expect(not wrong, f"{words}, {measure}: {len(wrong)} sums (apart, together): {dict(list(wrong.items())[:3])}")
    return found


def check_all(place, *words, leaves, loops=None, measures=("functions", "blocks", "edges", "calls"), **more):
    for measure in measures:
        for program in ("phases", "phases-clang"):
            found = check_sums(place, *words, measure=measure, program=program, **more)
            expect(calls(found, "leaf") == leaves, f"{words}, {measure}, {program}: {calls(found, 'leaf')}")
            if loops and measure in ("blocks", "edges"):
                expect(turns(found) == loops, f"{words}, {measure}, {program}: {turns(found)}")


def nested(place):
    """Regions begin and end in the midst of functions."""
    check_all(place, "nested", "8",
              leaves={"(none)": 1, "outer": 8 + 4, "outer/inner": 4 + 24},
              loops={"(none)": 5, "outer": 12})


def left(place):
    check_all(place, "left", "5", leaves={"(none)": 5 + 5 + 5, "long": 5, "jumped": 5},
              loops={"long": 150, "jumped": 150})


def threads(place):
    check_all(place, "threads", "20", leaves={"(none)": 6, "thread": 120, "main": 1}, loops={"thread": 240})


def forks(place):
    """A child goes on in the region that its parent was in, also before it says anything."""
    check_all(place, "forks", "6", leaves={"parent": 6 + 3 + 6}, loops={"parent/child": 21})


def signals(place):
    """A handler finds loops in their midst, and they go on in another region."""
    for measure in ("functions", "edges"):
        found = measured(place, "signals", "40", measure=measure)
        handled = sum(calls(found, "handle").values())
        leaves = calls(found, "leaf")
        expect(set(leaves) <= {"handler", "opened/handler"} and sum(leaves.values()) == (handled + 1) // 2,
               f"{measure}: {handled} signals: {leaves}")
        if measure == "edges":
            total = {}
            for (region, where), number in found.items():
                if where[0] == "calls" and where[2] == "turn":
                    total["calls"] = total.get("calls", 0) + number
            expect(sum(turns(found).values()) == 100 * total["calls"], f"{turns(found)}, {total}")
            expect(all(number >= 0 for number in turns(found).values()), f"{turns(found)}")
            done = subprocess.run([place.tool, "report", "--check", place.profile], check=False, capture_output=True,
                                  text=True, timeout=running.TIMEOUT_SECONDS)
            expect(done.returncode == 0, done.stdout)


def contexts(place):
    """Many take little each, and past a limit that is said they are counted as one."""
    for number in ("300", "3000"):
        found = measured(place, "contexts", number, measure="functions")
        expect(calls(found, "leaf") == {f"context {i}": 2 for i in range(int(number))}, f"{len(found)}")
    found = measured(place, "contexts", "300", measure="functions", environment={"TRAMMEL_PHASES": "40"})
    known = calls(found, "leaf")
    expect(sum(known.values()) == 600 and 30 <= len(known) <= 41 and known["(other)"] == 600 - 2 * (len(known) - 1),
           f"{known}")
    reasons = [record.get("process.reason", "") for record in place.read().processes]
    expect("more than 40" in reasons[0], f"{reasons}")


def deep(place):
    """Paths that are too long are counted as one, which is said."""
    found = measured(place, "deep", "200", measure="edges")
    known = calls(found, "leaf")
    paths = [region for region in known if region != "(other)"]
    longest = max(len(path) for path in paths)
    expect(len(paths) == 4096 // 41 and longest <= 4096 < longest + 41, f"{len(paths)} paths, the longest of {longest} bytes")
    expect(all(known[path] == 1 for path in paths) and known["(other)"] == 200 - len(paths), f"{known['(other)']}")
    reasons = [record.get("process.reason", "") for record in place.read().processes]
    expect("longer than 4096 bytes" in reasons[0], f"{reasons}")


def slow(place):
    """Where programs may not write the base of GS themselves."""
    for words, leaves in ((("nested", "8"), {"(none)": 1, "outer": 12, "outer/inner": 28}),
                          (("threads", "20"), {"(none)": 6, "thread": 120, "main": 1})):
        found = check_sums(place, *words, measure="edges", environment={"TRAMMEL_FSGSBASE": "never"})
        expect(calls(found, "leaf") == leaves, f"{calls(found, 'leaf')}")


def functions(place):
    """Functions are regions, too."""
    for measure in ("functions", "blocks", "edges", "calls"):
        found = check_sums(place, "nested", "8", measure=measure, options=("--by-region", "phases*:changes"),
                           alone=("--regions", "phases*:changes"))
        expect(calls(found, "leaf") == {"(none)": 1, "outer": 8, "outer/changes": 4,
                                        "outer/changes/inner": 28}, f"{measure}: {calls(found, 'leaf')}")
        # By call site, a call is counted where it is made.
        region = "outer" if measure == "calls" else "outer/changes"
        expect(calls(found, "changes") == {region: 8}, f"{measure}: {calls(found, 'changes')}")


def toggled(place):
    """What runs in calls of a function is what callgrind collects in them. (What marks regions is executed
    only where something measures: `changes` itself has more instructions then.)"""
    if not shutil.which("callgrind_annotate"):
        raise Skip("valgrind is not there")
    output = os.path.join(place.folder, "callgrind.out")
    program = os.path.join(place.programs, "phases")
    subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=changes", f"--callgrind-out-file={output}",
                    program, "nested", "8"], check=True, capture_output=True, timeout=3 * running.TIMEOUT_SECONDS)
    text = subprocess.run(["callgrind_annotate", "--threshold=100", output], check=True, capture_output=True,
                          text=True).stdout
    wanted = {name: int(number.replace(",", ""))
              for number, name in re.findall(r"^ *([0-9,]+) .*:(leaf|turn) ", text, re.MULTILINE)}
    measured(place, "nested", "8", measure="edges", options=("--by-region", "phases*:changes"))
    done = subprocess.run([place.tool, "query", 'let n = count * block.instructions select region.path,function,sum(n) '
                           'as n where module="phases" group by region.path,function format json', place.profile],
                          check=True, capture_output=True, text=True)
    found = {}
    for row in json.loads(done.stdout):
        if "changes" in row.get("region.path", "") and row["function"] in ("leaf", "turn"):
            found[row["function"]] = found.get(row["function"], 0) + int(row["n"])
    expect(found == wanted and len(found) == 2, f"{found}, callgrind: {wanted}")


def parts(place):
    """Beside threads, and parts of a run."""
    for measure in ("functions", "edges"):
        found = check_sums(place, "threads", "20", measure=measure, options=("--by-region", "--threads"),
                           alone=("--threads",))
        expect(calls(found, "leaf") == {"(none)": 6, "thread": 120, "main": 1}, f"{calls(found, 'leaf')}")
        start = ("--start-at", "phases*:begins")
        found = check_sums(place, "left", "5", measure=measure, options=("--by-region", *start), alone=start)
        expect(calls(found, "leaf") == {"(none)": 15, "long": 5, "jumped": 5}, f"{measure}: {calls(found, 'leaf')}")


def steps(place):
    """Iterations of a loop by class: their number modulo 10, or 3."""
    loops = {f"timestep%10={i}": 3 if i < 5 else 2 for i in range(10)}
    check_all(place, "steps", "25", leaves=loops, loops={"timestep%10=0/output": 150},
              options=("--by-region", "timestep%10"), measures=("functions", "edges"))
    found = measured(place, "steps", "25", measure="functions", options=("--by-region", "timestep%3,phases*:turn"))
    expect(calls(found, "leaf") == {"timestep%3=0": 9, "timestep%3=1": 8, "timestep%3=2": 8}, f"{found}")
    expect(calls(found, "turn") == {f"timestep%3={i}/output/turn": 1 for i in range(3)}, f"{calls(found, 'turn')}")
    # As Caliper's loops say it, whose iterations are values.
    check_all(place, "iterations", "10", options=("--by-region", "loop%4"), measures=("functions",),
              leaves={"(none)": 1, "loop": 1, **{f"loop%4={i}": 3 if i < 2 else 2 for i in range(4)}})


def query(place, text):
    done = subprocess.run([place.tool, "query", f"{text} format json", place.profile], check=True, capture_output=True,
                          text=True, timeout=running.TIMEOUT_SECONDS)
    return json.loads(done.stdout)


def by_region(rows, name):
    """The sums of what rows have by this name, by region."""
    found = {}
    for row in rows:
        if name in row:
            region = row.get("region.path")
            found[region] = found.get(region, 0) + int(str(row[name]), 0)
    return {region: number for region, number in found.items() if number}


def sets(place):
    """What was executed in each region is what was counted there."""
    for counted, covered, number in (("functions", "coverage", "calls"), ("blocks", "block-coverage", "count")):
        for words in (("nested", "8"), ("threads", "20"), ("forks", "6")):
            ran = [{key for key, times in measured(place, *words, measure=measure).items()
                    if key[1][0] == number and times > 0} for measure in (counted, covered)]
            expect(ran[0] == ran[1], f"{words}, {covered}: {list(ran[0] ^ ran[1])[:3]}")


def probes(place):
    """Each record of a probe is of the region in which its thread was; also of threads, children, and classes."""
    probe = ("--probe", "phases*:leaf { n = count(); hist(arg0); most = max(arg0); keyed = sum(arg0 + 1) by arg0 % 2; "
             "each = trace(arg0) }")
    for words, more in ((("nested", "8"), ()), (("threads", "20"), ()), (("forks", "6"), ()),
                        (("steps", "25"), ("timestep%10",))):
        found = measured(place, *words, measure="edges", options=("--by-region", *more, *probe))
        wanted = calls(found, "leaf")
        names = {}
        for row in query(place, "select * where probe"):
            names.setdefault(row["probe.name"], []).append(row)
        expect(by_region(names["n"], "probe.hits") == wanted, f"{words}: {names['n']}, not {wanted}")
        hits = [row for row in names["keyed"] if "probe.key#arg0 % 2" in row]
        expect(by_region(hits, "probe.hits") == wanted, f"{words}: {hits}, not {wanted}")
        traced = [{**row, "one": 1} for row in names["each"] if "probe.value#arg0" in row]
        expect(by_region(traced, "one") == wanted, f"{words}: {traced}, not {wanted}")
        weights = by_region([{**row, "weight": int(str(row["probe.value#arg0"])) + 1} for row in traced], "weight")
        expect(by_region(hits, "probe.sum") == weights, f"{words}: {hits}, not {weights}")
        most = {row["region.path"]: row["probe.max"] for row in names["most"] if "probe.max" in row}
        expect(set(most) == set(wanted), f"{words}: {most}")
        lines = [row for row in names["hist(arg0)"] if "probe.low" in row]
        expect(by_region(lines, "probe.hits") == wanted, f"{words}: {lines}, not {wanted}")
        report = subprocess.run([place.tool, "report", "--json", place.profile], check=True, capture_output=True, text=True)
        said = {item["probe.name"]: item["probe.hits"] for item in json.loads(report.stdout)["probes"]}
        expect(set(said.values()) == {sum(wanted.values())}, f"{words}: {said}")


def tools(place):
    """Counters of tools are of the region, words of theirs of the thread; and tools that have regions as a key have
    them."""
    tool = ("--tool", os.path.join(place.programs, "phase_tool.so"))
    for words in (("nested", "8"), ("left", "5")):
        found = measured(place, *words, measure="edges", options=("--by-region", *tool))
        wanted, recorded = calls(found, "leaf"), query(place, 'select * where tool="leaves"')
        total = sum(wanted.values())
        expect(by_region(recorded, "leaves#calls") == wanted, f"{words}: {recorded}, not {wanted}")
        expect(sum(by_region(recorded, "leaves#before").values()) == total * (total - 1),
               f"{words}: {recorded}, of {total}")
    place.run("nested", "8", program="phases", measure="edges,values:exact", options=("--by-region", "--tool", "prof"))
    wanted = calls(rows(place, "phases"), "leaf")
    found = query(place, "select * where tool=prof,function=leaf")
    expect(by_region(found, "prof#calls") == wanted and len(wanted) == 3, f"{found}, not {wanted}")
    found = query(place, "select * where tool=values,function=leaf")
    expect({row["region.path"] for row in found} == set(wanted), f"{found}")


def samples(place):
    """Samples and values have regions, beside what is counted and alone."""
    for measure in ("edges,samples", "samples", "edges,values", "values"):
        done = place.run("spends", "60", program="phases", measure=measure, options=("--by-region",))
        expect(done.status == 0, f"{measure}: {done.status_text()} {done.stderr}")
        rows = [row for row in query(place, "select * where function=turn")
                if row.get("tool") == "values" or "samples" in row]
        regions = {row.get("region.path") for row in rows}
        expect({"first", "second"} <= regions, f"{measure}: {regions}: {rows[:5]}")


def refused(place):
    """What does not count by itself is not kept apart."""
    done = subprocess.run([place.tool, "run", "--by-region", "step%70000", "--", "true"], check=False,
                          capture_output=True, text=True)
    expect(done.returncode == 2 and "too many classes" in done.stderr, f"{done}")
    for options in (("-m", "regions"), ("-m", "callgraph"), ("-m", "paths"), ("-m", "pbo")):
        done = subprocess.run([place.tool, "run", "-o", place.profile, *options, "--by-region", "--",
                               os.path.join(place.programs, "phases")], check=False, capture_output=True, text=True)
        expect(done.returncode == 2 and "--by-region" in done.stderr, f"{options}: {done}")


TESTS = [nested, left, threads, forks, signals, contexts, deep, slow, functions, toggled, parts, steps, sets, probes, tools, samples, refused]
