"""Tests of what a run counts in: parts of its time, and some of its processes.

Each test is called with (folder, tool, options), as those of job_control.
"""

import json
import os
import subprocess

from transparency import attach, job_control, running, sources, trammel
from transparency.job_control import expect

ALL = {"early": 11, "enter": 1, "middle": 23, "in_thread": 17, "in_child": 5, "loaded": 31,
       "signalled": 41, "leave": 2, "late": 15}

# Options, and the calls of the functions of tests/programs/lib/stages.c; those that are not
# named have none.
EVENTS = (
    ((), ALL),
    (("--start-at", "enter"), ALL | {"early": 0}),
    (("--start-at", "stages:e*"), ALL),
    (("--start-at", "enter", "--stop-at", "leave"),
     ALL | {"early": 0, "leave": 0, "late": 0}),
    (("--stop-at", "enter"), {"early": 11}),
    (("--start-at", "leave", "--stop-at", "leave"), {"leave": 1, "late": 13}),
    (("--start-at", "in_thread", "--stop-at", "in_child"), {"in_thread": 17}),
    (("--start-at", "in_child"),
     {"in_child": 5, "loaded": 31, "signalled": 41, "leave": 2, "late": 15}),
    (("--start-at-load", "libm.so*"), {"loaded": 31, "signalled": 41, "leave": 2, "late": 15}),
    (("--stop-at-load", "*/libm.so*"),
     {"early": 11, "enter": 1, "middle": 23, "in_thread": 17, "in_child": 5}),
    (("--start-at-load", "stages"), ALL),
    (("--start-at-signal", "URG", "--stop-at", "leave"), {"signalled": 41}),
    (("--start-at", "late", "--stop-at-signal", "SIGURG"), {"late": 15, "leave": 1}),
    (("--start-at", "enter", "--only", "late"), {"late": 15}),
    (("--start-at", "nothing_of_this"), {}),
    (("--start-at", "enter", "--interval", "1ms"), ALL | {"early": 0}),
    (("--threads",), ALL),
    (("--threads", "--interval", "1ms", "--start-at", "in_thread", "--stop-at", "in_child"),
     {"in_thread": 17}),
)


def has_edges(options):
    return "edges" in options.measure.split(",")


def has_flags(options):
    """Whether it is measured what ran, and not how often."""
    return options.measure in ("coverage", "block-coverage")


FORK = "libc.so*:fork,libc.so*:*_fork"


def run_measured(tool, folder, options, words, command, name, measurement=None):
    profile = os.path.join(folder, name + ".trm")
    if os.path.exists(profile):
        os.unlink(profile)  # a run before this one may have left it
    done = running.run(trammel.run_command(tool, profile, command,
                                           measurement or options.measure, words), folder)
    return done, profile


def read(tool, profile, options, words):
    """The report of a profile. Counts of edges are consistent in any part of a run."""
    report = trammel.Report(tool, profile)
    if has_edges(options):
        trammel.check_counts(tool, profile, report, options.measure)
    return report


def events(folder, tool, options):
    """Counting begins and ends just where it is to; the program notices nothing."""
    program = job_control.build(folder, "stages", "events")
    bare = running.run([program], folder)
    expect(bare.status == 7, f"bare run: {bare.status_text()}")
    for words, calls in EVENTS:
        done, profile = run_measured(tool, folder, options, words, [program], "events")
        problems = running.compare(bare, done)
        expect(not problems, f"{words}: {problems}")
        if options.no_profile:
            continue
        report = read(tool, profile, options, words)
        for name in ALL:
            wanted = calls.get(name, 0)
            if has_flags(options):
                wanted = min(wanted, 1)
            found = report.calls(name, "stages") or 0
            expect(found == wanted, f"{words}: {found} calls of {name}, not {wanted}")
        windowed = any(word.startswith(("--st", "--in")) for word in words)
        expect(("window.start.ns" in report.profile) == bool(windowed and calls),
               f"{words}: {report.profile}")


