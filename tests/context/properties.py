"""What properties and types of attributes mean: in profiles of runs, and of channels."""

import json
import os
import re
import subprocess

from context.channels import query, read, run
from context.common import expect

TYPE = "%d event%s lost: a value that the type of its attribute cannot hold"
NAME = "%d event%s lost: the name of the attribute is empty or longer than 4,000 bytes"
WRONG = "sums of values that the program set are wrong: 64 bits did not hold them"

GAPS = "SELECT min(min#gap) AS a, max(max#gap) AS b WHERE count#gap GROUP BY () FORMAT json"


def check(place, word, measure="regions"):
    return place.check(word, program="properties", measure=measure)


def channel(place, word, config):
    """What a channel writes of the program, and what is said."""
    done = run(place, word, program=place.programs + "/properties", LD_PRELOAD=place.library,
               TRAMMEL_CONFIG=config)
    return done.stdout.decode(), done.stderr.decode()


def sums_of(profile, name):
    return [tuple(record[form + name] for form in ("count#", "sum#", "min#", "max#"))
            for record in profile.metrics if "count#" + name in record]


def values(place):
    """A value that its type cannot hold is lost and counted, never another one."""
    profile = check(place, "values")
    profile.expect_faults(TYPE % (7, "s"))
    top = 2 ** 63
    expect(sums_of(profile, "whole") == [(2, top + 1, 2, top - 1)], f"{profile.metrics}")
    expect(sums_of(profile, "number") == [(2, 7 - top, -top, 7)], f"{profile.metrics}")
    expect(sums_of(profile, "truth") == [(3, 2, False, True)], f"{profile.metrics}")
    profile.expect_all({"values": 1, "values/level=3": 1})
    text, said = channel(place, "values", "runtime-profile(output=p.json,output.format=json)")
    expect(not text and said == f"trammel: warning: {TYPE % (7, 's')}\n", f"{said}")


def missing(place):
    """A NaN is the least or the most only where there is nothing else."""
    profile = check(place, "missing")
    found = [(count, least, most) for count, _, least, most in sums_of(profile, "gap")]
    expect((4, -2.5, 1.5) in found and (1, 3, 3) in found and found.count((1, "nan", "nan")) == 2, f"{found}")
    expect([str(least).lower() for _, _, least, _ in sums_of(profile, "none")] == ["nan"], f"{profile.metrics}")
    done = run(place, "missing", program=place.programs + "/properties", LD_PRELOAD=place.library,
               TRAMMEL_SERVICES_ENABLE="event,aggregate,report", CALI_REPORT_CONFIG=GAPS)
    expect(json.loads(done.stdout) == [{"a": -2.5, "b": 3}], f"{done}")


def silent(place):
    """Of what is preloaded, only what says something, or is sampled, writes a file."""
    for config, wanted in (("runtime-profile(output=silent.trm)", False), ("event-trace(output=silent.trm)", False),
                           ("sample-report(output=silent.trm)", True)):
        run(place, program="/bin/true", LD_PRELOAD=place.library, TRAMMEL_CONFIG=config)
        found = os.path.exists(os.path.join(place.folder, "silent.trm"))
        expect(found == wanted, f"{config}: {os.listdir(place.folder)}")
    os.remove(os.path.join(place.folder, "silent.trm"))
    run(place, "-c", f"{place.programs}/properties hidden; /bin/true; exit 0", program="/bin/bash",
        LD_PRELOAD=place.library, TRAMMEL_CONFIG="runtime-profile(region.count,output=silent.trm)")
    paths = {row.get("path") for row in query(place, "silent.trm", "SELECT path")}
    expect("outer" in paths, f"{paths}")


def overflows(place):
    profile = check(place, "overflows")
    profile.expect_faults(WRONG)
    _, said = channel(place, "overflows", "runtime-report(output=none)")
    expect(WRONG in said, said)


def texts(place):
    profile = check(place, "texts")
    profile.expect_all({"texts": 1})
    expect(not profile.metrics, f"{profile.metrics}")


def run_globals(place):
    """In each profile, and in no path."""
    wanted = {"input": "caf\u00e9", "size": -8}
    for measure in ("regions", "regions,trace"):
        profile = check(place, "globals", measure)
        profile.expect_all({"globals": 1})
        expect({name: value for name, value in profile.globals.items()
                if name in ("input", "size", "gone")} == wanted, f"{profile.globals}")
    text, _ = channel(place, "globals", "runtime-report(output=stdout,output.format=json-split)")
    found = json.loads(text)
    expect(found["input"] == "caf\u00e9" and found["size"] == "-8" and "gone" not in found, text)


def hidden(place):
    """What is hidden is in no profile; its time is that of what it is in, which is entered no oftener."""
    wanted = {"outer": 1, "outer/in it": 5, "outer/beside it": 5}
    for measure in ("regions", "regions,trace"):
        profile = check(place, "hidden", measure)
        profile.expect_all(wanted)
        expect(not profile.metrics, f"{profile.metrics}")
        names = {name for event in profile.events for name in event}
        expect(not names & {"inner", "value", "sum"}, f"{names}")
        expect(len(profile.events) == (22 if "trace" in measure else 0), f"{len(profile.events)} events")
    text, _ = channel(place, "hidden", "runtime-report(region.count,output=stdout,output.format=json)")
    counts = {row["path"]: row["Calls"] for row in json.loads(text) if "path" in row}
    expect(counts == wanted, text)
    channel(place, "hidden", "event-trace(output=t.json,output.format=json)")
    rows = json.loads(read(place, "t.json"))
    expect(not [name for row in rows for name in row if name.endswith(("inner", "value", "sum"))], f"{rows[:3]}")
    expect(sum(row.get("region.count", 0) for row in rows) == 11, "ends of regions")


def kinds(place):
    """Values of all types, as text."""
    check(place, "kinds")
    found = query(place, place.profile, "SELECT path, sum(count) GROUP BY path")
    expect(found[-1] == {"path": "6100ff/0xbeef/double", "sum#count": 1}, f"{found}")


def names(place):
    """Some cannot be stored; what has them is lost and counted, and the rest is there."""
    profile = check(place, "names")
    profile.expect_faults(NAME % (6, "s"))
    counts = profile.counts()
    expect(counts.pop("names") == 1 and sorted(counts.values()) == [1, 1, 1], f"{list(counts.values())}")


def many(place):
    """20,000 metrics have 80,000 sums and more."""
    profile = check(place, "many")
    profile.expect_faults()
    expect(len(profile.metrics) == 20000, f"{len(profile.metrics)} metrics")


def deep(place):
    """A region whose surroundings have no records is below all of them; reports end at 1,024 levels."""
    done = place.run("deep", program="properties")
    expect(done.status == 0, f"{done}")
    found = query(place, place.profile, "SELECT max(time), count() GROUP BY ()")
    expect(found[0]["count"] > 5000, f"{found}")
    innermost = os.path.join(place.folder, "innermost.cali")
    with open(innermost, "wb") as file:
        subprocess.run([place.tool, "query", "WHERE time > 15000000 FORMAT cali", place.profile], stdout=file, check=True)
    report = subprocess.run([place.tool, "report", "--no-pager", "--all", innermost], capture_output=True, text=True,
                            check=True).stdout
    regions = re.findall(r"depth=\d+", report)
    expect(regions == [f"depth={number}" for number in range(1024)], f"{len(regions)} regions: {regions[:3]}")


TESTS = (values, missing, silent, overflows, texts, run_globals, hidden, kinds, names, many, deep)
