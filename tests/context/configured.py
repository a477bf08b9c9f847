"""What the texts of configurations say, and what is wrong in them."""

import json
import os
import re

from context.channels import JSON, query, read, rows_of, run
from context.common import expect


def mistakes(place):
    """What cannot be had is said, with what is near, and the rest works."""
    done = run(place, "plain", "1", CALI_CONFIG="runtime-report(outptu=x,output=stdout,region.count),mpi-report,"
               "order_by_tme,event-trace(output=/proc/no/folder/x.trm)")
    for text in (b"Unknown option: outptu; did you mean 'output'?",
                 b"'mpi-report' cannot be had: there is no MPI",
                 b"CALI_CONFIG: error: Unknown config or parameter: order_by_tme; did you mean 'order_by_time'?",
                 b"/proc/no/folder/x.trm"):
        expect(text in done.stderr, f"{text}: {done}")
    expect(b"Calls" in done.stdout, f"{done}")
    done = run(place, "plain", "1", CALI_SERVICES_ENABLE="evnt,timer,aggregate")
    expect(b"there is no service 'evnt'; did you mean 'event'?" in done.stderr, f"{done}")
    done = run(place, "plain", "1", CALI_CONFIG_FILE="/no/such/file")
    expect(b"cannot read the configuration '/no/such/file'" in done.stderr, f"{done}")
    done = run(place, "plain", "1", CALI_CONFIG_FILE=place.folder)
    expect(b"': Is a directory" in done.stderr, f"{done}")
    done = run(place, "plain", "1", CALI_CONFIG="runtime-report(output=none")
    expect(b"Expected ')'" in done.stderr, f"{done}")
    done = run(place, "plain", "1", CALI_CONFIG="runtime-report(output=none),region.count" + 70 * ",region.count")
    expect(b"no room for more than 64 at once" in done.stderr, f"{done}")
    for text, wanted in (("region.count=maybe", 'Invalid value "maybe" for region.count'),
                         ("output.format=tabel", "there is no output.format 'tabel'; did you mean 'table'?"),
                         ("level=99", "EVENT_REGION_LEVEL is from 0 to 7, or phase, not '99': 0 is taken")):
        done = run(place, "plain", "1", CALI_CONFIG=f"runtime-report(output=stdout,{text})")
        expect(wanted in done.stderr.decode() and done.stdout.startswith(b"Path "), f"{done}")
    done = run(place, "plain", "1", CALI_SERVICES_ENABLE="event,timer,trace", CALI_TIMER_INCLUSIVE_DURATION="ture")
    expect(b"'ture' of TIMER_INCLUSIVE_DURATION is neither true nor false" in done.stderr, f"{done}")
    done = run(place, "metrics", "1", CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE="bar")
    expect(done.stderr.count(b'Invalid value "bar" for CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE: there are') == 1, f"{done}")
    done = run(place, "plain", "1", CALI_CONFIG="event-trace(output=none,trace.cuda),"
               "runtime-report(output=none,local_query='having x')")
    for text in (b"'trace.cuda' cannot be had: GPUs are not measured", b"or order by at 'having x'"):
        expect(text in done.stderr, f"{text}: {done}")


def clauses(place):
    """Options add clauses to queries, and events of the kernel to traces."""
    where = "where region.count select count() as n order by path desc"
    run(place, "plain", "5", CALI_CONFIG=f"runtime-profile(output=p.json,{JSON},region.count,local_query='{where}')")
    rows = json.loads(read(place, "p.json"))
    expect([row["path"] for row in rows] == ["main/step/odd", "main/step/even", "main/step", "main"], f"{rows}")
    # Snapshots: at begins of what is inside, and at ends.
    expect([row["n"] for row in rows] == [2, 3, 10, 6], f"{rows}")
    done = run(place, "plain", "5", CALI_CONFIG=f"runtime-report(output=stdout,{JSON},region.count,"
               "local_query='where Nothing or region=odd')")
    counts = {path: row["Calls"] for path, row in rows_of(done.stdout).items() if row.get("Calls")}
    expect(counts == {"main/step/odd": 2}, f"{done}")
    run(place, "plain", "5", CALI_CONFIG=f"event-trace(output=t.json,{JSON},papi.counters='task-clock,page-faults')")
    expect('"perf.task-clock"' in read(place, "t.json"), "counts of the kernel")