def intervals(folder, tool, options):
    """The counts of all intervals are those of the run, and their times have no gaps."""
    program = job_control.build(folder, "spans", "intervals")
    done, profile = run_measured(tool, folder, options, ["--interval", "50ms"], [program],
                                 "intervals")
    expect(done.status == 9 and done.stdout == b"worked\n", f"{done}")
    if options.no_profile:
        return

    def ask(*words):
        out = subprocess.run([tool, "report", "--json", profile, *words], check=True,
                             capture_output=True).stdout
        return json.loads(out)["rows"]

    read(tool, profile, options, ())
    rows = ask("--by", "interval")
    expect(len(rows) >= 5, f"{len(rows)} intervals")
    for row in rows if has_edges(options) else ():
        if not row["instructions"]:
            continue  # none of it was counted
        done = running.run([tool, "report", "--check", "--interval", str(row["interval"]),
                            profile], folder)
        expect(done.status == 0, f"interval {row['interval']}: {done.stdout.decode()[-400:]}"
               f"{done.stderr.decode()}")
    for before, after in zip(rows, rows[1:]):
        expect(before["interval.end.ns"] == after["interval.start.ns"] and
               before["interval"] + 1 == after["interval"], f"{before}, {after}")
    found = [[row["calls"] for row in ask("--interval", str(row["interval"]))
              if row["function"] == "piece"] for row in rows]
    busy = [calls[0] for calls in found if calls]
    expect(len(busy) >= 5, f"calls of piece: {found}")
    if has_flags(options):
        return
    expect(sum(busy) == 40000, f"{busy}: {sum(busy)} calls of piece, not 40000")
    total = sum(row["calls"] for row in ask())
    expect(total == sum(row["calls"] for row in rows), f"{total} calls in all, not of {rows}")


def flags(folder, tool, options):
    """Blocks that were executed in a part of a run, those that ran before it, too."""
    program = job_control.build(folder, "stages", "flags")
    if options.no_profile:
        return
    for words, calls in EVENTS:
        done, profile = run_measured(tool, folder, options, words, [program], "flags",
                                     "block-coverage")
        expect(done.status == 7, f"{words}: {done}")
        if not calls:
            continue
        out = subprocess.run([tool, "report", "--json", "--by", "block", profile], check=True,
                             capture_output=True).stdout
        rows = [row for row in json.loads(out)["rows"] if row["function"] in ALL]
        found = {row["function"] for row in rows}
        expect(found == {name for name in calls if calls[name]}, f"{words}: blocks of {found}")
        images = len(trammel.Report(tool, profile).processes)
        expect(all(1 <= row["count"] <= images for row in rows), f"{words}: {rows}")


def arcs(folder, tool, options):
    """Calls by call site, in parts of a run."""
    program = job_control.build(folder, "stages", "arcs")
    if options.no_profile:
        return
    for words, calls in EVENTS:
        done, profile = run_measured(tool, folder, options, words, [program], "arcs", "calls")
        expect(done.status == 7, f"{words}: {done}")
        if not calls:
            continue
        out = subprocess.run([tool, "report", "--json", "--by", "arc", profile], check=True,
                             capture_output=True).stdout
        rows = [row for row in json.loads(out)["rows"] if row["function"] in ALL]
        for name in ALL:
            found = sum(row["arc.count"] for row in rows if row["function"] == name)
            expect(found == calls.get(name, 0), f"{words}: {found} calls of {name}: {rows}")
        callers = {row.get("caller") for row in rows if row["function"] != "signalled"}
        expect(callers <= {"repeat", "main", "thread"}, f"{words}: called by {callers}")


def entering(folder, tool, options):
    """Threads that were between the counter of a call and that of the function, when an interval
    ended, were called from that place."""
    if options.measure != "calls":
        return
    program = job_control.build(folder, "tight", "entering")
    for measurement in ("functions,calls", "blocks,calls", "edges,calls"):
        done, profile = run_measured(tool, folder, options, ["--interval", "1ms"], [program],
                                     "entering", measurement)
        expect(done.status == 0, f"{measurement}: {done}")
        rows = trammel.read_json(tool, ["report", "--by", "arc"], profile)["rows"]
        found = {row["arc.kind"]: row["arc.count"] for row in rows if row["function"] == "leaf"}
        expect(found == {"direct": 30000000}, f"{measurement}: calls of leaf: {found}")


