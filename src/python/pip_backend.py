"""What pip asks (PEP 517) when it installs the source folder: has meson build trammel for this Python, and packs all of it
into one folder: trammel.*.so, trammel/control.py, ..., trammel/native/bin/trammel, .... Uses nothing but the standard
library. TRAMMEL_BUILD names the folder that is built in; it is used again."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Where meson believes that Python modules go; all else is in a folder of the module's.
MODULES = "/python"
# A second copy of libraries for programs that look for LLNL's Caliper, and what pip has no place for.
LEFT_OUT = shutil.ignore_patterns("caliper", "fortran", "pkgconfig", "cmake", "share", "__pycache__")
METADATA = """Metadata-Version: 2.1
Name: trammel
Version: {version}
Summary: Exact counts, samples and contexts of unmodified programs, and their control
License: MIT
Requires-Python: >=3.9
Provides-Extra: tables
Requires-Dist: numpy ; extra == "tables"
Requires-Dist: pandas ; extra == "tables"
"""
WHEEL = """Wheel-Version: 1.0
Generator: trammel
Root-Is-Purelib: false
Tag: {tag}
"""
SCRIPTS = """[console_scripts]
trammel = trammel.script:run_trammel
"""


def _version():
    with open(os.path.join(TOP, "meson.build"), encoding="utf-8") as file:
        return re.search(r"version: '([^']+)'", file.read()).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-linux_x86_64"


def _installed(meson, made):
    """What is to be built: no tests."""
    told = subprocess.run([meson, "introspect", "--targets", made], capture_output=True, check=True).stdout
    return [os.path.relpath(name, made) for target in json.loads(told) if target["installed"] for name in target["filename"]]


def _build(folder):
    """Builds in a folder; returns the one with what is to be packed."""
    meson = shutil.which("meson")
    if not meson:
        raise SystemExit("there is no meson: './bootstrap deps' installs what is needed to build trammel")
    made, stage, packed = (os.path.join(folder, name) for name in ("meson", "stage", "packed"))
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(os.path.join(made, "build.ninja")):
        # This Python, whichever comes first in PATH.
        native = os.path.join(folder, "python.ini")
        with open(native, "w", encoding="utf-8") as file:
            file.write(f"[binaries]\npython3 = '{sys.executable}'\n")
        subprocess.run([meson, "setup", made, TOP, "--native-file", native, f"--prefix={MODULES}/trammel/native",
                        "--libdir=lib", "--bindir=bin", "--libexecdir=libexec", f"-Dpython.platlibdir={MODULES}",
                        f"-Dpython.purelibdir={MODULES}", "-Dstrip=true"], check=True)
    subprocess.run([shutil.which("ninja") or "ninja", "-C", made, *_installed(meson, made)], check=True)
    for old in (stage, packed):
        shutil.rmtree(old, ignore_errors=True)
    subprocess.run([meson, "install", "-C", made, "--no-rebuild", "--quiet"], check=True,
                   env={**os.environ, "DESTDIR": stage})
    shutil.copytree(stage + MODULES, packed, ignore=LEFT_OUT)
    return packed


def _files(folder):
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            whole = os.path.join(path, name)
            yield whole, os.path.relpath(whole, folder)


class _Wheel:
    """A zip file with a list of what is in it."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.rows = []

    def add(self, name, data, mode=0o644):
        about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        about.external_attr = (0o100000 | mode) << 16
        about.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(about, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.rows.append(f"{name},sha256={digest},{len(data)}")

    def close(self, info):
        self.rows.append(f"{info}/RECORD,,")
        self.zip.writestr(f"{info}/RECORD", "\n".join(self.rows) + "\n")
        self.zip.close()


def _texts():
    """What stands beside the packed files, by name."""
    version = _version()
    return {name: text.format(version=version, tag=_tag()) for name, text in (("METADATA", METADATA), ("WHEEL", WHEEL), (
        "entry_points.txt", SCRIPTS))}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    del config_settings
    info = f"trammel-{_version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info), exist_ok=True)
    for name, text in _texts().items():
        with open(os.path.join(metadata_directory, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    folder = os.path.realpath(os.environ.get("TRAMMEL_BUILD") or os.path.join(TOP, "build-pip"))
    packed, version = _build(folder), _version()
    name, info = f"trammel-{version}-{_tag()}.whl", f"trammel-{version}.dist-info"
    wheel = _Wheel(os.path.join(wheel_directory, name))
    for path, inside in _files(packed):
        with open(path, "rb") as file:
            wheel.add(inside, file.read(), os.stat(path).st_mode & 0o777)
    for inside, text in _texts().items():
        wheel.add(f"{info}/{inside}", text.encode())
    wheel.close(info)
    return name
