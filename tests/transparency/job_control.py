"""Tests of `run` that need more than one command: terminals, signals, set-uid programs.

Each test is called with (folder, tool, options): a folder to build in, the trammel to test,
and the options of the command line.
"""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import time

from transparency import checks, running, sources, trammel
from transparency.results import Failure, Skip
from transparency.terminal import Terminal


def build(folder, name, directory="helpers"):
    """Builds a program of tests/programs/lib in a folder of its own; returns its path."""
    source = os.path.join("lib", name + ".c")
    target = os.path.join(folder, directory + "-" + name)
    os.makedirs(target)
    program = os.path.join(target, name)
    sources.compile_one(["gcc", "-O2", "-pthread"], [source], program)
    return program


def commands(tool, profile, program):
    """The bare and the measured form of a command, by name."""
    return {"bare": [program], "measured": trammel.run_command(tool, profile, [program])}


def expect(condition, text):
    if not condition:
        raise Failure(text)


def check_calls(options, tool, profile, function, least):
    if options.no_profile:
        return
    try:
        report = trammel.Report(tool, profile)
    except trammel.ReportError as error:
        raise Failure(str(error)) from error
    calls = report.calls(function) or 0
    expect(calls >= least, f"{function}: {calls} calls in the profile, at least {least} expected")


def wait_for_calls(options, tool, profile, function, least):
    """Until a profile that is written again at some time has them."""
    end = time.monotonic() + running.TIMEOUT_SECONDS
    while True:
        try:
            return check_calls(options, tool, profile, function, least)
        except Failure:
            if time.monotonic() > end:
                raise
        time.sleep(0.2)


def stop_and_go(folder, tool, options):
    """Ctrl-Z stops the program and the tracer; fg lets both go on."""
    program = build(folder, "ticker", "stop")
    profile = os.path.join(folder, "stop.trm")
    for kind, command in commands(tool, profile, program).items():
        with Terminal(command) as terminal:
            terminal.wait_for(b"tick 3", f"{kind}: the program never ticked")
            terminal.type(b"\x1a")
            status = terminal.wait_stopped(f"{kind}: not stopped by Ctrl-Z")
            expect(os.WSTOPSIG(status) == signal.SIGTSTP,
                   f"{kind}: stopped by {os.WSTOPSIG(status)}, not SIGTSTP")
            terminal.drain(0.1)
            before = terminal.output
            terminal.drain(0.4)
            expect(terminal.output == before, f"{kind}: it ran on while stopped")
            terminal.resume()
            terminal.wait_for(b"done", f"{kind}: it did not go on after SIGCONT")
            status = terminal.wait_end(f"{kind}: it did not end")
            expect(status == 0, f"{kind}: status {status}, not 0")
    check_calls(options, tool, profile, "tick", 100)


def stopped_by_others(folder, tool, options):
    """Somebody else stops the program, and continues or kills it: its shell sees the same."""
    program = build(folder, "ticker", "others")
    profile = os.path.join(folder, "others.trm")
    for number, wanted in ((signal.SIGCONT, 0), (signal.SIGKILL, -signal.SIGKILL)):
        for kind, command in commands(tool, profile, program).items():
            with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
                process.stdout.readline()
                pid = next(found for found in running.processes()
                           if running.executable(found) == program)
                os.kill(pid, signal.SIGSTOP)
                _, status = os.waitpid(process.pid, os.WUNTRACED)
                expect(os.WIFSTOPPED(status), f"{kind}: not stopped: {status}")
                os.kill(pid, number)
                if number == signal.SIGCONT:
                    _, status = os.waitpid(process.pid, os.WCONTINUED)
                    expect(os.WIFCONTINUED(status), f"{kind}: it does not go on: {status}")
                status = process.wait(running.TIMEOUT_SECONDS)
                expect(status == wanted, f"{kind}: ended with {status}, not {wanted}")


def interrupt(folder, tool, options):
    """Ctrl-C goes to the program, which may die of it; what was counted is reported."""
    program = build(folder, "ticker", "interrupt")
    profile = os.path.join(folder, "interrupt.trm")
    for kind, command in commands(tool, profile, program).items():
        with Terminal(command) as terminal:
            terminal.wait_for(b"tick 10", f"{kind}: the program never ticked")
            terminal.type(b"\x03")
            status = terminal.wait_end(f"{kind}: not ended by Ctrl-C")
            expect(status == -signal.SIGINT, f"{kind}: ended with {status}, not by SIGINT")
    check_calls(options, tool, profile, "tick", 10)