def two_threads(folder, tool, options, spans):
    """Time in intervals; in how many of them two threads were in one function all the time."""
    done, profile = run_measured(tool, folder, options, ["--interval", "50ms"], [spans],
                                 "contexts", "callgraph")
    expect(done.status == 9 and done.stdout == b"worked\n", f"{done}")
    total = started = found = 0
    parts = trammel.read_json(tool, ["report", "--by", "interval"], profile)["rows"]
    lengths = [part["interval.end.ns"] - part["interval.start.ns"] for part in parts]
    rows = [trammel.read_json(tool, ["report", "--by", "callgraph", "--interval",
                                     str(part["interval"])], profile)["rows"] for part in parts]
    pieces = [sum(row["calls"] for row in of if row["function"] == "piece") for of in rows] + [0]
    # One alone makes no more: a hundred, and a pause of 2 ms.
    by_both = [made > 100 * (length / 2e6 + 1) for made, length in zip(pieces, lengths)] + [False]
    for number, (part, length) in enumerate(zip(parts, lengths)):
        work = [row for row in rows[number] if row["function"] == "work"]
        total += pieces[number]
        inside = sum(row.get("time.inclusive.ns", 0) for row in work)
        # Both had begun before it, and none has ended: it had calls to make, or made them later.
        both = started == 2 and (total < 20000 or by_both[number + 1])
        started += sum(row["calls"] for row in work)
        found += both
        # While one waits for a processor, to stop at the end, the other stands: that makes the
        # interval longer than 50 ms, and is not told as time in it.
        expect(inside <= 2.02 * length + 1e6 and
               (inside >= 1.7 * min(length, 5e7) or not both),
               f"interval {part}: two threads were in work for {inside} ns")
    expect(total == 40000 and started == 2, f"{total} calls of piece, {started} of work")
    return found


def contexts(folder, tool, options):
    """Calls in their contexts, in parts of a run; and their time, which is that of the part."""
    program = job_control.build(folder, "stages", "contexts")
    spans = job_control.build(folder, "spans", "contexts-spans")
    if options.no_profile:
        return

    def ask(profile, *words):
        return trammel.read_json(tool, ["report", *words], profile)["rows"]

    for words, calls in EVENTS:
        done, profile = run_measured(tool, folder, options, words, [program], "contexts",
                                     "callgraph")
        expect(done.status == 7, f"{words}: {done}")
        rows = ask(profile, "--by", "callgraph") if calls else []
        for name in ALL:
            found = sum(row["calls"] for row in rows if row["function"] == name)
            expect(found == calls.get(name, 0), f"{words}: {found} calls of {name}: {rows}")
    # A busy machine may have one thread run after the other.
    expect(any(two_threads(folder, tool, options, spans) for _ in range(5)),
           "no interval with both threads, five times")


def asleep(folder, tool, options):
    """Intervals in which a program sleeps have no rows of any kind; that is no error, but it is
    one to ask for what was not measured."""
    if options.measure != "calls":
        return
    done, profile = run_measured(tool, folder, options, ["--interval", "50ms"],
                                 ["/bin/sleep", "0.6"], "asleep", "blocks,calls,callgraph")
    expect(done.status == 0, f"{done}")
    parts = trammel.read_json(tool, ["report", "--by", "interval"], profile)["rows"]
    empty = [part["interval"] for part in parts if not part["calls"]]
    expect(empty, f"{parts}")
    for number in (empty[0], parts[0]["interval"]):
        for by, busy in (("function", True), ("arc", True), ("block", True),
                         ("callgraph", None)):
            asked = ["report", "--by", by, "--interval", str(number)]
            rows = trammel.read_json(tool, asked, profile)["rows"]
            if busy is not None:
                expect(bool(rows) == (number not in empty), f"{asked}: {rows}")
        for by in ("edge", "region"):
            done = running.run([tool, "report", "--by", by, "--interval", str(number), profile],
                               folder)
            expect(done.status == 2 and done.stderr.count(b"\n") == 1, f"{by}: {done}")
    _, profile = run_measured(tool, folder, options, (), ["/bin/true"], "no-calls", "pbo")
    done = running.run([tool, "report", "--by", "arc", profile], folder)
    expect(done.status == 2 and b"-m calls" in done.stderr, f"{done}")


