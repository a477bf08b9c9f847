"""What it costs to attach to a server of eight threads: how long they stand, and how fast they
are while it is measured and afterwards."""

import dataclasses
import json
import os
import statistics
import subprocess
import time

MEASUREMENTS = ("functions", "blocks", "edges")
SECONDS = 0.5


@dataclasses.dataclass
class Attaching:
    stops_ms: list      # the longest stop of each attachment
    measured: list      # CPU time a round while measured, as a ratio to before
    afterwards: list    # the same after it was left


class Server:
    def __init__(self, folder):
        self.process = subprocess.Popen(["./eight"], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def speed(self):
        """CPU time of a round, in ns, since the last call."""
        print(file=self.process.stdin, flush=True)
        cpu, rounds = map(int, self.process.stdout.readline().split())
        return cpu / max(rounds, 1)

    def speed_of(self, seconds):
        self.speed()
        time.sleep(seconds)
        return self.speed()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def attach(trammel, server, measurement, profile, environment):
    """Attaches and leaves again; the speed meanwhile, and the longest stop in ms."""
    with subprocess.Popen([trammel, "attach", "-p", str(server.process.pid), "-m", measurement,
                           "-o", profile], stderr=subprocess.PIPE, text=True,
                          env=environment) as process:
        process.stderr.readline()  # it is measured from now on
        speed = server.speed_of(SECONDS)
        process.terminate()
        process.communicate()
    report = json.loads(subprocess.run([trammel, "report", "--json", profile], check=True,
                                       capture_output=True).stdout)
    return speed, int(report["profile"]["attach.stop.ns"]) / 1e6


def measure(folder, cache, options, progress):
    """{measurement: Attaching}."""
    results = {}
    profile = os.path.join(folder, "attached.trm")
    environment = os.environ | {"TRAMMEL_CACHE_DIR": os.path.join(cache, "attach")}
    trammel = os.path.abspath(options.trammel)
    for measurement in MEASUREMENTS:
        server = Server(folder)
        found = results[measurement] = Attaching([], [], [])
        attach(trammel, server, measurement, profile, environment)  # fills the cache
        for turn in range(3 if options.quick else 9):
            progress.show(f"attaching: {measurement} {turn + 1}")
            before = server.speed_of(SECONDS)
            speed, stop_ms = attach(trammel, server, measurement, profile, environment)
            found.stops_ms.append(stop_ms)
            found.measured.append(speed / before)
            found.afterwards.append(server.speed_of(SECONDS) / before)
        server.end()
    return results


def rows(attaching):
    """The lines of a table."""
    head = ["-m", "longest stop, median ms", "the longest of all ms", "while measured",
            "afterwards"]
    return [head] + [[name, f"{statistics.median(found.stops_ms):.1f}",
                      f"{max(found.stops_ms):.1f}",
                      f"{statistics.median(found.measured):.2f}",
                      f"{statistics.median(found.afterwards):.3f}"]
                     for name, found in attaching.items()]
