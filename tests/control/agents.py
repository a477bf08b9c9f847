"""Agents that are none, ways to real ones that can be cut, and messages as the protocol has them."""

import os
import struct
import subprocess
import sys
import threading


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(message):
    return struct.pack("<I", len(message)) + message


def hello(version=1, least=1, host=b"there", session=b"00"):
    return frame(field(1, field(1, version) + field(2, least) + field(3, b"0.0") +
                       field(4, host) + field(6, session)))


def answer(number):
    return frame(field(3, field(1, number)))


def send(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def swallow():
    while sys.stdin.buffer.read1(65536):
        pass


# What each says, and whether it stays then.
AGENTS = {
    "silent": (b"", False),
    "garbage": (b"\x10\0\0\0" + bytes(range(240, 256)) + b"Welcome to this host\r\n", True),
    "text": (b"Last login: Monday\nbash: trammel: command not found\n", True),
    "huge": (b"\xff\xff\xff\xff" + b"x" * 1000, True),
    "half": (hello()[:-3], False),
    "old": (hello(version=0, least=0), True),
    "new": (hello(version=9, least=7), True),
    "empty": (frame(b""), True),
    # Messages of no size in a message: each takes memory when it is read.
    "bomb": (frame(field(3, field(1, 1) + field(6, b"") * 5000000)), True),
    "quits": (hello(), False),
}


def pretend(name):
    said, stays = AGENTS[name]
    sys.stdin.buffer.read1(65536)
    send(said)
    if stays:
        swallow()


def answer_badly(how):
    """Greets well, and answers the first request with what is no answer."""
    sys.stdin.buffer.read1(65536)
    send(hello())
    sys.stdin.buffer.read1(65536)
    send(AGENTS[how][0])
    if AGENTS[how][1]:
        swallow()


def pass_on(command, note):
    """A line to an agent; its process number goes to a file, so that it can be cut."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(note + ".new", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    os.rename(note + ".new", note)

    def back():
        while data := child.stdout.read1(65536):
            send(data)
        os._exit(0)

    threading.Thread(target=back, daemon=True).start()
    while data := sys.stdin.buffer.read1(65536):
        child.stdin.write(data)
        child.stdin.flush()
    child.stdin.close()
    child.wait()


if __name__ == "__main__":
    if sys.argv[1] == "line":
        pass_on(sys.argv[3:], sys.argv[2])
    elif sys.argv[1] == "answers":
        answer_badly(sys.argv[2])
    else:
        pretend(sys.argv[1])