def late(folder, tool, options):
    """A function may be left in an interval that no counter of its module tells of."""
    if options.measure != "calls":
        return
    program = job_control.build(folder, "late", "late")
    found = []
    for words in ((), ("--interval", "1ms"), ("--interval", "1ms", "--threads")):
        done, profile = run_measured(tool, folder, options, words, [program], "late", "edges")
        expect(done.status == 30000 % 256, f"{words}: {done}")
        rows = trammel.read_json(tool, ["report", "--by", "edge"], profile)["rows"]
        found.append({(row["function"], row["edge"], row["edge.kind"]): row["count"]
                      for row in rows if row["module"] == "late"})
    names = {function for function, _, _ in found[0]}
    expect({"goes_by", "takes_it", "goes_on"} <= names, f"{names}")
    expect(found[0] == found[1] == found[2], f"{found}")


def system_calls(folder, tool, options):
    """Threads that stand between two intervals go on with the system calls that they are in."""
    if options.measure != "calls":
        return
    for name in ("cut_short", "cut_short_handled", "timeouts"):
        source = sources.read(os.path.join(sources.FOLDER, name + ".c"))
        program = sources.build(source, "", os.path.join(folder, "system_calls-" + name))
        bare = running.run([program], folder)
        for measurement in ("edges", "callgraph"):
            done, profile = run_measured(tool, folder, options, ["--interval", "2ms"], [program],
                                         "system_calls", measurement)
            problems = running.compare(bare, done)
            expect(not problems, f"{name}, {measurement}: {problems}")
            trammel.check_counts(tool, profile, trammel.Report(tool, profile), measurement)


def instructions(folder, tool, options):
    """Intervals of instructions have at least so many, but for the last one."""
    program = job_control.build(folder, "spans", "instructions")
    length = 50000
    done, profile = run_measured(tool, folder, options, ["--interval", "50k"], [program],
                                 "instructions", "blocks")
    expect(done.status == 9 and done.stdout == b"worked\n", f"{done}")
    if options.no_profile:
        return
    out = subprocess.run([tool, "report", "--json", "--by", "interval", profile], check=True,
                         capture_output=True).stdout
    rows = json.loads(out)["rows"]
    counted = [row["instructions"] for row in rows]
    expect(len(counted) >= 3 and min(counted[:-1]) >= length, f"instructions: {counted}")
    report = trammel.Report(tool, profile)
    expect(sum(row.get("instructions", 0) for row in report.rows) == sum(counted),
           f"in all: {counted}")
    expect(report.calls("piece") == 40000, f"{report.calls('piece')} calls of piece")


def calls_of_piece(folder, tool, options, program, bare, words):
    """How often a program called piece that is let go while it runs. It notices nothing."""
    done, profile = run_measured(tool, folder, options, words, [program, "traced"], "times")
    problems = running.compare(bare, done)
    expect(not problems, f"{words}: {problems}")
    if options.no_profile:
        return None
    report = read(tool, profile, options, words)
    expect(report.profile["run.exit"] == "running" and
           report.processes[0]["process.state"] == "detached", f"{words}: {report.profile}")
    calls = report.calls("piece", "spans") or 0
    expect(calls < 30000, f"{words}: {calls} calls of piece")
    return calls


