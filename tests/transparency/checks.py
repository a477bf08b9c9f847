"""What a test program's run and profile must be, as its head lines say."""

import os
import re
import shlex
import shutil
import time

from transparency import running, trammel
from transparency.results import Failure, Skip


def check_needs(source):
    for need in source.all("needs"):
        if need == "root":
            if os.geteuid() != 0:
                raise Skip("needs root")
        elif need == "user":
            if os.geteuid() == 0:
                raise Skip("needs an ordinary user")
        elif not shutil.which(need):
            raise Skip(f"needs the command '{need}'")


def check_bare(source, bare):
    """The program itself must be right before it can be compared with anything."""
    if bare.status == running.SKIP_STATUS:
        raise Skip(bare.stdout.decode(errors="replace").strip().splitlines()[-1])
    wanted = source.one("status", "exit 0")
    if bare.status_text() != wanted:
        tail = (bare.stdout + bare.stderr).decode(errors="replace").strip()[-160:]
        raise Failure(f"bare run: {bare.status_text()}, not {wanted}: {tail!r}")
    lines = bare.stdout.decode(errors="replace").splitlines()
    for line in source.all("output"):
        if line not in lines:
            raise Failure(f"bare run: the line '{line}' is not in its output {lines[:4]}")


def settings(line):
    """The words of an expect line: (key=value dictionary, set of flags)."""
    words = shlex.split(line)
    values = dict(word.split("=", 1) for word in words if "=" in word)
    return values, {word for word in words if "=" not in word}


def check_function(report, line, coverage):
    """Problems and notes of one `expect:` line."""
    values, flags = settings(line)
    name, module = values["function"], values.get("module")
    wanted = int(values["calls"])
    if coverage:
        wanted = min(wanted, 1)
    found = report.calls(name, module)
    if (found or 0) == wanted and not coverage:
        return [], []
    if coverage and (found is not None) == (wanted == 1):
        return [], []
    if "at-least" in flags and (found or 0) >= wanted:
        return [], []
    reason = report.skip_reason(name, module)
    if found is None and "or-skipped" in flags and reason:
        return [], [f"{name} not instrumented: {reason}"]
    text = f"{name}: {'no row' if found is None else found} instead of {wanted} calls"
    return [text + (f" (skipped: {reason})" if reason else "")], []


def check_arc(arcs, line):
    """Problems of one `expect-arc:` line."""
    values, _ = settings(line)
    wanted = {key: values[word].replace("_(", "(").replace(",_", ", ")
              for key, word in (("function", "function"), ("caller", "caller"),
                                ("arc.kind", "kind")) if word in values}
    found = sum(arc["arc.count"] for arc in arcs
                if all(arc.get(key) == text for key, text in wanted.items()))
    if found == int(values["calls"]):
        return []
    return [f"{found} calls, not as it should be: {line}"]


def ends_with(contexts, row, path):
    """Whether the way to a context ends in these functions."""
    for name in reversed(path):
        if row is None or row["function"] != name:
            return False
        row = contexts[row["parent"] - 1] if "parent" in row else None
    return True


def check_context(contexts, line):
    """Problems of one `expect-context:` line."""
    values, flags = settings(line)
    path = values["path"].replace("_(", "(").split("/")
    found = sum(row["calls"] for row in contexts if ends_with(contexts, row, path))
    if found == int(values["calls"]) or ("at-least" in flags and found > int(values["calls"])):
        return []
    return [f"{found} calls, not as it should be: {line}"]


def check_left(checked, line):
    """Problems of one `expect-left:` line."""
    values, _ = settings(line)
    times = sum(row["is"] - row["at.most"] for row in checked
                if row["kind"] == "left" and row["function"] == values["function"])
    if times == int(values["times"]):
        return []
    return [f"left {times} times, not as it should be: {line}"]


