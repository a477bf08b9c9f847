"""Running a command in its own process group, and comparing two runs of it."""

import dataclasses
import difflib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT_SECONDS = 60  # of what hangs; a machine with much to do takes a third of it
SKIP_STATUS = 77

# What differs between any two runs of the same program.
NORMALISERS = {
    "addresses": (re.compile(rb"0x[0-9a-f]+"), b"0xADDRESS"),
    "pids": (re.compile(rb"==\d+=="), b"==PID=="),
    "numbers": (re.compile(rb"\d+"), b"N"),
    "blank": (re.compile(rb"[ \t]+"), b" "),
    "times": (re.compile(rb"\d+(\.\d+)?m?s\b"), b"TIME"),
}


@dataclasses.dataclass
class Outcome:
    """What a run showed to the outside."""

    stdout: bytes
    stderr: bytes
    status: int  # as subprocess has it: negative for a signal
    timed_out: bool = False
    seconds: float = 0.0

    def status_text(self):
        if self.timed_out:
            return "timeout"
        if self.status < 0:
            return "signal " + signal.Signals(-self.status).name
        return f"exit {self.status}"


def base_environment():
    """The environment that every test starts from: the same for bare and measured."""
    kept = ("PATH", "HOME", "TMPDIR", "TRAMMEL_CACHE_DIR", "TRAMMEL_REPLAN",
            "TRAMMEL_LAZY")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment.update(LC_ALL="C", TZ="UTC", NO_COLOR="1", TERM="dumb")
    return environment


def tool_environment():
    """The same for trammel itself where no test program gets it: with what a build of it with
    sanitizers is told."""
    told = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")
            if name in os.environ}
    return {**base_environment(), **told}


def own_folders(folder):
    """Makes the tests use a cache folder of their own, new and empty, and one for what programs
    that are killed leave in TMPDIR."""
    os.environ["TRAMMEL_CACHE_DIR"] = os.path.join(folder, "cache")
    os.mkdir(os.environ["TRAMMEL_CACHE_DIR"], 0o700)
    os.environ["TMPDIR"] = os.path.join(folder, "tmp")
    os.mkdir(os.environ["TMPDIR"])
    os.chmod(os.environ["TMPDIR"], 0o1777)


def without_cache_variable(home):
    """An environment for another user: the cache folder is the one in the home folder."""
    environment = tool_environment() | {"HOME": home}
    environment.pop("TRAMMEL_CACHE_DIR", None)
    return environment


def kill_group(process):
    """Kills what is left of the process group that the process led."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def run(command, cwd, environment=None, stdin=None, timeout=None, prepare=None):
    """Runs the command in a group of its own and returns its Outcome.

    stdin is bytes or None (/dev/null). Whatever is left of the group afterwards is killed
    if the time ran out, so that a hanging test cannot hold up the next one. prepare is called
    in the child before the exec.
    """

    # Files and not pipes: a process that lives on must not keep us waiting for the end.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source = subprocess.DEVNULL
        if stdin is not None:
            source = tempfile.TemporaryFile()
            source.write(stdin)
            source.seek(0)
        start = time.monotonic()
        process = subprocess.Popen(
            command, cwd=cwd, env=environment or base_environment(), stdin=source,
            stdout=out, stderr=err, start_new_session=True, preexec_fn=prepare)
        timed_out = False
        try:
            process.wait(timeout or TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            timed_out = True
            kill_group(process)
            process.wait()
        if stdin is not None:
            source.close()
        out.seek(0)
        err.seek(0)
        return Outcome(out.read(), err.read(), process.returncode, timed_out,
                       time.monotonic() - start)


def normalise(data, names):
    for name in names:
        pattern, replacement = NORMALISERS[name]
        data = pattern.sub(replacement, data)
    return data


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def executable(process):
    """The path of what a process executes, '' if nobody says."""
    try:
        return os.readlink(f"/proc/{process}/exe")
    except OSError:
        return ""


def command_line(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def works_for(process, tool, profile):
    """Whether it is a process of trammel that was told of this profile."""
    return executable(process) == tool and profile.encode() in command_line(process)


def first_difference(bare, measured, limit=160):
    """The first lines that differ, on one line; empty if none do."""
    if bare == measured:
        return ""
    shown = []
    lines = difflib.unified_diff(
        bare.decode(errors="replace").splitlines(),
        measured.decode(errors="replace").splitlines(), lineterm="", n=0)
    for line in lines:
        if line[:3] not in ("---", "+++") and line[:2] != "@@":
            shown.append(line)
        if len(shown) == 6:
            break
    text = " | ".join(shown) or "they differ in line ends only"
    return text if len(text) <= limit else text[:limit] + "..."


def compare(bare, measured, normalisers=(), ignore=()):
    """A list of what differs, each one line. ignore: of "stdout", "stderr", "status"."""
    if bare.timed_out:
        return ["the bare run timed out"]
    problems = []
    if "status" not in ignore and bare.status_text() != measured.status_text():
        tail = normalise(measured.stderr, normalisers).decode(errors="replace").strip()
        reason = f" ({tail[-300:]})" if tail and tail.encode() not in bare.stderr else ""
        problems.append(f"status: bare {bare.status_text()}, "
                        f"measured {measured.status_text()}{reason}")
    for name in ("stdout", "stderr"):
        if name in ignore:
            continue
        difference = first_difference(normalise(getattr(bare, name), normalisers),
                                      normalise(getattr(measured, name), normalisers))
        if difference:
            problems.append(f"{name}: {difference}")
    return problems


class Scratch:
    """A folder for the files of a run, removed at the end. World-readable, so that tests
    can run as another user."""

    def __init__(self, name):
        self.path = tempfile.mkdtemp(prefix=f"trammel-{name}-")
        os.chmod(self.path, 0o755)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
