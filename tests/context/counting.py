"""What programs say is what profiles have."""

import os
import subprocess

from context.common import expect, text_of
from transparency import running

LEVELS = {f"regions/timestep/solve/level={level}": 1 for level in range(3)}
STEP = {"regions/timestep": 1, "regions/timestep/solve": 1, "regions/timestep/phase=output": 1,
        **LEVELS}


def scaled(counts, number):
    return {path: count * number for path, count in counts.items()}


def check_regions(place, program):
    profile = place.check("regions", "10", program=program)
    profile.expect_all({"regions": 1, **scaled(STEP, 10)})
    profile.expect_faults()
    metrics = {text_of(record): record for record in profile.metrics if "count#cells" in record}
    solve = metrics["regions/timestep/solve"]
    expect([solve[name + "#cells"] for name in ("count", "sum", "min", "max")]
           == [10, 1045, 100, 109], f"cells: {solve}")
    inner = metrics["regions/timestep/solve/level=2"]
    expect([inner[name + "#cells"] for name in ("count", "sum", "min", "max")]
           == [10, 70, 7, 7], f"cells of a level: {inner}")
    others = {name: value for record in profile.metrics for name, value in record.items()
              if name.endswith(("#residual", "#delta"))}
    wanted = {"count#residual": 10, "min#residual": 0.0, "max#residual": 0.9,
              "sum#residual": sum(0.1 * i for i in range(10)),
              "count#delta": 10, "sum#delta": 5, "min#delta": -4, "max#delta": 5}
    expect(others == wanted, f"metrics: {others}")
    expect([record["process.state"] for record in profile.processes] == ["exited 0"],
           f"processes: {profile.processes}")


def regions(place):
    for program in ("work", "work-nopie", "work-clang", "work-clang-nopie"):
        check_regions(place, program)


def scopes(place):
    """C++: exceptions end regions, and statics annotate before and after main."""
    for program in ("scopes", "scopes-clang"):
        profile = place.check(program=program)
        thrower = "main/step/" + "thrower/deeper/" * 3 + "thrower"
        parts = thrower.split("/")
        profile.expect_all({
            "main": 1, "main/step": 100, "main/step/caught": 100,
            **{"/".join(parts[:length]): 100 for length in range(3, len(parts) + 1)},
            "main/string=text": 1, "main/true=True": 1, "constructor": 1, "destructor": 1,
            "main/level=1": 1, "main/level=2": 1, "main/level=3": 1, "in lambda": 1})
        sums = [record["sum#weight"] for record in profile.metrics]
        expect(sums == [3.5], f"sum of weights: {sums}")


def trace(place):
    """The events of a run give the aggregates of the same run, and are in the order of time."""
    for words in (("regions", "100"), ("changes", "7"), ("threads-together", "80"), ("forks", "4"),
                  ("mismatches", "3"), ("contexts", "3000")):
        profile = place.check(*words, measure="trace")
        check_trace(profile, words)


def check_trace(profile, words, held=False):
    """The aggregates are what the trace says. `held`: but for times in which threads were held, which are
    there in the trace alone."""
    counts, times, current = {}, {}, {}
    last = {}
    for event in profile.events:
        image, now = event["image"], event["time.offset.ns"]
        expect(now >= last.get(image, 0), f"{words}: not in order: {event}")
        last[image] = now
        key = (image, event["thread"])
        if event["event"] == "set" and len(event) > 5:
            continue
        if key in current:
            path, since = current[key]
            times[key, path] = times.get((key, path), 0) + now - since
        path = event["path"]
        if event["event"] in ("begin", "set"):
            counts[key, path] = counts.get((key, path), 0) + 1
        current[key] = (path[:-1] if event["event"] == "end" else path, now)
    found = {((record["image"], record["thread"]), record["path"]): record
             for record in profile.paths if record["path"]}
    known = {key: record["count"] for key, record in found.items() if record["count"]}
    expect(counts == known, f"{words}: counts of the trace: {len(counts)}, of the aggregates: "
           f"{len(known)}: {[(k, counts.get(k), known.get(k)) for k in {*counts, *known} if counts.get(k) != known.get(k)][:3]}")
    for key, time in times.items():
        if key not in found:
            continue
        limit = 1000 + 2 * found[key]["count"]
        below = found[key]["time.ns"] - time
        below = below if held else abs(below)
        # What was current at the thread's end has the time from its last event, too.
        ending = current[key[0]][0] == key[1]
        expect(below <= limit or ending, f"{words}: time of {key}: {found[key]}, {time}")


def changes(place):
    """Values that are set while others are open in them."""
    profile = place.check("changes", "6")
    deep = "/".join(f"deep={depth}" for depth in range(100))
    profile.expect_faults()
    for path, count in (("rank=0", 4), ("rank=0/inside", 2), ("rank=1", 4), ("rank=2", 4),
                        (f"rank=0/inside/mode=fast/{deep}", 2), ("rank=7", 6),
                        (f"rank=7/inside/mode=fast/{deep}", 0)):
        found = profile.count(path)
        expect(found == count, f"{path[:40]}: {found}, not {count}")


