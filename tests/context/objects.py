"""Objects of the compatible interface: what objects.cc does with nodes, records and controllers."""

import os

from context import channels, common
from context.common import expect
from transparency import running


def everything(place):
    """Nodes and paths; snapshots and memory by callbacks; records that are changed; controllers of configurations."""
    program = channels.build(place, os.path.join(common.FOLDER, "objects.cc"), ("g++", "-std=c++11", "-O1"))
    for word, printed in (("nodes", b""), ("snapshots", b""), ("records", b""), ("controllers", b"flushed own\n"),
                          ("ended", b"")):
        done = running.run([program, word], place.folder, timeout=60, environment=place.environment())
        expect(done.status == 0 and done.stdout == printed and not done.stderr, f"{word}: {done}")
    for name in ("edited.cali", "copied.cali"):
        rows = channels.query(place, name, "SELECT *")
        expect(all(row["kind"] == "new" for row in rows) and [row["mark"] for row in rows if "mark" in row] == [49]
               and {row.get("path") for row in rows} >= {"outer", "outer/inner", None}, f"{name}: {rows}")
    expect(channels.read(place, "of-edited-") == "x", "a file's name")
    (row,) = [row for row in channels.query(place, "own.cali", "SELECT *") if row.get("path") == "outer"]
    expect("sum#time.duration.ns" in row, f"{row}")
    expect("opts:width" in channels.read(place, "own.cali"), "options are metadata")
    expect(len([row for row in channels.query(place, "ended.cali", "SELECT *") if row.get("path") == "outer"]) == 1,
           "a channel that was ended")
    told = [(next((name for name in row if name.startswith("event.")), "push"), row.get("path"), row.get("work"), row.get("note"))
            for row in channels.query(place, "added.cali", "SELECT *")]
    expect(told == [("event.begin#region", None, 1, "a note"), ("push", "outer", 2, "a note"),
                    ("event.set#value", "outer", 3, "a note"), ("event.end#region", "outer", 4, "a note"), ("push", None, None, None)], f"{told}")
    rows = channels.query(place, "addedsums.cali", "SELECT path, sum(sum#work) AS work GROUP BY path")
    expect({row.get("path"): row["work"] for row in rows if row.get("work")} == {None: 1, "outer": 5}, f"{rows}")
    expect("work" not in channels.read(place, "notadded.cali"), "another channel")


def queries(place):
    """Queries by their fields; sums, formats, LET and WHERE by themselves."""
    program = channels.build(place, os.path.join(common.FOLDER, "queries.cc"), ("g++", "-std=c++11", "-O1"))
    done = running.run([program], place.folder, timeout=60, environment=place.environment())
    expect(done.status == 0 and not done.stdout and not done.stderr, f"{done}")


TESTS = (everything, queries)
