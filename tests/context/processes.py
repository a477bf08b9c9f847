"""fork, exec, and processes that end at any moment."""

import os
import signal
import subprocess
import time

from context.common import expect
from context.counting import STEP, scaled
from transparency import trammel

CHILD = {"in child": 1, "in child/new in child=1": 1}


def below(path, counts):
    return {f"{path}/{name}": count for name, count in counts.items()}


def in_image(profile, number):
    found = {}
    for record in profile.paths:
        if record["image"] == number and record["path"] and record["count"]:
            path = "/".join(f"{value}" if name in ("region", "loop") else f"{name}={value}"
                            for name, value in record["path"])
            found[path] = found.get(path, 0) + record["count"]
    return found


def expect_children(profile, number, wanted):
    parents = [record["process"] for record in profile.processes]
    children = [record for record in profile.processes[1:]
                if record["process.parent"] == parents[0]]
    expect(len(children) == number, f"{len(children)} children, not {number}")
    for child in children:
        found = in_image(profile, child["image"])
        expect(found == wanted, f"child: {found}, not {wanted}")


def forks(place):
    """Children have spools of their own, and begin where their parent was."""
    profile = place.check("forks", "5")
    profile.expect_faults()
    expect_children(profile, 5, below("outer=o/forking", CHILD))
    first = in_image(profile, profile.processes[0]["image"])
    expect(len(first) == 20002 and first["outer=o"] == 1 and first["outer=o/forking"] == 5
           and all(first[f"outer=o/many=after {i}"] == 1 for i in range(20000)),
           f"the parent has {len(first)} paths")


def raw_forks(place):
    """By system call: seen where it goes through libc; else the child begins at the root."""
    profile = place.check("raw-fork")
    profile.expect_faults()
    expect_children(profile, 2, below("outer=o", CHILD))
    profile = place.check("raw-fork-inline")
    profile.expect_faults()
    expect_children(profile, 1, CHILD)


def fork_deep(place):
    profile = place.check("fork-deep", "4")
    profile.expect_all({"outer=o": 1, **below("outer=o", CHILD)})
    expect(len(profile.processes) == 2, f"{profile.processes}")


def vforks(place):
    profile = place.check("vforks", "5")
    profile.expect_all({"vforking": 5, "regions": 5, **scaled(STEP, 5)})
    expect(len(profile.processes) == 6, f"{len(profile.processes)} processes")


def execs(place):
    profile = place.check("execs", "6")
    states = [record["process.state"] for record in profile.processes]
    expect(states == ["exec"] * 6 + ["exited 0"], f"{states}")
    profile.expect_all({"before exec": 6, "regions": 1, **scaled(STEP, 2)})


def lives_on(place):
    """What a child says after the first process ended is in the profile once it ended, too."""
    done = place.run("lives-on", "7", measure="regions,functions")
    expect(done.status == 0, f"{done}")
    end = time.monotonic() + 30
    while os.listdir(place.spools) and time.monotonic() < end:
        time.sleep(0.02)
    expect(not os.listdir(place.spools), f"left behind: {os.listdir(place.spools)}")
    profile = place.read()
    profile.expect_faults()
    expect_children(profile, 1, {"first/later": 7})


def ends(place):
    """_exit, abort, SIGKILL, exit in a region, a fault: what was said before is there."""
    for way, state in enumerate(("exited 4", "killed by SIGABRT", "killed by SIGKILL", "exited 5",
                                 "killed by SIGSEGV"), 1):
        for measure in ("regions", "trace"):
            profile = place.check("ends", str(way), measure=measure)
            profile.expect_all({"before the end": 1, "before the end/done": 1})
            expect(profile.processes[0]["process.state"] == state, f"{profile.processes}")
            kinds = [event["event"] for event in profile.events]
            expect(measure == "regions" or kinds[:3] == ["begin", "begin", "end"], f"{kinds}")


