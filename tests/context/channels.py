"""Channels that the environment and programs ask for, and what their services say."""

import fcntl
import hashlib
import json
import os
import re
import subprocess
import threading

from context import common
from context.common import expect
from transparency import running, trammel
from transparency.results import Skip

EXAMPLES = os.path.join(trammel.ROOT, "examples")
JSON = "output.format=json"

BUILDING, BUILDS = threading.Lock(), {}


def library_flags(place):
    """What a program is linked with, from the build folder."""
    words = []
    for name, library in (("cali", "trammel-cali"), ("runtime", "trammel")):
        folder = os.path.realpath(os.path.join(os.path.dirname(place.tool), "..", name))
        words += [f"-L{folder}", f"-Wl,-rpath,{folder}", f"-l{library}"]
    return words


def build(place, source, compiler=("gcc", "-O2")):
    """Built once for all tests."""
    words = [*compiler, *common.FLAGS, source]
    name = os.path.basename(source).replace(".", "-")
    program = os.path.join(place.programs, hashlib.sha256(" ".join(words).encode()).hexdigest()[:16], name)
    with BUILDING:
        lock = BUILDS.setdefault(program, threading.Lock())
    with lock:
        if not os.path.exists(program):
            os.makedirs(os.path.dirname(program), exist_ok=True)
            subprocess.run([*words, "-o", program, *library_flags(place)], check=True)
    return program


def run(place, *words, program=None, before=(), **variables):
    """A program of channels.c, with variables of the environment."""
    program = program or build(place, os.path.join(common.FOLDER, "channels.c"))
    done = running.run([*before, program, *words], place.folder, timeout=60,
                       environment={**place.environment(), **variables})
    expect(done.status == 0, f"{words} {variables}: {done}")
    expect(not os.path.isdir(place.spools) or not os.listdir(place.spools), f"{words}: left behind")
    return done


def rows_of(text):
    """Rows of FORMAT json by their path."""
    return {row.get("path", ""): row for row in json.loads(text)}


def read(place, name):
    with open(os.path.join(place.folder, name), encoding="utf-8") as file:
        return file.read()


def state(place):
    """What is open can be asked for, measured or not."""
    program = build(place, os.path.join(common.FOLDER, "state.c"))
    for variables in ({}, {"CALI_CONFIG": "runtime-report(output=none)"}, {"CALI_CONFIG": "event-trace(output=none)"}):
        done = run(place, program=program, **variables)
        expect(not done.stdout and (variables or not done.stderr), f"{variables}: {done}")
    command = trammel.run_command(place.tool, place.profile, [program], "regions,trace")
    done = running.run(command, place.folder, environment=place.environment(), timeout=40)
    expect(done.status == 0 and not done.stdout, f"{done}")
    expect(place.read().count("outer/phase=phase/first") == 3, "regions of <caliper/cali.h>")


def examples(place):
    """They build, and do what their heads say."""
    program = build(place, os.path.join(EXAMPLES, "caliper.c"))
    expect(run(place, program=program).stdout == b"10945, in main\n", "a run that nobody measures")
    done = run(place, program=program, CALI_CONFIG=f"runtime-report(output=stdout,region.count,{JSON})")
    line, text = done.stdout.decode().split("\n", 1)
    expect(line == "10945, in main" and not done.stderr, f"{done}")
    expect(rows_of(text)["main/numbers/fibonacci"]["Calls"] == 20, text)
    program = build(place, os.path.join(EXAMPLES, "caliper.cc"), ("g++", "-std=c++11", "-O2"))
    done = run(place, f"runtime-report(output=stdout,region.count,{JSON})", program=program)
    rows = rows_of(done.stdout.decode().split("\n", 1)[1])
    expect(rows["main/divisors/divide"]["Calls"] == 10, f"{rows}")
    expect(rows["main/divisors/caught"]["Calls"] == 1, f"{rows}")
    done = run(place, "runtime-reprot,event-trace(outptu=x,output=none)", program=program)
    expect(b"did you mean 'runtime-report'?" in done.stderr and b"did you mean 'output'?" in done.stderr, f"{done}")
    program = build(place, os.path.join(EXAMPLES, "channels.c"))
    done = run(place, program=program)
    expect(re.search(rb"measured .* 5 \n", done.stdout) and b"before" not in done.stdout
           and b"after" not in done.stdout, f"{done}")
    program = build(place, os.path.join(EXAMPLES, "regions.c"))
    bare = run(place, program=program)
    done = run(place, program=program, LD_PRELOAD=place.library,
               TRAMMEL_CONFIG=f"runtime-report(output=stderr,region.count,{JSON})")
    expect(done.stdout == bare.stdout, f"{done}")
    rows = rows_of(done.stderr)
    expect(rows["main loop/timestep/2/solve"]["Calls"] == 3 and rows["main loop"]["Calls"] == 1, f"{rows}")


def report(place):
    """Counts are exact, and times add up."""
    done = run(place, "plain", "100", CALI_CONFIG=f"runtime-report(output=stdout,region.count,region.stats,{JSON})")
    rows = rows_of(done.stdout)
    counts = {path: row["Calls"] for path, row in rows.items() if path}
    expect(counts == {"main": 1, "main/step": 100, "main/step/even": 50, "main/step/odd": 50}, f"{counts}")
    exclusive = sum(row["Time (E)"] for path, row in rows.items() if path)
    expect(abs(rows["main"]["Time (I)"] - exclusive) < 1e-9, f"{rows}")
    for path, count in counts.items():
        row = rows[path]
        expect(row["Visits"] == count and row["Nsec/visit (min)"] <= row["Nsec/visit (avg)"]
               <= row["Nsec/visit (max)"],
               f"{path}: {row}")
        inclusive = row["Nsec/visit (avg)"] * count * 1e-9
        expect(abs(inclusive - row["Time (I)"]) < 1e-7 * count, f"{path}: {row}, {inclusive}")
    text = run(place, "plain", "10", CALI_CONFIG="runtime-report").stderr.decode()
    expect(re.match(r"Path +Time \(E\) Time \(I\) Time % \(E\) Time % \(I\) \nmain ", text)
           and "\n  step " in text, text)


