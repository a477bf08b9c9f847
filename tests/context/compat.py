"""Programs as they are written for the peer (compat.c): right is what the peer does."""

import json
import os
import subprocess

from context import channels, common
from context.common import expect


def program(place):
    return channels.build(place, os.path.join(common.FOLDER, "compat.c"))


def run(place, *words, **variables):
    return channels.run(place, *words, program=program(place), **variables)


def errors(place, *lines, default=""):
    """What each of the configurations says that is wrong; "": nothing."""
    done = subprocess.run([program(place), "configurations", default], cwd=place.folder, text=True, check=True,
                          input="".join(line + "\n" for line in lines), capture_output=True,
                          env={**os.environ, **place.environment()})
    said = [line[2:] for line in done.stdout.splitlines()]
    expect(len(said) == len(lines), f"{done}")
    return dict(zip(lines, said))


def taken(place):
    """Options that the peer's documentation has, and ways to write them."""
    lines = ["runtime-report,calc.inclusive", "runtime-report(calc.inclusive=true)",
             'runtime-profile(cross_query="select max(sum#time.duration.ns)")', "runtime-profile(use.mpi)",
             "runtime-report(aggregate_across_ranks)", "runtime-report (region.count=true), output=none",
             'runtime-profile(output="a(b),c\\"d=e.json",region.count)', "  ", "", "runtime-report ( output = none )",
             *(f"loop-report({name})" for name in (
                 "region.count", "region.stats", "alloc.stats", "node.order", "loop.stats", "async_events",
                 "io.read.bandwidth", "io.write.bandwidth", 'local_query="let x=first(a)"'))]
    for default in ("", "all", "one"):
        wrong = {line: text for line, text in errors(place, *lines, default=default).items() if text}
        expect(not wrong, f"{default}: {wrong}")


def refused(place):
    """The same texts as the peer's."""
    wanted = {"foo": "Unknown config or parameter: foo", "event-trace(foo)": "Unknown option: foo",
              "event-trace(output=)": 'Expected value after "output=" at =)', "event-trace(output=none": "Expected ')'",
              "event-trace,": "Unknown config or parameter: ", "event-trace,,output=none": "Unknown config or parameter: ",
              "event-trace,output=": 'Expected value after "output=" at =',
              "runtime-report(region.count=bla)": 'Invalid value "bla" for region.count',
              "sample-report(loop.stats)": ""}
    said = errors(place, *wanted)
    expect(said == wanted, f"{said}")


def heap(place):
    """What was taken before the channel, or while it rested, is not its; the largest block."""
    done = run(place, "heap", f"runtime-profile(output=stdout,{channels.JSON},alloc.stats)")
    rows = channels.rows_of(done.stdout)

    def near(path, name, size):
        expect(size <= rows[path][name] <= size + 64, f"{path}: {name}: {rows}")

    near("work", "Mem HWM", 7000)
    near("work", "Max Bytes/alloc", 4000)
    near("work/inner", "Mem HWM", 7000)
    near("again", "Mem HWM", 90000)
    near("again", "Max Bytes/alloc", 90000)
    expect(rows["again"]["Alloc count"] == 1 and "Max Bytes/alloc" not in rows["work/inner"], f"{rows}")


def loops(place):
    """Tables of loops have columns for metrics of regions, too, empty where there is nothing."""
    done = run(place, "loop", f"loop-report(output=stdout,iteration_interval=4,alloc.stats,region.count,{channels.JSON})")
    first, rest = done.stdout.split(b"\n", 1)
    (row,) = json.loads(rest)
    expect(first == b"0 " and row["Alloc count"] == 8 and 35000 <= row["Max Bytes/alloc"] < 35064
           and "Calls (total)" not in row, f"{done}")


def trace(place):
    """Records have what was said of the run so far; attributes have properties, and what is said of them."""
    run(place, "trace", "event-trace(output=t.cali)")
    asked = [os.path.join(os.path.dirname(place.tool), "cali-query"), "t.cali"]
    text = subprocess.run([*asked, "-e"], cwd=place.folder, capture_output=True, check=True, text=True).stdout
    rows = [dict(field.split("=", 1) for field in line.split(",")) for line in text.splitlines()]
    told = [(row.get("early"), row.get("shared"), row.get("job")) for row in rows if "event.end#region" in row
            or "event.end#coarse" in row or "event.end#loop" in row]
    expect(told == [("3", "77", None), ("3", "77", "one"), ("3", "77", "two")], f"{told}")
    expect([row.get("thread") for row in rows if "event.set#thread" in row or "event.end#coarse" in row]
           == [None, "mine", "text"], f"{rows}")
    text = channels.read(place, "t.cali")
    expect("\0" not in text and "trm.thread" not in text and "thread.string" not in text, text)
    done = subprocess.run([*asked, "-j", "--list-attributes"], cwd=place.folder, capture_output=True, check=True)
    found = {row["cali.attribute.name"]: row for row in json.loads(done.stdout)}
    properties = {name: int(found[name]["cali.attribute.prop"]) for name in (
        "early", "job", "shared", "coarse", "event.end#coarse", "event.set#thread", "time.offset.ns", "time.duration.ns",
        "region.count", "class.iteration")}
    expect(properties == {"early": 1612, "job": 1612, "shared": 13, "coarse": 131348, "event.end#coarse": 131156,
                          "event.set#thread": 1108, "time.offset.ns": 85, "time.duration.ns": 2133, "region.count": 2133,
                          "class.iteration": 84}, f"{properties}")
    expect(found["time.offset.ns"]["time.unit"] == "nsec" == found["time.duration.ns"]["time.unit"]
           and found["iteration#turns"]["class.iteration"] in (True, "true"), f"{found}")


