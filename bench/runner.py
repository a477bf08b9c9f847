"""Runs one command and measures it: wall time, CPU time of all its processes, output."""

import ctypes
import dataclasses
import hashlib
import os
import resource
import shutil
import signal
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
TIMEOUT = 600  # seconds


@dataclasses.dataclass
class Run:
    wall: float      # seconds until the command ended
    cpu: float       # seconds, user and system, of the command and everything it started
    rss_kib: int     # largest resident size of any of its processes so far measured
    output: str      # sha256 of standard output
    status: int      # as wait() has it
    message: str     # last line of standard error
    user: float = 0    # seconds, user, of the command and what it waited for
    beside: float = 0  # seconds, user and system, of others that it started: a tracer, say


def become_reaper():
    """Orphans come to us, so that the CPU time of a process that lives on is counted too."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reap_all():
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def timed_out(_signal, _frame):
    raise TimeoutError(f"a command ran for more than {TIMEOUT} s")


def environment(tool):
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "LC_ALL": "C", "PYTHONHASHSEED": "0", **tool.environment}


def last_line(path):
    with open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - 500))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def start(command, tool, folder, output, errors):
    """The pid of the command; posix_spawn has no folder, so ours is changed meanwhile."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        return os.posix_spawnp(command[0], command, environment(tool), file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
    finally:
        os.chdir(here)


def run(tool, program, folder, keep_output=None):
    """Runs the program under the tool in the folder. `keep_output`: also a copy of stdout."""
    scratch = tempfile.mkdtemp(prefix="run-", dir=folder)
    output, errors = os.path.join(scratch, "out"), os.path.join(scratch, "err")
    command = tool.prefix(scratch) + program
    signal.signal(signal.SIGALRM, timed_out)
    cpu = cpu_of_children()
    begin = time.perf_counter()
    pid = start(command, tool, folder, output, errors)
    signal.alarm(TIMEOUT)
    try:
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - begin
        reap_all()
    except TimeoutError:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        signal.alarm(0)
    cpu = cpu_of_children() - cpu
    result = Run(wall, cpu, usage.ru_maxrss, digest(output), status, last_line(errors),
                 usage.ru_utime, max(0.0, cpu - usage.ru_utime - usage.ru_stime))
    if keep_output:
        shutil.copy(output, keep_output)
    shutil.rmtree(scratch)
    return result
