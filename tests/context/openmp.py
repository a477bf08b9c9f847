"""What OpenMP's run-time library tells: parallel regions, loops, tasks, barriers, in threads."""

import json
import os
import subprocess

from context import common
from context.channels import EXAMPLES, JSON, query, read, run
from context.common import expect

# A tool of the program's own, which must be there as it is without trammel.
TOOL = """#include <stdio.h>
void *ompt_start_tool(unsigned version, const char *runtime);
void *ompt_start_tool(unsigned version, const char *runtime) { puts("own tool"); return 0; }
"""


def build(place, source=None, more=()):
    name = "openmp-" + os.path.basename(source or "openmp.c")
    program = os.path.join(place.folder, name.replace(".", "-"))
    subprocess.run(["clang", "-O1", "-fopenmp", *common.FLAGS, source or os.path.join(common.FOLDER, "openmp.c"),
                    "-o", program, *more], check=True)
    return program


def counts(place, program, *words, measure="openmp"):
    profile = place.check(*words, program=program, measure=measure)
    profile.expect_faults()
    return {path.replace("omp.parallel=", "").replace("omp.work=", "").replace("omp.sync=", "")
            .replace("omp.task=", ""): count for path, count in profile.counts().items()}


def shares(place):
    """All threads' loops hang below the parallel region, and counts are exact."""
    program = build(place)
    inside = {"": 4, "/loop": 16, "/loop/body": 32, "/single": 16, "/critical": 16, "/barrier": 80, "/sections": 16}
    wanted = {"solve": 1, **{f"solve/parallel{path}": count for path, count in inside.items()}}
    for measure in ("openmp", "openmp,trace", "functions,openmp", "blocks,openmp"):
        found = counts(place, program, "shares", "4", measure=measure)
        expect(found == wanted, f"{measure}: {found}")
    found = counts(place, program, "shares", "4", measure="regions")
    expect(sum(found.values()) == 33 and found["solve"] == 1, f"without: {found}")


def tasks(place):
    """A task runs where a thread waits, and each is one."""
    program = build(place)
    found = counts(place, program, "tasks", "7")
    total = sum(count for path, count in found.items() if path.split("/")[-1] == "task")
    expect(total == 40, f"{found}")
    waits_ = sum(count for path, count in found.items() if path.split("/")[-1] == "taskwait")
    expect(waits_ == 20, f"{found}")
    found = counts(place, program, "untied", "50")
    expect(sum(count for path, count in found.items() if path.endswith("/task/part")) == 50, f"{found}")
    expect(sum(count for path, count in found.items() if path.split("/")[-1] == "task") == 50, f"{found}")


def nested(place):
    found = counts(place, build(place), "nested", "5")
    expect(found["parallel"] == 1 and found["parallel/outer"] == 2 and found["parallel/outer/parallel"] == 10 and
           found["parallel/outer/parallel/inner"] == 20, f"{found}")


def waits(place):
    """A thread waits until the region ends; what passes then, five times as long, is not
    of it."""
    profile = place.check("waits", "200", program=build(place), measure="openmp")
    times = [record["time.ns"] for record in profile.paths
             if common.text_of(record) == "omp.parallel=parallel/omp.sync=barrier"]
    expect(200e6 < sum(times) + 20e6 and sum(times) < 1000e6, f"{times}")