def visits(place):
    """Regions in the order of their first visit, and what the main thread does alone."""
    done = run(place, "plain", "4", CALI_CONFIG="runtime-report(output=stdout,order_as_visited)")
    names = [line.split()[0] for line in done.stdout.decode().split("\n")[1:] if line]
    expect(names == ["main", "step", "even", "odd"], f"{names}")
    done = run(place, "several-orders", "1", CALI_CONFIG="runtime-report(output=stdout,order_as_visited)")
    names = [line.split()[0] for line in done.stdout.decode().split("\n")[1:] if line]
    expect(names == ["zebra", "yak", "ape", "aardvark"], f"{names}")
    done = run(place, "several-orders", "1", CALI_CONFIG=f"runtime-report(output=stdout,{JSON},node.order)")
    rows = rows_of(done.stdout)
    order = sorted((path for path in rows if path), key=lambda path: rows[path]["Node order"])
    expect(order == ["zebra", "zebra/yak", "zebra/ape", "aardvark"], f"{rows}")
    for config in ("runtime-report(output=p.json,{})", "runtime-profile(output=p.json,{})"):
        run(place, "threads", "3", CALI_CONFIG=config.format(JSON + ",region.count,main_thread_only"))
        expect(not [row for row in json.loads(read(place, "p.json")) if row.get("path")], f"{config}: {read(place, 'p.json')}")
        run(place, "plain", "3", CALI_CONFIG=config.format(JSON + ",region.count,main_thread_only"))
        expect(rows_of(read(place, "p.json"))["main/step"]["Calls"] == 3, f"{config}: {read(place, 'p.json')}")
    done = run(place, "plain", "1", CALI_CONFIG="runtime-report(output=none,profile.cuda=false,order_as_visited=false)")
    expect(not done.stderr, f"{done}")


def columns(place):
    """Options' columns have the names that scripts look for, and the units that these say."""
    of = f"runtime-report(output=stdout,{JSON},"
    row = rows_of(run(place, "heap", "10", CALI_CONFIG=of + "mem.highwatermark,mem.pages)").stdout)["taking"]
    expect(2 <= row["Mem HWM MB"] <= 3.2, f"{row}")
    expect(200 < row["VmRSS"] <= row["VmSize"] < 2 ** 24 and 0 < row["Data"] < row["VmSize"], f"{row}")
    row = rows_of(run(place, "loops", "7", CALI_CONFIG=of + "loop.stats)").stdout)["outer/inner"]
    expect(row["Iterations"] == 3, f"{row}")
    times = [row[f"Time/iter ({which})"] for which in ("min", "avg", "max")]
    expect(0 < times[0] <= times[1] <= times[2] < 1, f"{row}")
    done = run(place, "files", "20", CALI_CONFIG=of + "io.read.bandwidth,io.write.bandwidth)")
    rows = rows_of(done.stdout)
    expect((rows["writing"]["Bytes written"], rows["reading"]["Bytes read"]) == (2000, 2000), f"{rows}")
    expect(0 < rows["writing"]["Write Mbit/s"] < 1e6 and 0 < rows["reading"]["Read Mbit/s"] < 1e6, f"{rows}")


