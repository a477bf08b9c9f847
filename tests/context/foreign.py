"""Programs that are annotated for other tools, ITT and NVTX, have context here."""

import json
import os
import subprocess

from context import common
from context.channels import JSON, run
from context.common import expect


def build(place):
    program = os.path.join(place.folder, "foreign")
    subprocess.run(["gcc", "-O1", *common.FLAGS, os.path.join(common.FOLDER, "foreign.c"), "-o", program], check=True)
    return program


def itt(place):
    """Tasks of a domain nest, whatever is open of another one; events are by name."""
    program = build(place)
    expect(place.bare("itt", "5", program=program).stdout == b"0 1\n", "without a tool")
    profile = place.check("itt", "5", program=program)
    profile.expect(second=1, second_outer=5, second_outer_inner=10, second_event=5)
    profile.expect_faults()


def nvtx(place):
    """Ranges by thread and domain; one that another thread ends does not stay open."""
    program = build(place)
    profile = place.check("nvtx", "5", program=program)
    found = profile.counts()
    deep = {path: count for path, count in found.items() if path.startswith("deep")}
    expect(len(deep) == 256 and set(deep.values()) == {1}, f"{len(deep)}")
    rest = {path: count for path, count in found.items() if count and path not in deep}
    expect(rest == {"outer": 5, "outer/wide \u20ac": 5, "outer/registered": 5, "across": 1, "thread": 1, "after": 1},
           f"{rest}")
    profile.expect_faults()


def channels(place):
    for word, variable in (("itt", "INTEL_LIBITTNOTIFY64"), ("nvtx", "NVTX_INJECTION64_PATH")):
        done = run(place, word, "5", program=build(place), **{
            variable: place.library, "TRAMMEL_CONFIG": f"runtime-report(output=report.json,region.count,{JSON})"})
        with open(os.path.join(place.folder, "report.json"), encoding="utf-8") as file:
            rows = {row.get("path"): row.get("Calls") for row in json.load(file)}
        expect(rows["second/outer" if word == "itt" else "outer"] == 5 and not done.stderr, f"{rows} {done}")


TESTS = (itt, nvtx, channels)
