"""A command on a terminal of its own, as a shell with job control would start it."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from transparency import running
from transparency.results import Failure


class Terminal:
    """Runs the command as leader of a session and foreground group of a new terminal.

    Its parent is in another session, so its group would count as orphaned, and the kernel does
    not stop such a group at Ctrl-Z. So there is a process in between: a small shell, which
    leads the session, starts the command in a group of its own and hands its states to us.
    """

    def __init__(self, command):
        self.output = b""
        self.status = None
        self.states = b""
        state_read, state_write = os.pipe()
        self.shell, self.terminal = pty.fork()
        if self.shell == 0:
            os.close(state_read)
            while not any(fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))):
                time.sleep(0.001)  # until its size is set, below
            run_job(command, state_write)
        os.close(state_write)
        self.state_fd = state_read
        size = struct.pack("HHHH", 33, 101, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for group in self.groups():
            try:
                os.killpg(group, signal.SIGKILL)
            except OSError:
                pass
        os.close(self.terminal)
        os.close(self.state_fd)
        os.waitpid(self.shell, 0)

    def groups(self):
        """The process groups of the session: those whose processes /proc shows in it."""
        found = set()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.getsid(int(name)) == self.shell:
                    found.add(os.getpgid(int(name)))
            except OSError:
                continue
        return found

    def type(self, text):
        os.write(self.terminal, text)

    def resume(self):
        """As `fg` does. The shell in between waits for SIGUSR1."""
        os.kill(self.shell, signal.SIGUSR1)

    def read_some(self, seconds):
        ready, _, _ = select.select([self.terminal, self.state_fd], [], [], seconds)
        if self.terminal in ready:
            try:
                self.output += os.read(self.terminal, 65536)
            except OSError:  # the other side is closed
                time.sleep(0.01)
        if self.state_fd in ready:
            self.states += os.read(self.state_fd, 4096)

    def drain(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read_some(0.05)

    def wait_for(self, text, problem):
        """Waits until the text has come, and forgets the output up to it."""
        self.wait_until(lambda: text in self.output, problem)
        self.output = self.output.split(text, 1)[1]

    def wait_until(self, condition, problem):
        end = time.monotonic() + running.TIMEOUT_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise Failure(f"{problem}; it printed {self.output[-120:]!r}")
            self.read_some(0.1)

    def wait_state(self, problem):
        self.wait_until(lambda: b"\n" in self.states, problem)
        line, self.states = self.states.split(b"\n", 1)
        return int(line)

    def wait_stopped(self, problem):
        status = self.wait_state(problem)
        if not os.WIFSTOPPED(status):
            raise Failure(f"{problem}: status {os.waitstatus_to_exitcode(status)}")
        return status

    def wait_end(self, problem):
        status = self.wait_state(problem)
        if os.WIFSTOPPED(status):
            raise Failure(f"{problem}: it is stopped by {os.WSTOPSIG(status)}")
        self.drain(0.1)
        return os.waitstatus_to_exitcode(status)


def run_job(command, states):
    """The shell in between: never returns. Writes each wait status of the job as a line."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    resumed = []
    signal.signal(signal.SIGUSR1, lambda *_: resumed.append(1))
    time.sleep(0.02)  # the window size is being set
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.closerange(3, 64)
        try:
            os.execvpe(command[0], command, running.base_environment())
        finally:
            os._exit(127)
    while True:
        status = os.waitpid(job, os.WUNTRACED)[1]
        os.write(states, b"%d\n" % status)
        if not os.WIFSTOPPED(status):
            break
        os.tcsetpgrp(0, os.getpgrp())
        while not resumed:
            time.sleep(0.02)
        resumed.clear()
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
    time.sleep(0.3)
    os._exit(0)
