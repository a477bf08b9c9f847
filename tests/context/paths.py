"""Call paths of snapshots and samples, and what is looked up for their addresses."""

import json
import os
import re
import subprocess

from context import common
from context.channels import JSON, kill, left, library_flags, query, recover, run
from context.common import expect
from transparency import running, trammel
from transparency.results import Skip

COUNTS = "SELECT path, sum(region.count) AS count WHERE region.count > 0 GROUP BY path FORMAT json"


def build(place, compiler=("gcc", "-O2", "-g")):
    program = os.path.join(place.folder, "paths")
    subprocess.run([*compiler, *common.FLAGS, os.path.join(common.FOLDER, "paths.c"), "-o", program,
                    *library_flags(place)], check=True)
    return program


def sums(text, column):
    """Of the rows of each path from main, a thread's function or a region on."""
    found = {}
    for row in json.loads(text):
        names = row.get("path", "").split("/")
        start = next((i for i, name in enumerate(names) if name in ("main", "in_thread")), None)
        key = "/".join([*(names[:1] if names[0] != "_start" and names[0] != "clone3" else ()),
                        *(names[start + 1:] if start is not None else ("?",))])
        found[key] = found.get(key, 0) + (row.get(column) or 0)
    return {key: value for key, value in found.items() if value}


def events(place):
    """Counts of each path are exact, whatever compiled the program, and however it is measured."""
    wanted = {"work/events/left/work": 5, "work/events/right/work": 10, "work/variable/left/work": 5,
              "work/events/deep/deep/deep/deep/work": 1}
    for compiler in (("gcc", "-O2"), ("gcc", "-O0", "-no-pie", "-fno-pic"), ("clang", "-O2"),
                     ("gcc", "-O1", "-fno-omit-frame-pointer", "-static-libgcc")):
        program = build(place, compiler)
        done = run(place, "events", "5", program=program, CALI_REPORT_CONFIG=COUNTS,
                   CALI_SERVICES_ENABLE="event,aggregate,callpath,symbollookup,report")
        found = sums(done.stdout, "count")
        deepest = found.pop("work/?", 0)
        expect({key: found.get(key) for key in wanted} == wanted and deepest == 1 and
               len(found) == len(wanted), f"{compiler}: {found}")
    for measure in ("regions", "functions,regions", "callgraph,regions", "blocks,regions", "edges,regions"):
        command = trammel.run_command(place.tool, place.profile, [program, "events", "5"], measure)
        done = running.run(command, place.folder, timeout=60, environment={
            **place.environment(), "CALI_REPORT_CONFIG": COUNTS,
            "CALI_SERVICES_ENABLE": "event,aggregate,callpath,symbollookup,report"})
        found = sums(done.stdout, "count")
        found.pop("work/?", 0)
        expect(done.status == 0 and found == wanted, f"{measure}: {found} {done.stderr[-300:]}")


def stacks(place):
    """Through frames of handlers, on stacks of their own, and of coroutines."""
    done = run(place, "stacks", "4", program=build(place), CALI_REPORT_CONFIG=COUNTS,
               CALI_SERVICES_ENABLE="event,aggregate,callpath,symbollookup,report")
    rows = {row["path"]: row["count"] for row in json.loads(done.stdout)}
    handler = [path for path in rows if "in_handler" in path]
    expect(len(handler) == 1 and rows[handler[0]] == 4 and "/main/stacks/" in handler[0] and
           handler[0].endswith("/in_handler/work"), f"{rows}")
    other = [path for path in rows if "coroutine" in path]
    expect(len(other) == 1 and rows[other[0]] == 2 and other[0].endswith("/coroutine/right/work") and
           "main" not in other[0], f"{rows}")


def check_samples(place, done, per_ms):
    wanted = {line.split()[0]: float(line.split()[1]) * per_ms for line in done.stdout.decode().splitlines()}
    found = {name: 0 for name in wanted}
    astray = 0
    with open(os.path.join(place.folder, "samples.json"), encoding="utf-8") as file:
        for row in json.load(file):
            names = row.get("path", "").split("/")
            owner = "thread" if names[0] == "thread" else next((name for name in found if name in names), None)
            if owner:
                found[owner] += row["samples"]
            else:
                astray += row["samples"]
    common.expect_samples(found, wanted, 1 / per_ms)
    common.expect_undisturbed(astray <= 0.02 * sum(wanted.values()) + 2, f"{astray} of {wanted}")


def samples(place):
    """Samples are of the functions that ran, none is lost, and times fit."""
    variables = {"CALI_REPORT_CONFIG": "SELECT path, sum(sum#sampler.samples) AS samples GROUP BY path FORMAT json",
                 "CALI_SAMPLER_FREQUENCY": "500", "CALI_SAMPLER_CLOCK": "cpu", "CALI_REPORT_FILENAME": "samples.json",
                 "CALI_SERVICES_ENABLE": "event,aggregate,sampler,callpath,symbollookup,report"}
    program = build(place)
    check_samples(place, run(place, "samples", "200", program=program, **variables), 0.5)
    for measure in ("functions,regions", "blocks,regions"):
        command = trammel.run_command(place.tool, place.profile, [program, "samples", "100"], measure)
        done = running.run(command, place.folder, timeout=60, environment={**place.environment(), **variables})
        check_samples(place, done, 0.5)
    done = run(place, "samples", "20", program=program,
               CALI_CONFIG=f"sample-report(callpath,sample.frequency=500,output=stdout,{JSON})")
    expect(b"/main/samples/hot/spin" in done.stdout, f"{done}")


