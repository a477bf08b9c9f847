#!/usr/bin/python3
"""Programs measured from programs: libtrammel-control, its engine here and elsewhere, and what happens
when either end fails.

Usage: run-control.py [--build DIR] [--only NAME] [--keep] [--seeds N] [--pip]

The cases of control/control.c are run with an engine of this host and with one behind a command.
Ends with `N passed, N failed`.
"""

import argparse
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "control"))

# pylint: disable=wrong-import-position,import-error
import installed
from shared import AGENTS, LONG, ROOT, SOURCES, Failure, Place, Skip, holds, is_gone, wait_for

from transparency.results import asked


def cases_in(place, *words):
    said = place.run(place.path("control"), *words)
    names = set(re.findall(r'\{"(\w+)",\s+test_', open(os.path.join(SOURCES, "control.c"), encoding="utf-8").read()))
    good = set(re.findall(r"^case (\w+) ok$", said, re.M))
    holds(names and names == good, said[-2000:])


def test_local(place):
    cases_in(place)


def test_command(place):
    cases_in(place, "--command", place.agent)


def test_random(place):
    """Random calls, right ones and wrong ones, against a model; with --seeds more of them."""
    for seed in range(1, place.seeds + 1):
        said = place.run(place.path("random"), seed, 150, place.path("target"), expected=0)
        holds(said == "150 calls as the model has them\n", said)


# Libraries for others' programs, and lists of what they have.
SYMBOLS = {"src/libcontrol/libtrammel-control.so.0": "symbols.txt", "src/runtime/libtrammel.so.0": "libtrammel.txt"}


def test_symbols(place):
    """Those of the lists, which releases may only make longer, are there; and no others."""
    for library, name in SYMBOLS.items():
        listed = open(os.path.join(SOURCES, name), encoding="ascii").read().split()
        said = place.run("nm", "-D", "--defined-only", os.path.join(place.build, library), expected=0)
        found = [line.split()[2] for line in said.splitlines() if line.split()[1] in "TVWDB"]
        holds(len(listed) > 40 and sorted(listed) == sorted(found), name, "symbols differ:", set(listed) ^ set(found))


def fake(name):
    return f"exec {sys.executable} {AGENTS} {name}"


# What is said of agents that are none: the code, and words of the message.
FAKES = {
    "silent": (4, "no trammel answers"),
    "garbage": (2, "no message of trammel's"),
    "text": (2, "it printed 'Last login: Monday' first"),
    "huge": (5, "claims to have 4294967295 bytes"),
    "half": (4, "in the middle of a message"),
    "old": (3, "install the same trammel"),
    "new": (3, "install the same trammel"),
    "empty": (2, "no message of trammel's"),
    "bomb": (5, "no message of trammel's"),
}


def test_fakes(place):
    for name, (code, words) in FAKES.items():
        # With less memory than a message of theirs would like.
        said = place.run("prlimit", "--as=400000000", place.path("failing"), "open", fake(name), expected=1)
        holds(said.startswith(f"{code} ") and words in said and said.count("\n") == 1, name, said)
    said = place.run(place.path("failing"), "open", "exec /nowhere/trammel", expected=1)
    holds("no trammel answers" in said, said)


def test_bad_answers(place):
    for name in ("garbage", "huge", "half", "bomb"):
        said = place.run("prlimit", "--as=400000000", place.path("failing"), "ask", fake("answers " + name), expected=0)
        lines = said.splitlines()
        holds(lines[0] == "opened" and len(lines) == 3, name, said)
        holds(lines[2].startswith("4 the engine is gone"), name, said)
    said = place.run(place.path("failing"), "ask", fake("quits"), expected=0)
    holds("4 the engine" in said, said)


def talk_to_agent(place, data):
    """What an agent says to who speaks so; it must end by itself."""
    done = subprocess.run([place.trammel, "agent", "--stdio"], input=data, capture_output=True, timeout=LONG,
                          check=False)
    holds(done.returncode == 4 and done.stderr.startswith(b"trammel: ") or not data, done)
    return done.stdout


