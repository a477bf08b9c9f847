"""Signal handlers, mismatches, and what cannot be had: memory, room on a disk, system calls."""

import os
import re
import resource
import subprocess

from context.common import FLAGS, FOLDER, expect
from transparency import running
from transparency.results import Skip

LOST = re.compile(r"(\d+) events? lost: a signal handler said them")


def handlers(place):
    """What handlers say while their thread records is lost, and each event is counted."""
    for measure in ("regions", "trace"):
        done = place.run("handlers", "400", measure=measure)
        expect(done.status == 0, f"{done}")
        pairs, handled = map(int, done.stdout.split())
        profile = place.read()
        lost = sum(int(LOST.match(fault)[1]) for fault in profile.faults if fault)
        counts = profile.counts()
        main = sum(count for path, count in counts.items() if path.split("/")[-1].startswith("main"))
        ticks = sum(count for path, count in counts.items() if "handler=" in path)
        expect(main == pairs, f"{main} of {pairs} pairs of the program")
        expect(ticks + lost / 2 == handled and lost % 2 == 0 and lost < 2 * handled,
               f"{ticks} of {handled} ticks, {lost} events lost")


def handler_jumps(place):
    """longjmp out of handlers, whatever the thread was at: nobody waits for ever."""
    for _ in range(3):
        place.check("handler-jumps", "200")


def mismatches(place):
    profile = place.check("mismatches", "5")
    profile.expect_faults(
        "end of a while the innermost that is open is b=two, 5 times: "
        "what was open inside was ended, too",
        "end of b while the innermost that is open is nothing, 5 times: ignored",
        "end of never while the innermost that is open is nothing, 5 times: ignored",
        "1 event lost: a value that the type of its attribute cannot hold")
    profile.expect_all({"a=one": 5, "a=one/b=two": 5, "goes on": 1, "goes on/number=5": 1})
    out = subprocess.run([place.tool, "report", "--no-pager", place.profile], check=True,
                         capture_output=True, text=True).stdout
    expect([line for line in out.split("\n") if "warning:" in line]
           == ["  warning: " + fault for fault in profile.faults], f"report: {out[:400]}")


def seccomp(place):
    """After a filter is installed the library makes no system call that could kill."""
    for how in "01":
        profile = place.check("filter", how)
        expect(profile.count("before") == 1 and profile.count("all") == 1, f"{profile.counts()}")


def closed(place):
    profile = place.check("close-all", "3")
    expect(profile.count("in child") == 1 and profile.count("all/number=7") == 2,
           f"{len(profile.counts())} paths")
    place.check("close-all", "0")


def chroot(place):
    """The process goes on recording; its children cannot, and that is said."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    profile = place.check("change-root")
    expect(profile.count("all/number=7") == 2 and not profile.count("in child"),
           f"{len(profile.counts())} paths")
    profile.expect_faults("1 forked process not recorded: no spool could be made there")


def file_limits(place):
    """RLIMIT_FSIZE must kill nobody, whenever it is set."""
    for limit in (0, 4096, 100000, 1 << 20, 3 << 20):
        profile = place.check("limit-files", str(limit))
        expect(profile.count("before") == 1 and profile.count("all/number=7") == 2,
               f"{limit}: {len(profile.counts())} paths")

    def prepare():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))

    bare = place.bare("contexts", "1000", prepare=prepare)
    measured = place.run("contexts", "1000", prepare=prepare)
    expect(bare.status == 0 and b"Traceback" not in measured.stderr
           and measured.stdout == bare.stdout and measured.status in (0, 4), f"{measured}")


def memory_limits(place):
    for limit in (50 << 20, 160 << 20):
        place.check("limit-memory", str(limit))


def full_disk(place):
    """No room in the spools' file system: what there was room for is there, and no SIGBUS."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    for size in ("12k", "64k", "300k", "2m"):
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place.spools],
                              capture_output=True, check=False)
        if done.returncode:
            raise Skip("cannot mount a tmpfs")
        try:
            for measure in ("regions", "trace"):
                check_full(place, size, measure)
        finally:
            subprocess.run(["umount", place.spools], check=True)