def places(place):
    """Without call paths samples say in which functions they were, beside the path; none is lost."""
    program = build(place)
    query = "SELECT path, source.function#cali.sampler.pc AS function, module#cali.sampler.pc AS module, " \
            "sum(sum#sampler.samples) AS samples GROUP BY path, source.function#cali.sampler.pc, " \
            "module#cali.sampler.pc FORMAT json"
    done = run(place, "samples", "200", program=program, CALI_REPORT_CONFIG=query, CALI_SAMPLER_FREQUENCY="500", CALI_SAMPLER_CLOCK="cpu",
               CALI_REPORT_FILENAME="places.json", CALI_SYMBOLLOOKUP_LOOKUP_MODULE="true",
               CALI_SERVICES_ENABLE="event,aggregate,sampler,symbollookup,report")
    with open(os.path.join(place.folder, "places.json"), encoding="utf-8") as file:
        rows = [row for row in json.load(file) if row.get("samples")]
    times = {line.split()[0]: float(line.split()[1]) for line in done.stdout.decode().splitlines()}
    found, wanted = {}, {}
    for path, names in (("first", ("hot", "warm")), ("thread", ("thread",))):
        here = [row for row in rows if row.get("path") == path]
        spun = sum(row["samples"] for row in here if row.get("function") == "spin")
        found[path] = sum(row["samples"] for row in here)
        wanted[path] = sum(times[name] for name in names) * 0.5
        expect(spun > 0.5 * wanted[path], f"{path}: {here}")
    common.expect_samples(found, wanted, 2)
    expect(os.path.realpath(program) in {row.get("module") for row in rows}, f"{rows}")
    for option, column in (("source.function", b"Function"), ("source.function,callpath", b"Path"),
                           ("source.function=false", b"Path")):
        done = run(place, "samples", "50", program=program,
                   CALI_CONFIG=f"sample-report(sample.frequency=500,output=stdout,{option})")
        lines = [line for line in done.stdout.splitlines() if b"Samples" in line]
        expect(len(lines) == 1 and column in lines[0] and (b"Function" in lines[0]) == (column == b"Function"),
               f"{option}: {done}")
        expect((b"spin" in done.stdout) == (option != "source.function=false"), f"{option}: {done}")


def without_events(place):
    """Samples and snapshots that are asked for are all that such channels trace."""
    program = build(place)
    run(place, "samples", "200", program=program, CALI_SAMPLER_FREQUENCY="500", CALI_SAMPLER_CLOCK="cpu", CALI_RECORDER_FILENAME="s.cali",
        CALI_SYMBOLLOOKUP_LOOKUP_FILE="true", CALI_SYMBOLLOOKUP_LOOKUP_LINE="true",
        CALI_SERVICES_ENABLE="sampler,symbollookup,trace,recorder")
    rows = [row for row in query(place, "s.cali", "SELECT *") if row.get("sampler.samples")]
    of = "#cali.sampler.pc"
    spun = [row for row in rows if row.get("source.function" + of) == "spin"]
    expect(len(spun) > 20 and {row.get("path") for row in spun} >= {"first", "thread"}, f"{rows[:3]}")
    for row in spun:
        expect(row["sourceloc" + of] == f"{row['source.file' + of]}:{row['source.line' + of]}" and
               row["source.file" + of].endswith("paths.c") and row["module" + of] == os.path.realpath(program), f"{row}")
    run(place, "events", "5", program=program, CALI_CALLPATH_USE_NAME="true", CALI_RECORDER_FILENAME="n.cali",
        CALI_SERVICES_ENABLE="event,callpath,trace,recorder")
    names = [row.get("callpath.regname", "") for row in query(place, "n.cali", "SELECT callpath.regname")]
    expect(sum("/main/events/left/work" in name for name in names) >= 5, f"{names[:3]}")


def calls(place):
    """What is taken from the heap, and written, is of the functions that did it."""
    query = "SELECT path, sum(sum#alloc.count) AS allocs, sum(sum#alloc.bytes) AS bytes, sum(sum#free.count) AS " \
            "frees, sum(sum#io.bytes.written) AS written GROUP BY path FORMAT json"
    done = run(place, "calls", "10", program=build(place), CALI_REPORT_CONFIG=query,
               CALI_SERVICES_ENABLE="event,aggregate,alloc,io,callpath,symbollookup,report")
    rows = {row["path"].split("/main/")[-1]: row for row in json.loads(done.stdout) if row.get("path")}
    for path, allocs, least in (("calls/take", 10, 10000), ("calls/take_more/take", 10, 10000),
                                ("calls/take_more", 1, 100000)):
        row = rows[path]
        expect(row["allocs"] == row["frees"] == allocs and least <= row["bytes"] < least + 1000, f"{path}: {row}")
    expect(rows["calls/write_some"]["written"] == 80, f"{rows}")