def agreement(place):
    """Aggregates are those of the trace of the same run."""
    done = run(place, "plain", "1000", CALI_CONFIG=f"event-trace(output=trace.json,{JSON}),"
               f"runtime-profile(region.count,output=stdout,{JSON})")
    rows, events, times = rows_of(done.stdout), {}, {}
    before = -1
    for record in json.loads(read(place, "trace.json")):
        path = record.get("path", "")
        times[path] = times.get(path, 0) + record.get("time.duration.ns", 0)
        if "event.end#region" in record:
            events[path] = events.get(path, 0) + 1
        expect(record.get("time.offset.ns", before) >= before, "events are in the order of time")
        before = record.get("time.offset.ns", before)
    expect(events == {path: row["Calls"] for path, row in rows.items() if row.get("Calls")}, f"{events}")
    for path, row in rows.items():
        expect(not path or abs(times[path] * 1e-9 - row["time"]) < 1e-6 + 1e-3 * row["time"],
               f"{path}: {times[path]}, {row}")


def several(place):
    """Channels of the program's own, at different times."""
    run(place, "several", "10")
    first, second = (rows_of(read(place, f"{name}.json")) for name in ("first", "second"))
    expect(first["main/step"]["Calls"] == 30 and second["main/step"]["Calls"] == 10,
           f"{first['main/step']} {second['main/step']}")


def threads(place):
    done = run(place, "threads", "100", CALI_CONFIG=f"runtime-report(output=stdout,region.count,{JSON})")
    rows = rows_of(done.stdout)
    expect(rows["main/step/odd"]["Calls"] == 208 * 50 and rows["main"]["Calls"] == 208, f"{rows}")
    run(place, "threads", "100", CALI_CONFIG=f"event-trace(output=trace.json,{JSON})")
    ends = [record for record in json.loads(read(place, "trace.json")) if "event.end#region" in record]
    expect(len(ends) == 208 * 201 and len({record["trm.thread"] for record in ends}) == 208,
           f"{len(ends)} ends of {len({record['trm.thread'] for record in ends})} threads")


def threads_wide(place):
    """Rows of ended threads are of nodes in several blocks."""
    done = run(place, "threads-wide", "1024", CALI_CONFIG=f"runtime-report(output=stdout,region.count,{JSON})")
    rows = rows_of(done.stdout)
    expect(all(rows[f"place {number}"]["Calls"] == sum(1 << twice > number for twice in range(11))
               for number in range(1024)), f"{rows}")


def heap(place):
    done = run(place, "heap", "10", CALI_CONFIG=f"alloc-report(output=stdout,{JSON})")
    taking, giving = (rows_of(done.stdout)[name] for name in ("taking", "giving"))
    expect((taking["Allocs"], taking["Frees"]) == (12, 11) and taking["Alloc bytes"] >= 4000000, f"{taking}")
    expect(2000000 <= taking["Most live"] <= 3200000, f"{taking}")
    expect((giving["Allocs"], giving["Frees"]) == (0, 1), f"{giving}")
    for key, names in (("ACTIVE_MEM", ["mem.active"]), ("HIGHWATERMARK", ["mem.active", "alloc.region.highwatermark"])):
        run(place, "heap", "10", CALI_SERVICES_ENABLE="event,trace,alloc,timer,recorder",
            CALI_RECORDER_FILENAME="heap.cali", **{f"CALI_ALLOC_RECORD_{key}": "true"})
        rows = query(place, "heap.cali", "SELECT * WHERE event.end#region=taking")
        expect(len(rows) == 1 and all(2000000 <= rows[0][name] <= 3200000 for name in names)
               and ("alloc.region.highwatermark" in rows[0]) == (len(names) == 2), f"{rows}")


def files(place):
    done = run(place, "files", "20", CALI_CONFIG=f"io-report(output=stdout,{JSON})")
    rows = rows_of(done.stdout)
    expect((rows["writing"]["Calls"], rows["writing"]["Written"], rows["writing"]["Read"]) == (20, 2000, 0),
           f"{rows}")
    expect((rows["reading"]["Calls"], rows["reading"]["Read"]) == (20, 2000), f"{rows}")


def locks(place):
    query = "SELECT path, sum(sum#pthread.locks) AS locks, sum(sum#pthread.waits) AS waits, " \
            "sum(sum#pthread.wait.ns) AS ns GROUP BY path FORMAT json"
    done = run(place, "locks", "10", CALI_SERVICES_ENABLE="event,aggregate,pthread,report", CALI_REPORT_CONFIG=query)
    row = rows_of(done.stdout)["locking"]
    expect((row["locks"], row["waits"]) == (12, 1) and row["ns"] > 30000000, f"{row}")
    query = "SELECT path, pthread.id, pthread.is_master, count() AS n GROUP BY path, pthread.id, pthread.is_master FORMAT json"
    told = [json.loads(run(place, "threads", "3", CALI_SERVICES_ENABLE=f"event,{keeps},pthread,report",
                           CALI_REPORT_CONFIG=query).stdout) for keeps in ("trace", "aggregate")]
    for rows in told:
        expect(len({row["pthread.id"] for row in rows if row["pthread.is_master"]}) == 1, f"{rows}")
    # Sums and traces have the same number of snapshots in each region.
    counts = [{path: sum(row["n"] for row in rows if row.get("path") == path)
               for path in {row.get("path") for row in rows} if path} for rows in told]
    expect(counts[0] == counts[1] and counts[0], f"{counts}")


