"""Services from outside: loaded into programs, and added by them."""

import json
import os
import subprocess

from context import channels, common
from context.common import expect

SOURCE = os.path.join(common.FOLDER, "service.c")
QUERY = "SELECT path, sum(sum#ticker.calls) AS calls, max(max#ticker.seven) AS seven FORMAT json"


def library(place, name, *flags):
    path = os.path.join(place.folder, name)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", *flags, *common.FLAGS, SOURCE, "-o", path], check=True)
    return path


def measure(place, libraries, **variables):
    return channels.run(place, "plain", "10", TRAMMEL_SERVICE_LIBRARIES=libraries,
                        TRAMMEL_SERVICES_ENABLE="event,aggregate,report,ticker", TRAMMEL_REPORT_CONFIG=QUERY,
                        **variables)


def loaded(place):
    """It counts, and sees all events."""
    done = measure(place, library(place, "ticker.so"))
    rows = {row["path"]: row for row in json.loads(done.stdout) if row.get("path")}
    # Until a region begins, the time belongs to the one around it.
    calls = {path: row["calls"] for path, row in rows.items()}
    expect(calls == {"main": 11, "main/step": 20, "main/step/even": 5, "main/step/odd": 5}, f"{calls}")
    expect(all(row["seven"] == 7 for row in rows.values()), f"{rows}")
    expect(b"ticker of default: 21 begins, 21 ends, 42 texts" in done.stderr, f"{done.stderr}")


def versions(place):
    """One of another version is named, and the rest works."""
    done = measure(place, library(place, "old.so", "-DABI=2"))
    expect(b"old.so': a service cannot be had: it was built for version 2 of trammel/service.h, and this is "
           b"version 1; build it again" in done.stderr, f"{done.stderr}")
    expect(b"there is no service 'ticker'" in done.stderr and b"main/step/odd" in done.stdout, f"{done}")
    done = measure(place, f"{place.folder}/no.so:{library(place, 'ticker.so')}:{library(place, 'twice.so')}")
    expect(b"no.so' has no services: " in done.stderr and b"ticker of default: 21 begins" in done.stderr and
           b"twice.so': the service 'ticker' cannot be had: there is a service of this name" in done.stderr, f"{done}")


def refused(place):
    """A service says why it cannot be had; a mistyped one is near it."""
    path = library(place, "ticker.so")
    done = measure(place, path, TRAMMEL_TICKER_FAILS="no ticks here")
    expect(b"the service 'ticker' cannot be had: no ticks here" in done.stderr, f"{done.stderr}")
    done = channels.run(place, "plain", "1", TRAMMEL_SERVICE_LIBRARIES=path, TRAMMEL_SERVICES_ENABLE="event,tickr")
    expect(b"there is no service 'tickr'; did you mean 'ticker'?" in done.stderr, f"{done.stderr}")


def own(place):
    """A program adds one; what is wrong with others is told. What is open can be asked for."""
    program = channels.build(place, SOURCE, ("gcc", "-O2", "-DPROGRAM"))
    done = channels.run(place, program=program)
    told, rows = done.stdout.decode().split("[", 1)
    expect(told.split("\n") == [
        "first: nothing", "again: there is a service of this name",
        "version: it was built for another version of trammel/service.h; build it again",
        "name: there is a service of this name", "many: it has more than 16 metrics",
        "sample: it has metrics and no function 'sample'", "0 seen", "0 seen",
        "level=3 region=work value=17 3 seen", "level=3 region=work 2 seen", "value=17 1 seen", ""], told)
    calls = {row.get("path"): row["calls"] for row in json.loads("[" + rows)}
    expect(calls.get("work") == 6, f"{calls}")
    expect(b"ticker of own: 6 begins, 6 ends, 10 texts" in done.stderr, f"{done.stderr}")


TESTS = (loaded, versions, refused, own)
