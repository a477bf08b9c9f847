#!/usr/bin/python3
"""Programs on other hosts, measured from here: `--host` of run, attach, top, stacks and debug; files that
are only there; hosts that fail.

Usage: run-far.py [--build DIR] [--only NAME] [--all] [--keep]

Hosts are network namespaces with an sshd in each, in a network and mounts of the test's own: that needs
root, `ip` and sshd, and the tests that want hosts are skipped without. The others reach an agent here by
--agent-command. --all: also those that take long. Ends with `N passed, N failed`.
"""

import argparse
import glob
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from transparency.results import asked

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LONG = 240
PORT = 22
SSHD = """
Port {port}
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile {folder}/{name}.pid
StrictModes no
UsePAM no
PasswordAuthentication no
LogLevel ERROR
MaxStartups 1000
LoginGraceTime 600
SetEnv PATH={folder}/{name}/bin:/usr/bin:/bin XDG_CACHE_HOME={folder}/{name}/cache XDG_RUNTIME_DIR={folder}/{name}
"""
SSH = """
Host alpha
HostName 10.231.1.2
Host beta
HostName 10.231.2.2
Host gone
HostName 10.231.9.2
Host *
IdentityFile {folder}/user_key
UserKnownHostsFile {folder}/known_hosts
StrictHostKeyChecking no
LogLevel ERROR
"""
HIDDEN = """
__attribute__((noinline)) int turn(int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += i * 3;
	return sum;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 30; i++)
		sum += turn(i);
	return sum < 0;
}
"""


class Failure(Exception):
    pass


class Skip(Exception):
    pass


def holds(what, *about):
    if not what:
        raise Failure(" ".join(str(word) for word in about) or "does not hold")


def wait_for(question, what):
    """Until the question has an answer that is true."""
    until = time.monotonic() + LONG / 2
    while not (found := question()):
        holds(time.monotonic() < until, "waited in vain for", what)
        time.sleep(0.02)
    return found


def write(path, text, mode=0o600):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="latin-1") as file:
        file.write(text)
    os.chmod(path, mode)


def is_gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def children_of(pid):
    own = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path, encoding="ascii") as file:
                own += [int(word) for word in file.read().split()]
        except OSError:
            pass
    return own + [child for one in own for child in children_of(one)]


def words_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def agents_of(pid, word=""):
    """Agents below a process, each before its fronts and tracers; of those that run a program with this in its words."""
    return [child for child in children_of(pid) if words_of(child)[1:3] == ["agent", "--stdio"]
            and (not word or any(word in " ".join(words_of(below)[2:]) for below in children_of(child)))]