def libraries(place):
    query = "SELECT path, sum(sum#dlopen.opens) AS opens, sum(sum#dlopen.closes) AS closes GROUP BY path FORMAT json"
    done = run(place, "libraries", "3", CALI_SERVICES_ENABLE="event,aggregate,dlopen,report",
               CALI_REPORT_CONFIG=query)
    row = rows_of(done.stdout)["loading"]
    expect((row["opens"], row["closes"]) == (3, 3), f"{row}")


def later(place):
    """Libraries that are opened later, and what they need, are seen, however they are linked."""
    for name, source, options in (
            ("more.so", "#include <stdlib.h>\nvoid more(void) { void *volatile p = malloc(100); free(p); }", ()),
            ("later.so", "#include <stdlib.h>\nvoid more(void);\nvoid take(int n) { while (n--) "
             "{ void *volatile p = malloc(1000); free(p); more(); } }", ("./more.so", "-Wl,-rpath,$ORIGIN"))):
        with open(os.path.join(place.folder, name + ".c"), "w", encoding="utf-8") as file:
            file.write(source + "\n")
        for bind in ("lazy", "now"):
            subprocess.run(["gcc", "-O1", "-fPIC", "-shared", name + ".c", *options, "-Wl,-z," + bind, "-Wl,-z,relro",
                            "-o", name], check=True, cwd=place.folder)
            if name == "later.so":
                done = run(place, "later", "10", CALI_CONFIG=f"alloc-report(output=stdout,{JSON})")
                row = rows_of(done.stdout)["later"]
                expect((row["Allocs"], row["Frees"]) == (20, 20), f"{bind}: {row}")


def loops(place):
    done = run(place, "loops", "7", CALI_CONFIG=f"runtime-report(loop.stats,output=stdout,{JSON})")
    rows = rows_of(done.stdout)
    expect((rows["outer"]["Iterations"], rows["outer/inner"]["Iterations"]) == (7, 3), f"{rows}")
    query = "SELECT iteration#outer, sum(region.count) AS count WHERE iteration#outer GROUP BY iteration#outer FORMAT json"
    done = run(place, "loops", "7", CALI_SERVICES_ENABLE="event,aggregate,report",
               CALI_AGGREGATE_KEY="iteration#outer", CALI_REPORT_CONFIG=query)
    rows = {row["iteration#outer"]: row["count"] for row in json.loads(done.stdout)}
    expect(rows == {number: 1 for number in range(7)}, f"{rows}")


def metrics(place):
    query = "SELECT path, sum#cells, min#cells, max#cells, count#cells WHERE count#cells FORMAT json"
    done = run(place, "metrics", "10", CALI_SERVICES_ENABLE="event,aggregate,report", CALI_REPORT_CONFIG=query)
    row = json.loads(done.stdout)[0]
    expect([row[f"{name}#cells"] for name in ("sum", "min", "max", "count")] == [55, 1, 10, 10], f"{row}")


def system(place):
    """What the kernel says of the process is there, and plausible."""
    query = "SELECT sum(sum#rusage.minflt) AS faults, max(max#memstat.vmrss) AS resident, " \
            "max(cpuinfo.cpu) AS cpu GROUP BY () FORMAT json"
    done = run(place, "heap", "10", CALI_SERVICES_ENABLE="event,aggregate,rusage,memstat,cpuinfo,environment,report",
               CALI_REPORT_CONFIG=query)
    row = json.loads(done.stdout)[0]
    expect(row["faults"] > 0 and row["resident"] > 500 and 0 <= row["cpu"] < 4096, f"{row}")
    run(place, "plain", "1", CALI_CONFIG="runtime-profile(output=p.trm)")
    done = running.run([place.tool, "report", "--json", "p.trm"], place.folder)
    expect(b'"env.cmdline"' in done.stdout or b"env.program" in done.stdout, f"{done}")


def filters(place):
    for option, left in (("include_regions=step", {"main/step": 10}),
                         ("exclude_regions=match(e*,o*)", {"main": 1, "main/step": 10}),
                         ("include_regions=regex(^(odd|even)$)", {"main/step/even": 5, "main/step/odd": 5}),
                         ("include_branches=\"odd\"", {"main/step/odd": 5}),
                         ("exclude_regions=startswith(st)", {"main": 1, "main/step/even": 5, "main/step/odd": 5})):
        done = run(place, "plain", "10", CALI_CONFIG=f"runtime-report(output=stdout,region.count,{JSON},{option})")
        counts = {path: row["Calls"] for path, row in rows_of(done.stdout).items() if row.get("Calls")}
        expect(counts == left, f"{option}: {counts}")
    done = run(place, "levels", "10", CALI_CONFIG=f"runtime-report(output=stdout,region.count,level=phase,{JSON})")
    counts = {path: row["Calls"] for path, row in rows_of(done.stdout).items() if row.get("Calls")}
    expect(counts == {"phase": 1}, f"level: {counts}")
    run(place, "levels", "10", CALI_SERVICES_ENABLE="event,trace,recorder", CALI_EVENT_TRIGGER="none:phase",
        CALI_RECORDER_FILENAME="phases.cali")
    run(place, "loops", "2", CALI_CONFIG="event-trace(output=branch.cali,include_branches=inner)")
    rows = query(place, "branch.cali", "SELECT *")
    expect({row["path"] for row in rows if "event.end#iteration#inner" in row} == {"outer/inner"}
           and not any("event.end#iteration#outer" in row for row in rows), f"{rows}")
    told = [key for row in query(place, "phases.cali", "SELECT *") for key in row if key.startswith("event.")]
    expect(told == ["event.begin#phase", "event.end#phase"], f"{told}")
    run(place, "plain", "10", CALI_SERVICES_ENABLE="event,trace,recorder", CALI_EVENT_ENABLE_SNAPSHOT_INFO="false",
        CALI_RECORDER_FILENAME="silent.cali")
    rows = query(place, "silent.cali", "SELECT *")
    expect(not any(key.startswith("event.") for row in rows for key in row)
           and sum(row.get("region.count", 0) for row in rows) == 21, f"{rows}")


