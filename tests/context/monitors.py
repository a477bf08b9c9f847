"""Snapshots of loops and of long regions, and the reports that are built on them."""

import json
import os
import re
import time

from context import channels, common
from context.common import expect

JSON = "output.format=json"


def run(place, *words, **variables):
    program = channels.build(place, os.path.join(common.FOLDER, "monitor.c"))
    return channels.run(place, *words, program=program, **variables)


def traced(place, *words, services="loop_monitor,trace,report", query="SELECT *", **settings):
    variables = {f"CALI_{key}": value for key, value in settings.items()}
    done = run(place, *words, CALI_SERVICES_ENABLE=services, CALI_REPORT_CONFIG=query + " FORMAT json", **variables)
    return json.loads(done.stdout)


def blocks(text):
    """Tables of loop-report: the summary's lines, and of each loop its rows as words."""
    summary, series, at = [], {}, None
    for line in text.split("\n"):
        head = re.fullmatch(r"Iteration summary \((.*)\):", line)
        if head:
            at = series.setdefault(head.group(1), [])
        elif line == "Loop summary:":
            at = summary
        elif at is not None and line.strip("- "):
            at.append(line)
    return summary, {name: [line.split() for line in lines] for name, lines in series.items()}


def by_path(rows):
    return {row.get("path", ""): row for row in rows}