def interrupt_caught(folder, tool, options):
    """A program that catches Ctrl-C gets it once and goes on."""
    program = build(folder, "catcher", "caught")
    profile = os.path.join(folder, "caught.trm")
    for kind, command in commands(tool, profile, program).items():
        with Terminal(command) as terminal:
            for number in range(1, 4):
                terminal.wait_for(b"ready", f"{kind}: the program never was ready")
                terminal.type(b"\x03")
                terminal.wait_for(b"caught %d" % number, f"{kind}: Ctrl-C did not come through")
            status = terminal.wait_end(f"{kind}: it did not end")
            expect(status == 3, f"{kind}: status {status}, not 3")
    check_calls(options, tool, profile, "catch_one", 3)


def terminal_size(folder, tool, options):
    """Programs see the same terminal: size, modes, foreground group, line editing."""
    if not shutil.which("bash"):
        raise Skip("needs the command 'bash'")
    script = "stty -a; tty -s && echo terminal; ps -o stat= -p $$ | grep -c +; exit 6"
    shown = {}
    profile = os.path.join(folder, "terminal.trm")
    bare = ["bash", "-c", script]
    for kind, command in (("bare", bare),
                          ("measured", trammel.run_command(tool, profile, bare))):
        with Terminal(command) as terminal:
            status = terminal.wait_end(f"{kind}: it did not end")
            expect(status == 6, f"{kind}: status {status}, not 6")
            shown[kind] = terminal.output
    difference = running.first_difference(shown["bare"], shown["measured"])
    expect(not difference, f"output: {difference}")


def interactive_shell(folder, tool, options):
    """Job control inside the measured program: an interactive bash stops and resumes a job."""
    if not shutil.which("bash"):
        raise Skip("needs the command 'bash'")
    profile = os.path.join(folder, "shell.trm")
    shell = ["bash", "--norc", "--noprofile", "-i"]
    program = build(folder, "ticker", "shell")
    for kind, command in (("bare", shell),
                          ("measured", trammel.run_command(tool, profile, shell))):
        with Terminal(command) as terminal:
            terminal.type(b"PS1='' ; echo re''ady\n")
            terminal.wait_for(b"ready", f"{kind}: no shell")
            terminal.type(program.encode() + b"\n")
            terminal.wait_for(b"tick 3", f"{kind}: the job never ticked")
            terminal.type(b"\x1a")
            terminal.wait_for(b"Stopped", f"{kind}: the job was not stopped")
            terminal.type(b"jobs; fg\n")
            terminal.wait_for(b"done", f"{kind}: fg did not resume the job")
            terminal.type(b"exit 9\n")
            status = terminal.wait_end(f"{kind}: the shell did not end")
            expect(status == 9, f"{kind}: status {status}, not 9")
    check_calls(options, tool, profile, "tick", 100)


