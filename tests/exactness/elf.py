"""What the exactness test knows about an ELF file by itself: bytes at an address, functions
with their ranges (FDEs and symbols), cold parts and PLT sections. x86-64 only.

It is written apart from src/image on purpose: the test must not share its mistakes.
"""

import collections
import struct

Section = collections.namedtuple("Section", "name type flags address offset size link entry")
Fde = collections.namedtuple("Fde", "start end signal cold")

SHT_SYMTAB, SHT_DYNSYM = 2, 11
PT_LOAD = 1
PF_X = 1
STT_FUNC, STT_GNU_IFUNC = 2, 10
SHN_UNDEF = 0
DW_EH_PE_OMIT = 0xFF
# Size in bytes and struct code for the low four bits of a pointer encoding; LEB128 is apart.
POINTER_FORMS = {0x00: (8, "<Q"), 0x02: (2, "<H"), 0x03: (4, "<I"), 0x04: (8, "<Q"),
                 0x0A: (2, "<h"), 0x0B: (4, "<i"), 0x0C: (8, "<q")}


def leb(data, at, signed):
    """A LEB128 number and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    if signed and byte & 0x40:
        value -= 1 << shift
    return value, at


class Elf:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{path}: no 64-bit little-endian ELF file")
        self.load_headers()
        self.symbols = self.read_symbols()
        self.fdes = self.read_fdes()
        self.functions = self.find_functions()
        self.cold = sorted((fde.start, fde.end) for fde in self.fdes
                           if fde.cold and not fde.signal and not self.in_plt(fde.start))

    def load_headers(self):
        (phoff, shoff) = struct.unpack_from("<QQ", self.data, 32)
        (phentsize, phnum, shentsize, shnum, shstrndx) = struct.unpack_from(
            "<HHHHH", self.data, 54)
        self.segments = []
        for i in range(phnum):
            kind, flags, offset, address, _, size, memory = struct.unpack_from(
                "<IIQQQQQ", self.data, phoff + i * phentsize)
            if kind == PT_LOAD:
                self.segments.append((address, offset, size, memory, flags))
        rows = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + i * shentsize)
                for i in range(shnum)]
        self.sections = []
        for name, kind, flags, address, offset, size, link, _, _, entry in rows:
            text = self.string(rows[shstrndx][4] + name)
            self.sections.append(
                Section(text, kind, flags, address, offset, size, link, entry))

    def string(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode("utf-8", "replace")

    def bytes_at(self, address, size):
        for start, offset, file_size, _, _ in self.segments:
            if start <= address < start + file_size:
                at = offset + address - start
                return self.data[at:at + size]
        return b""

    def executable(self, address):
        return any(start <= address < start + memory and flags & PF_X
                   for start, _, _, memory, flags in self.segments)

    def in_plt(self, address):
        return any(s.address <= address < s.address + s.size
                   for s in self.sections if s.name.startswith(".plt"))

    def read_symbols(self):
        """(address, size, name, kind) of every defined function symbol."""
        found = []
        for section in self.sections:
            if section.type not in (SHT_SYMTAB, SHT_DYNSYM):
                continue
            strings = self.sections[section.link].offset
            for at in range(section.offset, section.offset + section.size, 24):
                name, info, _, index, value, size = struct.unpack_from(
                    "<IBBHQQ", self.data, at)
                kind = info & 15
                if kind in (STT_FUNC, STT_GNU_IFUNC) and index != SHN_UNDEF:
                    found.append((value, size, self.string(strings + name), kind))
        return found

    def pointer(self, at, encoding, section):
        """An encoded pointer (only absolute and pc-relative forms occur) and what follows."""
        if encoding & 0x0F == 0x01:
            value, behind = leb(self.data, at, False)
        elif encoding & 0x0F == 0x09:
            value, behind = leb(self.data, at, True)
        else:
            size, code = POINTER_FORMS[encoding & 0x0F]
            (value,) = struct.unpack_from(code, self.data, at)
            behind = at + size
        if encoding & 0x70 == 0x10:
            value += section.address + at - section.offset
        return value & 0xFFFFFFFFFFFFFFFF, behind

    def read_cie(self, at, section):
        """(pointer encoding, is a signal frame, has augmentation data) of the CIE there."""
        end = self.data.index(b"\0", at + 9)
        letters = self.data[at + 9:end].decode("ascii")
        place = end + 1
        _, place = leb(self.data, place, False)
        _, place = leb(self.data, place, True)
        _, place = leb(self.data, place, False)
        encoding = 0
        if letters.startswith("z"):
            _, place = leb(self.data, place, False)
            for letter in letters[1:]:
                if letter == "R":
                    encoding = self.data[place]
                    place += 1
                elif letter == "P":
                    _, place = self.pointer(place + 1, self.data[place], section)
                elif letter == "L":
                    place += 1
        return encoding, "S" in letters, letters.startswith("z")

    def read_fdes(self):
        found = []
        for section in self.sections:
            if section.name != ".eh_frame" or section.type == 8:
                continue
            at, end = section.offset, section.offset + section.size
            while at + 4 <= end:
                (length,) = struct.unpack_from("<I", self.data, at)
                if length == 0:
                    at += 4
                    continue
                (back,) = struct.unpack_from("<I", self.data, at + 4)
                if back:
                    found.append(self.read_fde(at, length, back, section))
                at += 4 + length
        return [fde for fde in found if fde.end > fde.start]

    def read_fde(self, at, length, back, section):
        encoding, signal, augmented = self.read_cie(at + 4 - back, section)
        start, place = self.pointer(at + 8, encoding, section)
        size, place = self.pointer(place, encoding & 0x0F, section)
        if augmented:
            skip, place = leb(self.data, place, False)
            place += skip
        # A cold part starts in the middle of a function: its first row already differs from
        # the CIE's, so an instruction other than "advance" (0x40-0x7f, 2-4) or nop is first.
        first = self.data[place] if place < at + 4 + length else 0
        changed = first != 0 and first >> 6 != 1 and first not in (1, 2, 3, 4)
        # DW_CFA_undefined of the return address (16) marks _start and its kin.
        if self.data[place:place + 2] == b"\x07\x10":
            changed = False
        return Fde(start, start + size, signal, changed)

    def find_functions(self):
        """{address: end} of the functions that a table names, cold parts left out."""
        found = {}
        cold = {fde.start for fde in self.fdes if fde.cold or fde.signal}
        for fde in self.fdes:
            if not fde.cold and not fde.signal:
                found[fde.start] = fde.end
        for address, size, name, _ in self.symbols:
            if ".cold" in name:
                found.pop(address, None)
                cold.add(address)
            elif size and self.executable(address) and address not in cold:
                found[address] = max(found.get(address, 0), address + size)
        starts = sorted(a for a in found
                        if a not in cold and self.executable(a) and not self.in_plt(a))
        # A range that holds another function's entry ends there.
        return {a: min([found[a], *starts[i + 1:i + 2]]) for i, a in enumerate(starts)}

    def name_at(self, address):
        names = sorted(name for value, _, name, _ in self.symbols if value == address)
        return names[0] if names else f"sub_{address:x}"

    def is_call(self, address):
        """Whether the instruction there is a call: e8, or ff /2 or /3, behind prefixes."""
        code = self.bytes_at(address, 12)
        at = 0
        while at < len(code) and (code[at] in (0xF2, 0x3E, 0x66, 0x2E)
                                  or 0x40 <= code[at] <= 0x4F):
            at += 1
        if at + 1 >= len(code):
            return False
        return code[at] == 0xE8 or (code[at] == 0xFF and code[at + 1] >> 3 & 7 in (2, 3))