def snapshots(place):
    """One each N iterations, with the values that are set then; at begin and end of the loop, too."""
    rows = traced(place, "loops", "10", LOOP_MONITOR_ITERATION_INTERVAL="4")
    found = [(row.get("path"), row.get("iteration#outer"), row.get("loop.iterations"), row.get("loop.start_iteration"))
             for row in rows]
    expect(found == [("main", None, 0, None), ("main/outer", 3, 4, 0), ("main/outer", 7, 4, 4),
                     ("main/outer", None, 2, 8)], f"{found}")
    rows = traced(place, "loops", "10", LOOP_MONITOR_ITERATION_INTERVAL="2", LOOP_MONITOR_TARGET_LOOPS="startswith(inn)")
    inner = [row for row in rows if row.get("loop.iterations")]
    expect(len(inner) == 20 and all(row["path"] == "main/outer/step/inner \"loop\"" for row in inner), f"{inner[:2]}")
    expect([(row["iteration#outer"], row["loop.start_iteration"]) for row in inner]
           == [(number // 2, number % 2 * 2) for number in range(20)], f"{inner}")
    rows = traced(place, "loops", "10", LOOP_MONITOR_ITERATION_INTERVAL="1", LOOP_MONITOR_TARGET_LOOPS="none")
    expect(not rows, f"{rows}")


def passes(place):
    """Of loops whose passes are contexts; the end of one is where it is left."""
    rows = traced(place, "passes", "10", LOOP_MONITOR_ITERATION_INTERVAL="4")
    found = [(row.get("path"), row["loop.iterations"], row.get("loop.start_iteration"))
             for row in rows if row["loop.iterations"]]
    expect(found == [(name, *block) for name in ("first", "second") for block in ((4, 0), (4, 4), (2, 8))], f"{found}")
    rows = traced(place, "passes", "7", services="loop_monitor,aggregate,timer,report", LOOP_MONITOR_ITERATION_INTERVAL="2",
                  query="SELECT path, sum#loop.iterations, max#loop.iterations WHERE sum#loop.iterations > 0")
    found = {row["path"]: (row["sum#loop.iterations"], row["max#loop.iterations"]) for row in rows}
    expect(found == {"first": (7, 2), "second": (7, 2)}, f"{found}")


def pace(place):
    """By time: at the first end of an iteration behind the interval. Iteration i takes i ms or more, however busy the machine."""
    rows = traced(place, "slower", "20", services="loop_monitor,timer,trace,report", LOOP_MONITOR_TIME_INTERVAL="0.015")
    found = [(row["loop.start_iteration"], row["loop.iterations"], row["time.duration.ns"])
             for row in rows if row.get("loop.iterations")]
    expect(sum(count for _, count, _ in found) == 20 and len(found) > 6, f"{found}")
    expect(all(taken > 14.9e6 for _, _, taken in found), f"{found}")
    expect(all(sum(range(first, first + count - 1)) < 15 for first, count, _ in found), f"{found}")
    done = run(place, "loops", "2", CALI_SERVICES_ENABLE="loop_monitor,trace", CALI_LOOP_MONITOR_TIME_INTERVAL="soon")
    expect(b"'soon' of LOOP_MONITOR_TIME_INTERVAL is not a number of seconds" in done.stderr, f"{done}")


def long_regions(place):
    """region_monitor: what took long is measured from its next entry on, and nothing else."""
    begun = time.monotonic_ns()
    rows = traced(place, "regions", "5", services="region_monitor,trace,report")
    took = time.monotonic_ns() - begun
    expect([row.get("path") for row in rows] == ["around/long"] * 4, f"{rows}")
    expect(all(row["time.duration.ns"] > 19e6 for row in rows), f"{rows}")
    expect(sum(row["time.duration.ns"] for row in rows) < took, f"{took}: {rows}")
    rows = traced(place, "regions", "3", services="region_monitor,trace,report", REGION_MONITOR_TIME_INTERVAL="10")
    expect(not rows, f"{rows}")


def report(place):
    """The tables are those of LLNL's Caliper."""
    done = run(place, "loops", "75", CALI_CONFIG="loop-report,iteration_interval=15")
    summary, series = blocks(done.stdout.decode())
    expect(done.stdout.startswith(b"\nLoop summary:\n------------\n\nLoop  Iterations Time (s) Iter/s (min)"), f"{done}")
    expect(re.fullmatch(r"outer         75( +[\d.]+){4} *", summary[1]) and len(summary) == 2, f"{summary}")
    expect(list(series) == ["outer"] and series["outer"][0] == ["Block", "Iterations", "Time", "(s)", "Iter/s"], f"{series}")
    expect([row[:2] for row in series["outer"][1:]] == [[str(block), "15"] for block in range(0, 75, 15)], f"{series}")
    speeds = [float(word) for word in summary[1].split()[3:]]
    expect(speeds[0] <= speeds[2] <= speeds[1], f"{summary}")
    done = run(place, "loops", "20", CALI_CONFIG="loop-report(target_loops=match(inner*),iteration_interval=4,summary=false)")
    summary, series = blocks(done.stdout.decode())
    expect(not summary and [row[:2] for row in series["inner \"loop\""][1:]] == [["0", "80"]], f"{done}")
    done = run(place, "threads", "20", CALI_CONFIG="loop-report(iteration_interval=10,timeseries=false,output=stderr)")
    summary, series = blocks(done.stderr.decode())
    expect(not series and summary[1].split()[1] == "40", f"{done}")
    done = run(place, "slower", "2", CALI_CONFIG="loop-report(timeseries.maxrows=x)")
    expect(b"is not a number: 20 is taken" in done.stderr, f"{done}")


def rows_of_loops(place):
    """As many rows as are asked for."""
    for option, least, most in (("", 19, 22), (",timeseries.maxrows=0", 40, 40), (",timeseries.maxrows=4", 4, 5)):
        done = run(place, "loops", "80", CALI_CONFIG=f"loop-report(iteration_interval=2{option})")
        rows = blocks(done.stdout.decode())[1]["outer"][1:]
        expect(least <= len(rows) <= most and sum(int(row[1]) for row in rows) == 80, f"{option}: {rows}")


def formats(place):
    """Formats for one table have the summary, or the iterations of all loops; metrics have columns."""
    done = run(place, "passes", "8", CALI_CONFIG=f"loop-report(iteration_interval=4,{JSON},mem.highwatermark,page.faults)")
    rows = {row["Loop"]: row for row in json.loads(done.stdout)}
    expect({name: row["Iterations"] for name, row in rows.items()} == {"first": 8, "second": 8}, f"{rows}")
    expect("Mem HWM MB" in rows["first"] and "Minor faults" in rows["first"], f"{rows}")
    done = run(place, "passes", "8", CALI_CONFIG=f"loop-report(iteration_interval=4,{JSON},summary=false)")
    found = [(row["Loop"], row["Block"], row["Iterations"]) for row in json.loads(done.stdout)]
    expect(found == [("first", 0, 4), ("first", 4, 4), ("second", 0, 4), ("second", 4, 4)], f"{found}")
    run(place, "loops", "8", CALI_CONFIG="loop-report(iteration_interval=4,output=l.trm)")
    run(place, "loops", "8", CALI_CONFIG="loop-report(iteration_interval=4,output=l.trm,output.format=trm)")
    rows = channels.query(place, "l.trm", "SELECT sum(loop.iterations) AS n GROUP BY ()")
    expect(rows == [{"n": 8}], f"{rows}")


METRICS = [f"{which}#{name}" for name in ("inclusive#sum#time.duration", "scale#sum#time.duration.ns", "sum#rc.count")
           for which in ("min", "max", "avg", "sum")]


def spot(place):
    """What SPOT reads: rows of regions and of blocks of iterations, and metadata that names their columns."""
    run(place, "loops", "20", CALI_CONFIG="spot(output=s.cali,timeseries,timeseries.iteration_interval=5,mem.highwatermark)")
    rows = channels.query(place, "s.cali", "SELECT *")
    regions = {row.get("path"): row for row in rows if row["spot.channel"] == "regionprofile"}
    expect(set(regions) == {None, "main", "main/outer", "main/outer/step", "main/outer/step/inner \"loop\""}, f"{set(regions)}")
    for name in METRICS:
        expect(name in regions["main/outer/step"], f"{name}: {regions}")
    expect(regions["main/outer/step"]["sum#sum#rc.count"] == 20, f"{regions}")
    expect(regions["main"]["min#inclusive#sum#time.duration"] >= regions["main/outer"]["min#inclusive#sum#time.duration"]
           > regions["main/outer"]["min#scale#sum#time.duration.ns"] > 0, f"{regions}")
    series = [row for row in rows if row["spot.channel"] == "timeseries"]
    expect([(row["path"], row["block"], row["max#sum#loop.iterations"]) for row in series]
           == [("outer", block, 5) for block in (0, 5, 10, 15)], f"{series}")
    done = channels.query_globals(place, "s.cali")
    metrics = done["spot.metrics"].split(",")
    expect({*METRICS} < {*metrics} and "max#max#mhwm" in metrics, f"{done}")
    expect(done["spot.timeseries.metrics"].split(",") == ["max#sum#loop.iterations", "max#scale#time.duration.ns",
                                                          "avg#ratio#loop.iterations/time.duration.ns"], f"{done}")
    expect((done["spot.format.version"], done["spot.channels"]) == ("2", "regionprofile,timeseries"), f"{done}")
    expect(done["opts:timeseries.iteration_interval"] == "5" and done["opts:region.count"] == "true", f"{done}")
    expect(done["cali.channel"] == "spot" and "timeseries" in done["spot.options"].split(","), f"{done}")
    text = channels.read(place, "s.cali")
    expect("attribute.alias" in text and "Avg time/rank (exc)" in text and "attribute.unit" in text, text)


def spot_options(place):
    """Without time series there is one kind of rows; what asks for them then is said."""
    done = run(place, "loops", "5", CALI_CONFIG="spot(output=o/s.cali,timeseries.iteration_interval=15)")
    expect(b"format" not in done.stderr and b"timeseries.iteration_interval is set but the timeseries option is not enabled" in done.stderr, f"{done}")
    rows = channels.query(place, "o/s.cali", "SELECT spot.channel, count() AS n GROUP BY spot.channel")
    expect(rows == [{"spot.channel": "regionprofile", "n": 5}], f"{rows}")
    expect(channels.query_globals(place, "o/s.cali")["spot.channels"] == "regionprofile", "channels")
    done = run(place, "loops", "5", CALI_CONFIG="spot(output=t.cali,timeseries,timeseries.metrics=mem.highwatermrk)")
    expect(b"Unknown option: mem.highwatermrk; did you mean 'mem.highwatermark'?" in done.stderr, f"{done}")
    run(place, "loops", "5", CALI_CONFIG="spot(output=t.cali,timeseries,timeseries.metrics=\"mem.highwatermark,page.faults\",time.variance)")
    metrics = channels.query_globals(place, "t.cali")
    expect("max#max#mhwm,max#sum#rusage.minflt" in metrics["spot.timeseries.metrics"], f"{metrics}")
    expect("variance#inclusive#sum#time.duration" in metrics["spot.metrics"].split(","), f"{metrics}")
    expect("max#max#mhwm" not in metrics["spot.metrics"], f"{metrics}")
    rows = channels.query(place, "t.cali", "SELECT max#max#mhwm AS most WHERE spot.channel = timeseries")
    expect(rows and all(row["most"] >= 0 for row in rows), f"{rows}")
    done = run(place, "loops", "5", CALI_CONFIG="spot(output=t.cali,output.format=json)")
    expect(b"'spot' has no format 'json': SPOT reads cali" in done.stderr, f"{done}")
    run(place, "loops", "5", CALI_CONFIG="spot,output=c.cali,local_query='select scale(sum#region.count,10)',"
        "cross_query='select sum(scale#sum#region.count) as ten'")
    rows = [row for row in channels.query(place, "c.cali", "SELECT *") if row.get("path")]
    expect(len(rows) == 4 and all(row["sum#scale#sum#region.count"] == 10 * row["sum#sum#rc.count"] for row in rows), f"{rows}")


def steady(place):
    """Once contexts are known: no system call, no heap on the way of an event."""
    program = channels.build(place, os.path.join(common.FOLDER, "monitor.c"))
    counter = os.path.join(place.programs, "count.so")
    for config in ("loop-report(output=none,iteration_interval=3)", "loop-report(output=none,time_interval=0.000001)",
                   "spot(output=none,timeseries,timeseries.iteration_interval=3)"):
        done = channels.run(place, "steady", "300", program=program, LD_PRELOAD=counter, CALI_CONFIG=config)
        expect(b"0 allocations\n" in done.stdout, f"{config}: {done}")
        trace = os.path.join(place.folder, "strace")
        channels.run(place, "steady", "300", program=program, before=("strace", "-f", "-o", trace), CALI_CONFIG=config)
        lines = channels.read(place, "strace").split("\n")
        marks = [index for index, line in enumerate(lines) if "getpgid(-" in line]
        expect(len(marks) == 2 and marks[1] == marks[0] + 1, f"{config}: {lines[marks[0]:marks[1] + 1][:4]}")


def statistics(place):
    """Each iteration's time, and how many each run of a loop had, in what is traced and in sums."""
    rows = traced(place, "loops", "3", services="loop_statistics,event,trace,report",
                  query="SELECT path,iteration#outer,iter.count WHERE iter.count")
    inner = "main/outer/step/inner \"loop\""
    expect([(row["path"], row.get("iteration#outer"), row["iter.count"]) for row in rows]
           == [(inner, 0, 4), (inner, 1, 4), (inner, 2, 4), ("main/outer", None, 3)], f"{rows}")
    rows = traced(place, "slower", "5", services="loop_statistics,event,trace,report",
                  query="SELECT path,iteration#slow,iter.duration.ns,time.duration.ns WHERE iter.duration.ns")
    expect([row["iteration#slow"] for row in rows] == list(range(5)), f"{rows}")
    expect(all(row["iter.duration.ns"] == row["time.duration.ns"] >= row["iteration#slow"] * 1000000 for row in rows),
           f"{rows}")
    sums = "SELECT path,sum(sum#iter.count) AS all,sum(count#iter.count) AS runs,sum(count#iter.duration.ns) AS times," \
           "max(max#iter.duration.ns) AS most,min(avg#iter.duration.ns) AS mean WHERE path GROUP BY path"
    for services in ("loop_statistics,aggregate,report", "loop_statistics,event,timer,aggregate,report"):
        rows = by_path(traced(place, "passes", "6", services=services, query=sums))
        for name, runs in (("first", 1), ("second", 1), ("second/within", 6)):
            row = rows[name]
            expect((row["all"], row["runs"], row["times"]) == (6, runs, 6), f"{services}: {rows}")
            expect(0 < row["mean"] <= row["most"] < 1e9, f"{services}: {rows}")
    rows = traced(place, "loops", "3", services="loop_statistics,aggregate,report", AGGREGATE_KEY="iteration#outer",
                  query="SELECT iteration#outer,sum#iter.count WHERE sum#iter.count,iteration#outer")
    expect(sorted((row["iteration#outer"], row["sum#iter.count"]) for row in rows) == [(0, 4), (1, 4), (2, 4)], f"{rows}")
    variables = {"CALI_CONFIG": f"spot(output=s.cali,loop.stats),runtime-report(output=stdout,loop.stats,{JSON})"}
    row = channels.rows_of(run(place, "slower", "5", **variables).stdout)["slow"]
    least, mean, most = (row[f"Time/iter ({name})"] for name in ("min", "avg", "max"))
    expect(row["Iterations"] == 5 and 0 < least < mean < most and mean >= 0.002 and most >= 0.004
           and least + most <= 5 * mean <= row["Time (I)"], f"{row}")
    expect(all(name in channels.read(place, "s.cali")
               for name in ("max#max#max#iter.count", "min#min#ls.min", "avg#avg#ls.avg", "max#max#ls.max")), "spot")


def timeseries(place):
    """A profile of each interval between snapshots, whose sums are those of the whole."""
    rows = traced(place, "loops", "6", services="loop_monitor,timeseries,trace,report", LOOP_MONITOR_ITERATION_INTERVAL="2",
                  TIMESERIES_PROFILE_OPTIONS="region.count,mem.highwatermark")
    taken = [row for row in rows if "timeseries.duration" in row]
    expect([(row["timeseries.snapshot"], row["loop.iterations"]) for row in taken] == [(0, 0), (1, 2), (2, 2), (3, 2), (4, 0)],
           f"{taken}")
    for row, last in zip(taken[1:], taken):
        expect(abs(last["timeseries.starttime"] + last["timeseries.duration"] - row["timeseries.starttime"]) < 1e-6, f"{row}")
    counts = {(row["timeseries.snapshot"], row["path"]): row["region.count"] for row in rows if row.get("region.count")}
    inside = ("main/outer/step", "main/outer/step/inner \"loop\"")
    expect(counts == {**{(number, path): 2 for number in (1, 2, 3) for path in inside}, (5, "main/outer"): 1, (5, "main"): 1},
           f"{counts}")
    expect(any("max#alloc.highwatermark" in row for row in rows), "a service of an option")
    done = run(place, "loops", "2", CALI_SERVICES_ENABLE="loop_monitor,timeseries,trace",
               CALI_TIMESERIES_PROFILE_OPTIONS="region.cout,profile.kokkos")
    for text in (b"did you mean 'region.count'?", b"profile.kokkos: Kokkos is not measured"):
        expect(text in done.stderr, f"{done}")


def watched(place):
    """statistics counts what debug tells of; each has no word unless it is asked for."""
    services = {"CALI_SERVICES_ENABLE": "event,statistics,debug,trace,recorder", "CALI_RECORDER_FILENAME": "w.cali"}
    expect(not run(place, "loops", "3", **services).stderr, "silent")
    lines = run(place, "loops", "3", **services, CALI_LOG_VERBOSITY="1").stderr.decode().splitlines()
    told = {what: sum(line.startswith(f"== CALIPER: Event: {what}") for line in lines)
            for what in ("pre_begin", "pre_end", "process_snapshot")}
    said = {line.split(":")[0].strip(): line.split(":")[1].strip() for line in lines if line.startswith("  Number of")}
    rows = channels.query(place, "w.cali", "SELECT *")
    expect(int(said["Number of begin events"]) == told["pre_begin"] == int(said["Number of end events"]) == told["pre_end"]
           == 2 * (1 + 3 * 3 + 3 * 4 + 1) // 2 and abs(len(rows) - told["process_snapshot"]) <= 1, f"{told} {said} {len(rows)}")
    expect("== CALIPER: Event: pre_begin (iteration#outer=2)" in lines and "== CALIPER: default: Event: finish" in lines, f"{lines[:9]}")
    lines = run(place, "threads", "3", **services, CALI_LOG_VERBOSITY="1").stderr.decode()
    expect(lines.count("Event: create_thread") == lines.count("Event: release_thread") + 1 >= 2, lines)


def missing(place):
    """Services of the peer's that are not there are named, with why; the rest works."""
    done = run(place, "loops", "2", CALI_SERVICES_ENABLE="event,kokkostime,perf_topdown,aggregate,report",
               CALI_REPORT_CONFIG="SELECT path, sum(region.count) AS n GROUP BY path FORMAT json")
    for text in (b"'kokkostime' cannot be had: Kokkos", b"'perf_topdown' cannot be had: topdown counters"):
        expect(text in done.stderr, f"{done}")
    expect(channels.rows_of(done.stdout)["main"]["n"] == 1, f"{done}")
    done = run(place, "loops", "2", CALI_CONFIG=f"runtime-report(perf.topdown.all,output=stdout,region.count,{JSON})")
    expect(b"'perf.topdown.all' cannot be had: topdown counters" in done.stderr and
           channels.rows_of(done.stdout)["main"]["Calls"] == 1, f"{done}")


TESTS = (snapshots, statistics, timeseries, watched, missing, passes, passes, pace, long_regions, report, rows_of_loops, formats, spot, spot_options, steady)
