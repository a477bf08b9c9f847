"""kill -9 of the tracer, at moments spread over the run: the program must not notice."""

import functools
import hashlib
import os
import random
import signal
import subprocess
import time

from failure.common import expect
from transparency import attach, checks, running, sources, trammel
from transparency.results import Failure, Skip

# Moments for each kind of program: 374 in all. Each is a fraction of the whole run, by steps of
# the golden ratio: they are spread evenly however many of them there have been.
MOMENTS = {"gzip": 40, "busy": 40, "script": 40, "threads": 40, "libraries": 40,
            "patches": 30, "goroutines": 40, "signals": 40, "windows": 40, "writes": 24}
GOLDEN = 0.6180339887

# More options for some of them.
MORE_OPTIONS = {"windows": ("--start-at", "main", "--for", "60ms", "--interval", "2ms")}

# Whom to kill, in turn: all processes of trammel, or only the one that the user started, or
# only the others.
VICTIMS = ("all", "front", "all", "others")

# How many calls the tracer makes while it lets a process go, and some more.
LAST_CALLS = 60

# Where calls are made in relocated code, other threads' frames run it on without the
# tracer: a limit (README).
OPTIONS = {"hot_patch": ("--calls=in-place",)}

SCRIPT = ("i=0; while [ $i -lt 10 ]; do i=$((i+1)); echo $(expr $i + 100) | cat; "
          "(echo sub $i); done; echo end")


def session_of(process):
    try:
        return os.getsid(process)
    except OSError:
        return None


def state_of(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


def threads_of(process):
    """What each thread does, waits for and blocks."""
    found = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/status", encoding="ascii",
                      errors="replace") as file:
                fields = dict(line.split(":\t", 1) for line in file if ":\t" in line)
            with open(f"/proc/{process}/task/{thread}/syscall", encoding="ascii") as file:
                call = file.read().split()
            found.append(" ".join((fields["State"][:1], "call", call[0], "at", call[-1], "blocks",
                                   fields["SigBlk"].strip(), "pending",
                                   fields["ShdPnd"].strip())))
    except OSError:
        pass
    return found


def kill_tracers(tool, profile, front, victims):
    """Kills processes of trammel that work for this run: "all", the "front" or the "others".

    Returns whether the program had been started: a process that was to become it, but has not
    executed it yet, is trammel still, and is killed too.
    """
    tracers, started = [], False
    for process in running.processes():
        if running.works_for(process, tool, profile):
            tracers.append(process)
        elif session_of(process) == front and state_of(process) not in "ZX":
            started = True
    for process in tracers:
        # One that was to become the program may have done so since it was looked at.
        if running.executable(process) == tool and (
                victims == "all" or (process == front) == (victims == "front")):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
    return started


def wait_for_session(session):
    """Waits until no process of the session runs."""
    end = time.monotonic() + running.TIMEOUT_SECONDS
    while time.monotonic() < end:
        left = [process for process in running.processes()
                if session_of(process) == session and state_of(process) not in "ZX"]
        if not left:
            return
        time.sleep(0.01)
    found = "; ".join(f"{running.command_line(process)[:60]} {threads_of(process)}"
                      for process in left)
    for process in left:
        os.kill(process, signal.SIGKILL)
    raise Failure(f"still running after {running.TIMEOUT_SECONDS} s: {found}")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def start(place, command, name, options=()):
    """Starts the measured command with its output in a file."""
    output = place.path(name + ".out")
    with open(output, "wb") as out, open(output + ".err", "wb") as err:
        process = subprocess.Popen(
            trammel.run_command(place.tool, place.path(name + ".trm"), command,
                                place.options.measure,
                                (*options, *OPTIONS.get(os.path.basename(command[0]), ()))),
            cwd=place.folder, env=running.base_environment(), stdin=subprocess.DEVNULL,
            stdout=out, stderr=err, start_new_session=True)
    return process, output