def settings(place):
    """Which of several settings counts."""
    os.mkdir(os.path.join(place.folder, "set"))
    query = {"CALI_RECORDER_CONFIG": "SELECT path, sum(region.count) AS count GROUP BY path FORMAT json"}
    run(place, "settings", "5", CALI_RECORDER_DIRECTORY="environment", **query)
    expect(rows_of(read(place, "set/preset.json"))["main/step"]["count"] == 5, "a preset")
    run(place, "settings", "6", CALI_RECORDER_FILENAME="variable.json", **query)
    expect(rows_of(read(place, "set/variable.json"))["main/step"]["count"] == 6, "a variable before a preset")
    run(place, "settings", "7", TRAMMEL_RECORDER_FILENAME="own.json", **query)
    expect(rows_of(read(place, "set/own.json"))["main/step"]["count"] == 7, "a variable of our own")
    done = run(place, "plain", "8", TRAMMEL_SERVICES_ENABLE="event,aggregate,report",
               TRAMMEL_REPORT_CONFIG=query["CALI_RECORDER_CONFIG"])
    expect(rows_of(done.stdout)["main/step"]["count"] == 8, "services of our own variable, said once")
    with open(os.path.join(place.folder, "caliper.config"), "w", encoding="utf-8") as file:
        file.write("# a comment\nCALI_SERVICES_ENABLE=event,aggregate,report\nnonsense\n"
                   "CALI_REPORT_CONFIG=SELECT path, sum(region.count) AS count GROUP BY path FORMAT json\n"
                   "# [other]\nCALI_REPORT_FILENAME=other.json\n")
    done = run(place, "plain", "8")
    expect(rows_of(done.stdout)["main/step"]["count"] == 8, f"{done}")
    expect(b"'caliper.config', line 3: not KEY=VALUE" in done.stderr, f"{done}")
    found = run(place, "hidden", program=os.path.join(place.programs, "properties"), LD_PRELOAD=place.library,
                TRAMMEL_CONFIG_FILE="caliper.config").stdout
    expect(rows_of(found)["outer/in it"]["count"] == 5, f"{found}")
    run(place, "plain", "9", CALI_CONFIG_PROFILE="other")
    expect(rows_of(read(place, "other.json"))["main/step"]["count"] == 9, "a profile of the file")


def layouts(place):
    """Reports look as the peer's do; profiles have the exclusive time as `time`."""
    text = run(place, "plain", "10", CALI_CONFIG="runtime-report(output=stdout,max_column_width=8)").stdout.decode()
    expect(text.startswith("Path     Time (E) Time (I) Tim~~(E) Tim~~(I) \nmain     ") and "\n    odd  " in text, text)
    text = run(place, "plain", "10", CALI_CONFIG="metadata(case=a b),runtime-report(output=stdout,print.metadata)").stdout
    expect(re.search(rb"^case +: a b\n", text, re.M), f"{text}")
    rows = rows_of(run(place, "plain", "10", CALI_CONFIG=f"runtime-profile(output=stdout,calc.inclusive,{JSON})").stdout)
    times = [row["time"] for path, row in rows.items() if path]
    expect(set(rows["main"]) == {"path", "time", "time (inc)", "Node order"} and abs(rows["main"]["time (inc)"] - sum(times)) < 1e-9,
           f"{rows}")
    for config, start in (("runtime-profile", b"__rec="), ("runtime-profile(output.format=hatchet)", b"__rec="),
                          ("hatchet-region-profile", b"__rec="), ("sample-profile", b"__rec="),
                          ("hatchet-sample-profile(output.format=json-split)", b"{")):
        done = run(place, "plain", "10", CALI_CONFIG=f"{config},output=stdout")
        expect(done.stdout.startswith(start) and not done.stderr, f"{config}: {done}")
    for config, name, start in (("runtime-profile", "region_profile.cali", "__rec="), ("sample-profile", "sample_profile.cali", "__rec="),
                                ("hatchet-region-profile(output=a.b)", "a.b.cali", "__rec="),
                                ("runtime-profile(output=a,output.format=json-split)", "a.json", "{"),
                                ("runtime-profile(output=b.json)", "b.json", "{")):
        run(place, "plain", "10", CALI_CONFIG=config)
        expect(read(place, name).startswith(start), f"{config}: {read(place, name)}")
    rows = {row.get("path"): row for row in query(place, "region_profile.cali", "SELECT *")}
    expect(0 < rows["main/step"]["sum#sum#time.duration"] < 1 and "attribute.alias" in read(place, "region_profile.cali"), f"{rows}")
    for config, times in (("runtime-report(output=twice.txt)", 2), ("runtime-report(output=once.txt,output.append=false)", 1),
                          (f"runtime-report(output=once.json,{JSON})", 1)):
        for _ in range(2):
            run(place, "plain", "10", CALI_CONFIG=config)
        found = read(place, re.search("output=([^,)]+)", config).group(1))
        expect(found.count("step") == times * (3 if JSON in config else 1), f"{config}: {found}")
    done = run(place, "samples", "1", CALI_CONFIG=f"sample-report(output=samples.json,sample.frequency=500,{JSON})")
    rows = rows_of(read(place, "samples.json"))
    expect(any(row["Samples"] for row in rows.values()), f"{rows}")
    for row in rows.values():
        expect(abs(row.get("Time (sec)", 0) - row["Samples"] / 500) < 1e-6, f"{row}")
    run(place, "plain", "1", CALI_CONFIG="runtime-report(output=deep/er/report.txt),event-trace(output=deep/x/t.trm)")
    expect(read(place, "deep/er/report.txt").startswith("Path ") and os.path.exists(
        os.path.join(place.folder, "deep/x/t.trm")), "folders of outputs are made")


