"""Memory that the tracer shares with programs: given back with what it was for, and limited."""

import contextlib
import os
import resource
import subprocess

from failure.common import expect, expect_same
from transparency import running, trammel
from transparency.results import Failure

CHILDREN, TOGETHER = 240, 6
GROWTH_MAX = 256 << 10  # bytes: old banks and copies would take some 20 KiB a child


def forks_load(place, children, together):
    library = place.build("plugin.c", "libplugin.so", ("-shared", "-fPIC"))
    return [place.build("forks_load.c"), library, str(children), str(together)]


def arenas_of(place):
    """Bytes that all arenas of the run take, by the descriptors of its tracer."""
    sizes = {}
    for process in running.processes():
        if not running.works_for(process, place.tool, place.profile):
            continue
        with contextlib.suppress(OSError):
            for name in os.listdir(f"/proc/{process}/fd"):
                path = f"/proc/{process}/fd/{name}"
                with contextlib.suppress(OSError):
                    if os.readlink(path).startswith("/memfd:trammel"):
                        status = os.stat(path)
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def forks_that_load(place):
    """Hundreds of children that each load a library: with each one that is gone its memory is."""
    line = trammel.run_command(place.tool, place.profile, forks_load(place, CHILDREN, TOGETHER),
                               place.options.measure)
    sizes = []
    with subprocess.Popen(line, cwd=place.folder, env=running.base_environment(),
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        for number in (CHILDREN // 4, CHILDREN):
            said = process.stdout.readline()
            expect(said == b"%d\n" % number, f"{said} instead of {number}")
            sizes.append(arenas_of(place))
            process.stdin.write(b"\n")
            process.stdin.flush()
        output, errors = process.communicate(timeout=running.TIMEOUT_SECONDS)
    expect(output == b"0 wrong\n", f"{output} {errors[-200:]}")
    expect(sizes[0] > 0, "no arena was found")
    expect(sizes[1] < sizes[0] + GROWTH_MAX, f"arenas grew from {sizes[0]} to {sizes[1]} bytes")
    if not place.options.measure or "functions" in place.options.measure:
        calls = place.report().calls("plugin_work")
        expect(calls == CHILDREN, f"{calls} calls instead of {CHILDREN}")
    return f"{sizes[0] >> 10} and {sizes[1] >> 10} KiB"


def limit(place):
    """Past the limit processes go on unmeasured, and the report says why."""
    command = forks_load(place, 160, 160)
    bare = running.run(command, place.folder)
    measured = place.measure(command, options=("--memory", "1M"))
    expect_same(bare, measured)
    text = subprocess.run([place.tool, "report", place.profile], capture_output=True, text=True,
                          check=True).stdout
    lines = [line for line in text.splitlines() if "--memory" in line]
    expect(lines and all("limit of 1 MiB" in line for line in lines), text[-500:])
    json = subprocess.run([place.tool, "report", "--json", place.profile], capture_output=True,
                          text=True, check=True).stdout
    expect("allow more with --memory" in json, "JSON does not say so")
    return lines[0][:70]


def address_limits(place):
    """Under `ulimit -v` the program does what it does bare, also where no thread can be made."""
    bare = running.run(["/bin/echo", "ran"], place.folder)
    for size, hard in ((12 << 20, False), (20 << 20, False), (12 << 20, True), (20 << 20, True)):
        def prepare(size=size, hard=hard):
            limit = resource.getrlimit(resource.RLIMIT_AS)[1]
            resource.setrlimit(resource.RLIMIT_AS, (size, size if hard else limit))
        measured = place.measure(["/bin/echo", "ran"], prepare=prepare)
        if not hard:
            expect_same(bare, measured, f"{size >> 20} MiB")
            continue
        # The tracer is under it, too, and may have no memory left; it says so.
        expect(measured.stdout == bare.stdout, f"{measured.stdout} {measured.stderr[-200:]}")
        expect(measured.status in (0, 4), measured.status_text())
        expect(measured.status == 0 or measured.stderr, "no word of what failed")


TESTS = [forks_that_load, limit, address_limits]
