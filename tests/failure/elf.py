"""Editing ELF files of 64 bits: finding sections and writing over them."""

import struct

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")


class Elf:
    """A file in memory; `content` may be edited."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.content = bytearray(file.read())
        (self.section_table,) = struct.unpack_from("<Q", self.content, 0x28)
        count, names = struct.unpack_from("<HH", self.content, 0x3c)
        headers = [SECTION.unpack_from(self.content, self.section_table + i * SECTION.size)
                   for i in range(count)]
        strings = headers[names][4]
        self.sections = {}  # name: (index, file offset, size)
        for index, header in enumerate(headers):
            start = strings + header[0]
            name = self.content[start:self.content.index(0, start)].decode()
            self.sections[name] = (index, header[4], header[5])

    def bytes_of(self, name):
        _, offset, size = self.sections[name]
        return bytes(self.content[offset:offset + size])

    def write(self, name, data, at=0):
        """Writes over the section from `at` on; never beyond its end."""
        _, offset, size = self.sections[name]
        data = data[:max(0, size - at)]
        self.content[offset + at:offset + at + len(data)] = data

    def set_header(self, name, field, value):
        """field: index in the header (3 address, 4 offset, 5 size, 9 size of an entry)."""
        place = self.section_table + self.sections[name][0] * SECTION.size
        header = list(SECTION.unpack_from(self.content, place))
        header[field] = value
        SECTION.pack_into(self.content, place, *header)

    def edit_symbols(self, change):
        """Calls change(index, fields) for each symbol; fields are written back."""
        _, offset, size = self.sections[".symtab"]
        for index in range(size // SYMBOL.size):
            place = offset + index * SYMBOL.size
            fields = list(SYMBOL.unpack_from(self.content, place))
            change(index, fields)
            SYMBOL.pack_into(self.content, place, *fields)
