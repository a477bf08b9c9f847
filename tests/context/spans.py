"""Functions that are regions: --regions."""

import json
import os
import subprocess

from context import counting
from context.common import expect, text_of
from transparency import trammel
from transparency.results import Failure

NAMES = ("leaf", "middle", "recursive", "wrapper", "indirect", "thrower", "catcher", "jumper",
         "vectors", "opens", "closes", "changes", "work", "forks", "ends")
MIDDLE = {"middle": 1, "middle/leaf": 1}


def inside(path, counts, times=1):
    return {f"{path}/{name}": count * times for name, count in counts.items()}


def check(place, *words, measure="regions", **more):
    """The profile of both compilers' programs must be this one; the last of them."""
    for program in ("spans", "spans-clang"):
        profile = place.check(*words, program=program, measure=measure,
                              options=["--regions", ",".join(f"spans*:{name}" for name in NAMES)],
                              **more)
        yield profile


def expect_counts(place, *words, counts, measure="regions", **more):
    for profile in check(place, *words, measure=measure, **more):
        profile.expect_all(counts)
        profile.expect_faults()


def calls(place):
    """Calls nest as they do; jumps at the end of functions end them where nobody knows more."""
    counts = {"middle": 10, "middle/leaf": 10, "recursive": 5, "wrapper": 5, "wrapper/leaf": 10,
              "recursive/recursive": 5, "recursive/recursive/recursive": 5,
              "recursive/recursive/recursive/leaf": 5, "indirect": 5, "vectors": 1}
    for measure in ("regions", "trace"):
        expect_counts(place, "calls", "5", counts=counts, measure=measure)


def annotated(place):
    """One tree with what the program says itself."""
    expect_counts(place, "annotated", "3", counts={
        "annotated": 1, "annotated/step": 3, **inside("annotated/step", MIDDLE, 3),
        "annotated/step/inner": 3, "annotated/step/inner/leaf": 3})


def left(place):
    """Exceptions and longjmp."""
    expect_counts(place, "left", "4", counts={
        "catcher": 4, "catcher/thrower": 4, "catcher/thrower/leaf": 4, "catcher/leaf": 2,
        "jumper": 4, "jumper/leaf": 4, "behind": 1, "behind/leaf": 1})


def crossing(place):
    """What a function begins and does not end goes on without it, and the other way round."""
    expect_counts(place, "crossing", "2", counts={
        "opens": 2, "opens/phase=long": 2, **inside("phase=long", MIDDLE, 2),
        "phase=long/closes": 2, "state=1": 1, "state=1/changes": 1, "state=2": 1,
        "state=2/changes/leaf": 1, "state=2/leaf": 1})


def threads(place):
    expect_counts(place, "threads", "3", counts={"work": 3, **inside("work", MIDDLE, 300)})


def forks(place):
    """A child goes on in the calls that its parent was in."""
    for profile in (*check(place, "forks", "2"),
                    *check(place, "forks", "2", measure="edges,calls,callgraph")):
        counts = {path: count for path, count in profile.counts().items() if path != "leaf"}
        expect(counts == {"forks": 1, **inside("forks", MIDDLE, 2)}, f"{counts}")


def signals(place):
    """Handlers come in any place, and behind what is told of a call."""
    for measure in ("regions", "calls", "callgraph", "edges,calls,callgraph"):
        expect_counts(place, "signals", "200", measure=measure, counts={
            "leaf": 200, "middle": 200, "middle/leaf": 200})


def ends(place):
    bare = place.bare("ends", "3", program="spans")
    expect(bare.status == 3, f"{bare}")
    for measure in ("regions", "edges,calls,callgraph"):
        expect_counts(place, "ends", "3", measure=measure, counts={"ends": 1, "ends/leaf": 1})


def times(place):
    """Time in a call is its region's."""
    for profile in check(place, "calls", "20000"):
        total = sum(record["time.ns"] for record in profile.paths)
        leaf = sum(record["time.ns"] for record in profile.paths
                   if record["path"] and record["path"][0][1] == "middle")
        expect(0 < leaf < total, f"{leaf} of {total} ns")