class Place:
    """What is used: the build, a folder, programs, and hosts once somebody wants them."""

    def __init__(self, build, folder):
        self.trammel = os.path.join(os.path.abspath(build), "src/cli/trammel")
        self.folder = folder
        self.agent = f"{self.trammel} agent --stdio"
        self.servers = []
        self.environment = dict(os.environ)
        self.target = self.path("target")
        self.compile(os.path.join(HERE, "control", "target.c"), self.target)

    def compile(self, source, program, *words):
        os.makedirs(os.path.dirname(program), exist_ok=True)
        subprocess.run(["gcc", "-O1", "-g", "-pthread", "-I", os.path.join(HERE, "..", "include"), source, "-o", program, *words], check=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def do(self, *words, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        if "input" in more:
            del more["stdin"]
        return subprocess.run([self.trammel, *(str(word) for word in words)], capture_output=True, text=True,
                              timeout=LONG, check=False, env=more.pop("env", self.environment), **more)

    def start(self, *words, **more):
        return subprocess.Popen([self.trammel, *(str(word) for word in words)], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=more.pop("stderr", subprocess.PIPE), text=True,
                                env=self.environment, **more)

    def calls(self, profile, function):
        done = self.do("report", "--json", "--all", profile)
        holds(done.returncode == 0, done)
        return sum(row["calls"] for row in json.loads(done.stdout)["rows"] if row["function"] == function)

    def hosts(self):
        """Alpha and beta, with an sshd each; those of a host see its own folder as `there`."""
        if self.servers:
            return
        if os.geteuid() != 0 or not os.environ.get("TRAMMEL_FAR_OWN_NETWORK"):
            raise Skip("hosts need root, and unshare")
        sshd = shutil.which("sshd", path="/usr/sbin:/usr/bin")
        if not sshd or not shutil.which("ssh") or not shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin"):
            raise Skip("no openssh-server or no iproute2")
        for key in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(key)], check=True)
        write(self.path("ssh_config"), SSH.format(folder=self.folder))
        write(self.path("bin/ssh"), f'#!/bin/sh\nexec /usr/bin/ssh -F {self.folder}/ssh_config "$@"\n', 0o700)
        self.environment["PATH"] = self.path("bin") + ":" + os.environ["PATH"]
        os.makedirs("/run/sshd", exist_ok=True)
        os.makedirs(self.path("there"))
        for number, name in enumerate(("alpha", "beta"), 1):
            self.start_host(sshd, name, number)

    def start_host(self, sshd, name, number):
        for words in (f"netns add {name}", f"link add {name} type veth peer name far netns {name}",
                      f"addr add 10.231.{number}.1/24 dev {name}", f"link set {name} up",
                      f"-n {name} link set lo up",
                      f"-n {name} addr add 10.231.{number}.2/24 dev far", f"-n {name} link set far up"):
            done = subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=False)
            if done.returncode:
                raise Skip(f"ip {words}: {done.stderr.strip()}")
        for folder in ("cache", "there"):
            os.makedirs(self.path(name, folder), exist_ok=True)
        write(self.path(name, "bin/trammel"), f'#!/bin/sh\nexec {self.trammel} "$@"\n', 0o700)
        write(self.path(name, "sshd_config"), SSHD.format(
            port=PORT, address=f"10.231.{number}.2", folder=self.folder, name=name))
        log = self.path(name + ".log")
        with open(log, "wb") as errors:  # not a pipe, which fills
            server = subprocess.Popen(["ip", "netns", "exec", name, "sh", "-c",
                                       f"mount --bind {self.path(name, 'there')} {self.path('there')} && "
                                       f"exec {sshd} -D -e -f {self.path(name, 'sshd_config')}"], stderr=errors)
        self.servers.append(server)
        wait_for(lambda: os.path.exists(self.path(name + ".pid")) or server.poll() is not None, "sshd")
        if server.poll() is not None:
            with open(log, encoding="utf-8", errors="replace") as errors:
                raise Skip(f"sshd: {errors.read()[-200:]}")

    def end(self):
        for server in self.servers:
            for child in children_of(server.pid):
                try:
                    os.kill(child, signal.SIGKILL)
                except OSError:
                    pass
            server.kill()
            server.wait()


def hosts_of(place, profile):
    done = place.do("query", "SELECT host, count() WHERE host GROUP BY host FORMAT csv", profile)
    return {line.split(",")[0].strip('"') for line in done.stdout.splitlines()[1:]}


def one_line(done, *words):
    """The message of what failed: one line that has these words."""
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    holds(done.returncode != 0 and len(lines) == 1 and all(word in lines[0] for word in words), words, done)


# Programs by an agent behind a command.


