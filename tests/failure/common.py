"""What the failure tests share."""

import os

from transparency import running, sources, trammel
from transparency.results import Failure


class Place:
    """Where a test works: a folder of its own, the trammel under test, the options."""

    def __init__(self, folder, tool, options):
        self.folder, self.tool, self.options = folder, tool, options
        self.profile = os.path.join(folder, "run.trm")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content, mode=0o644):
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def build(self, source, name=None, options=()):
        """Builds a program of tests/programs/lib; returns its path."""
        program = self.path(name or os.path.splitext(source)[0])
        sources.compile_one(["gcc", "-O2", "-pthread", *options],
                            [os.path.join("lib", source)], program)
        return program

    def measure(self, command, profile=None, options=(), **how):
        """Runs the command measured."""
        line = trammel.run_command(self.tool, profile or self.profile, command,
                                   self.options.measure, options)
        return running.run(line, self.folder, **how)

    def report(self, profile=None):
        try:
            return trammel.Report(self.tool, profile or self.profile)
        except trammel.ReportError as error:
            raise Failure(str(error)) from error


def expect(condition, text):
    if not condition:
        raise Failure(text)


def lines_of(data):
    return data.decode(errors="replace").strip().splitlines()


def expect_same(bare, measured, what="", ignore=()):
    problems = running.compare(bare, measured, ignore=ignore)
    expect(not problems, (what + ": " if what else "") + "; ".join(problems))


def expect_refused(place, outcome, status, *words):
    """One line on standard error with these words, this status, and nothing written."""
    lines = lines_of(outcome.stderr)
    expect(outcome.status_text() == f"exit {status}",
           f"{outcome.status_text()}, not exit {status}: {lines[:2]}")
    expect(len(lines) == 1, f"not one line but {len(lines)}: {lines[:3]}")
    for word in words:
        expect(word in lines[0], f"'{word}' is not in the message: {lines[0]!r}")
    expect(not outcome.stdout, f"something on standard output: {outcome.stdout[:80]!r}")
    expect(not os.path.exists(place.profile), "a profile was written")