def signal_to_tracer(folder, tool, options):
    """SIGTERM sent to the front process reaches the program."""
    program = build(folder, "ticker", "term")
    profile = os.path.join(folder, "term.trm")
    for kind, command in commands(tool, profile, program).items():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True)
        while b"tick 10" not in process.stdout.readline():
            expect(process.poll() is None, f"{kind}: it ended early")
        process.send_signal(signal.SIGTERM)
        try:
            status = process.wait(running.TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            running.kill_group(process)
            raise Failure(f"{kind}: not ended by SIGTERM") from None
        finally:
            process.stdout.close()
            process.stderr.close()
        expect(status == -signal.SIGTERM, f"{kind}: ended with {status}, not by SIGTERM")
    check_calls(options, tool, profile, "tick", 10)


def as_nobody():
    """To be called in a child: becomes an ordinary user."""
    user = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def set_user_child(folder, tool, options):
    """A set-uid program in the tree runs with its rights, unmeasured, and is reported."""
    if os.geteuid() != 0:
        raise Skip("needs root, to make a set-uid program")
    helper = build(folder, "whoami", "setuid")
    os.chmod(helper, 0o4755)
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        raise Skip(f"{folder} is mounted nosuid")
    # The set-uid program between two others, started by fork and exec, and by exec alone.
    script = f"{helper}; echo between; {helper} && exec {helper}"
    with running.Scratch("setuid") as scratch:
        os.chmod(scratch, 0o777)
        profile = os.path.join(scratch, "run.trm")
        variables = running.without_cache_variable(scratch)
        bare = running.run(["sh", "-c", script], scratch, variables, prepare=as_nobody)
        expect(b"effective 0" in bare.stdout, f"bare run: not set-uid: {bare.stdout!r}")
        measured = running.run(trammel.run_command(tool, profile, ["sh", "-c", script]),
                               scratch, variables, prepare=as_nobody)
        problems = running.compare(bare, measured)
        expect(not problems, "; ".join(problems))
        if options.no_profile:
            return
        report = trammel.Report(tool, profile)
    released = [record for record in report.processes
                if record.get("process.state") == "released"
                and helper in record.get("process.reason", "")]
    states = [(record.get("process.state"), record.get("process.reason"))
              for record in report.processes]
    expect(len(released) == 3, f"{len(released)} processes released for it, not 3: {states}")


def set_user_child_of_go(folder, tool, options):
    """The same for a program that makes system calls by instructions of its own."""
    if os.geteuid() != 0:
        raise Skip("needs root, to make a set-uid program")
    source = sources.read(os.path.join(sources.FOLDER, "go_starts.go"))
    checks.check_needs(source)
    helper = build(folder, "whoami", "setuid-go")
    os.chmod(helper, 0o4755)
    program = sources.build(source, "", os.path.join(folder, "go_starts-user"))
    with running.Scratch("setuid") as scratch:
        os.chmod(scratch, 0o777)
        profile = os.path.join(scratch, "run.trm")
        variables = running.without_cache_variable(scratch)
        bare = running.run([program, helper], scratch, variables, prepare=as_nobody)
        expect(b"effective 0" in bare.stdout, f"bare run: not set-uid: {bare.stdout!r}")
        measured = running.run(trammel.run_command(tool, profile, [program, helper]),
                               scratch, variables, prepare=as_nobody)
        problems = running.compare(bare, measured)
        expect(not problems, "; ".join(problems))
        if options.no_profile:
            return
        report = trammel.Report(tool, profile)
    reasons = [record.get("process.reason", "") for record in report.processes
               if record.get("process.state") == "released"]
    expect(len(reasons) == 1 and helper in reasons[0], f"released: {reasons}")


def set_user_as_root(folder, tool, options):
    """Started by root, a program that is set-uid root changes nothing and is measured."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    helper = build(folder, "whoami", "setuid-root")
    os.chmod(helper, 0o4755)
    with running.Scratch("setuid") as scratch:
        profile = os.path.join(scratch, "run.trm")
        bare = running.run([helper], scratch)
        measured = running.run(trammel.run_command(tool, profile, ["sh", "-c", helper]), scratch)
    problems = running.compare(bare, measured)
    expect(not problems, "; ".join(problems))
    expect(stat.S_ISUID & os.stat(helper).st_mode, "the helper lost its set-uid bit")


def daemon_returns(folder, tool, options):
    """`run` returns when the first process ends, and says what still runs."""
    program = build(folder, "lingerer", "daemon")
    profile = os.path.join(folder, "daemon.trm")
    with running.Scratch("daemon") as scratch:
        command = trammel.run_command(tool, profile, [program])
        command.remove("--quiet")
        done = running.run(command, scratch)
        expect(os.path.realpath(program) in map(running.executable, running.processes()),
               "it waited for the daemon")
        expect(done.status == 0, f"status {done.status_text()}")
        if not options.no_profile:
            text = done.stderr.decode(errors="replace")
            expect("running" in text or "runs on" in text or "still" in text,
                   f"its summary does not say that a process lives on: {text[-200:]!r}")
        wait_for_calls(options, tool, profile, "linger", 200)


TESTS = [("terminal-" + test.__name__, test) for test in (
    stop_and_go, stopped_by_others, interrupt, interrupt_caught, terminal_size, interactive_shell)]
TESTS += [("tree-" + test.__name__, test) for test in (
    signal_to_tracer, set_user_child, set_user_child_of_go, set_user_as_root, daemon_returns)]