def test_stacks(place):
    program = subprocess.Popen([place.target], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    program.stdout.readline()
    done = place.do("stacks", "--host", "one,two", "--agent-command", place.agent, "-p", program.pid)
    holds(done.returncode == 0 and not done.stderr, done)
    holds(done.stdout.count(f"process {program.pid}") == 2 and done.stdout.startswith("one: "), done.stdout)
    holds("\ntwo: " in done.stdout and " main " in done.stdout, done.stdout)
    done = place.do("stacks", "--agent-command", place.agent, "-p", program.pid, "--json")
    holds(json.loads(done.stdout)["process"] == program.pid, done)
    program.communicate(timeout=LONG)
    one_line(place.do("stacks", "--agent-command", place.agent, "-p", program.pid), "there is no process")


SPINNING = "while :; do :; done"


def test_top(place):
    for more in ([], ["--samples"]):
        done = place.do("top", "--agent-command", place.agent, "-b", "-n", "2", "-d", "100ms", *more, "--", "sh", "-c",
                        SPINNING)
        holds(done.returncode == 0 and done.stdout.count("trammel top: sh") >= 2, more, done)
    done = place.do("top", "--agent-command", place.agent, "-b", "-n", "1", "--", "/nowhere")
    holds(done.returncode == 4 and "cannot run '/nowhere'" in done.stderr, done)
    program = subprocess.Popen([place.target], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    program.stdout.readline()
    client = place.start("top", "--agent-command", place.agent, "-p", program.pid, "-b", "-n", "1", "-d", "50ms")
    while client.poll() is None:
        program.stdin.write("step 1000\n")
        program.stdin.flush()
        holds(program.stdout.readline() == "done\n")
    said = client.communicate()[0]
    holds(client.returncode == 0 and re.search(r" target +step", said), said)
    # It is left as it was.
    wait_for(lambda: "TracerPid:\t0" in open(f"/proc/{program.pid}/status", encoding="ascii").read(), "letting go")
    program.communicate("exit 0\n", timeout=LONG)


def test_samples(place):
    profile = place.path("samples.trm")
    done = place.do("run", "--agent-command", place.agent, "-m", "samples", "-q", "-o", profile, "--", "sh", "-c",
                    "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 3")
    holds(done.returncode == 3, done)
    report = json.loads(place.do("report", "--json", profile).stdout)
    holds(report["profile"]["run.measure"] == "samples", report["profile"])


def test_debug(place):
    profile = place.path("debug.trm")
    done = place.do("debug", "--agent-command", place.agent, "-q", "-o", profile, "-e", "break step if $rdi || 1", "-e",
                    "break main", "-e", "continue", "-e", "backtrace", "-e", "continue", "--", place.target)
    holds("Breakpoint 2, thread " in done.stdout and " in main at " in done.stdout, done)
    holds("ready\n" in done.stdout and "exited with 0" in done.stdout and done.returncode == 0, done)
    holds(place.calls(profile, "main") == 1)
    # When nobody says anything more, it goes on.
    done = place.do("debug", "--agent-command", place.agent, "-q", "-o", profile, "-e", "break main", "-e", "continue", "--",
                    place.target)
    holds(done.returncode == 0 and "Breakpoint 1, " in done.stdout and place.calls(profile, "main") == 1, done)
    one_line(place.do("debug", "--host", "one,two", "--agent-command", place.agent, "--", "true"), "one host at a time")
    one_line(place.do("debug", "--host", "one", "--gdb", "tcp:127.0.0.1:0", "--", "true"), "--gdb")


def test_client_stopped(place):
    """Output waits for a client that is stopped, at the agent in bounded memory, and then in the program."""
    size = 48 << 20
    client = place.start("run", "--agent-command", place.agent, "-q", "-o", place.path("stopped.trm"), "--", "sh", "-c",
                         f"echo $$; head -c {size} /dev/zero; echo on > {place.path('wrote')}", stderr=subprocess.DEVNULL)
    program = int(client.stdout.readline())
    agents = agents_of(client.pid)
    holds(agents, "no agent")
    client.send_signal(signal.SIGSTOP)

    def kept():
        status = open(f"/proc/{agents[0]}/status", encoding="ascii").read()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) >> 10

    # It has taken what it takes: nothing more is read of the program.
    until, last = time.monotonic() + LONG / 2, (-1, 0)
    while last[1] < 20 and time.monotonic() < until:
        time.sleep(0.02)
        now = kept()
        last = (now, last[1] + 1 if now == last[0] else 0)
    holds(last[0] < 100, "the agent takes", last[0], "MiB")
    holds(not os.path.exists(place.path("wrote")) and not is_gone(program), "the program did not wait")
    client.send_signal(signal.SIGCONT)
    holds(len(client.stdout.read()) == size)
    holds(client.wait(LONG) == 0, client.returncode)
    holds(os.path.exists(place.path("wrote")))


def test_errors(place):
    def run(*words):
        return place.do("run", *words, "-q", "-o", place.path("none.trm"), "--", "true")

    one_line(run("--agent-command", "echo Welcome; exec " + place.agent), "it printed 'Welcome' first", "nothing")
    one_line(run("--agent-command", "exec /nowhere/trammel agent"), "no trammel answers", "not there")
    one_line(run("--agent-command", "echo it is closed >&2; exit 3"), "no trammel answers", "it is closed")
    write(place.path("wrong/trammel"), "\x7fELF\x02\x01\x01" + "\0" * 9 + "\x02\0\xb7\0\x01" + "\0" * 60, 0o700)
    one_line(run("--agent-command", place.path("wrong/trammel") + " agent --stdio"), "no trammel answers", "cannot be executed")
    one_line(run("--host", "@" + place.path("nowhere")), "cannot read the hosts")
    write(place.path("hosts"), "# none\n\n")
    one_line(run("--host", "@" + place.path("hosts")), "names no host")
    one_line(run("--host", "one", "--measure", "nothing", "--agent-command", place.agent), "nothing")
    one_line(place.do("attach", "--agent-command", place.agent, "-p", "x1"), "not a process number")
    done = place.do("run", "--host", "anywhere", "--", "true", env={**place.environment, "PATH": "/nowhere"})
    one_line(done, "there is no ssh here", "openssh-client")
    if os.geteuid() == 0 and shutil.which("setpriv"):
        program = subprocess.Popen([place.target], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        program.stdout.readline()
        # The build need not be where others can go.
        with tempfile.TemporaryDirectory(dir="/tmp") as open_to_all:
            os.chmod(open_to_all, 0o777)
            shutil.copy(place.trammel, open_to_all + "/trammel")
            agent = f"HOME=/nowhere XDG_CACHE_HOME={open_to_all}/cache XDG_RUNTIME_DIR=/tmp " \
                    f"setpriv --reuid 65534 --clear-groups {open_to_all}/trammel agent --stdio"
            done = place.do("attach", "--agent-command", agent, "-p", program.pid, "-q", "-o", place.path("none.trm"))
            program.communicate(timeout=LONG)
        one_line(done, str(program.pid), "belongs to user 0", "or as root")


class Debuginfod(http.server.BaseHTTPRequestHandler):
    """Serves one file, as debuginfod does."""
    file, asked = None, []

    def do_GET(self):
        self.asked.append(self.path)
        found = self.path == self.file[0]
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(self.file[1]) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(self.file[1])

    def log_message(self, *_):
        pass


def test_debuginfod(place):
    """The lines of a stripped program come from a server, and nobody asks one that is not named."""
    if subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL('libdebuginfod.so.1')"], check=False,
                      capture_output=True).returncode:
        raise Skip("no libdebuginfod")
    program, profile, debug = place.path("stripped"), place.path("stripped.trm"), place.path("stripped.debug")
    write(place.path("hidden.c"), HIDDEN)
    place.compile(place.path("hidden.c"), program, "-static", "-Wl,--build-id", "-rdynamic")
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "--strip-debug", program], check=True)
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes).group(1)
    holds(place.do("run", "-m", "blocks", "-q", "-o", profile, "--", program).returncode == 0)
    holds("hidden.c:" not in place.do("annotate", "-s", profile, "turn").stdout)
    Debuginfod.file = (f"/buildid/{build_id}/debuginfo", open(debug, "rb").read())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Debuginfod)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = place.do("annotate", "-s", profile, "turn", env={
            **place.environment, "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}",
            "DEBUGINFOD_CACHE_PATH": place.path("debuginfod")})
    finally:
        server.shutdown()
    holds(done.returncode == 0 and "hidden.c:" in done.stdout, done, Debuginfod.asked)