def waiting(place):
    """Samples are of all time, also of what waits; of processor time if that is asked for."""
    config = f"sample-report(output=stdout,aggregate_across_ranks=false,{channels.JSON})"
    first, rest = run(place, "waiting", config).stdout.split(b"\n", 1)
    expect(first == b"0" and channels.rows_of(rest)["waits"]["Samples"] >= 66, f"{rest}")
    _, rest = run(place, "waiting", config.replace("(", "(sample.clock=cpu,")).stdout.split(b"\n", 1)
    expect("waits" not in channels.rows_of(rest), f"{rest}")


def blocks(place):
    """Blocks of the heap are known by the functions that made them; each comes and goes once."""
    services = {"CALI_RECORDER_FILENAME": "b.cali", "CALI_ALLOC_RESOLVE_ADDRESSES": "true"}

    def told(names):
        run(place, "blocks", **services, CALI_SERVICES_ENABLE=names)
        return channels.query(place, "b.cali", "SELECT *")

    rows = told("alloc:recorder:sysalloc:trace")
    found = {name: (row.get("alloc.label#in"), row.get("alloc.index#in"), "alloc.label#out" in row) for row in rows if "in" in row
             for name in row if name in ("malloc.last", "realloc.first", "named", "unnamed", "freed", "calloc.last")}
    expect(found == {"malloc.last": ("malloc", 167, False), "realloc.first": ("realloc", 0, False), "named": ("mine", 9, False),
                     "unnamed": ("realloc", 9, False), "freed": (None, None, False), "calloc.last": ("calloc", 41, False)}, f"{found}")
    made, gone = ({row["alloc.uid"]: row["alloc.total_size"] for row in rows if name in row} for name in ("mem.alloc", "mem.free"))
    expect(len(made) > 15000 and set(gone) <= set(made) and all(made[uid] == -size for uid, size in gone.items())
           and len(made) - len(gone) < 20, f"{len(made)} {len(gone)}")
    rows = told("alloc:recorder:trace")
    expect([row["mem.alloc"] for row in rows if "mem.alloc" in row] == ["mine"], "blocks of a channel without sysalloc")
    expect(not any("mem.alloc" in row for row in told("sysalloc:recorder:trace")), "sysalloc alone")


def sums(place):
    """Channels of services tell contexts apart by what happens to what is in the tree; configurations do not."""
    services = {"CALI_SERVICES_ENABLE": "event,aggregate,recorder", "CALI_RECORDER_FILENAME": "sums.cali"}

    def told(config="", **variables):
        run(place, "sums", config, **{**services, **variables})
        asked = [os.path.join(os.path.dirname(place.tool), "cali-query"), "sums.cali", "-e"]
        text = subprocess.run(asked, cwd=place.folder, capture_output=True, check=True, text=True).stdout
        rows = [dict(field.split("=", 1) for field in line.split(",")) for line in text.splitlines()]
        os.unlink(os.path.join(place.folder, "sums.cali"))
        return {tuple(sorted((name, text) for name, text in row.items() if name in ("region", "step", "state", "value")
                             or name.startswith("event."))): (row["count"], row.get("region.count")) for row in rows}

    outer, inner, state = ("region", "outer"), ("region", "outer/inner"), ("state", "7")
    wanted = {(("event.begin#region", "outer"),): ("1", None), (outer,): ("1", None),
              (("event.set#step", "1"), outer): ("1", None), (("event.set#step", "2"), outer, ("step", "1")): ("1", None),
              (("event.end#step", "2"), outer, ("step", "2")): ("1", "1"), (("event.begin#state", "7"), outer): ("1", None),
              (("event.begin#region", "inner"), outer, state): ("3", None),
              (("event.end#region", "inner"), inner, state): ("3", "3"),
              (("event.end#state", "7"), outer, state): ("1", None), (("event.end#region", "outer"), outer): ("1", "1")}
    got = told()
    got.pop((), None)  # what was before the first region and behind the last one
    expect(got == wanted, f"{got}")
    keyed = told(CALI_AGGREGATE_KEY="value")
    expect((("event.begin#region", "inner"), outer, state, ("value", "5")) in keyed
           and (("event.set#step", "1"), outer) in keyed, f"{keyed}")
    plain = told(CALI_EVENT_ENABLE_SNAPSHOT_INFO="false")
    plain.pop((), None)
    expect(plain == {(outer,): ("4", "1"), (outer, ("step", "1")): ("1", "0"), (outer, ("step", "2")): ("1", "1"),
                     (outer, state): ("4", None), (inner, state): ("3", "3")}, f"{plain}")
    for config in ("runtime-profile(output=p.cali,output.format=cali)", "spot(output=p.cali)"):
        run(place, "sums", config)
        expect("event.begin#" not in channels.read(place, "p.cali"), config)


TESTS = (taken, refused, heap, loops, trace, blocks, sums, waiting)
