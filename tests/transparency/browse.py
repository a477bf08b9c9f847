"""Tests of `browse` and `flame` on terminals: what is drawn, at any size, and that the screen comes back.

Each test is called with (folder, tool, options), as those of job_control.
"""

import fcntl
import os
import re
import signal
import struct
import termios

from transparency import job_control, running
from transparency.job_control import expect
from transparency.results import Failure, Skip
from transparency.top import Screen

SEQUENCE = re.compile(r"\033(\[[0-9;?]*[A-Za-z]|\([B0]|[=>])")


def profile(folder, tool, name):
    """A profile of a program with calls in their contexts, and blocks."""
    program = job_control.build(folder, "spans", name)
    path = os.path.join(folder, name + ".trm")
    done = running.run([tool, "run", "-m", "callgraph,edges", "-o", path, "--", program], folder)
    expect(done.status == 9, f"{done}")  # its own
    return path


class Browser(Screen):
    def resize(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.killpg(self.process.pid, signal.SIGWINCH)


def browse(tool, path, columns=100, lines=30, **variables):
    """Opens it; what is shown first is expected here, for there may be no ncurses."""
    screen = Browser(["/bin/sh", "-c", f"stty cols {columns} rows {lines}; exec \"$0\" browse \"$1\"", tool, path],
                     **variables)
    try:
        screen.expect("functions by ")
    except Failure:
        if "without ncurses" in screen.shown:
            raise Skip("trammel was built without ncurses") from None
        raise
    return screen


def keys(folder, tool, _):
    """From the table to code and trees, and back; the terminal is as before."""
    screen = browse(tool, profile(folder, tool, "browse-keys"))
    for typed, wanted in (("/piece\r", 'with "piece"'), ("\r", "code of piece"), ("", "Address"),
                          ("\033", "function by "), ("c", "calls of piece"), ("q", "function by "),
                          ("t", "by call path"), ("E", "piece"), ("h", "Everywhere")):
        screen.press(typed + "\f")  # without that only what is different is written
        screen.expect(wanted)
    screen.press("Q")
    screen.expect("\033[?1049l")
    expect(screen.end() == 0, f"status {screen.process.returncode}")


def sizes(folder, tool, _):
    """Terminals may be tiny, and change their size."""
    path = profile(folder, tool, "browse-sizes")
    screen = browse(tool, path, 40, 8)
    for columns, lines in ((20, 5), (10, 2), (1, 1), (300, 100), (20, 5)):
        screen.resize(columns, lines)
        screen.press("t")
        screen.press("f")
        screen.press("\033[B\033[6~h")
        screen.press("q")
    screen.resize(100, 30)
    screen.press("f\f")
    screen.expect("q quit")
    screen.press("q")
    screen.expect("\033[?1049l")
    expect(screen.end() == 0, f"status {screen.process.returncode}")


def dumb(folder, tool, _):
    """Where one cannot write anywhere on a terminal, browse says so, and flame prints without colours."""
    path = profile(folder, tool, "browse-dumb")
    screen = Screen([tool, "browse", path], TERM="dumb")
    screen.expect("trammel:")
    expect(screen.end() == 4, f"status {screen.process.returncode}")
    screen = Screen([tool, "flame", "--no-pager", path], TERM="dumb")
    screen.expect("of time")
    screen.expect("|")
    expect("\033" not in screen.shown, f"sequences: {screen.shown[:200]!r}")
    screen.process.wait()
    screen = Screen([tool, "flame", "--no-pager", "--color=always", path], LC_ALL="C.UTF-8")
    screen.expect("\033[38;5;16;48;5;")
    expect(screen.process.wait() == 0, "flame failed")
    text = SEQUENCE.sub("", screen.shown)
    expect("nanosleep" in text and "\u258a" in text, f"{text!r}")


TESTS = [("browse-" + test.__name__, test) for test in (keys, sizes, dumb)]
