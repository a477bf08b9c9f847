"""Costs that are no ratio: time added at start-up, memory, threads."""

import dataclasses
import os
import shutil
import statistics

import runner
import workloads


def repeats(tool, options):
    if tool.slow:
        return 3
    return 7 if options.quick else 21


def startup(chosen, folder, options, progress):
    """{command: {tool: [wall seconds]}}; a tool with a cache has a row "... cold" as well,
    for which its cache is emptied before each run."""
    results = {}
    for name, command in workloads.startup_commands().items():
        times = results[name] = {}
        for tool in chosen:
            if tool.warm:
                times[f"{tool.name} cold"] = cold_times(
                    tool, command, folder, 3 if options.quick else 5, name, progress)
                runner.run(tool, command, folder)
        rounds = max(repeats(tool, options) for tool in chosen)
        for number in range(rounds):
            for tool in chosen:
                if number < repeats(tool, options):
                    progress.show(f"start-up: {name} {tool.name}")
                    run = runner.run(tool, command, folder)
                    times.setdefault(tool.name, []).append(run.wall)
    return results


def cold_times(tool, command, folder, count, name, progress):
    times = []
    for _ in range(count):
        progress.show(f"start-up: {name} {tool.name} cold")
        shutil.rmtree(tool.environment["TRAMMEL_CACHE_DIR"], ignore_errors=True)
        times.append(runner.run(tool, command, folder).wall)
    return times


@dataclasses.dataclass
class Memory:
    anonymous_kib: float = 0  # of a Python process, at its end
    memfd_kib: float = 0      # of the same: counters and code shared with a tracer
    other_kib: float = 0      # largest process of the tool's run, the tracer included
    thread_us: float = 0      # to create and join a thread
    thread_kib: float = 0     # memory of a thread that has done nothing yet


def numbers_of(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return [float(word) for word in file.read().split()[-2:]]


def memory(chosen, folder, options, progress):
    """{tool: Memory}, medians. Only of bare and tools that leave the process its own: within
    valgrind a program does not see its real memory."""
    results = {}
    output = os.path.join(folder, "numbers")
    for tool in chosen:
        if tool.slow:
            continue
        samples = []
        for _ in range(3 if options.quick else 7):
            progress.show(f"memory: {tool.name}")
            probe = runner.run(tool, ["/usr/bin/python3", "-E", "-s", "memory_probe.py"],
                               folder, output)
            anonymous, memfd = numbers_of(output)
            runner.run(tool, ["./thread_cost"], folder, output)
            thread_us, thread_kib = numbers_of(output)
            samples.append(Memory(anonymous, memfd, probe.rss_kib, thread_us, thread_kib))
        results[tool.name] = Memory(*(statistics.median(column) for column in zip(
            *(dataclasses.astuple(sample) for sample in samples))))
    return results