def check_full(place, size, measure):
    for words in (("contexts", "30000"), ("threads-together", "800"), ("limit-files", "100000000")):
        bare = place.bare(*words)
        measured = place.run(*words, measure=measure)
        problems = running.compare(bare, measured, ignore=("stderr",))
        expect(not problems, f"{size}, {measure}, {words}: {problems}")
        if size == "12k":
            continue
        profile = place.read()
        counts = profile.counts()
        lost = [int(fault.split()[0]) for fault in profile.faults if "no memory" in fault]
        if words[0] == "threads-together":  # of a thread without a record, ends are lost, too
            expect(sum(counts.values()) <= 3200 <= sum(counts.values()) + sum(lost),
                   f"{size}, {measure}: {counts} and {lost} lost of 3200 begins")
        if words[0] != "contexts":
            continue
        expect(sum(counts.values()) + sum(lost) == 60001,
               f"{size}: {sum(counts.values())} and {lost} lost of 60001 begins")
        if measure == "trace":
            untraced = [int(fault.split()[0]) for fault in profile.faults if "not traced" in fault]
            expect(len(profile.events) + sum(untraced) == 2 * sum(counts.values()),
                   f"{size}: {len(profile.events)} and {untraced} not traced of {2 * sum(counts.values())} events")


def static(place):
    """A static program loads no library: that is said, and not that it entered nothing."""
    program = os.path.join(place.folder, "static")
    subprocess.run(["gcc", "-static", "-O2", *FLAGS, os.path.join(FOLDER, "properties.c"), "-o", program], check=True)
    for measure in ("regions", "functions,regions"):
        place.check("texts", program=program, measure=measure).expect_faults(
            "the program is static: it loads no library, so what it says of itself is not seen")


def unwritable(place):
    """One line that names the folder and what to set."""
    environment = {**place.environment(), "TMPDIR": "/proc/none"}
    done = place.run("regions", environment=environment)
    said = done.stderr.decode()
    expect(done.status == 4 and said.count("\n") == 1 and "TMPDIR" in said
           and "/proc/none/" in said, f"{done}")


def without_library(place):
    """A program that nobody measures, linked with nothing; and `nothing` measured."""
    profile = place.check("nothing")
    expect(not profile.counts(), f"{profile.counts()}")


def steady(place):
    """Once contexts are known: no system call, no lock, no heap on the way of an event."""
    counter = os.path.join(place.programs, "count.so")
    done = place.run("steady", environment={**place.environment(), "LD_PRELOAD": counter})
    expect(done.stdout == b"0 allocations\n" and done.status == 0, f"{done}")
    log = os.path.join(place.folder, "strace")
    done = running.run(["strace", "-f", "-o", log, place.tool, "run", "--quiet", "-m", "regions", "-o",
                        place.profile, "--", os.path.join(place.programs, "work"), "steady"],
                       place.folder, environment=place.environment(), timeout=60)
    expect(done.status == 0, f"{done}")
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    marks = [index for index, line in enumerate(lines) if "getpgid(-" in line]
    expect(len(marks) == 3, f"{len(marks)} marks")
    between = [line for line in lines[marks[0] + 1:marks[2]] if "getpgid(-" not in line
               and not re.search(r"wait4|<\.\.\.|rt_sig(timed)?wait|ppoll|restart_syscall", line)]
    expect(not between, f"system calls: {between[:3]}")
    profile = place.read()
    expect(profile.count("steady/region/level=999") == 60, f"{len(profile.counts())} paths")


TESTS = (handlers, handler_jumps, mismatches, seccomp, closed, chroot, file_limits, memory_limits,
         full_disk, static, unwritable, without_library, steady)
