"""The tools that are measured: how each is called."""

import dataclasses
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import runner
import workloads

WARM_MOST = 8  # runs of a program with a tool


@dataclasses.dataclass
class Tool:
    name: str
    needs: str                # program that must be on PATH; "" if none
    prefix: Callable          # folder for its files -> words before the program
    slow: bool = False        # one round only
    warm: bool = False        # has a cache, which is filled before anything is measured
    follows_threads: bool = True
    environment: dict = dataclasses.field(default_factory=dict)


BARE = Tool("bare", "", lambda folder: [])


def trammel(path, measurement, cache):
    def prefix(folder):
        return [path, "run", "--quiet", "-m", measurement,
                "-o", os.path.join(folder, "profile.trm"), "--"]
    return Tool(name_of(measurement), path, prefix, warm=True,
                environment={"TRAMMEL_CACHE_DIR": os.path.join(cache, measurement)})


def plans_of(tool):
    """What the cache of a tool has: {file: when it was written}."""
    folder = tool.environment["TRAMMEL_CACHE_DIR"]
    if not os.path.isdir(folder):
        return {}
    return {entry.name: entry.stat().st_mtime_ns for entry in os.scandir(folder)
            if entry.name.endswith(".plan")}


def warm(tools, programs, folder, progress):
    """Fills the caches of those that have one: what a run shows may have the next one planned
    otherwise, so each of the programs, {name: command}, is run until it leaves the cache as it is,
    but not for ever."""
    left = [(tool, name) for name in programs for tool in tools if tool.warm]
    for number in range(WARM_MOST):
        changing = []
        for tool, name in left:
            progress.show(f"warming, {number + 1} of up to {WARM_MOST}: {name} {tool.name}")
            before = plans_of(tool)
            runner.run(tool, programs[name], folder)
            if plans_of(tool) != before:
                changing.append((tool, name))
        left = changing


def callgrind(folder):
    out = os.path.join(folder, "callgrind")
    return ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]


def drrun_path():
    """It looks for the rest of DynamoRIO from where it was called."""
    return os.path.realpath(shutil.which("drrun"))


def dynamorio_blocks(folder):
    """DynamoRIO with a client of ours that is built where drrun and its libraries are."""
    drrun = drrun_path()
    root = os.path.dirname(os.path.dirname(drrun))
    client = os.path.join(folder, "dynamorio_blocks.so")
    libraries = os.path.join(root, "ext", "lib64", "release")
    if not os.path.exists(client):
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-fno-stack-protector", "-DX86_64",
                        "-DLINUX", f"-I{root}/include", f"-I{root}/ext/include", "-o", client,
                        os.path.join(workloads.PROGRAMS, "dynamorio_blocks.c"),
                        f"-L{libraries}", "-ldrx", "-ldrmgr", "-ldrreg",
                        f"-Wl,-rpath,{libraries}"], check=True)
    return [drrun, "-c", client, os.path.join(folder, "dynamorio.txt"), "--"]


PEERS = [
    Tool("valgrind-none", "valgrind", lambda folder: ["valgrind", "-q", "--tool=none"],
         slow=True),
    Tool("callgrind", "valgrind", callgrind, slow=True),
    Tool("dynamorio", "drrun", lambda folder: [drrun_path(), "--"]),
    Tool("dynamorio-blocks", "drrun", dynamorio_blocks),
]


MEASUREMENTS = ("functions", "coverage", "blocks", "block-coverage", "edges", "paths", "calls",
                "callgraph")


def name_of(measurement):
    return "trammel" if measurement == "functions" else f"trammel-{measurement}"


def names():
    return [name_of(measurement) for measurement in MEASUREMENTS] + [peer.name for peer in PEERS]


def choose(options, cache):
    """Bare and the tools asked for; by default all that are installed, in a quick run only
    trammel. Ends the program when an asked one is not there."""
    path = os.path.abspath(options.trammel)
    known = [*(trammel(path, measurement, cache)
               for measurement in MEASUREMENTS), *PEERS]
    default = ("trammel" if options.quick
               else "trammel,trammel-blocks,trammel-edges,trammel-paths,trammel-block-coverage,"
                    "trammel-calls,trammel-callgraph,valgrind-none,callgrind,dynamorio,dynamorio-blocks")
    wanted = (options.tools or default).split(",")
    unknown = set(wanted) - {tool.name for tool in known}
    if unknown:
        sys.exit(f"bench: no such tool: {', '.join(sorted(unknown))}; "
                 f"there are {', '.join(names())}")
    chosen = [BARE]
    for tool in known:
        if tool.name not in wanted:
            continue
        if shutil.which(tool.needs):
            chosen.append(tool)
        elif options.tools or tool.name == "trammel":
            sys.exit(f"bench: '{tool.needs}' is not there: build or install it")
        else:
            print(f"bench: {tool.name} left out: '{tool.needs}' is not on PATH",
                  file=sys.stderr)
    return chosen