def kill_one(place, kind, command, moment, expected, victims):
    """One run whose tracer is killed at `moment` (seconds); returns what happened."""
    process, output = start(place, command, "run", MORE_OPTIONS.get(kind, ()))
    time.sleep(moment)
    ended = process.poll() is not None
    started = kill_tracers(place.tool, place.path("run.trm"), process.pid, victims)
    try:
        wait_for_session(process.pid)
    except Failure as problem:
        raise Failure(f"{victims} killed after {moment * 1000:.0f} ms: {problem}") from None
    finally:
        process.wait()
    if digest(output) == expected:
        return "ended before" if ended else "killed"
    if not started and os.path.getsize(output) == 0 and not ended:
        return "before the start"
    with open(output, "rb") as out, open(output + ".err", "rb") as err:
        end = out.read()[-60:], err.read()[-200:]
    raise Failure(f"{victims} killed after {moment * 1000:.0f} ms: wrong output: {end}")


def test_program(place, name, variant=""):
    source = sources.read(os.path.join(sources.FOLDER, name))
    checks.check_needs(source)
    return [sources.build(source, variant, place.path(os.path.splitext(name)[0] + variant))]


def command_of(place, kind):
    if kind in ("busy", "windows"):
        return [place.build("busy.c")]
    if kind == "script":
        return ["bash", "-c", SCRIPT]
    if kind == "threads":
        return test_program(place, "threads_many.c")
    if kind == "libraries":
        return test_program(place, "dlopen_loop.c")
    if kind == "signals":
        return test_program(place, "timer_system_calls.c")
    if kind == "writes":
        return test_program(place, "cut_short.c") + ["goes-on"]
    if kind == "patches":
        return test_program(place, "hot_patch.c") + ["all"]
    if kind == "goroutines":
        # A fault in code of ours is shown there when the tracer is gone: no stacks then.
        return test_program(place, "go_program.go", "stripped") + ["no-stacks"]
    data = random.Random(1).randbytes(700000)
    words = b" ".join(data[i:i + 3].hex().encode() for i in range(0, 600000, 3))
    return ["gzip", "-9c", place.write("big.txt", (data + words)[:2000000])]


def full_run(place, kind, command):
    """The least time of a whole measured run and the digest of its output, checked against bare."""
    bare = running.run(command, place.folder)
    expect(bare.status == 0, f"bare: {bare.status_text()}")
    seconds = []
    for _ in range(3):
        begin = time.monotonic()
        process, output = start(place, command, "whole", MORE_OPTIONS.get(kind, ()))
        expect(process.wait(running.TIMEOUT_SECONDS) == 0, "the whole run failed")
        seconds.append(time.monotonic() - begin)
        expect(digest(output) == hashlib.sha256(bare.stdout).hexdigest(),
               "the whole run has another output than the bare one")
    return min(seconds), digest(output)


def how_much_longer(what, fraction):
    """By how much a whole run takes longer than was thought, by one that was to be killed at that
    fraction of it: what runs beside the test comes and goes."""
    if what == "ended before":
        return 0.9
    return 1.05 if fraction > 0.9 else 1


def killed_tracer(kind, place):
    if kind == "windows" and trammel.has_spans(place.options.measure):
        raise Skip("regions have no windows")
    command = command_of(place, kind)
    seconds, expected = full_run(place, kind, command)
    counts, problems = {}, []
    moments = MOMENTS[kind]
    if kind == "busy" and trammel.has_spans(place.options.measure):
        moments //= 2  # a run takes ten times as long
    for number in range(moments):
        fraction = number * GOLDEN % 1
        try:
            what = kill_one(place, kind, command, seconds * fraction, expected,
                            VICTIMS[number % len(VICTIMS)])
            counts[what] = counts.get(what, 0) + 1
            seconds *= how_much_longer(what, fraction)
        except Failure as problem:
            problems.append(str(problem))
    expect(not problems, f"{len(problems)} of {moments} moments: "
           + " || ".join(problems[:3]))
    expect(counts.get("killed", 0) >= moments // 3,
           f"too few runs were killed while they ran: {counts}")
    return ", ".join(f"{what} {count}" for what, count in sorted(counts.items()))


