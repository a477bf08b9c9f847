"""A server of PostgreSQL in a temporary folder, with a socket only: as an ordinary user, since it refuses to run as root."""

import atexit
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from transparency.results import Skip

OWNER = "trammel"
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
fsync = off
full_page_writes = off
shared_buffers = 16MB
max_connections = {connections}
superuser_reserved_connections = 3
autovacuum = off
"""
# The first line that fits decides: "guarded" needs a password.
ENTRIES = "local all guarded scram-sha-256\nlocal all all trust\n"
_lock = threading.RLock()
_shared = []
_made = []


def programs():
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
    if not folders or not os.path.exists(os.path.join(folders[-1], "initdb")):
        raise Skip("needs a server of PostgreSQL (postgresql)")
    return folders[-1]


def as_user(command):
    if os.geteuid():
        return command
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]


def make_folder():
    folder = tempfile.mkdtemp(prefix="trm-pg-", dir="/tmp")  # a socket's path is short
    if not os.geteuid():
        os.chown(folder, 65534, 65534)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def template():
    """A server's files as initdb makes them: once, since it takes seconds."""
    with _lock:
        if not _made:
            folder = make_folder()
            made = subprocess.run(as_user([os.path.join(programs(), "initdb"), "-D", folder + "/data", "-A", "trust",
                                           "-U", OWNER, "--no-locale", "-E", "UTF8", "--no-sync"]), cwd="/",
                                  capture_output=True, check=False)
            if made.returncode:
                raise Skip(f"initdb fails: {made.stderr.decode().strip().splitlines()[-1:]}")
            _made.append(folder + "/data")
        return _made[0]


class Server:
    def __init__(self, connections=40):
        self.folder = make_folder()
        self.data = self.folder + "/data"
        subprocess.run(as_user(["cp", "-a", template(), self.data]), cwd="/", check=True)
        for name, text in (("postgresql.conf", SETTINGS.format(folder=self.folder, connections=connections)),
                           ("pg_hba.conf", ENTRIES)):
            with open(os.path.join(self.data, name), "w", encoding="ascii") as file:
                file.write(text)
        self.child = None
        self.start()
        atexit.register(self.stop)

    def start(self):
        with open(self.folder + "/log", "ab") as log:
            self.child = subprocess.Popen(as_user([os.path.join(programs(), "postgres"), "-D", self.data]), cwd="/",
                                          stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until = time.monotonic() + 60
        while self.ask("postgres", "SELECT 1", quiet=True) != "1":
            if self.child.poll() is not None or time.monotonic() > until:
                raise Skip(f"the server does not start: see {self.folder}/log")
            time.sleep(0.02)

    def stop(self, how=signal.SIGQUIT):
        """SIGQUIT: at once, as after a crash; SIGINT: when transactions are undone."""
        if self.child.poll() is None:
            self.child.send_signal(how)
            self.child.wait(60)

    def ask(self, database, question, quiet=False):
        """What psql says, a value a line."""
        outcome = subprocess.run(["psql", "-h", self.folder, "-U", OWNER, "-d", database, "-XAtqc", question], cwd="/",
                                 capture_output=True, check=False)
        if outcome.returncode and not quiet:
            raise AssertionError(f"{question}: {outcome.stderr.decode()}")
        return outcome.stdout.decode().strip()

    def create(self, name):
        self.ask("postgres", f'CREATE DATABASE "{name}"')
        return self.address(name)

    def address(self, name, user=OWNER, folder=None):
        return f"postgresql://{user}@/{name}?host={folder or self.folder}"


def shared():
    """One server for all tests that leave it alone."""
    template()
    with _lock:
        if not _shared:
            _shared.append(Server())
        return _shared[0]


def receive(source):
    try:
        return source.recv(65536)
    except OSError:
        return b""


class Proxy:
    """Between a client and a server: when the client sends COMMIT, it is passed on or not, and the client's connection is
    cut. Once: all later connections are left alone, but for those that come while it is `closed`."""

    def __init__(self, server, passed_on, closes=False):
        self.folder = make_folder()
        self.server, self.passed_on, self.cut, self.closes, self.closed = server, passed_on, False, closes, False
        self.armed = not closes
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.folder + "/.s.PGSQL.5432")
        os.chmod(self.folder, 0o755)
        self.socket.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client = self.socket.accept()[0]
            if self.closed:
                client.close()
                continue
            behind = socket.socket(socket.AF_UNIX)
            behind.connect(self.server.folder + "/.s.PGSQL.5432")
            ended = threading.Event()
            for ends in ((client, behind), (behind, client)):
                threading.Thread(target=self.copy, args=(*ends, ends[0] is client, ended), daemon=True).start()

    def copy(self, source, to, is_client, ended):
        while (data := receive(source)) and not ended.is_set():
            last = is_client and self.armed and not self.cut and b"COMMIT\0" in data
            if last:
                self.cut = True
                self.closed = self.closes
                ended.set()  # the server's answer is not passed on
            if not last or self.passed_on:
                to.sendall(data)
            if last:
                time.sleep(0.5 if self.passed_on else 0)  # the server is done with it
                break
        for end in (source, to):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the other side was first
