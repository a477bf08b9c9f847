"""Programs that cannot be run, and wrong usage: one line that says what and why."""

import os
import struct

from failure.common import expect, expect_refused, expect_same, lines_of
from transparency import running, trammel
from transparency.job_control import as_nobody
from transparency.results import Skip

EM_386, EM_X86_64, EM_AARCH64 = 3, 62, 183


def elf_header(bits, machine):
    """The header of an executable with no segments."""
    ident = b"\x7fELF" + bytes([1 if bits == 32 else 2, 1, 1]) + bytes(9)
    if bits == 32:
        return ident + struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0x8048000, 52, 0, 0, 52,
                                   32, 0, 40, 0, 0)
    return ident + struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, 0x400000, 64, 0, 0, 64, 56,
                               0, 64, 0, 0)


def missing(place):
    outcome = place.measure(["/nonexistent/program"])
    expect_refused(place, outcome, 127, "/nonexistent/program")


def missing_in_path(place):
    outcome = place.measure(["no-such-program-anywhere"])
    expect_refused(place, outcome, 127, "no-such-program-anywhere")


def no_permission(place):
    path = place.write("plain", b"#!/bin/sh\necho ran\n", 0o644)
    expect_refused(place, place.measure([path]), 126, path)


def directory(place):
    os.mkdir(place.path("folder"))
    expect_refused(place, place.measure([place.path("folder")]), 126, "folder")


def bits_32(place):
    path = place.write("thirty-two", elf_header(32, EM_386) + bytes(200), 0o755)
    expect_refused(place, place.measure([path]), 126, path, "32")


def other_machine(place):
    path = place.write("other", elf_header(64, EM_AARCH64) + bytes(200), 0o755)
    expect_refused(place, place.measure([path]), 126, path)


def no_segments(place):
    path = place.write("hollow", elf_header(64, EM_X86_64), 0o755)
    expect_refused(place, place.measure([path]), 126, path)


def torn_program(place):
    with open("/bin/true", "rb") as file:
        path = place.write("torn", file.read(40), 0o755)
    expect_refused(place, place.measure([path]), 126, path)


def empty_file(place):
    """A shell would run an empty file as a script: nothing happens. Or it is refused."""
    path = place.write("empty", b"", 0o755)
    outcome = place.measure([path])
    if outcome.status_text() == "exit 126":
        expect_refused(place, outcome, 126, path)
    else:
        expect(outcome.status == 0 and not outcome.stdout, f"{outcome.status_text()}")


def lost_interpreter(place):
    path = place.write("script", b"#!/nonexistent/interpreter\n", 0o755)
    outcome = place.measure([path])
    status = 127 if outcome.status == 127 else 126
    expect_refused(place, outcome, status, path)


def script(place):
    """A script is run by its interpreter, measured."""
    path = place.write("script", b"#!/bin/sh -e\necho $0 \"$@\"\nexit 5\n", 0o755)
    bare = running.run([path, "a b", "c"], place.folder)
    expect_same(bare, place.measure([path, "a b", "c"]))
    expect(bare.status == 5, f"bare: {bare.status_text()}")


def set_user(place):
    if os.geteuid() != 0:
        raise Skip("needs root, to make a set-uid program")
    program = place.build("whoami.c")
    os.chmod(program, 0o4755)
    os.chmod(place.folder, 0o777)
    outcome = place.measure([program], prepare=as_nobody)
    expect_refused(place, outcome, 126, program, "set-uid")


def usage(place):
    """Wrong usage: status 2, a message, and the program is not run."""
    for options in (["run"], ["run", "-m", "nonsense", "--", "echo", "ran"],
                    ["run", "--nonsense", "--", "echo", "ran"], ["nonsense"],
                    ["report"], ["run", "-o"], ["run", "-o", "", "/bin/true"], ["run", "--"]):
        outcome = running.run([place.tool, *options], place.folder)
        what = "trammel " + " ".join(options)
        expect(outcome.status == 2, f"{what}: {outcome.status_text()}, not exit 2")
        expect(not outcome.stdout, f"{what}: it printed {outcome.stdout[:60]!r}")
        expect(lines_of(outcome.stderr), f"{what}: no message")


def lost_folder(place):
    """The current folder is gone; the program is not bothered."""
    folder = place.path("gone")
    os.mkdir(folder)
    command = f"cd {folder} && rmdir {folder} && exec "
    bare = running.run(["sh", "-c", command + "/bin/echo here"], place.folder)
    os.mkdir(folder)
    measured = running.run(
        ["sh", "-c", command + f"{place.tool} run --quiet -o {place.profile} -- "
         "/bin/echo here"], place.folder)
    expect_same(bare, measured)


def no_waits(place):
    """futex_waitv is not there: the tracer looks instead, without burning a processor."""
    without = place.build("without_waitv.c")
    ticks = place.path("ticks")  # the tracer's processor time, before and after a sleep
    look = f"[ $t = 0 ] || cut -d' ' -f14,15 /proc/$t/stat >>{ticks}"
    command = ["/bin/sh", "-c",
               "for i in 1 2 3 4 5; do /bin/echo $i; done; "
               "t=$(sed -n 's/TracerPid:[^0-9]*//p' /proc/self/status); "
               f"sleep 0.1; {look}; sleep 2; {look}"]
    bare = running.run([without, *command], place.folder)
    line = trammel.run_command(place.tool, place.profile, command, place.options.measure, ())
    expect_same(bare, running.run([without, *line], place.folder))
    with open(ticks, encoding="ascii") as file:
        before, after = (sum(map(int, line.split())) for line in file)
    spent = (after - before) / os.sysconf("SC_CLK_TCK")
    expect(spent < 0.5, f"{spent:.1f} s of processor time in 2 s of sleep")
    echoes = [row for row in place.report().processes if row["program"].endswith("/echo")]
    expect(len(echoes) == 5, f"{len(echoes)} of 5 processes of echo in the profile")
    said = running.run([without, place.tool, "doctor"], place.folder)
    expect(b"no futex_waitv" in said.stdout, f"doctor does not say it: {said.stdout[:300]!r}")


TESTS = [no_waits, missing, missing_in_path, no_permission, directory, bits_32, other_machine,
         no_segments, torn_program, empty_file, lost_interpreter, script, set_user, usage,
         lost_folder]