# Hosts.


def test_hosts(place):
    """Several, from a file; one that cannot be reached takes nothing from the others."""
    place.hosts()
    profile = place.path("hosts.trm")
    write(place.path("hosts"), "alpha  # the first\nbeta\n")
    done = place.do("run", "--host", "@" + place.path("hosts") + ",gone", "-m", "calls", "-q", "-o", profile, "--", place.target)
    holds(done.stdout == "ready\nready\n", done)
    one_line(done, "gone: no trammel answers from 'gone'", "ssh cannot reach it")
    holds(hosts_of(place, profile) == {"alpha", "beta"}, hosts_of(place, profile))
    holds(place.calls(profile, "main") == 2 and not os.path.exists(profile + ".1"))
    # Unknown to ssh; no trammel there; one that dies.
    one_line(place.do("run", "--host", "no.such.host.invalid", "--", "true"), "no.such.host.invalid", "ssh cannot reach it")
    os.rename(place.path("beta/bin/trammel"), place.path("beta/bin/other"))
    try:
        one_line(place.do("run", "--host", "beta", "--", "true"), "not installed there", "--agent-command")
    finally:
        os.rename(place.path("beta/bin/other"), place.path("beta/bin/trammel"))


def test_modules(place):
    """Disassembly and lines of a program that only its host has."""
    place.hosts()
    own, profile = place.path("alpha/there/hidden"), place.path("modules.trm")
    write(place.path("hidden.c"), HIDDEN)
    place.compile(place.path("hidden.c"), own)
    subprocess.run(["objcopy", "--only-keep-debug", "hidden", "hidden.debug"], cwd=os.path.dirname(own), check=True)
    subprocess.run(["strip", "hidden"], cwd=os.path.dirname(own), check=True)
    subprocess.run(["objcopy", "--add-gnu-debuglink=hidden.debug", "hidden"], cwd=os.path.dirname(own), check=True)
    holds(not os.path.exists(place.path("there/hidden")))
    done = place.do("run", "--host", "alpha", "-m", "blocks", "-q", "-o", profile, "--", place.path("there/hidden"))
    holds(done.returncode == 0 and not done.stderr, done)
    first = place.do("annotate", "-s", profile, "turn")
    holds(first.returncode == 0 and "hidden.c:" in first.stdout and "ret" in first.stdout, first)
    holds(first.stderr == f"trammel: getting '{place.path('there/hidden')}' from alpha\n", first.stderr)
    # They are kept; also if the host has another one by then.
    os.unlink(own)
    again = place.do("annotate", "-s", profile, "turn")
    holds(again.stdout == first.stdout and not again.stderr, again)
    done = place.do("export", "--to", "callgrind", profile)
    holds(re.search(r"^f[ile]=.*hidden\.c$", done.stdout, re.M), done.stdout[:500])
    shutil.rmtree(os.path.join(os.environ["XDG_CACHE_HOME"], "trammel/modules"))
    done = place.do("annotate", profile, "turn")
    holds(done.returncode != 0 and "getting" not in done.stderr, done)