def policies(place):
    """A trace that may have so much memory keeps the first events, or the last ones."""
    for policy, last in (("stop", False), ("drop-oldest", True), ("grow", True), ("flush", True)):
        run(place, "plain", "40000", CALI_CONFIG=f"event-trace(output=trace.json,{JSON},trace.policy={policy},"
            "trace.size=1)")
        records = [record for record in json.loads(read(place, "trace.json")) if "time.offset.ns" in record]
        ended = any(record.get("event.end#region") == "main" for record in records)
        began = any(record.get("event.begin#region") == "main" for record in records)
        expect(ended == last and began == (policy != "drop-oldest"), f"{policy}: {began} {ended}")
        expect((len(records) == 160003) == (policy in ("grow", "flush")), f"{policy}: {len(records)}")
    sizes = {}
    for policy in ("grow", "flush"):
        done = run(place, "resident", "400000", CALI_CONFIG=f"event-trace(output=none,trace.policy={policy})")
        sizes[policy] = int(done.stdout.split()[1])
    expect(sizes["flush"] < 20000 < sizes["grow"], f"{sizes}")
    done = run(place, "plain", "1", CALI_CONFIG="event-trace(output=none,trace.policy=overwrite)")
    expect(b"grow (taken), stop, drop-oldest and flush" in done.stderr, f"{done}")


def forks(place):
    """A child writes what it measured itself, to a file of its own."""
    run(place, "forks", "10", CALI_CONFIG=f"runtime-profile(region.count,output=p.json,{JSON})")
    names = sorted(name for name in os.listdir(place.folder) if name.startswith("p") and name.endswith(".json"))
    expect(len(names) == 2 and names[1] == "p.json", f"{names}")
    counts = [rows_of(read(place, name))["main/step"]["Calls"] for name in names]
    expect(counts == [20, 10], f"{names}: {counts}")


def handlers(place):
    """What a handler says in the middle of an event is lost, and counted; all else is there."""
    done = run(place, "handlers", "300", CALI_CONFIG=f"runtime-report(output=report.json,region.count,{JSON})")
    lost = re.search(rb"(\d+) events lost: a signal handler", done.stderr)
    rows = rows_of(read(place, "report.json"))
    seen = sum(row["Calls"] for path, row in rows.items() if path.split("/")[-1] == "handler")
    expect(2 * (int(done.stdout) - seen) == (int(lost[1]) if lost else 0), f"{seen}: {done}")
    ends = sum(row["Calls"] for path, row in rows.items() if path == "main/step")
    expect(ends == 100 * rows["main"]["Calls"] and not run(place, "handlers", "300").stderr, f"{rows}")


def mismatches(place):
    """Ends that do not fit are said once, and recording goes on."""
    done = run(place, "mismatches", "10", CALI_CONFIG=f"runtime-report(output=stdout,region.count,{JSON})")
    expect(done.stderr.decode().splitlines() == [
        "trammel: warning: end of region=never begun while the innermost that is open is region=inner, 10 times: "
        "ignored",
        "trammel: warning: end of region=outer while the innermost that is open is region=inner, 10 times: "
        "what was open inside was ended, too"], f"{done}")
    counts = {path: row["Calls"] for path, row in rows_of(done.stdout).items() if row.get("Calls")}
    expect(counts == {"outer": 10, "outer/inner": 10, "main": 1, "main/step": 10, "main/step/odd": 5,
                      "main/step/even": 5}, f"{counts}")


def addresses(place):
    """A program that is not position-independent and takes the addresses of what is wrapped."""
    source = os.path.join(place.folder, "taken.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\nvoid (*volatile give)(void *) = free;\n"
                   "void *(*volatile take)(size_t) = malloc;\n"
                   "int main(void) { give(take(10)); free(malloc(10)); return puts(\"done\") < 0; }\n")
    program = os.path.join(place.folder, "taken")
    subprocess.run(["gcc", "-O0", "-no-pie", "-fno-pic", source, "-o", program], check=True)
    done = run(place, program=program, LD_PRELOAD=place.library, TRAMMEL_REPORT_FILENAME="none",
               TRAMMEL_SERVICES_ENABLE="event,aggregate,alloc,io,pthread,dlopen,report")
    expect(done.stdout == b"done\n" and not done.stderr, f"{done}")


def memory(place):
    """A program that may have little memory runs as always, and what is not there is said."""
    for kilobytes in (8000, 12000, 20000, 40000):
        before = ("bash", "-c", f'ulimit -v {kilobytes}; exec "$@"', "bash")
        done = run(place, "plain", "2000", before=before,
                   CALI_CONFIG=f"runtime-report(output=report.json,region.count,{JSON}),event-trace(output=none)")
        expect(not done.stdout, f"{done}")


def log(place):
    done = run(place, "plain", "2", CALI_SERVICES_ENABLE="event,textlog")
    lines = [re.sub(rb"\[\d+\] |: [\d.]+ ms", b"", line) for line in done.stderr.splitlines()]
    expect(lines == [b"main/step/even", b"main/step", b"main/step/odd", b"main/step", b"main"], f"{done}")