def lookups(place):
    """Lines, modules, and functions that were put into others."""
    config = f"runtime-profile(region.count,output=stdout,{JSON},callpath,source.location,source.module)"
    program = build(place)
    run(place, "events", "1", program=program, CALI_SERVICES_ENABLE="event,trace,callpath,symbollookup,recorder",
        CALI_SYMBOLLOOKUP_LOOKUP_SOURCELOC="true", CALI_SYMBOLLOOKUP_LOOKUP_MODULE="true",
        CALI_RECORDER_FILENAME="trace.cali")
    query = "SELECT sourceloc#callpath.address AS line, module#callpath.address AS module, " \
            "source.function#callpath.address AS function, callpath.address " \
            "WHERE event.end#region FORMAT json"
    done = running.run([place.tool, "query", query, "trace.cali"], place.folder)
    row = json.loads(done.stdout)[0]
    expect(row["line"].split("/")[-1].startswith("paths.c:") and os.path.realpath(program) in row["module"] and
           row["function"].endswith("main/events/left/work"), f"{row}")
    done = run(place, "events", "1", program=program, CALI_CONFIG=config)
    rows = {row["path"]: row["Calls"] for row in json.loads(done.stdout) if row.get("Calls")}
    expect([rows[path] for path in rows if path.endswith("/main/events/right/work")] == [2], f"{done}")
    done = run(place, "events", "1", program=program,
               CALI_CONFIG="runtime-report(output=stdout,callpath=false,source.location=false)")
    expect(not done.stderr and b"main" not in done.stdout, f"{done}")
    if not os.path.exists("/usr/bin/strip"):
        raise Skip("no strip")
    subprocess.run(["strip", program], check=True)
    done = run(place, "events", "1", program=program, CALI_CONFIG=config)
    expect(b"/paths+0x" in done.stdout, f"{done}")


def traced(place):
    """Samples are in traces where the functions ran, and are no events of what is annotated."""
    run(place, "samples", "20", program=build(place), CALI_SAMPLER_FREQUENCY="500", CALI_SAMPLER_CLOCK="cpu", CALI_RECORDER_FILENAME="trace.cali",
        CALI_SERVICES_ENABLE="event,trace,sampler,callpath,symbollookup,recorder")
    rows = query(place, "trace.cali", "SELECT * WHERE sampler.samples > 0")
    inside = [row for row in rows if {"hot", "warm", "busy"} & set(row.get("path", "").split("/"))]
    expect(sum(row["sampler.samples"] for row in inside) > 50 and len(inside) >= 0.8 * len(rows),
           f"{len(rows)} samples, {len(inside)} where they ran")
    expect(not [row for row in inside for name in row if name.startswith("event.")], f"{inside[0]}")


def killed(place):
    """Of a killed program there are regions with the calls that led to them, and their names:
    killed alone, as a child, and under trammel run."""
    config = {"CALI_CONFIG": "runtime-profile(region.count,callpath,source.module)"}
    tool = trammel.run_command(place.tool, place.profile, [], "regions")
    for word, before, mains, steps in (("killed", (), 4, 40), ("killed", tool, 4, 40), ("killed-child", tool, 1, 20)):
        done = kill(place, word, "10", before=before, **config)
        if before:
            report = re.search(rb'ended before it wrote .* [\'"](.*)[\'"]', done.stderr).group(1).decode()
        else:
            expect(done.status == -9 and not done.stderr, f"{done}")
            (report,) = recover(place, "--remove", *left(place))
        rows = query(place, report, "SELECT region, sum(region.count) AS n WHERE region.count GROUP BY region")
        counts = {row["region"]: row["n"] for row in rows}
        expect(counts == {"main": mains, "main/step": steps, "main/step/odd": steps // 2,
                          "main/step/even": steps // 2}, f"{counts}")
        rows = query(place, report, "SELECT * WHERE region.count")
        for row in rows:
            functions = row["path"].split("/")
            expect(row.get("callpath.address") and {"main", "start_thread"} & set(functions[1:])
                   and row["module#callpath.address"].endswith("channels-c"), f"{word}: {row}")
    program = build(place)
    subprocess.run([program, "killed", "5"], check=False, cwd=place.folder,
                   env={**place.environment(), "CALI_CONFIG": "event-trace(callpath,source.location)"})
    (trace,) = recover(place, "--remove", *left(place))
    rows = query(place, trace, "SELECT * WHERE event.end#region=work")
    rows = [row for row in rows if row["path"].endswith("/main/killed/events/left/work")]
    expect(len(rows) == 5 and all("paths.c:" in row["sourceloc#callpath.address"] for row in rows), f"{rows[:2]}")


TESTS = (events, stacks, samples, places, without_events, calls, lookups, traced, killed)
