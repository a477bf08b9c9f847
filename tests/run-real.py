#!/usr/bin/python3
"""Runs programs of the system bare and measured: same output, files and end.

The table of commands is real/commands.py. As root, some are run once more as an ordinary user.
With --mapped, whether all code that they have mapped is in the report instead.
"""

import functools
import hashlib
import http.server
import os
import pwd
import random
import re
import shutil
import subprocess
import sys
import threading

from real import commands, mapped
from transparency import results, running, sources, trammel
from transparency.job_control import as_nobody
from transparency.results import Failure, Skip

WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
TIMEOUT_SECONDS = 120
LONGEST = ("clang", "g++")


def make_data(folder):
    """The data that every command finds in its folder."""
    generator = random.Random(42)
    lines = [" ".join(generator.choices(WORDS, k=9)) + f" {number}" for number in range(40000)]
    with open(os.path.join(folder, "data.txt"), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "data.bin"), "wb") as file:
        file.write(generator.randbytes(300000))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_):
        pass


def serve(folder):
    """Serves the folder on loopback; returns its address."""
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


class Environment:
    """What the commands share: their data, a server, a helper program, the trammel to test."""

    def __init__(self, folder, tool, options):
        self.tool, self.options = tool, options
        self.data = os.path.join(folder, "data")
        os.mkdir(self.data)
        make_data(self.data)
        self.url = serve(self.data)
        self.helper = os.path.join(folder, "damaged")
        sources.compile_one(["gcc", "-O2"], ["lib/damaged.c"], self.helper)

    def words(self, command):
        def fill(word):
            return word.replace("{url}", self.url).replace("{helper}", self.helper)
        if isinstance(command.command, str):
            return ["sh", "-c", fill(command.command)]
        return [fill(word) for word in command.command]


def run_once(environment, command, words, folder, user):
    """One run in a fresh folder; returns its outcome and the digests of its files."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(environment.data, folder)
    if command.setup:
        subprocess.run(["sh", "-c", command.setup], cwd=folder, check=True)
    if user:
        owner = pwd.getpwnam("nobody")
        for name in [folder, *(os.path.join(folder, name) for name in os.listdir(folder))]:
            os.chown(name, owner.pw_uid, owner.pw_gid)
    if user:
        variables = running.without_cache_variable(folder)
    else:
        variables = running.base_environment() | {"HOME": folder}
    outcome = running.run(words, folder, variables, timeout=TIMEOUT_SECONDS,
                          prepare=as_nobody if user else None)
    digests = {}
    for name in command.files:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                digests[name] = hashlib.sha256(file.read()).hexdigest()
    return outcome, digests


def check_profile(command, report):
    problems = []
    programs = [record.get("program", "") for record in report.processes]
    for pattern in command.programs:
        if not any(re.search(pattern, program) for program in programs):
            problems.append(f"no process of /{pattern}/ in {sorted(set(programs))}")
    released = [record for record in report.processes
                if record.get("process.state") == "released" and record.get("process.reason")]
    for pattern in command.released:
        if not any(re.search(pattern, record.get("program", "")) for record in released):
            states = {(os.path.basename(r.get("program", "")), r.get("process.state"))
                      for r in report.processes}
            problems.append(f"no released process of /{pattern}/: {sorted(states)}")
    if not command.released and released:
        problems.append("released: " + str([(record.get("program"), record["process.reason"])
                                            for record in released][:3]))
    for name in command.functions:
        module, function = name.split(":", 1)
        if not report.calls(function, module):
            problems.append(f"{name} has no calls")
    if not sum(row.get("calls", 0) for row in report.rows):
        problems.append("nothing was counted at all")
    if problems:
        raise Failure("; ".join(problems))


def run_test(command, user, environment):
    for need in command.needs.split():
        if not shutil.which(need):
            raise Skip(f"needs the command '{need}'")
    words = environment.words(command)
    with running.Scratch("real") as scratch:
        os.chmod(scratch, 0o777)
        work, profile = os.path.join(scratch, "work"), os.path.join(scratch, "run.trm")
        bare, bare_files = run_once(environment, command, words, work, user)
        if bare.status != command.status or len(bare_files) != len(command.files):
            raise Failure(f"bare run: {bare.status_text()}, files {sorted(bare_files)}: "
                          f"{(bare.stdout[-100:] + bare.stderr[-200:])!r}")
        line = trammel.run_command(environment.tool, profile, words, environment.options.measure)
        measured, measured_files = run_once(environment, command, line, work, user)
        problems = running.compare(bare, measured, command.normalise)
        problems += [f"{name} has another content" for name in command.files
                     if measured_files.get(name) != bare_files[name]]
        if problems:
            raise Failure("; ".join(problems))
        if not environment.options.no_profile:
            try:
                report = trammel.Report(environment.tool, profile)
                check_profile(command, report)
                trammel.check_counts(environment.tool, profile, report,
                                     environment.options.measure)
            except trammel.ReportError as error:
                raise Failure(str(error)) from error
        return f"bare {bare.seconds:.2f} s, measured {measured.seconds:.2f} s"


# These run others that trace, or are traced.
UNMAPPED = ("strace", "strace-direct", "strace-attach", "gdb", "valgrind")


def run_mapped(command, environment):
    """The command measured once, and all that it had mapped looked for in the report."""
    for need in command.needs.split():
        if not shutil.which(need):
            raise Skip(f"needs the command '{need}'")
    with running.Scratch("mapped") as scratch:
        work, profile = os.path.join(scratch, "work"), os.path.join(scratch, "run.trm")
        maps = os.path.join(scratch, "maps")
        os.mkdir(maps)
        line = mapped.words(mapped.build(scratch), maps, environment.words(command))
        run_once(environment, command,
                 trammel.run_command(environment.tool, profile, line,
                                     environment.options.measure), work, None)
        return mapped.check(maps, trammel.Report(environment.tool, profile))


def main():
    arguments = results.arguments(__doc__.splitlines()[0])
    arguments.add_argument("--mapped", action="store_true",
                           help="look whether all code that is mapped is in the report")
    arguments.add_argument("--tool", metavar="FILE.c", help=trammel.TOOL_HELP)
    options = trammel.tool_options(arguments.parse_args())
    with running.Scratch("real-data") as folder:
        running.own_folders(folder)
        environment = None
        if not options.list:
            if options.tool:
                sources.build_tool(options.tool, folder)
            environment = Environment(folder, os.path.realpath(trammel.find(options.build)),
                                      options)
        tests = []
        for command in commands.ALL:
            if options.mapped:
                if command.name not in UNMAPPED:
                    tests.append(("mapped-" + command.name,
                                  functools.partial(run_mapped, command, environment)))
                continue
            users = (False, True) if command.as_user and os.geteuid() == 0 else (False,)
            for user in users:
                name = command.name + ("-user" if user else "")
                tests.append((name, functools.partial(run_test, command, user, environment)))
        return results.run_all(tests, options, LONGEST)


if __name__ == "__main__":
    sys.exit(main())
