"""Profiles in Python, under the names of LLNL Caliper's module caliperreader.

Reads .cali files, and trammel's .trm and json-split, too. Records are dicts from names of attributes to
texts, or to lists of texts where a path has several, the outermost first; "path" is the list of all
nested ones.

    records, run = caliperreader.read_caliper_contents("app.cali")
"""

import os
import sys

import _trammel_reader


class ReaderError(Exception):
    """A file cannot be read, or is no profile."""

    def __init__(self, message):
        super().__init__(message)
        self.message = message


class Attribute:
    """What is known of an attribute besides its values."""

    CALI_ATTR_ASVALUE = 1
    CALI_ATTR_HIDDEN = 128
    CALI_ATTR_NESTED = 256
    CALI_ATTR_GLOBAL = 512
    CALI_ATTR_AGGREGATABLE = 2048
    SCOPE_PROCESS = 12
    SCOPE_THREAD = 20
    SCOPE_TASK = 24
    SCOPE_MASK = 60

    _BUILTIN = {8: "cali.attribute.name", 9: "cali.attribute.type", 10: "cali.attribute.prop"}

    def __init__(self, number, name, type_name, properties, said):
        self._id, self._name, self._type, self.prop, self._said = number, name, type_name, properties, said

    def name(self):
        return self._name

    def id(self):
        """A number that no other attribute of the file has."""
        return self._id

    def attribute_type(self):
        """The name of its type: usr, int, uint, string, addr, double, bool or type."""
        return self._type

    def _everything(self):
        return {**self._said, "cali.attribute.name": self._name, "cali.attribute.type": self._type,
                **({"cali.attribute.prop": str(self.prop)} if self.prop else {})}

    def get(self, attribute):
        """What is said of it under a name, such as attribute.unit; None if nothing is."""
        return self._everything().get(self._BUILTIN.get(attribute, attribute))

    def _has(self, bit):
        return self.prop & bit != 0

    def is_nested(self):
        return self._has(self.CALI_ATTR_NESTED)

    def is_value(self):
        return self._has(self.CALI_ATTR_ASVALUE)

    def is_global(self):
        return self._has(self.CALI_ATTR_GLOBAL)

    def is_hidden(self):
        return self._has(self.CALI_ATTR_HIDDEN)

    def is_aggregatable(self):
        return self._has(self.CALI_ATTR_AGGREGATABLE)

    def scope(self):
        """"process", "thread", "task", or "UNKNOWN" where the file does not say."""
        return {self.SCOPE_PROCESS: "process", self.SCOPE_THREAD: "thread",
                self.SCOPE_TASK: "task"}.get(self.prop & self.SCOPE_MASK, "UNKNOWN")

    def metadata(self):
        """All that is said of it, and its properties, as a dict."""
        return {**self._everything(), "is_global": self.is_global(), "is_value": self.is_value(),
                "is_nested": self.is_nested(), "is_aggregatable": self.is_aggregatable(),
                "class.aggregatable": self.is_aggregatable(), "type": self._type}


class MetadataDB:
    """The attributes of a file, by name."""

    def __init__(self, attributes=()):
        self.attributes = {attribute[1]: Attribute(*attribute) for attribute in attributes}


class CaliperStreamReader:
    """Reads a file record by record; afterwards `globals` has the run's metadata."""

    def __init__(self):
        self.db = MetadataDB()
        self.globals = {}

    def read(self, filename_or_stream, process_record_fn=None):
        """Reads the file of this name, or what is left of a stream, and calls the function with each record."""
        name, data = filename_or_stream, None
        if not isinstance(name, (str, bytes, os.PathLike)):
            data = name.read()
            data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else bytes(data)
            name = str(getattr(filename_or_stream, "name", "stream"))
        try:
            self.globals, attributes, warning = _trammel_reader.read(os.fsdecode(name), data, process_record_fn)
        except _trammel_reader.Error as error:
            raise ReaderError(str(error)) from None
        self.db = MetadataDB(attributes)
        if warning:
            print(f"caliperreader: warning: {warning}", file=sys.stderr)

    def attributes(self):
        """The names of all attributes."""
        return self.db.attributes.keys()

    def attribute(self, attribute_name):
        return self.db.attributes[attribute_name]


class CaliperReader:
    """Reads a file as a whole: its `records`, and the run's metadata as `globals`."""

    def __init__(self):
        self.db = MetadataDB()
        self.records = []
        self.globals = {}

    def read(self, filename_or_stream):
        reader = CaliperStreamReader()
        reader.read(filename_or_stream, self.records.append)
        self.db, self.globals = reader.db, reader.globals

    def attributes(self):
        """The names of attributes that are not hidden."""
        return [name for name, attribute in self.db.attributes.items() if not attribute.is_hidden()]

    def attribute(self, attribute_name):
        return self.db.attributes[attribute_name]


def read_caliper_contents(filename_or_stream):
    """The records of a file as a list of dicts, and the run's metadata as a dict."""
    reader = CaliperReader()
    reader.read(filename_or_stream)
    return reader.records, reader.globals


def read_caliper_globals(filename_or_stream):
    """The run's metadata as a dict."""
    reader = CaliperStreamReader()
    reader.read(filename_or_stream)
    return reader.globals
