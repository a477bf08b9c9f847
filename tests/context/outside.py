"""Channels that are started, stopped and flushed from outside, while the program runs."""

import contextlib
import json
import os
import subprocess
import time

from context import channels, common
from context.channels import JSON, left, query, read, rows_of
from context.common import expect
from transparency import running


class Program:
    """outside.c: does a line, and says when it has."""

    def __init__(self, process):
        self.process = process
        self.pid = self.answer()

    def answer(self):
        return self.process.stdout.readline().decode().strip()

    def do(self, *lines):
        """Returns the process that has done the last one, '' if it has ended."""
        for line in lines:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
            self.pid = self.answer()
        return self.pid

    def end(self, status=0):
        self.process.stdin.close()
        errors = self.process.stderr.read()
        expect(self.process.wait(60) == status and not errors, f"{self.process.returncode} {errors}")


@contextlib.contextmanager
def program(place, config, status=0):
    path = channels.build(place, os.path.join(common.FOLDER, "outside.c"),
                          ("gcc", "-O2", "-Wl,--no-as-needed"))
    environment = {**place.environment(), **({"TRAMMEL_CONFIG": config} if config else {})}
    with subprocess.Popen([path], cwd=place.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment) as process:
        made = Program(process)
        yield made
        made.end(status)


def channel(place, pid, *words, status=0):
    done = running.run([place.tool, "channel", "-p", pid, *words], place.folder, environment=place.environment())
    expect(done.status == status and bool(done.stderr) == bool(status), f"{words}: {done}")
    return (done.stderr if status else done.stdout).decode()


def states(place, pid, *words):
    told = json.loads(channel(place, pid, "list", "--json", *words))
    rows = [line.split("  ", 1) for line in channel(place, pid, "list", *words).splitlines()]
    expect(told["process"] == int(pid) and [c["name"] for c in told["channels"]] == [row[0] for row in rows],
           f"{told} beside {rows}")
    return [row[1].strip() for row in rows]


def traced(place, name):
    """Of a trace: how often regions ended, and time by path in seconds."""
    ends, times = {}, {}
    for event in query(place, name, "SELECT * WHERE time.offset.ns"):
        path = event.get("path", "")
        times[path] = times.get(path, 0) + event.get("time.duration.ns", 0) * 1e-9
        if "event.end#region" in event:
            ends[path] = ends.get(path, 0) + 1
    return ends, times


def counted(rows):
    return {path: row["Calls"] for path, row in rows.items() if row.get("Calls")}


CONFIG = f"runtime-profile(region.count,output=own.json,time.inclusive,{JSON}),event-trace(output=own.trm,time.inclusive)"


def stopped(place):
    """What lies between is in no count and in no time, of sums and traces; the rest is exact."""
    with program(place, CONFIG) as own:
        own.do("steps 10")
        expect(states(place, own.pid) == ["measures"] * 2, "they measure")
        begin = time.monotonic()
        own.do("begin outer", "rest 100")
        channel(place, own.pid, "stop")
        expect(states(place, own.pid) == ["measures, stops at the next event"] * 2, "it was not noticed yet")
        own.do("rest 400", "steps 20")
        expect(states(place, own.pid) == ["stopped"] * 2, "they rest")
        own.do("rest 400", "begin unseen", "end")
        channel(place, own.pid, "start")
        own.do("rest 400", "begin inner")
        expect(states(place, own.pid) == ["measures"] * 2, "they measure again")
        own.do("rest 100", "end", "end", "steps 10")
        most = time.monotonic() - begin - 0.8
        own.do("exit")
    rows = rows_of(read(place, "own.json"))
    ends, times = traced(place, "own.trm")
    wanted = {"main": 2, "main/step": 20, "outer": 1, "outer/inner": 1}
    expect(counted(rows) == wanted and ends == wanted, f"{rows} {ends}")
    for path, least in (("outer", 0.1), ("outer/inner", 0.1)):
        row = rows[path]
        expect(least <= row["time"] <= most, f"{path}: {row}, in {most} s")
        expect(abs(row["time"] - times[path]) < 1e-3, f"{path}: {row}, {times}")
    (end,) = [event for event in query(place, "own.trm", "SELECT * WHERE event.end#region")
              if event["event.end#region"] == "outer"]
    inclusive = end["time.inclusive.duration.ns"] * 1e-9
    expect(0.1 <= inclusive, f"{end}: from its last start on")
    common.expect_undisturbed(inclusive < 0.35, f"{end}: from its last start on")


def by_name(place):
    """One channel of two; what is asked for and taken back is nothing; threads that live on."""
    with program(place, CONFIG) as own:
        own.do("steps 1", "thread", "thread")
        channel(place, own.pid, "stop", "event-trace")
        own.do("thread", "steps 1")
        expect(states(place, own.pid) == ["measures", "stopped"], "one of them")
        expect(states(place, own.pid, "event-trace") == ["stopped"], "one of them")
        channel(place, own.pid, "stop", "runtime-profile")
        channel(place, own.pid, "start")
        own.do("thread")
        channel(place, own.pid, "start")
        own.do("thread", "steps 1")
        expect(states(place, own.pid) == ["measures"] * 2, "both")
        own.do("exit")
    ends, _ = traced(place, "own.trm")
    expect(ends["thread/main/step"] == 3 and ends["main/step"] == 2, f"{ends}")
    rows = rows_of(read(place, "own.json"))
    expect(rows["thread/main/step"]["Calls"] == 4 and rows["main/step"]["Calls"] == 3, f"{rows}")