def times(folder, tool, options):
    """After its time a program is let go, and runs on; what it counts is of that time."""
    program = job_control.build(folder, "spans", "times")
    bare = running.run([program, "traced"], folder)
    expect(bare.stdout == b"free\nworked\n", f"{bare}")
    # What is seen for the first time is planned in that time.
    run_measured(tool, folder, options, ("--for", "10s"), [program, "traced"], "times")
    least = 1 if has_flags(options) else 200
    for words, wanted in ((("--for", "100ms"), least),
                          (("--after", "150ms", "--for", "100ms"), least),
                          (("--for", "1ms"), 0),
                          (("--after", "100ms", "--stop-at", "piece"), 0),
                          (("--for", "100ms", "--no-follow"), least)):
        # A busy machine may give all of that time to others.
        for _ in range(5):
            calls = calls_of_piece(folder, tool, options, program, bare, words)
            if calls is None or calls >= wanted:
                break
        else:
            expect(False, f"{words}: {calls} calls of piece, five times")


def programs(folder, tool, options):
    """Only the processes that are asked for are measured; all run as always."""
    program = job_control.build(folder, "stages", "programs")
    script = f"/bin/echo one; {program}; /bin/true; exit 3"
    command = ["/bin/sh", "-c", script]
    bare = running.run(command, folder)
    expect(bare.status == 3 and b"all stages" in bare.stdout, f"{bare}")
    for words, there, calls in (
            (("--no-follow",), ["sh"], None),
            (("--only-program", "stages"), ["sh", "stages", "stages"], 23),
            (("--only-program", "sh,echo"), ["echo", "sh", "sh", "sh", "sh"], None),
            (("--skip-program", "stages,*/true"), ["echo", "sh", "sh", "sh", "sh"], None)):
        done, profile = run_measured(tool, folder, options, words, command, "programs")
        problems = running.compare(bare, done)
        expect(not problems, f"{words}: {problems}")
        if options.no_profile:
            continue
        report = trammel.Report(tool, profile)
        found = sorted("sh" if name in ("dash", "bash") else name for name in report.programs())
        expect(found == there, f"{words}: {found}")
        if has_flags(options) and calls:
            calls = 1
        expect(report.calls("middle", "stages") == calls,
               f"{words}: {report.calls('middle', 'stages')} calls of middle, not {calls}")


def attached(folder, tool, options):
    """The same of processes that run already."""
    profile = os.path.join(folder, "attached-window.trm")
    with attach.Server(folder, "attached-window") as server:
        one = attach.Attached(tool, server.pid, profile, "--start-at", FORK, "--no-follow",
                              *attach.measure(options))
        server.do("calls 100")
        server.do("child 50")
        server.do("calls 20")
        server.do("thread 300")
        one.end()
        server.do("calls 10")
        two = attach.Attached(tool, server.pid, profile + "2", "--stop-at", FORK,
                              "--interval", "20ms", *attach.measure(options))
        server.do("calls 30")
        server.do("child 50")
        two.end(0)
        server.do("calls 10")
        server.finish()
    if options.no_profile:
        return
    for path, wanted in ((profile, attach.THREADS * 20 + 300),
                         (profile + "2", attach.THREADS * 30)):
        report = attach.read(options, tool, path)
        calls = report.calls("work_once")
        if has_flags(options):
            wanted = calls and 1
        expect(calls == wanted, f"{report.profile}: {calls} calls of work_once, not {wanted}")


def threads(folder, tool, options):
    """What each thread called, those that ended before others began included."""
    profile = os.path.join(folder, "threads.trm")
    with attach.Server(folder, "threads") as server:
        attached_to = attach.Attached(tool, server.pid, profile, "--threads", "--only",
                                      "work_once")
        server.do("calls 100")
        for count in range(20):
            server.do(f"thread {1000 + count}")
        server.do("child 50")
        attached_to.end()
        server.finish()
    if options.no_profile:
        return
    out = subprocess.run([tool, "report", "--json", "--by", "thread", profile], check=True,
                         capture_output=True).stdout
    calls = sorted(row["calls"] for row in json.loads(out)["rows"])
    wanted = sorted([100] * attach.THREADS + [1000 + count for count in range(20)] + [50])
    expect(calls == wanted, f"calls of threads: {calls}, not {wanted}")
    found = trammel.Report(tool, profile).calls("work_once")
    expect(found == sum(wanted), f"{found} calls of work_once, not {sum(wanted)}")