def reported(place, by, *options):
    done = subprocess.run([place.tool, "report", "--json", "--by", by, *options, place.profile],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rows"]


def own_counts(place, by, program):
    """What the program's own code counted."""
    rows = reported(place, by)
    if by == "callgraph":
        name_parents(rows)
    rows = [row for row in rows if row.get("module") == program]
    for row in rows:
        row.pop("instructions", None)  # of functions that are measured with their blocks
        for key in [key for key in row if key.startswith("time.")]:
            row.pop(key)
    expect(rows, f"no row of {program}")
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def name_parents(rows):
    """Contexts by the functions around them instead of their numbers."""
    by_number = {row["context"]: row for row in rows}

    def path_of(row):
        return (path_of(by_number[row["parent"]]) if row.get("parent") in by_number else []) + [
            row["function"]]

    paths = [path_of(row) for row in rows]
    for row, path in zip(rows, paths):
        row["path"] = path
        row.pop("parent", None)
        row.pop("context")


def counted(place):
    """Regions beside counts of code: both are what they are alone."""
    names = ",".join(f"spans*:{name}" for name in NAMES)
    reports = {"functions": ["function"], "coverage": ["function"], "blocks": ["function", "block"],
               "block-coverage": ["block"], "edges": ["function", "block", "edge"],
               "calls": ["function", "arc"], "callgraph": ["function", "callgraph"],
               "calls,callgraph": ["function", "arc", "callgraph"],
               "edges,calls,callgraph": ["function", "block", "edge", "arc", "callgraph"]}
    cases = [(measure, ("calls", "5"), "spans") for measure in reports]
    cases += [(measure, words, program) for program in ("spans", "spans-clang")
              for measure in ("edges", "calls", "callgraph", "edges,calls,callgraph")
              for words in (("left", "4"), ("annotated", "3"), ("threads", "3"))]
    alone = {}
    for measure, words, program in cases:
        if (words, program) not in alone:
            alone[words, program] = place.check(*words, program=program,
                                                options=["--regions", names]).counts()
        place.check(*words, program=program, measure=f"regions,{measure}")
        wanted = [own_counts(place, by, program) for by in reports[measure]]
        both = place.check(*words, program=program, measure=measure, options=["--regions", names])
        both.expect_all(alone[words, program])
        found = [own_counts(place, by, program) for by in reports[measure]]
        wrong = [set(a) ^ set(b) for a, b in zip(found, wanted) if a != b]
        expect(not wrong, f"{measure}, {words}, {program}: {wrong}")


WINDOW = ("--start-at", "spans*:opening", "--stop-at", "spans*:closing")


def executed(rows):
    """Functions with blocks are there without a call, too. Where the other thread stands as a part
    begins or ends is a matter of time."""
    rows = ((row, json.loads(row)) for row in rows)
    return [row for row, values in rows
            if values.get("calls") != 0 and not values["function"].startswith("middles(")]


def parts(place):
    """In a part of a run: what began in it, the time of what was open, and the same counts."""
    names = ",".join(f"spans*:{name}" for name in ("leaf", "middle", "recursive", "work_in_parts"))
    counts = {"middle": 2, "middle/leaf": 2, "leaf": 1}
    for path in ("middle", "middle/leaf", "recursive", "recursive/recursive",
                 "recursive/recursive/leaf"):
        counts[f"work_in_parts/{path}"] = 7
    cases = [("regions", None), ("trace", None), ("functions", "function"), ("edges", "edge"),
             ("calls,callgraph", "arc"), ("trace,blocks", "block")]
    for measure, by in cases:
        for program in ("spans", "spans-clang"):
            if by:
                place.check("parts", "7", program=program, measure=measure, options=WINDOW)
                wanted = executed(own_counts(place, by, program))
            profile = place.check("parts", "7", program=program, measure=measure,
                                  options=["--regions", names, *WINDOW])
            profile.expect_all(counts)
            open_before = [record for record in profile.paths if text_of(record) == "work_in_parts"]
            expect(len(open_before) == 1 and open_before[0]["time.ns"] > 0, f"{open_before}")
            if "trace" in measure:
                counting.check_trace(profile, measure, held=True)
            if by:
                found = executed(own_counts(place, by, program))
                expect(found == wanted, f"{measure}: {set(found) ^ set(wanted)}")


def released(place):
    """When the window is over the program is let go, whatever regions are open."""
    names = ",".join(f"spans*:{name}" for name in ("leaf", "middle", "recursive", "work_until_free"))
    counts = {"work_until_free": 1, "work_until_free/middle": 5, "work_until_free/middle/leaf": 5}
    for measure in ("regions", "trace", "functions", "edges,calls", "callgraph"):
        for program in ("spans", "spans-clang"):
            place.check("free", "5", program=program, measure=measure,
                        options=["--regions", names, "--stop-at", "spans*:closing"]).expect_all(counts)


def own_parts(place):
    """Parts and processes of a program that says itself what it does, and of which no function is
    a region."""
    wanted = {"thread": 3, "thread/part": 9}
    begin = ("--start-at", "work:thread_work")
    for measure in ("regions", "trace"):
        for options, counts in ((begin, wanted), (("--after", "60s"), {}), (("--for", "60s"), wanted),
                                (("--stop-at", "work:thread_work"), {}),
                                ((*begin, "--stop-at", "work:nobody"), wanted)):
            profile = place.check("threads", "3", measure=measure, options=options)
            profile.expect_all(counts)
            if "trace" in measure:
                counting.check_trace(profile, measure, held=True)


def intervals(place):
    """Regions of all intervals are those of the run."""
    names = ",".join(f"spans*:{name}" for name in NAMES)
    for measure in ("regions", "trace", "functions", "edges"):
        options = ["--regions", names]
        counts = place.check("calls", "20000", program="spans", measure=measure,
                             options=options).counts()
        profile = place.check("calls", "20000", program="spans", measure=measure,
                              options=[*options, "--interval", "2ms"])
        profile.expect_all(counts)
        told = {record["interval"] for record in profile.paths}
        expect(len(told) > 1, f"{measure}: intervals {told}")
        entries, number = max((sum(record["count"] for record in profile.paths
                                   if record["interval"] == number and record["path"]), number)
                              for number in told)
        rows = reported(place, "region", "--interval", str(number))
        expect(sum(row["count"] for row in rows) == entries, f"{measure}: {number}: {rows}")
        rows = [row["regions"] for row in reported(place, "interval") if row["interval"] == number]
        expect(rows == [entries], f"{measure}: {number}: {rows}")


def timed_part(place, words, window):
    names = ",".join(f"spans*:{name}" for name in NAMES)
    profile = place.check(*words, program="spans", measure="trace",
                          options=["--regions", names, *window])
    counting.check_trace(profile, (*words, *window), held=True)
    expect("libnothing.so" not in window or not profile.paths, f"{profile.paths[:2]}")


def timed_parts(place):
    """Windows by the clock: what the trace tells and the aggregates agree. Not where an edge
    comes while a thread is in the middle of an event, which has its time and no count yet:
    seldom, so that one run of four is enough."""
    for window in (["--after", "2ms"], ["--after", "1ms", "--for", "3ms"], ["--for", "2ms"],
                   ["--start-at-load", "libnothing.so"]):
        for words in (("calls", "20000"), ("annotated", "5000"), ("left", "500"), ("threads", "30")):
            for left in (3, 2, 1, 0):
                try:
                    timed_part(place, words, window)
                    break
                except Failure:
                    if not left:
                        raise


def narrowed(place):
    """--only is for what counts; regions are of what is counted."""
    profile = place.check("calls", "5", program="spans", measure="blocks",
                          options=["--regions", "spans:middle,spans:leaf", "--only", "spans:middle"])
    profile.expect_all({"middle": 10})
    rows = own_counts(place, "function", "spans")
    expect(len(rows) == 1 and json.loads(rows[0])["function"] == "middle", f"{rows}")


def unknown(place):
    """A pattern that nothing fits names what is near; options that make no sense are refused."""
    place.run("calls", program="spans", options=["--regions", "spans:midle"])
    out = subprocess.run([place.tool, "report", "--no-pager", place.profile], check=True,
                         capture_output=True, text=True).stdout
    expect("warning: --regions 'spans:midle' matches no function; near: middle" in out, out)
    for options, text in ((["--only", "leaf"], "are counted"),
                          (["--interval", "10M"], "does not count instructions")):
        done = place.run("calls", program="spans", options=["--regions", "leaf", *options])
        expect(done.status == 2 and text in done.stderr.decode(), f"{options}: {done}")


def example(place):
    """examples/functions has what its head says."""
    program = os.path.join(place.folder, "jobs")
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program,
                    os.path.join(trammel.ROOT, "examples", "functions", "jobs.c")], check=True)
    profile = place.check(program=program, options=["--regions", "jobs:job_*"])
    profile.expect_all({"job_run": 20, "job_run/job_parse": 20, "job_run/job_solve": 20})


TESTS = (calls, annotated, left, crossing, threads, forks, signals, ends, times, counted, parts, released, own_parts,
         intervals, timed_parts, narrowed, unknown, example)
