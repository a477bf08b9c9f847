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


TESTS = (taken, refused, heap, loops)