QUICK_SSH = "ssh -o ServerAliveInterval=1 -o ServerAliveCountMax=1 -o ConnectTimeout=2 %h trammel agent --stdio"


def ssh_of(client):
    return [pid for pid in children_of(client.pid) if words_of(pid)[:1] in (["ssh"], ["/usr/bin/ssh"])]


def test_cut(place):
    """The line is down for as long as it takes to be noticed: nothing that was counted is lost."""
    place.hosts()
    profile = place.path("cut.trm")
    client = place.start("run", "--host", "alpha,beta", "--agent-command", QUICK_SSH, "-q", "-o", profile, "--", "sh", "-c",
                         f"echo on > {place.path('there/cut.on')}; "
                         f"while [ ! -e {place.path('cut.go')} ]; do sleep 0.05; done; for i in 1 2 3; do echo step 40 | {place.target}; done")
    wait_for(lambda: os.path.exists(place.path("alpha/there/cut.on")) and
             os.path.exists(place.path("beta/there/cut.on")), "both programs")
    before = set(ssh_of(client))
    holds(len(before) == 2, before)
    subprocess.run(["ip", "link", "set", "alpha", "down"], check=True)
    wait_for(lambda: before - set(ssh_of(client)), "the cut to be noticed")
    write(place.path("cut.go"), "")
    subprocess.run(["ip", "link", "set", "alpha", "up"], check=True)
    said, errors = client.communicate(timeout=LONG)
    holds(client.returncode == 0 and said.count("ready\ndone\n") == 6, client.returncode, said, errors)
    holds(place.calls(profile, "step") == 240 and hosts_of(place, profile) == {"alpha", "beta"}, place.calls(profile, "step"))


