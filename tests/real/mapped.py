"""Whether all code that a program has mapped is in its report, measured or with a reason.

A library that is preloaded copies /proc/self/maps at the end of each process.
"""

import os

from transparency import sources
from transparency.results import Failure, Skip


def build(folder):
    """Builds the library; returns its path."""
    library = os.path.join(folder, "maps_at_end.so")
    sources.compile_one(["gcc", "-O2", "-shared", "-fPIC"], ["lib/maps_at_end.c"], library)
    return library


def words(library, folder, command):
    """A command whose processes leave their mappings in the folder."""
    return ["env", f"LD_PRELOAD={library}", f"MAPS_FOLDER={folder}", *command]


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def code_of(maps):
    """The files of executable mappings, but for trammel's own."""
    paths = set()
    for line in maps.splitlines():
        fields = line.split(None, 5)
        if len(fields) == 6 and "x" in fields[1] and fields[5].startswith("/"):
            paths.add(fields[5])
    return {path for path in paths if not path.endswith(".plan") and is_elf(path)}


def check(folder, report):
    """Raises Failure unless each file in the mappings of processes is in the report; returns a
    note. Of processes that were let go the report says why."""
    known = {module["module.path"] for module in report.modules}
    gone = {record["process"] for record in report.processes if record.get("process.reason")}
    missing, found, processes = {}, set(), 0
    for name in os.listdir(folder):
        if int(name) in gone:
            continue
        processes += 1
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            code = code_of(file.read())
        found |= code
        for path in code - known:
            missing[path] = name
    silent = [module["module.path"] for module in report.modules
              if not module.get("functions.instrumented") and not module.get("module.reason")
              and module.get("functions.known")]
    if missing:
        raise Failure(f"mapped, but not in the report: {sorted(missing.items())[:5]}")
    if silent:
        raise Failure(f"not measured without a reason: {sorted(silent)[:5]}")
    if not processes:
        raise Skip("no process left its mappings: it is static, or was let go")
    return f"{len(found)} files in {processes} processes"
