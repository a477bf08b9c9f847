"""Programs whose files are damaged where the kernel and the loader do not look.

They run as they do bare: no crash, no wrong result, whatever the tables say.
"""

import functools
import random
import struct

from failure.common import expect, expect_same
from failure.elf import Elf
from transparency import running

HUGE = 0xffffffffffff0000


def frame_noise(elf, seed):
    data = random.Random(seed).randbytes(len(elf.bytes_of(".eh_frame")))
    elf.write(".eh_frame", data)


def frame_zero(elf, _):
    elf.write(".eh_frame", bytes(len(elf.bytes_of(".eh_frame"))))


def frame_cut(elf, seed):
    """The call-frame information ends in the middle of an entry."""
    size = len(elf.bytes_of(".eh_frame"))
    elf.set_header(".eh_frame", 5, random.Random(seed).randrange(1, size))


def frame_lengths(elf, seed):
    """Some entries have an absurd length."""
    generator = random.Random(seed)
    for _ in range(4):
        at = generator.randrange(0, len(elf.bytes_of(".eh_frame")) - 4) & ~3
        elf.write(".eh_frame", struct.pack("<I", generator.choice(
            (0xffffffff, 0x7fffffff, 0xfffffff0, 1, 3))), at)


def frame_starts(elf, seed):
    """Entries claim functions that are somewhere else."""
    generator = random.Random(seed)
    data = bytearray(elf.bytes_of(".eh_frame"))
    at = 0
    while at + 16 <= len(data):
        length, pointer = struct.unpack_from("<II", data, at)
        if length == 0 or length > len(data):
            break
        if pointer != 0:
            (start,) = struct.unpack_from("<i", data, at + 8)
            struct.pack_into("<i", data, at + 8, start + generator.choice((0, 1, 2, 3, 5, -1)))
        at += 4 + length
    elf.write(".eh_frame", bytes(data))


def frame_header(elf, seed):
    generator = random.Random(seed)
    data = bytearray(elf.bytes_of(".eh_frame_hdr"))
    struct.pack_into("<I", data, 8, generator.choice((0xffffffff, 1, 0x20000000)))
    for _ in range(10):
        data[generator.randrange(12, len(data))] ^= 0xff
    elf.write(".eh_frame_hdr", bytes(data))


def symbol_outside(elf, seed):
    """Function symbols lie outside any section, overlap, or have absurd sizes."""
    generator = random.Random(seed)

    def change(_, fields):
        if fields[1] & 15 != 2 or fields[3] == 0:
            return
        kind = generator.randrange(6)
        if kind == 0:
            fields[4] = HUGE + generator.randrange(1 << 16)
        elif kind == 1:
            fields[5] = HUGE
        elif kind == 2:
            fields[4] += generator.choice((1, 2, 3))
        elif kind == 3:
            fields[5] = 0
        elif kind == 4:
            fields[0] = 0xfffffff0
    elf.edit_symbols(change)


def symbol_noise(elf, seed):
    elf.write(".symtab", random.Random(seed).randbytes(len(elf.bytes_of(".symtab"))))


def symbol_names(elf, seed):
    """Names without an end, and names that are no text."""
    elf.write(".strtab", random.Random(seed).randbytes(len(elf.bytes_of(".strtab"))))


def section_headers(elf, seed):
    """The section table is noise, or lies beyond the end, or is endless."""
    generator = random.Random(seed)
    kind = seed % 3
    if kind == 0:
        end = min(len(elf.content), elf.section_table + 2000)
        elf.content[elf.section_table:end] = generator.randbytes(end - elf.section_table)
    elif kind == 1:
        struct.pack_into("<Q", elf.content, 0x28, generator.choice((HUGE, len(elf.content) - 8)))
    else:
        struct.pack_into("<HHH", elf.content, 0x3a, 64, 0xffff, 0xfffe)


def section_fields(elf, seed):
    """Sections with absurd places and sizes."""
    generator = random.Random(seed)
    for name in elf.sections:
        if name:
            elf.set_header(name, generator.choice((3, 4, 5, 9)), generator.choice(
                (HUGE, 0, 1, len(elf.content) - 1, 0x7fffffffffffffff)))


def build_id(elf, seed):
    """The note of the build id says that it is longer than the file."""
    elf.write(".note.gnu.build-id", struct.pack("<III", 4, (0xffffffff, 0, 200)[seed % 3], 3))


def file_cut(elf, _):
    """The file ends before the section table."""
    del elf.content[elf.section_table + 64:]


DAMAGES = [(frame_noise, 4), (frame_zero, 1), (frame_cut, 5), (frame_lengths, 6),
           (frame_starts, 4), (frame_header, 3), (symbol_outside, 6), (symbol_noise, 3),
           (symbol_names, 2), (section_headers, 6), (section_fields, 5), (build_id, 3),
           (file_cut, 1)]


def run_damaged(damage, count, place):
    """Runs copies of a program that are damaged in `count` ways."""
    program = place.build("damaged.c", "whole")
    whole = running.run([program, "3"], place.folder)
    expect(whole.status == 3, f"bare: {whole.status_text()}")
    for seed in range(count):
        elf = Elf(program)
        damage(elf, seed)
        # A name for each: what is kept for one must not be taken for another.
        path = place.write(f"damaged-{seed}", bytes(elf.content), 0o755)
        bare = running.run([path, "3"], place.folder)
        expect_same(whole, bare, f"seed {seed}, bare: the damage is where the loader looks")
        expect_same(bare, place.measure([path, "3"]), f"seed {seed}", ignore=("stderr",))
        if not place.options.no_profile:
            place.report()


def named(damage, count):
    test = functools.partial(run_damaged, damage, count)
    test.__name__ = damage.__name__
    return test


TESTS = [named(damage, count) for damage, count in DAMAGES]