def endings(place):
    """A thread that annotates on while the process ends keeps nobody; files may not be too large."""
    for word in ("exit-running", "limit-files"):
        for config in ("event-trace(output=x.trm)", "runtime-report(output=x.txt)"):
            bare = place.bare(word, "20")
            done = running.run([os.path.join(place.programs, "work"), word, "20"], place.folder, timeout=30,
                               environment={**place.environment(), "LD_PRELOAD": place.library, "TRAMMEL_CONFIG": config})
            expect((done.status, done.stdout) == (bare.status, bare.stdout), f"{word} {config}: {done}")


def late(place):
    """What destructors of static objects say behind a flush is in the results that are written at the end, as long as
    libtrammel is there; that of libraries that end behind it is not, and does no harm. A run has all of it."""
    source = os.path.join(common.FOLDER, "late.cc")
    compiler = ("g++", "-std=c++11", "-O2")
    library = os.path.join(place.folder, "liblate.so")
    subprocess.run([*compiler, *common.FLAGS, "-DLIBRARY", "-shared", "-fPIC", source, "-o", library], check=True)
    words = library_flags(place)
    for flags, names in (([library, *words], {"main", "program", "library"}), ([*words, library], {"main", "program"})):
        program = os.path.join(place.folder, "late")
        subprocess.run([*compiler, *common.FLAGS, source, "-o", program, "-Wl,--no-as-needed",
                        f"-Wl,-rpath,{place.folder}", *flags], check=True)
        for word in ((), ("flush",)):
            done = run(place, *word, program=program)
            expect(not done.stdout and not done.stderr, f"{done}")
            rows = rows_of(read(place, "late.json"))
            expect({path: row.get("Calls") for path, row in rows.items() if path} == dict.fromkeys(names, 1), f"{rows}")
            command = trammel.run_command(place.tool, place.profile, [program, *word], "regions")
            done = running.run(command, place.folder, environment=place.environment(), timeout=40)
            expect(done.status == 0 and not done.stdout, f"{done}")
            place.read().expect(main=1, program=1, library=1)


def samples(place):
    """Samples are as many as milliseconds of processor time, also of what annotates all the time,
    and of threads; a child of fork has its own."""
    for config in (f"sample-report(output=stdout,sample.frequency=1000,sample.clock=cpu,{JSON})",
                   f"runtime-report(output=stdout,sample.frequency=1000,sample.clock=cpu,{JSON})"):
        done = run(place, "samples", "1", CALI_CONFIG=config)
        lines, text = done.stdout.decode().split("[", 1)
        wanted = {}
        for line in lines.splitlines():
            wanted[line.split()[0]] = wanted.get(line.split()[0], 0) + float(line.split()[1])
        found = {}
        for row in json.loads("[" + text):
            name = row.get("path", "").split("/")[0]
            found[name] = found.get(name, 0) + row["Samples"]
        common.expect_samples(found, wanted)
    done = run(place, "plain", "1", CALI_CONFIG="sample-report(sample.frequency=20000)")
    expect(b"SAMPLER_FREQUENCY is from 1 to 10000" in done.stderr, f"{done}")
    done = run(place, "plain", "1", CALI_SERVICES_ENABLE="event,aggregate,sampler", CALI_SAMPLER_CLOCK="moon")
    expect(b"SAMPLER_CLOCK 'moon' cannot be had" in done.stderr, f"{done}")


def counters(place):
    """What the kernel counts, for each thread and child; what is not there is said."""
    query = "SELECT path, sum(sum#perf.page-faults) AS faults, sum(sum#perf.context-switches) AS switches, " \
            "sum(sum#perf.task-clock) AS ns GROUP BY path FORMAT json"
    bare = run(place, "counters", "300").stdout.decode().split("\n")
    done = run(place, "counters", "300", CALI_SERVICES_ENABLE="event,aggregate,perf,recorder",
               CALI_RECORDER_FILENAME="counted.json", CALI_RECORDER_CONFIG=query)
    lines = done.stdout.decode().split("\n")
    expect(bare[1:] == lines[1:], f"{bare} {lines}")
    if b"cannot be had" in done.stderr:
        raise Skip("the kernel counts nothing for this user")
    names = sorted(name for name in os.listdir(place.folder) if name.startswith("counted"))
    expect(len(names) == 2, f"{names}")
    child, rows = sorted((rows_of(read(place, name)) for name in names), key=len)
    expect(600 <= rows["faulting"]["faults"] < 700, f"{rows}")
    expect(300 <= child["faulting"]["faults"] < 400, f"{child}")
    expect(rows["waiting"]["switches"] >= 10, f"{rows}")
    ms, computing = float(lines[0].split()[1]), rows["computing"]
    # Where others want the processors the two clocks part at each switch.
    common.expect_undisturbed(abs(computing["ns"] / 1e6 - ms) < 0.05 * ms + computing["switches"], f"{rows}: {ms} ms")
    done = run(place, "plain", "2", CALI_SERVICES_ENABLE="event,aggregate,libpfm,papi,report",
               CALI_PAPI_COUNTERS="PAPI_NOTHING", CALI_LIBPFM_EVENTS="page-faults", CALI_PERF_EVENTS="task-clock",
               CALI_REPORT_CONFIG="SELECT path, sum(sum#libpfm.counter.page-faults) AS faults, "
                                  "sum(sum#perf.task-clock) AS ns GROUP BY path FORMAT json")
    expect(b"PAPI_COUNTERS 'PAPI_NOTHING' cannot be had" in done.stderr, f"{done}")
    expect({"faults", "ns"} <= set(rows_of(done.stdout)["main/step"]), f"{done}")
    done = run(place, "plain", "2", CALI_SERVICES_ENABLE="event,aggregate,perf,report",
               CALI_PERF_EVENTS="PAPI_TOT_INS,task-clok,task-clock",
               CALI_REPORT_CONFIG="SELECT path, sum(sum#perf.task-clock) AS ns, "
                                  "sum(sum#perf.PAPI_TOT_INS) AS instructions GROUP BY path FORMAT json")
    expect(b"'task-clok' cannot be had: nobody knows it; did you mean 'task-clock'?" in done.stderr, f"{done}")
    row = rows_of(done.stdout)["main/step"]
    expect(row["ns"] > 0, f"{row}")
    expect(b"does not offer hardware counters" in done.stderr or row["instructions"] > 100, f"{done}")
    done = run(place, "counters", "300", CALI_SERVICES_ENABLE="event,aggregate,perf,report",
               CALI_PERF_EVENTS="perf::PERF_COUNT_SW_PAGE_FAULTS,perf::CYCLES", CALI_REPORT_FILENAME="pfm.json",
               CALI_REPORT_CONFIG="SELECT path, sum(sum#perf.perf::PERF_COUNT_SW_PAGE_FAULTS) AS faults "
                                  "GROUP BY path FORMAT json")
    if b"libpfm4, which may, is not there" not in done.stderr:
        rows = rows_of(read(place, "pfm.json"))
        expect(600 <= rows["faulting"]["faults"] < 700, f"{rows}")
        expect(not done.stderr or b"'perf::CYCLES' cannot be had: this machine does not offer hardware counters"
               in done.stderr, f"{done}")
    done = run(place, "plain", "2", CALI_SERVICES_ENABLE="event,aggregate,perf", CALI_PERF_EVENTS="moons")
    expect(b"the service 'perf' cannot be had: none of its events" in done.stderr, f"{done}")


