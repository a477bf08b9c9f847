"""The tools that are measured: how each is called."""

import dataclasses
import os
import shutil
import sys
from collections.abc import Callable


@dataclasses.dataclass
class Tool:
    name: str
    needs: str                # program that must be on PATH; "" if none
    prefix: Callable          # folder for its files -> words before the program
    slow: bool = False        # one round only
    warm: bool = False        # has a cache: one run that is not measured comes first
    follows_threads: bool = True
    environment: dict = dataclasses.field(default_factory=dict)


BARE = Tool("bare", "", lambda folder: [])


def trammel(path, measurement, cache):
    def prefix(folder):
        return [path, "run", "--quiet", "-m", measurement,
                "-o", os.path.join(folder, "profile.trm"), "--"]
    return Tool(name_of(measurement), path, prefix, warm=True,
                environment={"TRAMMEL_CACHE_DIR": os.path.join(cache, measurement)})


def callgrind(folder):
    out = os.path.join(folder, "callgrind")
    return ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]


PEERS = [
    Tool("valgrind-none", "valgrind", lambda folder: ["valgrind", "-q", "--tool=none"],
         slow=True),
    Tool("callgrind", "valgrind", callgrind, slow=True),
    Tool("dynamorio", "drrun", lambda folder: ["drrun", "--"]),
]


MEASUREMENTS = ("functions", "coverage", "blocks", "block-coverage", "edges", "calls",
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
               else "trammel,trammel-blocks,trammel-edges,trammel-block-coverage,"
                    "valgrind-none,callgrind,dynamorio")
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