def channels(place):
    library = os.path.realpath(os.path.join(os.path.dirname(place.tool), "..", "runtime", "libtrammel.so.0"))
    program = build(place)
    done = run(place, "shares", "4", program=program, LD_PRELOAD=library,
               TRAMMEL_CONFIG=f"openmp-report(output=stdout,{JSON},region.count)")
    rows = {row["path"]: row["Calls"] for row in json.loads(done.stdout) if row.get("path")}
    # Workers may still be in the last one when the program ends.
    expect(77 <= rows.pop("solve/parallel/barrier") <= 80, f"{done}")
    expect(rows == {"solve": 1, "solve/parallel": 4, "solve/parallel/loop": 16, "solve/parallel/loop/body": 32,
                    "solve/parallel/single": 16, "solve/parallel/critical": 16,
                    "solve/parallel/sections": 16}, f"{rows}")
    source = os.path.join(place.folder, "none.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write("int main(void) { return 0; }\n")
    subprocess.run(["gcc", source, "-o", os.path.join(place.folder, "none")], check=True)
    done = run(place, program=os.path.join(place.folder, "none"), LD_PRELOAD=library,
               TRAMMEL_CONFIG="openmp-report(output=none)")
    expect(b"no OpenMP run-time library told anything" in done.stderr, f"{done}")


def efficiency(place):
    """Shares of work and of barriers, of all threads or of each."""
    library = os.path.realpath(os.path.join(os.path.dirname(place.tool), "..", "runtime", "libtrammel.so.0"))
    program = build(place)
    for config in ("openmp-report", "runtime-report"):
        done = run(place, "shares", "4", program=program, LD_PRELOAD=library,
                   TRAMMEL_CONFIG=f"{config}(output=stdout,{JSON},openmp.times,openmp.efficiency)")
        rows = {row["path"]: row for row in json.loads(done.stdout) if row.get("path")}
        loop, barrier, all_of = (rows["solve/parallel" + name] for name in ("/loop", "/barrier", ""))
        expect(loop["Work %"] == barrier["Barrier %"] == 100 and loop["Time (work)"] > 0, f"{rows}")
        expect(barrier["Time (barrier)"] > 0 and "Time (work)" not in barrier, f"{rows}")
        expect(0 < all_of["Work %"] < 100 and abs(all_of["Work %"] + all_of["Barrier %"] - 100) < 1e-6, f"{rows}")
    done = run(place, "shares", "4", program=program, LD_PRELOAD=library,
               TRAMMEL_CONFIG=f"openmp-report(output=stdout,{JSON},show_threads)")
    threads = {row["Thread"] for row in json.loads(done.stdout) if row.get("path") == "solve/parallel/loop"}
    expect(threads == {0, 1, 2, 3}, f"{threads}")
    done = run(place, "shares", "4", program=program, LD_PRELOAD=library,
               TRAMMEL_CONFIG=f"openmp-report(output=stdout,{JSON}),runtime-report(output=t.json,{JSON},openmp.threads),"
               "event-trace(output=t.cali,trace.openmp)")
    row = {row.get("path"): row for row in json.loads(done.stdout)}["solve/parallel"]
    expect(row["#Threads"] == 4 and 0 < row["Time (thread)"] < row["Time (total)"] and row["Work %"] > 0, f"{row}")
    rows = [row for row in json.loads(read(place, "t.json")) if row.get("path") == "solve/parallel/loop"]
    expect({(row["Thread"], row["#Threads"]) for row in rows} == {(thread, 4) for thread in range(4)}, f"{rows}")
    rows = query(place, "t.cali", "SELECT omp.num.threads AS size, omp.thread.id AS id, omp.thread.type AS type, count() AS n "
                 "WHERE path = \"solve/parallel/loop\" GROUP BY omp.num.threads, omp.thread.id, omp.thread.type")
    expect({(row["size"], row["id"], row["type"]) for row in rows}
           == {(4, 0, "initial"), *((4, thread, "worker") for thread in range(1, 4))}, f"{rows}")
    done = run(place, "shares", "4", program=program, LD_PRELOAD=library,
               TRAMMEL_CONFIG=f"openmp-report(output=stdout,{JSON},show_regions=false,show_thread_type,order_by_time)")
    rows = {row.get("Type"): row["#Threads"] for row in json.loads(done.stdout)}
    expect(rows["initial"] == rows["worker"] == 4, f"{rows}")


def own_tool(place):
    """A program's own tool is the one that is asked, unless this one is wanted."""
    source, library = (os.path.join(place.folder, name) for name in ("tool.c", "libtool.so"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(TOOL)
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    program = build(place, more=("-Wl,--no-as-needed", library, f"-Wl,-rpath,{place.folder}"))
    expect(b"own tool" in place.bare("tasks", "3", program=program).stdout, "the tool is asked")
    place.check("tasks", "3", program=program, measure="regions")


def example(place):
    program = build(place, os.path.join(EXAMPLES, "openmp", "heat.c"))
    found = counts(place, program)
    expect(found["solve"] == 1 and found["solve/parallel"] == 100 and found["solve/parallel/loop"] >= 200, f"{found}")


TESTS = (shares, tasks, nested, waits, channels, efficiency, own_tool, example)
