"""Calls of the C library that services see: io, pthread and syscalls, alone and together."""

import json
import os
import subprocess

from context import channels, common
from context.common import expect
from transparency import running

SOURCE = os.path.join(common.FOLDER, "calls.c")
IO = "SELECT path, sum(sum#io.opens) AS opens, sum(sum#io.calls) AS calls, sum(sum#io.bytes.read) AS read, " \
     "sum(sum#io.bytes.written) AS written"
LOCKS = "SELECT path, sum(sum#pthread.locks) AS locks, sum(sum#pthread.hold.ns) AS hold, " \
        "sum(sum#pthread.wait.ns) AS wait, sum(sum#pthread.threads) AS threads"
CALLS = "SELECT path, sum(sum#syscalls.calls) AS calls, sum(sum#syscalls.time.ns) AS ns"
BY_PATH = " GROUP BY path FORMAT json"


def program(place, *flags):
    return channels.build(place, SOURCE, ("gcc", *flags))


def measure(place, services, query, *words, flags=("-O2",)):
    done = channels.run(place, *words, program=program(place, *flags), LD_PRELOAD=place.library,
                        TRAMMEL_SERVICES_ENABLE=f"event,aggregate,report,{services}",
                        TRAMMEL_REPORT_CONFIG=query + BY_PATH)
    return channels.rows_of(done.stdout)


def files(place):
    """Also of programs that call what checks sizes (-D_FORTIFY_SOURCE)."""
    for flags in (("-O1",), ("-O2", "-D_FORTIFY_SOURCE=2")):
        rows = measure(place, "io", IO, "files", "sockets", flags=flags)
        row = rows["files"]
        expect((row["opens"], row["calls"], row["read"], row["written"]) == (6, 16, 850, 500), f"{flags}: {row}")
        row = rows["sockets"]
        expect((row["opens"], row["calls"], row["read"], row["written"]) == (0, 6, 30, 30), f"{flags}: {row}")
    names = subprocess.run(["nm", "-D", program(place, "-O2", "-D_FORTIFY_SOURCE=2")], capture_output=True, text=True,
                           check=True).stdout
    expect("__read_chk" in names, f"nothing is checked: {names}")


def holding(place):
    """While a thread waits for a condition it holds nothing."""
    rows = measure(place, "pthread", LOCKS, "holding", "cancelled", "kinds")
    row = rows["holding"]
    expect((row["locks"], row["threads"]) == (1, 1) and 10e6 <= row["hold"] < 200e6, f"{row}")
    row = rows["worker"]
    expect(row["locks"] == 1 and row["hold"] >= 300e6, f"{row}")
    expect(rows["cancelled"]["threads"] == 1 and rows["cancelled"]["locks"] == 1, f"{rows}")
    expect((rows["kinds"]["locks"], rows["kinds"]["threads"]) == (6, 0), f"{rows['kinds']}")


def system(place):
    rows = measure(place, "syscalls", CALLS, "system", "files")
    expect(rows["system"]["calls"] == 1004 and rows["system"]["ns"] > 0, f"{rows}")
    expect(rows["files"]["calls"] == 5 * 6 + 1, f"{rows}")


def together(place):
    """Several services see the same calls, whichever came first."""
    for services in ("io,syscalls", "syscalls,io"):
        rows = measure(place, services, IO + ", sum(sum#syscalls.calls) AS every", "files")
        row = rows["files"]
        expect((row["opens"], row["calls"], row["read"], row["every"]) == (6, 16, 850, 31), f"{services}: {row}")


def traced(place):
    """Each call with its name, or its file."""
    channels.run(place, "files", "system", program=program(place, "-O2"), LD_PRELOAD=place.library, TRAMMEL_RECORDER_FILENAME="calls.cali",
                 TRAMMEL_SERVICES_ENABLE="event,trace,io,syscalls,recorder")
    rows = channels.query(place, "calls.cali", "SELECT syscalls.function, count() AS n WHERE syscalls.function "
                          "GROUP BY syscalls.function")
    counts = {row["syscalls.function"]: row["n"] for row in rows}
    expect(counts == {"open": 6, "write": 5, "lseek": 5, "read": 5, "pread": 5, "close": 5, "getppid": 1001, "getcwd": 1,
                      "dup": 1, "waitpid": 1}, f"{counts}")
    rows = channels.query(place, "calls.cali", "SELECT io.file, sum(io.bytes.read) AS bytes WHERE io.region=read GROUP BY io.file")
    expect([(os.path.basename(row["io.file"]), row["bytes"]) for row in rows] == [("data", 850)], f"{rows}")


def reports(place):
    done = channels.run(place, "files", "holding", program=program(place, "-O2"), LD_PRELOAD=place.library,
                        TRAMMEL_CONFIG="runtime-report(syscalls,lock.hold,thread.starts,output=stdout,output.format=json)")
    rows = channels.rows_of(done.stdout)
    expect(rows["files"]["System calls"] == 31 and rows["holding"]["Threads"] == 1
           and 0.01 <= rows["holding"]["Lock hold"], f"{json.dumps(rows)}")
    common.expect_undisturbed(rows["holding"]["Lock hold"] < 0.2, f"{json.dumps(rows)}")


def of_functions(place):
    """Functions that are regions without their doing have what services measure, too."""
    words = [place.tool, "run", "--quiet", "-m", "regions", "--regions", "calls-c:pass", "-o", "functions.trm", "--",
             program(place, "-O1", "-fno-inline"), "holding"]
    done = running.run(words, place.folder, timeout=60, environment={
        **place.environment(), "TRAMMEL_CONFIG": "runtime-report(syscalls,output=stdout,output.format=json)"})
    expect(done.status == 0 and not done.stderr, f"{done}")
    calls = {path: row["System calls"] for path, row in channels.rows_of(done.stdout).items()}
    expect(calls.get("holding/pass") == 1 and calls.get("worker/pass") == 1, f"{calls}")


TESTS = (of_functions, files, holding, system, together, traced, reports)
