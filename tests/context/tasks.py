"""Tasks that threads switch between, and that move from one to another."""

import json
import os

from context import channels
from context.common import expect

TASKS = 20
PROGRAM = "tasks"


def migrated(rounds):
    """What is open goes with a task; a new one is where its maker was."""
    body = "making/task=body"
    return {"making": 1, "worker": 3, body: TASKS, f"{body}/even": TASKS * ((rounds + 1) // 2),
            f"{body}/odd": TASKS * (rounds // 2), f"{body}/even/inner": TASKS * ((rounds + 1) // 2),
            f"{body}/odd/inner": TASKS * (rounds // 2)}


def migrate(place):
    for measure in ("regions", "trace"):
        profile = place.check("migrate", "20", program=PROGRAM, measure=measure)
        profile.expect_faults()
        counts = {path: count for path, count in profile.counts().items() if count}
        expect(counts == migrated(20), f"{measure}: {counts}")
    threads = {event["thread"] for event in profile.events
               if any(value == "body" for _, value in event["path"])}
    expect(len(threads) > 1, f"tasks ran on {threads}")


def wait(place):
    profile = place.check("wait", "200", program=PROGRAM)
    profile.expect_faults()
    times = {}
    for record in profile.paths:
        path = "/".join(str(value) for _, value in record["path"])
        times[path] = times.get(path, 0) + record["time.ns"]
    expect(times["waiting"] < 200e6 and times["own"] > 190e6, f"{times}")


def deep(place):
    profile = place.check("deep", "100", program=PROGRAM)
    profile.expect_faults()
    counts = [count for path, count in profile.counts().items() if path]
    expect(counts == [100] * 300, f"{counts[:5]} {len(counts)}")


def measured(place):
    """Channels: times, and a value that goes with its task."""
    program = channels.build(place, os.path.join(channels.common.FOLDER, "tasks.c"), ("gcc", "-O2", "-Wl,--no-as-needed"))
    channels.run(place, "migrate", "20", program=program,
                 TRAMMEL_CONFIG="runtime-profile(region.count,output=p.json,output.format=json)")
    rows = {path: row.get("Calls") for path, row in channels.rows_of(channels.read(place, "p.json")).items()
            if row.get("Calls")}
    wanted = {path.replace("task=", ""): count for path, count in migrated(20).items()}
    expect(rows == wanted, f"{rows}")
    channels.run(place, "wait", "200", program=program, TRAMMEL_SERVICES_ENABLE="event,timer,aggregate,recorder",
                 TRAMMEL_TIMER_INCLUSIVE_DURATION="true", TRAMMEL_RECORDER_FILENAME="w.json",
                 TRAMMEL_RECORDER_CONFIG="SELECT path, sum(sum#time.inclusive.duration.ns) AS ns GROUP BY path FORMAT json")
    rows = {row.get("path"): row.get("ns") for row in json.loads(channels.read(place, "w.json"))}
    expect(rows["waiting"] < 20e6 and rows["own"] > 190e6, f"{rows}")
    channels.run(place, "migrate", "20", program=program, TRAMMEL_SERVICES_ENABLE="event,aggregate,recorder",
                 TRAMMEL_AGGREGATE_KEY="task.number", TRAMMEL_RECORDER_FILENAME="n.json",
                 TRAMMEL_RECORDER_CONFIG="SELECT task.number, sum(count) AS n WHERE region=inner "
                                         "GROUP BY task.number FORMAT json")
    rows = {row["task.number"]: row["n"] for row in json.loads(channels.read(place, "n.json")) if row["n"]}
    expect(rows == {number: 20 for number in range(TASKS)}, f"{rows}")


TESTS = (migrate, wait, deep, measured)
