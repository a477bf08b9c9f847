"""More of the compatible interface: what interface.cc does with it."""

import os
import re

from context import channels, common
from context.common import expect


def run(place, word, **variables):
    program = channels.build(place, os.path.join(common.FOLDER, "interface.cc"), ("g++", "-std=c++11", "-O2"))
    return channels.run(place, word, program=program, **variables)


def given(place):
    """Values of one snapshot: no other one has them, and no other channel."""
    done = run(place, "given")
    expect(not done.stdout and not done.stderr, f"{done}")
    told = [(row.get("path"), row.get("kind"), row.get("level"), row.get("cells"))
            for row in channels.query(place, "traced.cali", "SELECT *") if "cells" in row]
    expect(told == [("outer", "full", 7, 40), ("outer", None, 3, 2)], f"{told}")
    rows = channels.query(place, "events.cali", "SELECT *")
    (row,) = [row for row in rows if "cells" in row]
    expect((row["path"], row["kind"], row["level"], row["cells"]) == ("outer", "full", 7, 40), f"{rows}")
    (row,) = [row for row in rows if "event.end#region" in row]
    expect(row["level"] == 3 and "kind" not in row, f"{rows}")
    rows = channels.query(place, "sums.cali", "SELECT kind, sum(sum#cells) AS cells GROUP BY kind")
    expect({row.get("kind"): row.get("cells") for row in rows} == {"full": 40, None: 2}, f"{rows}")


def managers(place):
    """Channels of managers, and words between configurations that are not theirs."""
    done = run(place, "managers")
    expect(not done.stdout and not done.stderr, f"{done}")
    rows = channels.rows_of(channels.read(place, "parsed.json"))
    expect(rows["parsed"]["Calls"] == 1, f"{rows}")


def streams(place):
    """Streams, messages, and what entries refer to."""
    done = run(place, "streams", CALI_LOG_VERBOSITY="1", CALI_LOG_LOGFILE="stdout")
    expect(done.stdout == b"== CALIPER: said\n== CALIPER: file: No such file or directory\n" and not done.stderr,
           f"{done}")
    expect(channels.read(place, "text") == "bc", "a file is added to")


def events(place):
    """Callbacks at what is no region: one channel ends in the program, one with it."""
    done = run(place, "events")
    first, second = done.stdout.decode().splitlines()
    expect(not done.stderr and second == "finish:told ", f"{done}")
    words = first.split()
    expect(words[:4] == ["init:told", "made:new", "thread:told", "end:told"] and words[4] == "init:told"
           and sorted(words[5:9]) == ["end:told", "end:told", "thread:told", "thread:told"]
           and words[9:] == ["finish:told"], f"{words}")


def process(place):
    """Values of the process are those of all threads."""
    done = run(place, "process")
    expect(not done.stdout and not done.stderr, f"{done}")
    told = {row["event.end#region"]: (row.get("cycle"), row.get("mode"), row.get("own"))
            for row in channels.query(place, "process.cali", "SELECT *") if "event.end#region" in row}
    expect(told == {"first": (1, "fast", None), "second": (2, "fast", 5), "third": (2, None, None)}, f"{told}")


def quiet(place):
    """Values whose events make no snapshot, also since nothing makes any at events."""
    done = run(place, "quiet")
    expect(not done.stdout and not done.stderr, f"{done}")
    told = [(row.get("level"), row.get("cells"), [name for name in row if name.startswith("event.")])
            for row in channels.query(place, "quiet.cali", "SELECT *") if "path" in row]
    expect(told == [(1, 40, ["event.begin#region"]), (2, 2, ["event.set#loud"]), (2, 2, ["event.end#region"]),
                    (None, 2, ["event.end#region"])], f"{told}")
    kinds = {row.get("kind") for row in channels.query(place, "quiet.cali", "SELECT *") if "path" in row}
    expect(kinds == {"double"}, f"{kinds}")
    told = [(row.get("path"), row.get("level"), row.get("cells"), row.get("loud"))
            for row in channels.query(place, "pushed.cali", "SELECT *")]
    expect(told[:2] == [("outer", 2, 2, 7), (None, None, 2, 7)], f"{told}")
    rows = channels.query(place, "summed.cali", "SELECT path, sum(sum#cells) AS cells GROUP BY path")
    expect({row.get("path"): row["cells"] for row in rows if "cells" in row} == {"outer": 40, "outer/inner": 2}, f"{rows}")


