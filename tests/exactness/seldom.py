"""Coverage of functions that run now and then: they are unpatched as well, bit by bit, but for a process
that forks often."""

import os
import subprocess
import time

from agreement import blocks_of_images, pids_of, probes_of, taken
from runs import PLAIN

FUNCTIONS = 512
PATIENCE = 60  # seconds
FORKS = 40  # of fifty children each, at most


def wait_for(condition):
    """Whether it became true in time."""
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


class Seldom:
    """./seldom, measured."""

    def __init__(self, folder, options, measure):
        self.options, self.folder = options, folder
        self.profile = os.path.join(folder, f"seldom-{measure}.trm")
        self.run = subprocess.Popen(
            [options.trammel, "run", "--quiet", "-m", measure, "-o", self.profile, "--", "./seldom"],
            cwd=folder, env=PLAIN, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def do(self, letter):
        self.run.stdin.write(letter)
        self.run.stdin.flush()
        return self.run.stdout.readline() == b"done\n"

    def taken(self):
        """How many probes are gone, in the first process."""
        return sum(taken(probes_of(pid)) for pid in pids_of(self.run, "seldom"))

    def end(self):
        """The blocks of functions that work, of the first process and of all others."""
        self.run.stdin.close()
        right = self.run.wait() == 0
        found = [set(), set()]
        rows = blocks_of_images(self.folder, self.options, self.profile, "seldom")
        first = min(row["image"] for row in rows)
        for row in rows:
            if row["function"].startswith("work_"):
                found[row["image"] != first].add((row["function"], row["block"]))
        return found if right else None


def check_seldom(folder, options):
    """Unpatched functions have the counts that they have without unpatching; and forks do not go on paying."""
    counted = Seldom(folder, options, "blocks")
    done = counted.do(b"l") and counted.do(b"f")
    blocks = counted.end()
    covered = Seldom(folder, options, "block-coverage")
    home = wait_for(lambda: covered.taken() > FUNCTIONS)
    at_home = covered.taken()
    done = covered.do(b"l") and covered.do(b"f") and done
    forks = 1
    while forks < FORKS and covered.taken() > FUNCTIONS:
        done = covered.do(b"f") and done
        forks += 1
    back = wait_for(lambda: covered.taken() < FUNCTIONS)
    same = blocks and covered.end() == blocks
    right = done and home and back and same and len(blocks[0]) > 4 * FUNCTIONS < len(blocks[1])
    print(f"{'ok' if right else 'FAIL':4} seldom: {at_home} probes were taken away, "
          f"{'and' if back else 'and not'} put back after {forks} times fifty forks; "
          f"blocks {'as' if same else 'not as'} counted: {[len(part) for part in blocks or []]}")
    return right