def waits(place):
    """Times between events that are longer than what most traces have room for."""
    profile = place.check("waits", "1", measure="trace")
    kinds = [event["event"] for event in profile.events]
    expect(kinds == ["begin", "begin", "end", "set", "begin", "end", "end"], f"{kinds}")
    times = [event["time.offset.ns"] for event in profile.events]
    steps = [after - before for before, after in zip(times, times[1:])]
    expect(min(steps) >= 0 and steps[1] >= 2.6e9 > sum(steps) - steps[1], f"{steps}")


def killed(place):
    """At any moment: what is there is in order, and says the same twice."""
    for delay in range(8):
        measure = ("regions", "trace")[delay % 2]
        command = trammel.run_command(place.tool, place.profile,
                                      [os.path.join(place.programs, "work"), "endless"], measure)
        process = subprocess.Popen(command, cwd=place.folder, env=place.environment(),
                                   stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.002 * delay)
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], check=True,
                                  capture_output=True, text=True).stdout.split()
        os.kill(int(children[0]), signal.SIGKILL)
        process.wait()
        process.stdout.close()
        check_killed(place, measure, process.returncode)


def check_killed(place, measure, status):
    expect(status in (-9, 137), f"status {status}")
    profile = place.read()
    profile.expect_faults()
    steps = profile.count("step")
    inner = sum(count for path, count in profile.counts().items() if path.startswith("step/"))
    expect(steps - 1 <= inner <= steps and steps > 10, f"{steps} steps with {inner} in them")
    expect(profile.processes[0]["process.state"] == "killed by SIGKILL", f"{profile.processes}")
    if measure == "regions":
        return
    begun = sum(event["event"] == "begin" for event in profile.events)
    expect(steps + inner - 1 <= begun <= steps + inner, f"{begun} begins, {steps} + {inner}")
    depth = 0
    for event in profile.events:
        depth += {"begin": 1, "end": -1}.get(event["event"], 0)
        expect(0 <= depth <= 2, f"depth {depth} at {event}")


def killed_threads(place):
    """All that threads said until then is there, wherever in their memory it ends."""
    for measure, first in (("regions", 0), ("trace", 0), ("trace", 270), ("trace", 1300)):
        numbers = range(first, first + 48)
        place.run("killed-threads", str(first), measure=measure)
        profile = place.read()
        profile.expect_faults()
        profile.expect_all({"said=0": sum((number + 1) // 2 for number in numbers),
                            "said=1": sum(number // 2 for number in numbers),
                            **{f"last={number}": 1 for number in numbers}})
        if measure == "trace":
            check_said(profile, numbers)


def check_said(profile, numbers):
    threads = {}
    for event in profile.events:
        threads.setdefault(event["thread"], []).append(event)
    found = sorted(len(events) for events in threads.values())
    wanted = [(3 if number % 3 == 0 else 2) * number + 1 for number in numbers]
    expect(found == sorted(wanted), f"events of threads: {found}")
    for events in threads.values():
        expect(events[-1]["event"] == "begin" and events[-1]["path"][-1][0] == "last", f"{events[-1]}")


def exit_running(place):
    """Threads are in regions while the process ends."""
    for _ in range(10):
        place.check("exit-running", "4")


def programs(place):
    """Which processes are measured; what they say is of the program that says it, although what
    the shell forked executes it before it says anything."""
    wanted = {"thread": 3, "thread/part": 9}
    script = f"{os.path.join(place.programs, 'work')} threads 3; :"
    cases = ((("--only-program", "work"), wanted), (("--skip-program", "work"), {}),
             (("--only-program", "dash"), {}), (("--no-follow",), {}), ((), wanted),
             (("--interval", "1s"), wanted))
    for measure in ("regions", "trace", "regions,functions"):
        for options, counts in cases:
            profile = place.check("-c", script, program="/bin/sh", measure=measure, options=options)
            profile.expect_all(counts)
            works = [record["image"] for record in profile.processes
                     if record.get("program", "").endswith("/work")]
            if counts:
                expect(len(works) == 1 and in_image(profile, works[0]) == counts,
                       f"{measure}, {options}: {works} of {profile.processes}")


TESTS = (programs, forks, raw_forks, fork_deep, vforks, execs, lives_on, waits, ends, killed,
         killed_threads, exit_running)
