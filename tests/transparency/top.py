"""Tests of `top`: what it shows, and that the process is as before when it has ended.

Each test is called with (folder, tool, options), as those of job_control.
"""

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import time

from transparency import attach, job_control, running
from transparency.job_control import expect

ROW = re.compile(r"^ *([\d,]+) +([\d.]+ %)? +([\d,]+)  (\S+) +(\S.*)$", re.MULTILINE)


def rows_of(look):
    return {match[5]: int(match[3].replace(",", "")) for match in ROW.finditer(look)}


def is_free(pid):
    """Whether nobody traces the process, and nothing of trammel's is mapped in it."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        if "TracerPid:\t0\n" not in file.read():
            return False
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        return "memfd:trammel" not in file.read()


def await_free(pid, what):
    end = time.monotonic() + attach.WAIT_SECONDS
    while not is_free(pid):
        expect(time.monotonic() < end, f"{what}: the process is not left")
        time.sleep(0.02)


def batch(folder, tool, _):
    """Looks at a program from its start to its end: the last one has all calls."""
    program = job_control.build(folder, "spans", "top-batch")
    done = running.run([tool, "top", "-b", "-d", "100ms", "-l", "1000", program], folder)
    looks = done.stdout.decode().split("\n\n")[:-1]
    expect(done.status == 0 and not done.stderr and len(looks) >= 4,
           f"{done.status_text()}, {len(looks)} looks: {done.stderr!r}")
    calls = [rows_of(look).get("piece", 0) for look in looks]
    expect(calls == sorted(calls) and 0 < calls[-2] and calls[-1] == 40000, f"calls: {calls}")
    done = running.run([tool, "top", "-b", "-n", "2", "-d", "100ms", "-l", "3", program], folder)
    looks = done.stdout.decode().split("\n\n")[:-1]
    expect(len(looks) == 2 and len(rows_of(looks[1])) == 3, f"not 3 rows: {looks!r}")
    done = running.run([tool, "top", "--csv", "--columns", "calls,function", "-n", "2", "-d", "100ms", program], folder)
    lines = done.stdout.decode().splitlines()
    expect(done.status == 0 and lines.count("Calls,Function") == 1 and lines[0] == "Calls,Function" and
           any(line.endswith(",piece") and line.split(",")[0].isdigit() for line in lines), f"{done}")
    done = running.run([tool, "top", "--columns", "nothing", "-d", "60ms", "--", program], folder)
    expect(done.status == 2 and b"no column 'nothing'" in done.stderr, f"{done}")
    done = running.run([tool, "top", "-n", "2", "-d", "60ms", "--by", "process", "--", program],
                       folder)
    looks = done.stdout.decode().split("\n\n")[:-1]
    expect(done.status == 0 and len(looks) == 2 and "  running       /" in looks[1], f"{done}")
    # It runs on, and its name is in the command line of nobody else.
    end = time.monotonic() + attach.WAIT_SECONDS
    while subprocess.run(["pgrep", "-f", program], stdout=subprocess.DEVNULL,
                         check=False).returncode == 0:
        expect(time.monotonic() < end, "the program does not end")
        time.sleep(0.05)
    for words, status, text in (
            (["-p", "1", "--", "x"], 2, b"at once"), ([], 2, b"no process and no program"),
            (["-p", "x"], 2, b"--pid 'x'"), (["-d", "1ms", "-p", "1"], 2, b"50ms"),
            (["--by", "tread", "-p", "1"], 2, b"--by 'tread'"),
            (["--", folder + "/none"], 4, b"No such file")):
        done = running.run([tool, "top", *words], folder)
        expect(done.status == status and text in done.stderr and done.stderr.count(b"\n") == 1 and
               not done.stdout, f"{words}: {done}")


class Screen:
    """A command on a terminal of its own, and what it shows there."""

    def __init__(self, command, **variables):
        self.shown = ""
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave,
            stderr=slave, start_new_session=True,
            env=running.tool_environment() | {"TERM": "xterm", **variables})
        os.close(slave)

    def expect(self, wanted):
        """Reads until the text is shown; forgets all up to there."""
        end = time.monotonic() + attach.WAIT_SECONDS
        while wanted not in self.shown:
            ready = select.select([self.master], [], [], end - time.monotonic())[0]
            expect(ready, f"it does not show {wanted!r}: {self.shown[-500:]!r}")
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                piece = b""
            expect(piece, f"it ended, without {wanted!r}: {self.shown[-500:]!r}")
            self.shown += piece.decode(errors="replace")
        self.shown = self.shown.split(wanted, 1)[1]

    def press(self, key):
        os.write(self.master, key.encode())

    def end(self):
        status = self.process.wait(attach.WAIT_SECONDS)
        os.close(self.master)
        return status


def watch(tool, pid, **variables):
    return Screen([tool, "top", "-d", "100ms", "-p", str(pid)], **variables)


def screen(folder, tool, _):
    """Keys do what they are said to do; the screen comes back, and the process is left."""
    with attach.Server(folder, "top-screen") as server:
        server.do("spin")
        top = watch(tool, server.pid)
        top.expect("\033[?1049h")
        top.expect("by function, sorted by rate")
        top.expect("work_once")
        top.press("m")
        top.expect("by module, sorted by rate")
        top.press("p")
        top.expect("by process, sorted by rate")
        top.expect(f" {server.pid}  running  ")
        top.press("h")
        top.expect("Process   Thread  Program")
        top.press("n")
        top.expect("sorted by name")
        top.press(" ")
        top.expect(", paused")
        top.press(" ")
        top.press("f")
        top.expect("by function, sorted by name")
        top.press("q")
        top.expect("\033[?1049l")
        expect(top.end() == 0, f"status {top.process.returncode}")
        expect(is_free(server.pid), "the process is not left")
        server.do("still")
        server.do("calls 10")
        server.finish()


def quits(folder, tool, _):
    """However top ends, the process is left, and works on; what a killed one left, the next removes."""
    place = os.path.join(folder, "top-left")
    os.mkdir(place)
    with attach.Server(folder, "top-quits") as server:
        server.do("spin")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            top = watch(tool, server.pid, TMPDIR=place)
            top.expect("work_once")
            top.process.send_signal(number)
            status = top.end()
            expect(status == (-number if number == signal.SIGKILL else 0),
                   f"{number.name}: status {status}")
            await_free(server.pid, number.name)
            mark = server.mark()
            time.sleep(0.02)
            expect(server.mark() > mark, f"{number.name}: its threads stand")
        expect(len(os.listdir(place)) == 1, f"left: {os.listdir(place)}")
        os.mkdir(os.path.join(place, "trammel-top-locked"))
        os.mkdir(os.path.join(place, "trammel-top-full"))
        os.mkdir(os.path.join(place, "trammel-top-full", "more"))
        for name in os.listdir(place):
            os.utime(os.path.join(place, name), (0, 0))
        lock = os.open(os.path.join(place, "trammel-top-locked"), os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_SH)
        done = running.run([tool, "top", "-b", "-n", "1", "-d", "60ms", "-p", str(server.pid)], folder,
                           running.tool_environment() | {"TMPDIR": place})
        os.close(lock)
        expect(done.status == 0 and sorted(os.listdir(place)) == ["trammel-top-full", "trammel-top-locked"],
               f"{done.status_text()}, left: {os.listdir(place)}")
        server.do("still")
        server.finish()


TESTS = [("top-" + test.__name__, test) for test in (batch, screen, quits)]