def validator(place):
    """Regions that nobody ended, in the program's threads, and ends that do not fit; or that all is right."""
    said = {word: run(place, word, CALI_SERVICES_ENABLE="validator").stderr.decode().splitlines()
            for word in ("closed", "unclosed", "crossed")}
    front = "'default': validator: "
    expect(said["closed"] == [], f"{said}")
    expect(said["unclosed"] == [f"trammel: warning: {front}{text}" for text in (
        "Regions not closed: region=thread", "Regions not closed: region=outer/inner",
        "Annotation nesting errors found")], f"{said}")
    expect(said["crossed"][0] == f"trammel: warning: {front}Annotation nesting errors found"
           and "end of region=outer while" in said["crossed"][1], f"{said}")
    log = {"CALI_SERVICES_ENABLE": "validator", "CALI_LOG_VERBOSITY": "1"}
    line = f"== CALIPER: {front}No annotation nesting errors found"
    expect(line in run(place, "closed", **log).stderr.decode().splitlines(), "verbosity")
    lines = run(place, "closed", CALI_LOG_VERBOSITY="2").stderr.decode().splitlines()
    expect([any(re.fullmatch(line, said) for said in lines) for line in (
        "== CALIPER: Process blackboard: [0-9]+ entries.", "== CALIPER: Releasing Caliper thread data: ",
        "  Metadata tree: [1-9][0-9]* blocks, [1-9][0-9]* nodes", "   Metadata memory pool: 2 MiB reserved, [0-9.]+ KiB used",
        "  Thread blackboard: [0-9]+ entries.")] == [True] * 5, f"{lines}")
    for where, errors in (("stdout", b""), ("none", b""), ("v.log", b"")):
        done = run(place, "unclosed", **log, CALI_LOG_LOGFILE=where)
        text = channels.read(place, where) if where == "v.log" else done.stdout.decode()
        expect(done.stderr == errors and ("Regions not closed: region=thread" in text) == (where != "none"), f"{where}: {done}")
    done = run(place, "closed", CALI_LOG_LOGFILE="/proc/no/such.log", CALI_SERVICES_ENABLE="valdator")
    expect(b"cannot write the log '/proc/no/such.log'" in done.stderr and b"did you mean 'validator'?" in done.stderr, f"{done}")


def asked(place):
    """A query over a channel, into a stream; nothing else is written. Attributes, globals."""
    done = run(place, "asked")
    expect(not done.stdout and not done.stderr, f"{done}")
    expect(len(channels.query(place, "asked.cali", "SELECT * WHERE path")) == 0, "it was cleared")


def about(place):
    done = run(place, "about")
    expect(not done.stdout and not done.stderr, f"{done}")


def variants(place):
    done = run(place, "variants")
    expect(not done.stdout and not done.stderr, f"{done}")


def sets(place):
    """The first value of an attribute is set, and ends none; odd texts are what they were."""
    done = run(place, "sets")
    expect(not done.stdout and not done.stderr, f"{done}")
    events = [(name, row[name]) for row in channels.query(place, "sets.cali", "SELECT *")
              for name in row if name.startswith("event.")]
    odd = ' =\\odd ""name"=  '
    expect(events == [(f"event.set#{odd}", ' \\ a,"b",'), ("event.set#line", "one:\ntwo"), ("event.set#line", "three"),
                      ("event.begin#region", "outer"), ("event.set#step", 1), ("event.set#step", 2),
                      ("event.end#step", 2), ("event.end#region", "outer")], f"{events}")
    last = channels.query(place, "sets.cali", "SELECT *")[-1]
    expect((last[odd], last["line"]) == (' \\ a,"b",', "three") and "step" not in last, f"{last}")
    rows = channels.query(place, "setsums.cali", "SELECT path, sum(region.count) AS n GROUP BY path")
    expect({row.get("path"): row.get("n") for row in rows if row.get("n")} == {"outer": 1, "outer/2": 1}, f"{rows}")
    told = {name: row["count"] for row in channels.query(place, "setsums.cali", "SELECT *") for name in row
            if name.startswith("event.set#")}
    expect(told == {f"event.set#{odd}": 1, "event.set#line": 1, "event.set#step": 1}, f"{told}")


def files(place):
    """Calls that read and write, and where the files lie."""
    done = run(place, "files")
    expect(not done.stdout and not done.stderr, f"{done}")
    mounts = [line.split() for line in open("/proc/self/mountinfo", encoding="utf-8")]
    device = os.stat(os.path.realpath(place.folder)).st_dev
    (mount,) = [line for line in mounts if line[2] == f"{os.major(device)}:{os.minor(device)}"][:1]
    there = mount[4], mount[mount.index("-") + 1]
    rows = channels.query(place, "files.cali", "SELECT *")
    told = [(row["io.region"], row["io.mount.point"], row["io.filesystem"], row["io.bytes.read"], row["io.bytes.written"])
            for row in rows if "io.region" in row]
    expect(told == [("read", *there, 16, 0), ("write", "unknown", "unknown", 0, 3), ("read", *there, 2, 0)]
           and all(row["path"] == "outer" for row in rows if "io.region" in row), f"{rows}")
    expect("io.region" not in channels.read(place, "nofiles.cali") + channels.read(place, "sumfiles.cali"), "others")


def owned(place):
    """Values of a channel are in its events and globals alone."""
    done = run(place, "owned")
    expect(not done.stdout and not done.stderr, f"{done}")
    told = [(name, row[name]) for row in channels.query(place, "owned.cali", "SELECT *")
            for name in row if name.startswith("event.")]
    expect(told == [("event.begin#local", 1), ("event.begin#local", 2), ("event.set#local", 3), ("event.begin#region", "outer"),
                    ("event.end#region", "outer"), ("event.end#local", 3), ("event.end#local", 1),
                     ("event.set#run", "mine")], f"{told}")
    expect(channels.query_globals(place, "owned.cali")["run"] == "mine", "a global of the channel")
    other = channels.read(place, "notowned.cali")
    expect("local" not in other and "mine" not in other, other)


TESTS = (asked, about, variants, validator, quiet, given, managers, streams, events, process, sets, files, owned)