def check_process(report, line):
    """Problems of one `expect-process:` line."""
    values, _ = settings(line)
    records = report.processes_of(values["program"])
    if "state" in values:
        records = [r for r in records if r.get("process.state") == values["state"]]
    if "reason" in values:
        records = [r for r in records
                   if re.search(values["reason"], r.get("process.reason", ""))]
    wanted = int(values.get("count", "1"))
    if len(records) == wanted:
        return []
    have = ", ".join(f"{os.path.basename(r.get('program', '?'))}: {r.get('process.state')}"
                     + (f" ({r['process.reason']})" if r.get("process.reason") else "")
                     for r in report.processes)
    return [f"{len(records)} instead of {wanted} processes [{line}]; there are: {have[:300]}"]


def check_module(report, line):
    """Problems of one `expect-module:` line."""
    values, _ = settings(line)
    reasons = [row.get("module.reason", "") for row in report.modules
               if row.get("module") == values["module"]]
    if any(re.search(values["reason"], reason) for reason in reasons):
        return []
    return [f"modules of that name have other reasons {reasons} [{line}]"]


def check_profile(source, report, coverage):
    """Raises Failure with all that is wrong in the profile; returns a note."""
    problems, notes = [], []
    for line in source.all("expect"):
        wrong, note = check_function(report, line, coverage)
        problems += wrong
        notes += note
    for name in source.all("expect-absent"):
        if report.calls(name) is not None:
            problems.append(f"{name}: is no function, but has a row")
    for line in source.all("expect-arc") if report.arcs else ():
        problems += check_arc(report.arcs, line)
    for line in source.all("expect-context") if report.contexts else ():
        problems += check_context(report.contexts, line)
    for line in source.all("expect-left") if report.checked else ():
        problems += check_left(report.checked, line)
    for line in source.all("expect-process"):
        problems += check_process(report, line)
    for line in source.all("expect-module"):
        problems += check_module(report, line)
    if not report.processes:
        problems.append("the profile has no process record")
    if report.warnings:
        problems.append("trammel report says: " + report.warnings.strip()[:200])
    if problems:
        raise Failure("; ".join(problems))
    return "; ".join(notes)


def check_refusal(source, measured, profile):
    """trammel must have said in one line why it does not run the program."""
    lines = measured.stderr.decode(errors="replace").strip().splitlines()
    wanted = source.one("refused")
    if measured.status_text() != "exit 126":
        raise Failure(f"not refused with exit 126 but {measured.status_text()}: {lines[:2]}")
    if len(lines) != 1 or wanted not in lines[0]:
        raise Failure(f"the refusal is not one line with '{wanted}': {lines[:3]}")
    if measured.stdout:
        raise Failure("the refused program ran: it printed something")
    if os.path.exists(profile):
        raise Failure("a profile was written for a refused program")


def check_program(source, program, tool, options):
    """Runs the program bare and measured and compares; returns a note."""
    if trammel.preloads(options.measure) and source.one("not-preloaded"):
        raise Skip(source.one("not-preloaded"))
    if trammel.has_spans(options.measure) and source.one("not-spans"):
        raise Skip(source.one("not-spans"))
    if options.tool and source.one("not-points"):
        raise Skip(source.one("not-points"))
    arguments = shlex.split(source.one("args", ""))
    command = [program, *arguments]
    with running.Scratch("run") as scratch:
        profile = os.path.join(scratch, "measured.trm")
        work = os.path.join(scratch, "work")
        os.mkdir(work, 0o755)
        bare = running.run(command, work)
        check_bare(source, bare)
        shutil.rmtree(work)
        os.mkdir(work, 0o755)
        measured = running.run(
            trammel.run_command(tool, profile, command, options.measure,
                                shlex.split(source.one("options", ""))), work)
        if source.one("refused") and not trammel.only_preloads(options.measure):
            check_refusal(source, measured, profile)
            return ""
        normalisers = shlex.split(source.one("normalise", ""))
        problems = running.compare(bare, measured, normalisers)
        if problems:
            raise Failure("; ".join(problems))
        if options.no_profile:
            return ""
        time.sleep(float(source.one("settle", "0")))
        try:
            report = trammel.Report(tool, profile)
            trammel.check_counts(tool, profile, report, options.measure)
        except trammel.ReportError as error:
            raise Failure(str(error)) from error
        return check_profile(source, report, options.measure in ("coverage", "block-coverage"))