def steady(place):
    """Once contexts are known: no system call, no heap on the way of an event in a channel."""
    program = build(place, os.path.join(common.FOLDER, "channels.c"))
    counter = os.path.join(place.programs, "count.so")
    for config in ("runtime-report(output=none,region.stats)", "event-trace(output=none)", ""):
        done = run(place, "steady", "500", program=program, LD_PRELOAD=counter, CALI_CONFIG=config)
        expect(done.stdout == b"0 allocations\n", f"{config}: {done}")
        trace = os.path.join(place.folder, "strace")
        run(place, "steady", "500", program=program, before=("strace", "-f", "-o", trace), CALI_CONFIG=config)
        lines = read(place, "strace").split("\n")
        marks = [index for index, line in enumerate(lines) if "getpgid(-" in line]
        expect(len(marks) == 2 and marks[1] == marks[0] + 1, f"{config}: {lines[marks[0]:marks[1] + 1][:4]}")


def recover(place, *words, status=0):
    done = running.run([place.tool, "recover", *words], place.folder, environment=place.environment())
    expect(done.status == status, f"{words}: {done}")
    return done.stdout.decode().split("\n")[:-1]


def query(place, profile, text):
    done = running.run([place.tool, "query", text + " FORMAT json", profile], place.folder)
    expect(done.status == 0 and not done.stderr, f"{text}: {done}")
    return json.loads(done.stdout)


def query_globals(place, profile):
    """Metadata of the run."""
    done = running.run([place.tool, "query", "SELECT path FORMAT json-split", profile], place.folder)
    expect(done.status == 0 and not done.stderr, f"{done}")
    return json.loads(done.stdout)


def left(place):
    return sorted(os.path.join(place.spools, name) for name in os.listdir(place.spools))


def kill(place, word, *words, before=(), **variables):
    program = build(place, os.path.join(common.FOLDER, "channels.c"))
    return running.run([*before, program, word, *words], place.folder, timeout=60,
                       environment={**place.environment(), **variables})


def expect_globals(place, profile, **wanted):
    found = common.Profile(place.records, os.path.join(place.folder, profile)).globals
    expect(wanted.items() <= found.items(), f"{profile}: {found}")


def expect_counts(place, profile, wanted):
    rows = query(place, profile, "SELECT path, sum(region.count) AS n WHERE region.count GROUP BY path")
    counts = {row["path"]: row["n"] for row in rows if row["n"]}
    expect(counts == wanted, f"{profile}: {counts}")


def expect_trace(place, profile, ends, last):
    events = query(place, profile, "SELECT * WHERE time.offset.ns")
    expect(sum("event.end#region" in event for event in events) == ends, f"{profile}: {len(events)} events")
    expect(events[-1].get("event.begin#region") == last, f"{profile}: {events[-1]}")
    times = [event["time.offset.ns"] for event in events]
    expect(times == sorted(times), f"{profile}: not in the order of time")


def counts_of(times):
    return {"main": times, "main/step": 10 * times, "main/step/odd": 5 * times, "main/step/even": 5 * times}


def killed(place):
    """What was recorded up to the last complete record is there."""
    config = "runtime-report(region.count),event-trace"
    done = kill(place, "killed", "10", CALI_CONFIG=config)
    expect(done.status == -9 and not done.stdout and not done.stderr, f"{done}")
    expect(len(left(place)) == 1 and recover(place)[0].startswith(left(place)[0] + " "), f"{left(place)}")
    report, trace = recover(place, "--remove", *left(place))
    expect(not left(place) and report.endswith(".runtime-report.trm") and trace.endswith(".event-trace.trm"),
           f"{left(place)} {report} {trace}")
    expect_counts(place, report, counts_of(4))
    for profile in (report, trace):
        expect_globals(place, profile, grid=7, case="ä b")
    cells = query(place, report, "SELECT sum#cells, count#cells WHERE count#cells")
    expect(cells == [{"sum#cells": 42, "count#cells": 1}], f"{cells}")
    expect_trace(place, trace, 4 * 21, "last")
    expect(len({row["thread"] for row in query(place, trace, "SELECT thread WHERE time.offset.ns")}) == 4, trace)
    recover(place, place.spools, status=2)
    kill(place, "killed-late", "10", CALI_CONFIG="runtime-report(output=none)")
    names = recover(place, "--remove", *left(place))
    expect_counts(place, names[1], counts_of(1))
    expect_trace(place, names[2], 21, "last")
    kill(place, "exits", "10", CALI_CONFIG="runtime-report")
    expect_counts(place, recover(place, "--remove", *left(place))[0], counts_of(1))


