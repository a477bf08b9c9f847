#!/usr/bin/python3
"""What the daemon takes, with many processes.

Begins processes that each wake ten times a second and work for a moment, a daemon into a new database, and after a while
asks the kernel how much of a processor the daemon took, and how much memory at most. With --db an address, into a
server's. The bars: 1 % of a processor, 60 MB.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SLEEPER = r"""
#include <time.h>
static volatile unsigned long sum;
static void work(unsigned long count) { for (unsigned long i = 0; i < count; i++) sum += i; }
int main(void)
{
	const struct timespec tenth = {0, 100000000};
	for (;;) { work(20000); nanosleep(&tenth, NULL); }
}
"""


def seconds_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trammel", default=os.path.join(TOP, "build/src/cli/trammel"))
    parser.add_argument("--processes", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=130, help="how long (default: two writings)")
    parser.add_argument("--all", action="store_true", help="as root: all processes of the machine, not those of a user alone")
    parser.add_argument("--db", help="a server's database (default: a file)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        program, tool = os.path.join(folder, "sleeper"), os.path.join(folder, "trammel")
        shutil.copy(given.trammel, tool)
        # What else the machine does is another user's.
        alone = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if not given.all and os.geteuid() == 0 else []
        subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", program], input=SLEEPER.encode(), check=True)
        children = [subprocess.Popen([*alone, program]) for _ in range(given.processes)]
        command = [tool, "daemon", "--no-gc", "--db", given.db or os.path.join(folder, "p.db")]
        with open(os.path.join(folder, "log"), "wb") as log:
            daemon = subprocess.Popen(alone + command, stderr=log)
        try:
            time.sleep(5)
            if daemon.poll() is not None:
                sys.exit("the daemon ended")
            before, begun = seconds_of(daemon.pid), time.monotonic()
            time.sleep(given.seconds)
            took, passed = seconds_of(daemon.pid) - before, time.monotonic() - begun
            status = subprocess.run([*alone, *command[:2], *command[3:], "--status"], capture_output=True, text=True, check=False).stdout
            print("\n".join(line for line in status.splitlines() if line.startswith(("samples:", "processes:", "taken:"))))
            print(f"{took:.2f} s of a processor in {passed:.0f} s: {100 * took / passed:.2f} %; at most {memory_of(daemon.pid):.1f} MB")
        finally:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait()
            for child in children:
                child.kill()
                child.wait()


if __name__ == "__main__":
    main()