def threads(place):
    """A thousand, one after the other; each is told apart, and its memory is used again."""
    profile = place.check("threads", "1000")
    profile.expect_all({"thread": 1000, "thread/part": 3000})
    known = {record["thread"] for record in profile.paths if record["path"]}
    expect(len(known) == 1000, f"{len(known)} threads are told apart")
    profile = place.check("threads-together", "400")
    profile.expect_all({"thread": 400, "thread/part": 1200})


def threads_wide(place):
    """Contexts take several blocks, which the next threads take again."""
    profile = place.check("threads-wide", "40")
    profile.expect_all({f"place={number}": 40 if number < 3 else 20 for number in range(500)})


def threads_end_apart(place):
    """Intervals end while threads pass on what they have."""
    profile = place.check("threads-wide", "200", options=["--interval", "1ms"])
    profile.expect_all({f"place={number}": 200 if number < 3 else 100 for number in range(500)})


def threads_many(place):
    """More than are told apart: the others are together."""
    profile = place.check("threads", "5000")
    profile.expect_all({"thread": 5000, "thread/part": 15000})
    together = [record["count"] for record in profile.paths
                if record["path"] == (("region", "thread"),) and "thread" not in record]
    expect(together == [5000 - 4096], f"counts of threads without a number: {together}")


def thread_destructors(place):
    profile = place.check("thread-destructors", "50")
    profile.expect_all({"thread": 50, "late": 150})


def libraries(place):
    profile = place.check("libraries", "20")
    profile.expect_all({"loading": 20, "loading/plugin": 20,
                        "loading/plugin/of plugin=value": 20})


def attributes(place):
    profile = place.check("attributes", "10000")
    profile.expect_all({f"attribute {number}=1": 3 for number in range(10000)})


def contexts(place):
    """A million of them."""
    done = place.run("contexts", "1000000")
    expect(done.status == 0, f"{done}")
    out = subprocess.run([place.tool, "report", "--no-pager", "--all", place.profile], check=True,
                         capture_output=True).stdout
    lines = [line for line in out.split(b"\n") if b"number=" in line]
    expect(len(lines) == 1000000, f"{len(lines)} contexts")
    expect(all(line.split()[0] == b"2" for line in lines), "their counts are not 2")


def strings(place):
    profile = place.check("strings")
    values = [record["path"][0] for record in profile.paths if record["path"]]
    wanted = [("text", "\xe4\u20ac\U0001f600 \"quoted\"\t\\"), ("\xf6\u2192", "")]
    wanted += [("text", "x" * 10 ** digits) for digits in range(1, 7)]
    wanted += [("double", value) for value in (0.1, 1e300, -5e-324, 3.141592653589793, 1 / 3)]
    wanted += [("int", -2 ** 63), ("uint", 2 ** 64 - 1), ("bool", True)]
    wrong = [value for value in {*values} ^ {*wanted} if len(str(value)) < 1000]
    expect(not wrong and len(values) == len(wanted), f"{wrong}")


def places(place):
    """Each text is told apart, also where another one was at its place before."""
    for count in (3, 1000):
        place.check("places", str(count)).expect_all(
            {f"text=name {number}{inner}": 2 if inner else 4 for number in range(count) for inner in ("", "/text=inner")})


def collisions(place):
    """Names that profiles have a meaning for get the type behind them."""
    profile = place.check("collisions")
    profile.expect_all({"image.string=mine": 1, "image.string=mine/thread.int=5": 1,
                        "image.string=mine/thread.int=5/count.double=2.5": 1,
                        "image.string=mine/thread.int=5/count.double=2.5/time.ns.uint=1": 1,
                        "image.string=mine/thread.int=5/count.double=2.5/time.ns.uint=1/event.int=3": 1})


def with_functions(place):
    """Regions beside what else is counted."""
    done = place.run("regions", "10", measure="functions,regions")
    expect(done.status == 0 and not done.stderr, f"{done}")
    place.read().expect_all({"regions": 1, **scaled(STEP, 10)})


def alone(place):
    """Without trammel: the library preloaded, and a variable that says what to record."""
    environment = {**place.environment(), "LD_PRELOAD": place.library,
                   "TRAMMEL_CONTEXT": "regions", "TRAMMEL_OUTPUT": place.profile}
    done = running.run([os.path.join(place.programs, "work"), "regions", "10"], place.folder,
                       environment=environment)
    expect(done.status == 0 and not done.stderr, f"{done}")
    place.read().expect_all({"regions": 1, **scaled(STEP, 10)})


TESTS = (regions, scopes, trace, changes, threads, threads_wide, threads_end_apart, threads_many, thread_destructors,
         libraries, attributes, contexts, strings, places, collisions, with_functions, alone)