def test_far_killed(place):
    """The agent of one host is killed: the other's counts come, and the program runs on."""
    place.hosts()
    profile = place.path("killed.trm")
    client = place.start("run", "--host", "alpha,beta", "-q", "-o", profile, "--", "sh", "-c",
                         f"while [ ! -e {place.path('killed.go')} ]; do sleep 0.05; done; "
                         f"echo step 7 | {place.target} > {place.path('there/out')}")
    agents = wait_for(lambda: agents_of(place.servers[0].pid, "killed.go"), "the program of alpha")
    os.kill(agents[0], signal.SIGKILL)
    line = client.stderr.readline()
    holds(re.match(r"trammel: alpha: the engine (of alpha )?is gone", line), line)
    write(place.path("killed.go"), "")
    client.communicate(timeout=LONG)
    holds(client.returncode == 4, client.returncode)
    holds(hosts_of(place, profile) == {"beta"} and place.calls(profile, "step") == 7, hosts_of(place, profile))
    wait_for(lambda: os.path.exists(place.path("alpha/there/out")) and
             open(place.path("alpha/there/out"), encoding="ascii").read() == "ready\ndone\n", "the program of alpha")


def test_full(place):
    """A disk that is full there, and one that is full here: the program knows nothing of it."""
    place.hosts()
    small = place.path("small")
    os.makedirs(small)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", small], check=True)
    write(os.path.join(small, "most"), "x" * 16384)
    done = place.do("run", "--host", "beta", "-q", "-o", os.path.join(small, "full.trm"), "--", place.target,
                    input="step 9\nexit 3\n")
    holds(done.stdout == "ready\ndone\n" and done.returncode == 3, done)
    one_line(done, "No space left", "the profile stays there, in '")
    kept = re.search(r"stays there, in '(.*?)'", done.stderr).group(1)
    holds(place.calls(kept, "step") == 9, kept, place.calls(kept, "step"))
    # There.
    server = place.servers[1]
    cache = place.path("beta/cache/trammel/sessions")
    subprocess.run(["nsenter", "-t", str(server.pid), "-m", "sh", "-c",
                    f"mount -t tmpfs -o size=4k none {cache} && head -c 4096 /dev/zero > {cache}/most"], check=True)
    done = place.do("run", "--host", "beta", "-q", "-o", place.path("full.trm"), "--", place.target, input="step 9\nexit 3\n")
    subprocess.run(["nsenter", "-t", str(server.pid), "-m", "umount", "-l", cache], check=True)
    holds(done.stdout == "ready\ndone\n" and done.returncode == 3, done)
    holds("No space left" in done.stderr and not os.path.exists(place.path("full.trm")), done)