def running_on(place):
    """What a process that runs has so far, without a word to it; its own results are as ever."""
    program = build(place, os.path.join(common.FOLDER, "channels.c"))
    config = f"runtime-profile(region.count,output=own.json,{JSON}),event-trace(output=own.trm)"
    with subprocess.Popen([program, "waits", "10"], cwd=place.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**place.environment(), "CALI_CONFIG": config}) as process:
        expect(process.stdout.readline() == b"waiting\n", "it does not wait")
        pid = str(process.pid)
        for _ in range(2):
            profile, trace = recover(place, "--pid", pid)
            expect_counts(place, profile, counts_of(1))
            ends = query(place, trace, "SELECT * WHERE event.end#region")
            expect(len(ends) == 21, f"{len(ends)} ends")
        said = recover(place, "--remove", "--pid", pid, status=2)
        rest, errors = process.communicate(b"\n", timeout=60)
    expect(process.returncode == 0 and not errors, f"{rest} {errors}")
    expect(rows_of(read(place, "own.json"))["main/step"]["Calls"] == 20, "its own results")
    expect(not left(place), f"{left(place)}")
    expect(not said and not recover(place, "--pid", pid, status=2), f"{said}")


def swept(place):
    """Folders that hold nothing go in time, others stay."""
    kill(place, "killed-silent", "10", CALI_CONFIG="runtime-report,event-trace")
    (silent,) = left(place)
    expect(not recover(place) and left(place) == [silent], f"{left(place)}: it is new")
    kill(place, "killed", "10", CALI_CONFIG="runtime-report")
    for name in ("trammel-abcdef", "trammel-locked", "trammel-mine-too"):
        os.mkdir(os.path.join(place.spools, name))
    for path in left(place):
        os.utime(path, (0, 0))
    lock = os.open(os.path.join(place.spools, "trammel-locked"), os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    listed = recover(place)
    os.close(lock)
    names = [os.path.basename(path) for path in left(place)]
    expect(len(listed) == 1 and listed[0].split("  ")[0] in left(place), f"{listed}")
    expect(len(names) == 3 and {"trammel-locked", "trammel-mine-too"} < set(names)
           and os.path.basename(silent) not in names, f"{names}")


def killed_measured(place):
    """The same under trammel run, and of a child."""
    tool = trammel.run_command(place.tool, place.profile, [], "regions")
    done = kill(place, "killed", "10", before=tool, CALI_CONFIG="event-trace")
    name = re.search(rb'ended before it wrote .* [\'"](.*)[\'"]', done.stderr).group(1).decode()
    expect_trace(place, name, 4 * 21, "last")
    expect(not left(place), f"{left(place)}")
    config = f"runtime-profile(region.count,output=p.json,{JSON})"
    done = kill(place, "killed-child", "10", before=tool, CALI_CONFIG=config)
    name = re.search(rb'ended before it wrote .* [\'"](.*)[\'"]', done.stderr).group(1).decode()
    expect_globals(place, name, **{"step width": 0.125})
    expect_counts(place, name, {"main": 1, "main/step": 20, "main/step/odd": 10, "main/step/even": 10})
    expect(rows_of(read(place, "p.json"))["main/step"]["Calls"] == 20, "the parent")
    done = kill(place, "killed-child", "10", CALI_CONFIG=config)
    expect(done.status == 0 and not left(place), f"{done} {left(place)}")
    expect(rows_of(read(place, "p.json"))["main/step"]["Calls"] == 20, "the parent")


def specified(place):
    """What configurations and options of the program's own wrote, and load() without a word of the program."""
    row = rows_of(read(place, "twice.json"))["specified"]
    expect(row["Twice"] == round(2e9 * row["time"]) and "Longest" not in row, f"{row}")
    row = rows_of(read(place, "longest.json"))["specified"]
    expect(row["Longest"] > 0 and row["Own (ns)"] == row["Longest"], f"{row}")
    for path, timed in (("visits.cali", True), ("calls.cali", False)):
        rows = query(place, path, "SELECT * WHERE path")
        expect(rows[0]["path"] == "specified" and ("sum#time.duration.ns" in rows[0]) == timed, f"{rows}")
    with open(os.path.join(place.folder, "own.json"), "w", encoding="utf-8") as file:
        file.write('{"configs": [{"name": "mine", "services": ["event", "aggregate", "recorder"],'
                   ' "config": {"CHANNEL_FLUSH_ON_EXIT": "false"}, "categories": ["output"]}]}')
    for text, said in (("load(own.json),mine(output=mine.cali)", b""), ("load(none.json)", b"cannot read 'none.json'")):
        done = run(place, "plain", "10", CALI_CONFIG=text)
        expect(said in done.stderr and bool(said) == bool(done.stderr), f"{done}")
    expect(any("path" in row for row in query(place, "mine.cali", "SELECT *")), "a configuration of a file")


def classes(place):
    """The classes of the compatible interface."""
    program = build(place, os.path.join(common.FOLDER, "classes.cc"), ("g++", "-std=c++11", "-O2"))
    done = run(place, program=program)
    expect(not done.stdout and not done.stderr, f"{done}")
    rows = {(row.get("path"), row.get("async.end")): row for row in json.loads(read(place, "classes.json"))}
    waited = rows["work", "queue"]
    expect(rows["work", None]["count"] == 3 and waited["waits"] == 3 and waited["ns"] > 0
           and ("unseen", None) not in rows, f"{rows}")
    tool = os.path.join(os.path.dirname(place.tool), "cali-query")
    done = running.run([tool, "-e", "--list-attributes", "--print-attributes",
                        "cali.attribute.name,meta.int,cali.attribute.prop", "traced.cali"], place.folder)
    expect(b"cali.attribute.name=step,cali.attribute.prop=21,meta.int=42\n" in done.stdout, f"{done}")
    events = query(place, "traced.cali", "SELECT *")
    (inside,) = [event for event in events if event.get("event.end#region") == "inside"]
    (end,) = [event for event in events if "event.end#step" in event]
    (behind,) = [event for event in events if event.get("event.end#region") == "behind"]
    expect((inside["step"], inside["region.count"], end["step"], behind.get("step")) == (7, 1, 7, None), f"{events}")
    expect(0 < inside["time.inclusive.duration.ns"] < end["time.inclusive.duration.ns"], f"{events}")
    done = running.run([tool, "-e", "-G", "traced.cali"], place.folder)
    expect(b"cali.caliper.version=2.15.0" in done.stdout and b"starttime.sec=" in done.stdout, f"{done}")
    events = [event for event in query(place, "named.cali", "SELECT *")
              if not any(key.startswith("event.") for key in event)]
    found = [(event.get("alloc.label#cb.address"), event.get("alloc.index#cb.address"),
              event.get("alloc.uid#cb.address")) for event in events if "cb.address" in event]
    expect(found == [("grid", 0, 1), ("grid", 31, 1), (None,) * 3, (None,) * 3], f"{events}")
    named = [(event.get("mem.alloc"), event.get("mem.free"), event["alloc.total_size"])
             for event in events if "alloc.total_size" in event]
    expect(named == [("grid", None, 256), (None, "grid", -256)], f"{events}")
    rows = rows_of(read(place, "inside.json"))
    expect(rows["within"]["count"] > 0 and rows["outer/within"]["count"] > rows["within"]["count"], f"{rows}")
    expect(rows_of(read(place, "managed.json"))["managed"]["Calls"] == 1, "a manager's own defaults")
    expect(rows_of(read(place, "copied.json"))["copied"]["Calls"] == 1, "a copied manager")
    specified(place)
    expect(rows_of(read(place, "controlled.json"))["controlled"]["count"] == 1, "a controller of the program's own")


def measured_tool(place):
    """cali-query measures itself, and knows services and configurations."""
    run(place, "forks", "10", CALI_CONFIG="event-trace(output=traced.cali)")
    tool = os.path.join(os.path.dirname(place.tool), "cali-query")
    own = f"runtime-profile(region.count,output=own.json,{JSON})"
    plain = running.run([tool, "-t", "traced.cali"], place.folder)
    done = running.run([tool, "-t", "-P", own, "traced.cali"], place.folder)
    expect(done.stdout == plain.stdout and not done.stderr, f"{done}")
    rows = rows_of(read(place, "own.json"))
    expect({"Initialization", "Processing/traced.cali", "Writing"} <= set(rows), f"{rows}")
    done = running.run([tool, "-t", "-P", "runtime-profil", "traced.cali"], place.folder)
    expect(done.status == 255 and not done.stdout and b"did you mean 'runtime-profile'" in done.stderr, f"{done}")
    for topic, line in (("services", b"\n alloc "), ("configs", b"\n runtime-report "), ("perf", b"\n  CALI_PERF_EVENTS"),
                        ("event-trace", b"\n  trace.policy\n")):
        done = running.run([tool, f"--help={topic}"], place.folder)
        expect(line in done.stdout and not done.stderr, f"{topic}: {done}")


def scopes(place):
    """Channels of single threads."""
    run(place, "scopes", "10")
    counts = {path: row.get("Calls") for path, row in rows_of(read(place, "p.json")).items() if row.get("Calls")}
    expect(counts == counts_of(2), f"{counts}")


def nowhere(place):
    """Without a folder for it, channels measure all the same; on a full disk what had room."""
    for folder in ("/no/such/folder", "/proc"):
        done = run(place, "forks", "10", CALI_CONFIG=f"runtime-profile(region.count,output=p.json,{JSON})", TMPDIR=folder)
        expect(not done.stderr, f"{done}")
        expect(rows_of(read(place, "p.json"))["main/step"]["Calls"] == 10, folder)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", place.spools], check=False,
                          capture_output=True)
    if done.returncode:
        raise Skip("cannot mount a tmpfs")
    try:
        done = run(place, "plain", "40000", CALI_CONFIG=f"event-trace(output=trace.json,{JSON})")
        records = [record for record in json.loads(read(place, "trace.json")) if "time.offset.ns" in record]
        expect(10000 < len(records) < 100000, f"{len(records)} records")
        lost = int(re.search(rb"(\d+) events? lost: there was no memory", done.stderr).group(1))
        expect(len(records) + lost == 160003, f"{len(records)} records, {lost} lost")
        expect(not left(place), f"{left(place)}")
    finally:
        subprocess.run(["umount", "-l", place.spools], check=True)


TESTS = (killed, running_on, swept, killed_measured, classes, measured_tool, scopes, nowhere, state, examples, report, agreement, several,
         threads, threads_wide, heap, files, locks, libraries, later, loops, metrics,
         system, filters, policies, forks, handlers, mismatches, addresses, memory,
         log, endings, late, samples, counters, steady)