def tracer_before_patches(place):
    """The tracer is dead when the program begins to write to its code."""
    command = test_program(place, "hot_patch.c") + ["wait"]
    for _ in range(5):
        process = subprocess.Popen(
            trammel.run_command(place.tool, place.path("run.trm"), command),
            cwd=place.folder, env=running.base_environment(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, start_new_session=True)
        with process:
            expect(process.stdout.readline() == b"ready\n", "it did not start")
            kill_tracers(place.tool, place.path("run.trm"), process.pid, "all")
            process.stdin.write(b"\n")
            process.stdin.close()
            output = process.stdout.read()
        wait_for_session(process.pid)
        expect(output == b"ways 9 of 9\n", f"output {output[-300:]}")


def tracer_in_handler(place):
    """The tracer is dead when the handler of a fault goes back to one of the instructions that
    an entry's patch covers."""
    for variant in ("", "static"):
        command = test_program(place, "fault_waits.c", variant)
        for case in range(10):
            process = subprocess.Popen(
                trammel.run_command(place.tool, place.path("run.trm"), [*command, str(case)],
                                    place.options.measure),
                cwd=place.folder, env=running.base_environment(), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, start_new_session=True)
            with process:
                expect(process.stdout.readline() == b"ready\n", f"case {case} did not start")
                kill_tracers(place.tool, place.path("run.trm"), process.pid, "all")
                process.stdin.write(b"go")
                process.stdin.close()
                output = process.stdout.read()
            wait_for_session(process.pid)
            # Of a handler that has forked both wait.
            expect(output.replace(b"ready\n", b"") == b"right 10 of 10\n", f"case {case} {variant}: {output[-300:]}")


def dying(place, library, command, name, **numbers):
    """A run whose tracer ends itself as tests/programs/lib/dying.c says."""
    environment = {**running.base_environment(), "LD_PRELOAD": library,
                   **{f"DYING_{key.upper()}": str(value) for key, value in numbers.items()}}
    line = trammel.run_command(place.tool, place.path(name + ".trm"), command,
                               place.options.measure,
                               OPTIONS.get(os.path.basename(command[0]), ()))
    process = subprocess.Popen(line, cwd=place.folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=running.TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        running.kill_group(process)
        return process.communicate()[0], b"still running"
    wait_for_session(process.pid)
    return output, errors


def tracer_at_its_last_calls(place):
    """The tracer is dead before one of the last calls with which it controls the program, which is
    let go then since it writes to its code."""
    library = place.build("dying.c", "libdying.so", ("-shared", "-fPIC", "-D_GNU_SOURCE"))
    command = test_program(place, "hot_patch.c") + ["alone"]
    log, problems = place.path("calls"), []
    for _ in range(2):
        expect(dying(place, library, command, "whole", log=log)[0] == b"done\n",
               "the whole run failed")
    with open(log, encoding="ascii") as file:
        calls = int(file.read())
    for at in range(max(calls - LAST_CALLS, 2), calls):
        output, errors = dying(place, library, command, "run", at=at)
        if output != b"done\n":
            problems.append(f"call {at} of {calls}: {output[-60:]} {errors[-200:]}")
    expect(not problems, f"{len(problems)} of {LAST_CALLS}: " + " || ".join(problems[:3]))
    return f"the last {LAST_CALLS} of {calls}"


PTRACE_SETSIGMASK = 0x420b


def tracer_putting_off(place):
    """The tracer is dead just before or behind blocking signals, since one came while a region was
    told, or is a timer's that is as fast as stops. The handler's own regions leave alone what is
    kept of the program's registers, and nothing stays blocked."""
    if not trammel.has_spans(place.options.measure):
        raise Skip("signals are put off by another way")
    library = place.build("dying.c", "libdying.so", ("-shared", "-fPIC", "-D_GNU_SOURCE"))
    program = test_program(place, "registers_signals.c")
    problems = []
    for microseconds, more in (("300", {}), ("100", {}), ("100", {"after": 1})):
        for at in range(1, 25):
            output, errors = dying(place, library, [*program, microseconds], "run", at=at,
                                   request=PTRACE_SETSIGMASK, **more)
            if output != b"kept all\n":
                problems.append(f"{microseconds} us, {'after' if more else 'before'} call {at}: "
                                f"{output[-60:]} {errors[-200:]}")
    expect(not problems, f"{len(problems)} of 72: " + " || ".join(problems[:3]))


def child_of(place, parent):
    """The process of trammel whose parent that one is; 0 for none."""
    for process in running.processes():
        try:
            if parent and running.executable(process) == place.tool:
                with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == parent:
                        return process
        except OSError:
            pass
    return 0


def tracer_and_guardian(place, front):
    """The tracer of a run, which is a child of its front, and what it made of itself, a child of
    that; 0 for one that is not there."""
    tracer = child_of(place, front)
    return tracer, child_of(place, tracer)


def tracer_leaves_a_profile(place):
    """A tracer that is killed: what it had counted, of children that ended and of the program that
    lives, is in a profile that says that it is not whole."""
    library = place.build("plugin.c", "libplugin.so", ("-shared", "-fPIC"))
    command = [place.build("forks_load.c"), library, "40", "5"]
    line = trammel.run_command(place.tool, place.profile, command, place.options.measure)
    with subprocess.Popen(line, cwd=place.folder, env=running.base_environment(),
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        expect(process.stdout.readline() == b"10\n", "it did not start")
        process.stdin.write(b"\n")
        process.stdin.flush()
        expect(process.stdout.readline() == b"40\n", "it did not go on")
        end = time.monotonic() + running.TIMEOUT_SECONDS
        tracer = guardian = last = 0
        # One that stays is the last: it knows all.
        while time.monotonic() < end and not (guardian and guardian == last):
            last = guardian
            time.sleep(0.5)
            tracer, guardian = tracer_and_guardian(place, process.pid)
        expect(guardian, "the tracer has no guardian")
        os.kill(tracer, signal.SIGKILL)
        output, errors = process.communicate(b"\n", timeout=running.TIMEOUT_SECONDS)
    expect(output == b"0 wrong\n", f"{output}")
    expect(b"trammel: the tracer was killed: the profile has what" in errors, f"{errors}")
    report = place.report()
    text = subprocess.run([place.tool, "report", place.profile], capture_output=True, text=True,
                          check=True).stdout
    expect("warning: the tracer was killed" in text, text[:300])
    if b"but not of" not in errors and place.options.measure in (None, "functions"):
        found = report.calls("plugin_work"), report.calls("main", "forks_load")
        expect(found == (40, 1), f"{found} calls instead of 40 and 1")
    return text.splitlines()[2].strip()[:60]


def tracer_killed_early(place):
    """A program that kills its tracer 0.15 s after it began: there is a profile, too. Where the
    tracer did not get to a processor in that time there is none; it does in one of five runs."""
    command = [place.build("kills_tracer.c")]
    running.run(trammel.run_command(place.tool, place.profile, [*command, "nobody"]), place.folder)
    for _ in range(5):
        if os.path.exists(place.profile):
            os.unlink(place.profile)
        outcome = running.run(trammel.run_command(place.tool, place.profile, command,
                                                  place.options.measure), place.folder)
        expect(outcome.stdout == b"went on\n", f"{outcome.stdout} {outcome.stderr}")
        expect(b"the tracer was killed" in outcome.stderr, f"{outcome.stderr}")
        if b"the profile has what" in outcome.stderr:
            break
    expect(os.path.exists(place.profile), "no profile in five runs")
    if place.options.measure in (None, "functions"):
        expect(place.report().calls("step") == 1000, f"{place.report().calls('step')} calls")


def attachment_leaves_a_profile(place):
    """What an attachment that is killed had counted is in its profile; the process runs on."""
    measure = ("-m", place.options.measure or "functions")
    if trammel.has_spans(place.options.measure):
        raise Skip("attach does not measure regions")
    with attach.Server(place.folder, "killed") as server:
        attached = attach.Attached(place.tool, server.pid, place.profile, *measure)
        server.do("calls 500")
        end = time.monotonic() + running.TIMEOUT_SECONDS
        guardian = last = 0
        while time.monotonic() < end and not (guardian and guardian == last):
            last = guardian
            time.sleep(0.3)
            guardian = child_of(place, attached.process.pid)
        expect(guardian, "the attachment has no guardian")
        attached.process.kill()
        text = attached.process.communicate(timeout=running.TIMEOUT_SECONDS)[1]
        server.do("calls 100")
        server.finish()
    expect("trammel: the tracer was killed: the profile has what" in text, f"{text!r}")
    if place.options.measure in (None, "functions"):
        found = place.report().calls("work_once")
        expect(found == 8 * 500, f"{found} calls instead of 4000")


def named(kind):
    test = functools.partial(killed_tracer, kind)
    test.__name__ = "tracer_of_" + kind
    return test


TESTS = [*(named(kind) for kind in MOMENTS), tracer_before_patches,
         tracer_leaves_a_profile, tracer_killed_early, attachment_leaves_a_profile,
         tracer_in_handler, tracer_at_its_last_calls, tracer_putting_off]