def test_bad_clients(place):
    import agents  # pylint: disable=import-outside-toplevel,import-error
    greeting = agents.hello(session=b"")
    for data in (b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n", greeting + agents.frame(b"\xff" * 9),
                 agents.answer(1), agents.hello(9, 7), greeting + agents.AGENTS["bomb"][0]):
        talk_to_agent(place, data)
    done = subprocess.run([place.trammel, "agent", "--stdio"], input=greeting[:-2], capture_output=True,
                          timeout=LONG, check=False)
    holds(done.returncode == 0, done)
    said = talk_to_agent(place, agents.hello(9, 7))
    holds(b"install the same trammel" in said, said)


def start_run(place, name, what, *words):
    """(`failing run`, the program's number, path of its profile)"""
    profile = place.path(name + ".trm")
    client = subprocess.Popen([place.path("failing"), "run", profile, str(what), *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    said = client.stdout.readline().split()
    holds(said[:1] == ["running"], said, client.poll())
    return client, int(said[1]), profile


PATIENT = ("sh", "-c", "while [ ! -e {0}.go ]; do sleep 0.05; done; echo on > {0}.done")


def start_patient(place, name, what):
    path = place.path(name)
    words = [word.format(path) for word in PATIENT]
    return (*start_run(place, name, what, *words), path)


def finish_patient(path, pid):
    open(path + ".go", "w", encoding="ascii").close()
    wait_for(lambda: os.path.exists(path + ".done"), "the program")
    wait_for(lambda: is_gone(pid), "its end")


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def test_client_killed(place):
    client, pid, profile, path = start_patient(place, "client_killed", 0)
    client.kill()
    client.wait()
    finish_patient(path, pid)
    wait_for(lambda: os.path.exists(profile), "the profile")
    holds(place.calls(profile, None) >= 1)


def test_client_killed_detach(place):
    client, pid, profile, path = start_patient(place, "client_detach", 1)
    client.kill()
    client.wait()
    wait_for(lambda: "TracerPid:\t0" in open(f"/proc/{pid}/status", encoding="ascii").read(), "letting go")
    finish_patient(path, pid)
    wait_for(lambda: os.path.exists(profile), "the profile")


def test_client_killed_kill(place):
    client, pid, _, path = start_patient(place, "client_kill", 2)
    client.kill()
    client.wait()
    wait_for(lambda: is_gone(pid), "the program's end")
    holds(not os.path.exists(path + ".done"))


def test_engine_killed(place):
    """The agent is killed: the client hears of it, the program runs on, and is measured to its end."""
    client, pid, profile, path = start_patient(place, "engine_killed", 0)
    agent = parent_of(parent_of(pid))
    holds("agent" in open(f"/proc/{agent}/cmdline", encoding="ascii").read())
    os.kill(agent, signal.SIGKILL)
    # The program has the same output, which does not end yet.
    said = client.stdout.readline()
    holds(said.startswith("4 the engine is gone"), said)
    finish_patient(path, pid)
    wait_for(lambda: os.path.exists(profile), "the profile")
    holds(place.calls(profile, None) >= 1)


def test_old_sessions(place):
    """Profiles of sessions that are over go after a week, and nothing that is in use, though its agent is gone."""
    sessions = os.path.join(os.environ["XDG_CACHE_HOME"], "trammel/sessions")
    before = set(os.listdir(sessions)) if os.path.isdir(sessions) else set()
    client, pid, profile, path = start_patient(place, "old", 0)
    used, = set(os.listdir(sessions)) - before
    os.kill(parent_of(parent_of(pid)), signal.SIGKILL)
    client.stdout.readline()
    for name, days in (("old", 8), ("young", 6), ("mine", 8)):
        os.makedirs(os.path.join(sessions, name))
        for file in ("1.trm", "1.now.trm", *(["notes"] if name == "mine" else [])):
            open(os.path.join(sessions, name, file), "w", encoding="ascii").close()

    def sweep():
        week = time.time() - 8 * 24 * 3600
        for name in ("old", "young", "mine", used):
            folder = os.path.join(sessions, name)
            if os.path.isdir(folder):
                for file in (*os.listdir(folder), ""):
                    when = week if name != "young" else time.time() - 6 * 24 * 3600
                    os.utime(os.path.join(folder, file), (when, when))
        place.run(place.path("failing"), "run", place.path("sweep.trm"), "0", "true", expected=0)
        return set(os.listdir(sessions)) & {"old", "young", "mine", used}

    holds(sweep() == {"young", "mine", used}, os.listdir(sessions))
    holds(os.listdir(os.path.join(sessions, "mine")) == ["notes"])
    finish_patient(path, pid)
    wait_for(lambda: os.path.exists(profile), "the profile")
    wait_for(lambda: used not in sweep(), "the last folder")
    client.wait(LONG)


def test_halted_agent_killed(place):
    """A program that stands goes on when the agent is killed, and when its process is released."""
    said = place.run(place.path("control"), "halted", expected=0)
    pid = int(re.search(r"^stands (\d+)$", said, re.M).group(1))
    wait_for(lambda: is_gone(pid), "its end")


def test_front_killed(place):
    client, pid, _, path = start_patient(place, "front_killed", 0)
    os.kill(parent_of(pid), signal.SIGKILL)
    said = client.stdout.readline()
    holds(said.startswith("4 the process that measures was killed"), said)
    finish_patient(path, pid)


def test_tracer_killed(place):
    client, pid, _, path = start_patient(place, "tracer_killed", 0)
    status = open(f"/proc/{pid}/status", encoding="ascii").read()
    os.kill(int(re.search(r"TracerPid:\t(\d+)", status).group(1)), signal.SIGKILL)
    finish_patient(path, pid)
    said = client.communicate(timeout=LONG)[0]
    holds("tracer was killed" in said or "status 0" in said, said)


def test_line_cut(place):
    """The way to the engine is cut while output and counts are on it: nothing is missing."""
    note, profile = place.path("line"), place.path("line.trm")
    client = subprocess.Popen([place.path("failing"), "line", f"exec {sys.executable} {AGENTS} line {note} {place.agent}",
                               profile], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(line, answer):
        client.stdin.write(line + "\n")
        client.stdin.flush()
        said = client.stdout.readline()
        holds(said == answer + "\n", said)

    def cut():
        pid = int(open(note, encoding="ascii").read())
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: is_gone(pid), "the cut")

    say("step 10", "said")
    cut()
    say("step 20", "said")
    say("take", "taken")
    cut()
    say("take", "taken")
    say("step 30", "said")
    cut()
    say("out 3000", "said")
    said = client.communicate(timeout=LONG)[0]
    holds(said.startswith("output ready\ndone\ndone\ndone\n" + "x" * 3000 + "done\n"), said[:200])
    holds(place.calls(profile, "step") == 60, place.calls(profile, "step"))


def test_far(place):
    """Several hosts behind a command: one profile, in which each has its name."""
    profile = place.path("far.trm")
    done = subprocess.run([place.trammel, "run", "--host", "one,two", "--agent-command", place.agent, "-m", "calls", "-q",
                           "-o", profile, "--", place.path("target")], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=LONG, check=False)
    holds(done.returncode == 0 and done.stdout == "ready\nready\n", done)
    said = place.run(place.trammel, "query", "SELECT host, count() WHERE host GROUP BY host FORMAT csv", profile, expected=0)
    holds("one" in said and "two" in said, said)
    holds(not os.path.exists(profile + ".1"))
    done = subprocess.run([place.trammel, "run", "--agent-command", place.agent, "-q", "-o", profile, "--",
                           place.path("target")], input="step 7\nexit 9\n", capture_output=True, text=True, timeout=LONG,
                          check=False)
    holds(done.returncode == 9 and done.stdout == "ready\ndone\n" and not done.stderr, done)
    holds(place.calls(profile, "step") == 7)
    done = subprocess.run([place.trammel, "run", "--agent-command", place.agent, "--", "/nowhere"], capture_output=True,
                          text=True, timeout=LONG, check=False)
    holds(done.returncode == 127 and "cannot run '/nowhere'" in done.stderr, done)
    done = subprocess.run([place.trammel, "run", "--agent-command", "exit 1", "--", "true"], capture_output=True,
                          text=True, timeout=LONG, check=False)
    holds(done.returncode == 4 and "no trammel answers" in done.stderr, done)


INTERRUPTED = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
try:
    terminal = open("/dev/tty") and "a terminal"
except OSError:
    terminal = "no terminal"
print(os.getpgid(0), os.getsid(0), terminal, flush=True)
signal.sigwait([signal.SIGINT])
print("caught", flush=True)
raise SystemExit(5)
"""


def test_far_signal(place):
    """Ctrl-C goes to the program, once; attaching there ends by it."""
    profile = place.path("signal.trm")
    client = subprocess.Popen([place.trammel, "run", "--agent-command", place.agent, "-q", "-o", profile, "--",
                               sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, start_new_session=True)
    groups = client.stdout.readline()
    os.killpg(client.pid, signal.SIGINT)
    said = client.communicate(timeout=LONG)[0]
    holds(said == "caught\n" and client.returncode == 5, said, client.returncode)
    # It comes by the client alone: the program is in no group, and at no terminal, of its.
    holds(str(client.pid) not in groups.split() and "no terminal" in groups, groups)
    profile = place.path("attached.trm")
    program = subprocess.Popen([place.path("target")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    program.stdout.readline()
    client = subprocess.Popen([place.trammel, "attach", "--agent-command", place.agent, "-q", "-o", profile, "-p",
                               str(program.pid)])
    status = f"/proc/{program.pid}/status"
    wait_for(lambda: "TracerPid:\t0" not in open(status, encoding="ascii").read(), "the attachment")
    # It counts when the tracer has let it go on; which is when it answers again.
    total = 0
    while not os.path.exists(profile) and total < 200:
        program.stdin.write("step 5\n")
        program.stdin.flush()
        program.stdout.readline()
        total += 1
        if total == 100:
            client.send_signal(signal.SIGINT)
            client.wait(LONG)
    holds(client.returncode == 0, client.returncode)
    holds(0 < place.calls(profile, "step") <= 5 * total, place.calls(profile, "step"), total)
    program.communicate("exit 0\n", timeout=LONG)


SSHD = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile {folder}/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
SetEnv PATH={folder}/bin:/usr/bin:/bin XDG_CACHE_HOME={folder}/cache XDG_RUNTIME_DIR={folder}
"""
SSH = """
Host near again
HostName 127.0.0.1
Port {port}
IdentityFile {folder}/user_key
UserKnownHostsFile {folder}/known_hosts
StrictHostKeyChecking no
LogLevel ERROR
"""


def start_sshd(place):
    """An sshd of the test's own; (process, environment with an `ssh` that reaches it as "near")."""
    sshd = shutil.which("sshd", path="/usr/sbin:/usr/bin")
    if not sshd or not shutil.which("ssh"):
        raise Skip("no openssh-server")
    import socket  # pylint: disable=import-outside-toplevel
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        names = {"port": free.getsockname()[1], "folder": place.folder}
    for key in ("host_key", "user_key"):
        place.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place.path(key), expected=0)
    os.makedirs(place.path("bin"))
    for name, text in (("sshd_config", SSHD), ("ssh_config", SSH),
                       ("bin/ssh", '#!/bin/sh\nexec /usr/bin/ssh -F {folder}/ssh_config "$@"\n'),
                       ("bin/trammel", '#!/bin/sh\nexec ' + place.trammel + ' "$@"\n')):
        with open(place.path(name), "w", encoding="ascii") as file:
            file.write(text.format(**names))
        os.chmod(place.path(name), 0o700 if "/" in name else 0o600)
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    server = subprocess.Popen([sshd, "-D", "-e", "-f", place.path("sshd_config")], stderr=subprocess.PIPE)
    wait_for(lambda: os.path.exists(place.path("sshd.pid")) or server.poll() is not None, "sshd")
    if server.poll() is not None:
        raise Skip(f"sshd: {server.stderr.read()[-200:]}")
    return server, {**os.environ, "PATH": place.path("bin") + ":" + os.environ["PATH"]}


def test_ssh(place):
    """A real sshd: a run there, two hosts, and one whose connection is cut in the middle."""
    server, environment = start_sshd(place)
    profile = place.path("ssh.trm")
    try:
        done = subprocess.run([place.trammel, "run", "--host", "near", "-q", "-o", profile, "--", place.path("target")],
                              input="step 12\nexit 6\n", capture_output=True, text=True, timeout=LONG, check=False,
                              env=environment)
        holds(done.returncode == 6 and done.stdout == "ready\ndone\n" and not done.stderr, done)
        holds(place.calls(profile, "step") == 12)
        said = place.run(place.trammel, "query", "SELECT host WHERE host FORMAT csv", profile, env=environment)
        done = subprocess.run([place.trammel, "run", "--host", "near,again", "-q", "-o", profile, "--", "true"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONG, check=False,
                              env=environment)
        holds(done.returncode == 0, done)
        said = place.run(place.trammel, "query", "SELECT host, count() WHERE host GROUP BY host FORMAT csv", profile)
        holds("near" in said and "again" in said, said)
        cut_ssh(place, environment, profile)
    finally:
        server.kill()
        server.wait()


def cut_ssh(place, environment, profile):
    client = subprocess.Popen([place.trammel, "run", "--host", "near", "-q", "-o", profile, "--", place.path("target")],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    holds(client.stdout.readline() == "ready\n")
    for _ in range(2):
        client.stdin.write("step 40\n")
        client.stdin.flush()
        holds(client.stdout.readline() == "done\n")
        children = [child for path in glob.glob(f"/proc/{client.pid}/task/*/children")
                    for child in open(path, encoding="ascii").read().split()]
        holds(children, "no ssh")
        for child in children:
            os.kill(int(child), signal.SIGKILL)
    said = client.communicate("step 20\n", timeout=LONG)[0]
    holds(said == "done\n" and client.returncode == 0, said, client.returncode)
    holds(place.calls(profile, "step") == 100, place.calls(profile, "step"))


def tests(pip):
    if pip:
        return {"pip": installed.pip}
    return {name[5:]: run for name, run in (*globals().items(), *vars(installed).items()) if name.startswith("test_")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--pip", action="store_true", help="only that it can be installed by pip, which takes minutes")
    parser.add_argument("--seeds", type=int, default=3, help="random sequences of calls")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.build, "src/libcontrol/libtrammel-control.so.0")):
        print("skipped: built without protobuf-c\n0 passed, 0 failed")
        return 0
    folder = tempfile.mkdtemp(prefix="trammel-control-")
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    os.environ["XDG_RUNTIME_DIR"] = folder
    passed = failed = 0
    place = Place(options.build, folder)
    place.seeds = options.seeds
    for name, run in tests(options.pip).items():
        if options.only and options.only != name or not asked(name):
            continue
        began = time.monotonic()
        try:
            run(place)
            passed += 1
            if options.keep:
                print(f"{name}: {time.monotonic() - began:.1f} s")
        except Skip as skip:
            print(f"skipped {name}: {skip}")
        except (Failure, OSError, subprocess.SubprocessError, ValueError, KeyError) as failure:
            failed += 1
            print(f"FAILED {name}: {failure!r}")
        sys.stdout.flush()
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