def only_some(folder, tool, options):
    """What looks at return addresses sees the original ones, also from modules that are left
    out: here the unwinder."""
    source = os.path.join(sources.FOLDER, "exceptions.cc")
    program = os.path.join(folder, "only-exceptions")
    sources.compile_one(["g++", "-O2"], [source], program)
    bare = running.run([program], folder)
    done, _ = run_measured(tool, folder, options, ("--only", "only-exceptions:"), [program], "some")
    problems = running.compare(bare, done)
    expect(not problems, "; ".join(problems))


def unmatched(folder, tool, options):
    """Patterns that mean nothing are named at the end, with what is near; others are not."""
    program = job_control.build(folder, "stages", "unmatched")
    for words, wanted in (
            (("--only", "erly"), "--only 'erly' matches no function; near: early"),
            (("--only", "midle*,early"), "--only 'midle*' matches no function; near: middle"),
            (("--skip", "stages:lat"), "--skip 'stages:lat' matches no function; near: late"),
            (("--only", "stagse:"), "--only 'stagse:' matches no module that was loaded; near: stages"),
            (("--start-at", "stages:entre"),
             "--start-at 'stages:entre' matches no function that can be watched; near: enter"),
            (("--stop-at-load", "libm.so.7"),
             "--stop-at-load 'libm.so.7' matches no module that was loaded; near: libm.so.6"),
            (("--only-program", "stagess"),
             "--only-program 'stagess' matches no program that ran; near: stages"),
            (("--only", "zzz?zzz?zzz"), "--only 'zzz?zzz?zzz' matches no function"),
            (("--only", "early,stages:", "--skip", "late", "--start-at", "enter", "--stop-at-load",
              "libm.so*", "--only-program", "stages", "--skip-program", "/usr/bin/none"),
             "--skip-program '/usr/bin/none' matches no program that ran"),
            (("--only", "libc.so*:"), None),  # of others there are hooks alone
            (("--only", "early,stages:", "--skip", "late", "--start-at", "enter"), None)):
        done, profile = run_measured(tool, folder, options, words, [program], "unmatched")
        expect(done.status == 7, f"{words}: {done}")
        if options.no_profile:
            continue
        found = trammel.Report(tool, profile).profile.get("run.unmatched")
        expect(found == wanted or wanted and found and found.startswith(wanted + ", "),
               f"{words}: {found!r}, not {wanted!r}")


def refusals(folder, tool, _):
    """Options that contradict each other are named in a line, and nothing is run."""
    for words, text in (
            (("--after", "1s", "--start-at", "x"), "--after and --start-at"),
            (("--interval", "2s", "--for", "1s"), "--interval is longer than --for"),
            (("--for", "0"), "--for '0'"), (("--after", "soon"), "--after 'soon'"),
            (("--interval", "10us"), "less than 1ms"), (("--interval", "10kg"), "--interval '10kg'"),
            (("--interval", "10M"), "does not count instructions"),
            (("-m", "block-coverage", "--interval", "10M"), "does not count instructions"),
            (("--interval", "0.1ms"), "1ms"), (("--start-at", "mmap"), "watches"),
            (("--start-at-signal", "KILL"), "'KILL'"), (("--stop-at-signal", "x"), "'x'")):
        done = running.run([tool, "run", *words, "--", "echo", "ran"], folder)
        said = done.stderr.decode()
        expect(done.status == 2 and text in said and said.count("\n") == 1 and
               b"ran" not in done.stdout, f"{words}: {done}")


TESTS = [("window-" + test.__name__, test) for test in (
    events, intervals, flags, arcs, entering, contexts, asleep, late,
    system_calls, instructions, times, programs,
    attached, threads, only_some, unmatched, refusals)]