RELAY = """
import os, socket, sys, threading, time, queue
delay, host = float(sys.argv[1]), sys.argv[2]
line = socket.create_connection((host, 22))
def carry(take, give):
    late = queue.Queue()
    def put():
        while True:
            when, data = late.get()
            time.sleep(max(0, when - time.monotonic()))
            give(data)
            if not data:
                return
    threading.Thread(target=put, daemon=True).start()
    while True:
        data = take()
        late.put((time.monotonic() + delay, data))
        if not data:
            return
def end(data):
    if data:
        os.write(1, data)
    else:
        os._exit(0)
threading.Thread(target=carry, args=(lambda: line.recv(65536), end)).start()
carry(lambda: os.read(0, 65536), lambda data: line.sendall(data) if data else line.shutdown(1))
"""


def measure_slowly(place, *way):
    profile = place.path("slow.trm")
    done = place.do("run", *way, "-q", "-o", profile, "--", place.target, input="step 50\nout 300000\nexit 0\n")
    holds(done.returncode == 0 and done.stdout.count("x") == 300000, done.returncode, done.stderr)
    holds(place.calls(profile, "step") == 50)


def netem(place, *words):
    done = subprocess.run(["tc", "qdisc", "replace", "dev", "alpha", "root", "netem", *words], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise Skip(f"tc: {done.stderr.strip()}")
    measure_slowly(place, "--host", "alpha")
    subprocess.run(["tc", "qdisc", "del", "dev", "alpha", "root"], check=True)


def long_delay(place):
    """100 ms each way, made by a relay where the kernel has no netem."""
    place.hosts()
    try:
        netem(place, "delay", "100ms")
    except Skip:
        write(place.path("relay.py"), RELAY)
        measure_slowly(place, "--agent-command", f"ssh -o 'ProxyCommand={sys.executable} {place.path('relay.py')} 0.1 "
                       "10.231.1.2' alpha trammel agent --stdio")


def long_loss(place):
    place.hosts()
    netem(place, "loss", "5%", "delay", "5ms")


def tests(everything):
    found = {name[5:]: run for name, run in globals().items() if name.startswith(("test_", "long_"))}
    return {name: run for name, run in found.items() if everything or run.__name__.startswith("test_")}


def run_tests(place, options):
    passed = failed = 0
    for name, run in tests(options.all or options.only).items():
        if (options.only and options.only != name) or not asked(name):
            continue
        began = time.monotonic()
        try:
            run(place)
            passed += 1
            if options.keep:
                print(f"{name}: {time.monotonic() - began:.1f} s")
        except Skip as skip:
            print(f"skipped {name}: {skip}")
        except (Failure, OSError, subprocess.SubprocessError, ValueError, KeyError, AttributeError) as failure:
            failed += 1
            print(f"FAILED {name}: {failure!r}")
        sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.build, "src/libcontrol/libtrammel-control.so.0")):
        print("skipped: built without protobuf-c\n0 passed, 0 failed")
        return 0
    # A network, mounts and processes that are gone when this ends.
    if os.geteuid() == 0 and not os.environ.get("TRAMMEL_FAR_OWN_NETWORK") and shutil.which("unshare"):
        own = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c"]
        first = "mount -t tmpfs none /run && ip link set lo up"
        if subprocess.run([*own, first], capture_output=True, check=False).returncode == 0:
            os.environ["TRAMMEL_FAR_OWN_NETWORK"] = "1"
            os.execvp("unshare", [*own, first + ' && exec "$0" "$@"', sys.executable, *sys.argv])
    folder = tempfile.mkdtemp(prefix="trammel-far-")
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    os.environ["XDG_RUNTIME_DIR"] = folder
    place = Place(options.build, folder)
    try:
        return run_tests(place, options)
    finally:
        place.end()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