def last(place):
    """What is wanted behind the last event counts from when it was wanted."""
    with program(place, CONFIG) as own:
        begin = time.monotonic()
        own.do("begin outer", "rest 100")
        channel(place, own.pid, "stop")
        most = time.monotonic() - begin
        own.do("rest 400", "exit")
    rows = rows_of(read(place, "own.json"))
    expect(0.1 <= rows["outer"]["time"] <= most, f"in {most} s: {rows}")


def from_the_start(place):
    """Channels that begin stopped; a start has nothing to do with the program's own."""
    with program(place, f"runtime-profile(region.count,output=own.json,stopped,{JSON}),event-trace(output=own.trm)") as own:
        own.do("steps 5")
        expect(states(place, own.pid) == ["stopped", "measures"], "one of them is stopped")
        channel(place, own.pid, "start", "runtime-profile")
        own.do("begin seen by nobody", "end", "steps 7", "exit")
    rows = rows_of(read(place, "own.json"))
    expect(rows["main/step"]["Calls"] == 7, f"{rows}")
    with program(place, None) as own:
        own.do(f"make runtime-profile(region.count,output=made.json,{JSON})", "steps 3")
        expect(states(place, own.pid) == ["measures"], "made by the program")
        own.do("stop")
        channel(place, own.pid, "start")
        own.do("steps 5")
        expect(states(place, own.pid) == ["stopped by the program"], "it has the last word")
        own.do("exit")
    expect(rows_of(read(place, "made.json"))["main/step"]["Calls"] == 3, "until the program stopped it")


def flushed(place):
    """What there is so far, of one channel; the program's own results are as ever."""
    with program(place, CONFIG) as own:
        own.do("steps 5")
        (name,) = channel(place, own.pid, "flush", "runtime-profile").splitlines()
        channels.expect_counts(place, name, {"main": 1, "main/step": 5})
        channel(place, own.pid, "stop")
        own.do("steps 5")
        (name, trace) = channel(place, own.pid, "flush", "-o", place.folder).splitlines()
        channels.expect_counts(place, name, {"main": 1, "main/step": 5})
        expect(traced(place, trace)[0]["main/step"] == 5, "a trace")
        own.do("exit")
    expect(rows_of(read(place, "own.json"))["main/step"]["Calls"] == 5, "its own results")


def children(place):
    """A child has channels of its own, which do what its parent's did; what is killed stays."""
    with program(place, f"runtime-profile(region.count,output=own.json,{JSON})", status=-9) as own:
        own.do("steps 3")
        parent = own.pid
        channel(place, parent, "stop")
        own.do("steps 3")
        child = own.do("fork")
        expect(child != parent, f"{child}")
        expect("has not begun to" in channel(place, child, "start", status=2), "it has said nothing yet")
        own.do("steps 5")
        expect(states(place, child) == ["stopped"] == states(place, parent), "both")
        channel(place, child, "start")
        own.do("begin x", "end", "steps 7")
        expect(states(place, child) == ["measures"] and states(place, parent) == ["stopped"], "each its own")
        (name,) = channel(place, child, "flush").splitlines()
        channels.expect_counts(place, name, {"main": 1, "main/step": 7, "x": 1})
        expect(own.do("exit") == parent, "back in the parent")
        own.do("die")
    (folder,) = left(place)
    done = running.run([place.tool, "recover", "--remove", folder], place.folder, environment=place.environment())
    (name,) = [line for line in done.stdout.decode().splitlines() if f"-{parent}." in line]
    channels.expect_counts(place, name, {"main": 1, "main/step": 3})


def children_first(place):
    """What a child does to its channels before it has said anything is not its parent's."""
    with program(place, None) as own:
        own.do(f"make runtime-profile(region.count,output=made.json,{JSON})", "steps 3")
        parent = own.pid
        own.do("fork", "stop")
        expect(states(place, parent) == ["measures"], "the parent's")
        own.do("exit", "stop", "fork", "start")
        expect(states(place, parent) == ["stopped by the program"], "the parent's")
        own.do("exit", "start", "steps 4", "exit")
    expect(rows_of(read(place, "made.json"))["main/step"]["Calls"] == 7, "all of the parent's")


def mistakes(place):
    """Each in one line."""
    with program(place, CONFIG) as own:
        own.do("steps 1")
        for words, said in ((("stop", "event-tarce"), "did you mean 'event-trace'?"),
                            (("stpo",), "choose list, start, stop or flush"), (("stop", "a", "b"), "too many words")):
            text = channel(place, own.pid, *words, status=2)
            expect(said in text and text.count("\n") == 1, f"{words}: {text}")
        own.do("steps 1", "exit")
    text = channel(place, own.process.pid and str(own.process.pid), status=2)
    expect("there is no process" in text, text)
    with program(place, None) as own:
        own.do("steps 1")
        expect("does not measure itself" in channel(place, own.pid, "stop", status=2), "bare")
        own.do("exit")
    done = running.run([place.tool, "channel", "stop"], place.folder, environment=place.environment())
    expect(done.status == 2 and b"no process" in done.stderr, f"{done}")


TESTS = (stopped, by_name, last, from_the_start, flushed, children, children_first, mistakes)