def names(place):
    """Values in names of files."""
    run(place, "plain", "1", CALI_CONFIG=f"metadata(case=a b),runtime-profile(region.count,output=%program%-%case%.json,{JSON})")
    expect("channels-c-a b.json" in os.listdir(place.folder), f"{os.listdir(place.folder)}")


def metadata(place):
    """Globals of files: those that are asked for, or all; what there is not is said."""
    with open(os.path.join(place.folder, "node.json"), "w", encoding="utf-8") as file:
        json.dump({"host": {"os": {"name": "TestOS", "version": 3.5}, "name": "größe", "up": True, "disks": ["a", 2]},
                   "a.b": {"c": "d"}, "other": None}, file)
    report = "runtime-report(metadata(mine=1),output=stdout,output.format=json-split)"

    def said(words):
        done = run(place, "plain", "1", CALI_CONFIG=f"{report},metadata({words})")
        all_said = json.loads(done.stdout)
        return {name: value for name, value in all_said.items() if name.startswith(("host", "mine", "other", "a."))}, done.stderr

    found, complaints = said('file=node.json,keys="host.os,host.name,a.b.c"')
    expect(found == {"mine": "1", "host.os.name": "TestOS", "host.os.version": "3.5", "host.name": "größe", "a.b.c": "d"}
           and not complaints, f"{found} {complaints}")
    found, complaints = said("file=node.json")
    expect(found == {"mine": "1", "host.os.name": "TestOS", "host.os.version": "3.5", "host.name": "größe", "host.up": "true",
                     "host.disks": "[a, 2]", "a.b.c": "d", "other": "null"} and not complaints, f"{found} {complaints}")
    for words, complaint in (("file=node.json,keys=host.none", "metadata: 'node.json' has no key 'host.none'"),
                             ("file=none.json", "metadata: cannot read 'none.json'"),
                             ("file=bad.json", "metadata: 'bad.json' is not JSON: see line 1, column 6"),
                             ("file=list.json", "metadata: 'list.json' has no names: an object { } is expected")):
        for name, text in (("bad.json", '{"a":x y}'), ("list.json", "[1]")):
            with open(os.path.join(place.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        found, complaints = said(words)
        expect(found == {"mine": "1"} and complaints.decode() == f"trammel: warning: {complaint}\n", f"{words}: {found} {complaints}")


TESTS = (mistakes, clauses, columns, visits, settings, layouts, names, metadata)
