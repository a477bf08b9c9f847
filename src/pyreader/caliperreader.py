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
    """A file cannot be read, or is not a profile."""

    def __init__(self, message):
        super().__init__(message)
        self.message = message


class Node:
    """An attribute with a value, below others: a path."""

    CALI_INV_ID = 0xFFFFFFFFFFFFFFFF

    def __init__(self, metadb, id, attribute_id, data):
        self.parent, self.children, self.metadb = None, [], metadb
        self.id, self.attribute_id, self.data = id, attribute_id, data

    def append(self, child):
        child.parent = self
        self.children.append(child)

    def path(self):
        """The nodes from the outermost to this one."""
        nodes, node = [], self
        while node is not None:
            nodes.append(node)
            node = node.parent
        return nodes[::-1]

    def get(self, attribute_id_or_name):
        """The innermost value of an attribute in the path; None if it has none."""
        if isinstance(attribute_id_or_name, str):
            found = self.metadb.attributes.get(attribute_id_or_name)
            attribute_id_or_name = found.id() if found else None
        return next((node.data for node in self.path()[::-1] if node.attribute_id == attribute_id_or_name), None)

    def attribute(self):
        return self.metadb.attributes_by_id[self.attribute_id]

    def expand(self):
        """The path as records have it."""
        record = {}
        for node in self.path():
            attribute = node.attribute()
            if attribute.is_hidden():
                continue
            before = record.get(attribute.name())
            record[attribute.name()] = (node.data if before is None else
                                        (before if isinstance(before, list) else [before]) + [node.data])
            if attribute.is_nested():
                record["path"] = record.get("path", []) + [node.data]
        return record


class Attribute:
    """What is known of an attribute besides its values."""

    attr_attribute_id, type_attribute_id, prop_attribute_id = 8, 9, 10
    CALI_ATTR_ASVALUE = 1
    CALI_ATTR_HIDDEN = 128
    CALI_ATTR_NESTED = 256
    CALI_ATTR_GLOBAL = 512
    CALI_ATTR_AGGREGATABLE = 2048
    SCOPE_PROCESS = 12
    SCOPE_THREAD = 20
    SCOPE_TASK = 24
    SCOPE_MASK = 60

    def __init__(self, node):
        """Of its node, which has its properties and type above it."""
        self.node = node
        self.prop = int(node.get(self.prop_attribute_id) or 0) if node.parent else 0

    def name(self):
        return self.node.data

    def id(self):
        """The number of its node, which no other one of the file has."""
        return self.node.id

    def attribute_type(self):
        """The name of its type: usr, int, uint, string, addr, double, bool or type."""
        return self.node.get(self.type_attribute_id)[1]

    def get(self, attribute):
        """What is said of it under a name, such as attribute.unit, or a number; None if nothing is."""
        if attribute in ("cali.attribute.type", self.type_attribute_id):
            return self.attribute_type()
        return self.node.get(attribute)

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
        said = {node.attribute().name(): node.data for node in self.node.path()}
        return {**said, "cali.attribute.type": self.attribute_type(),
                "is_global": self.is_global(), "is_value": self.is_value(),
                "is_nested": self.is_nested(), "is_aggregatable": self.is_aggregatable(),
                "class.aggregatable": self.is_aggregatable(), "type": self.attribute_type()}


class MetadataDB:
    """The attributes of a file by name, and its nodes by number."""

    _FIRST = 12  # numbers of nodes that all files have

    def __init__(self, attributes=(), nodes=()):
        self.types = list(enumerate(("inv", "usr", "int", "uint", "string", "addr", "double", "bool", "type", "ptr")))
        self._nodes = {number: Node(self, number, 9, self.types[number + 1]) for number in range(8)}
        self._nodes[11] = Node(self, 11, 9, self.types[9])
        self.attributes, self.attributes_by_id = {}, {}
        for number, parent, name in ((8, 3, "name"), (9, 7, "type"), (10, 1, "prop")):
            self.import_node(number, 8, f"cali.attribute.{name}", parent)
        self._below, self._read = {}, nodes
        self._next = self._FIRST + len(attributes) + len(nodes)
        for number, name, type_name, properties, said in attributes:
            above = next(self._nodes[at] for at in (*range(8), 11) if self._nodes[at].data[1] == type_name)
            if properties:
                above = self._child(above, 10, str(properties))
            self.import_node(self._FIRST + number, 8, name, above.id)
            self.attributes[name].said = said
        # What is said may be of attributes that come later.
        for attribute in list(self.attributes.values()):
            self._describe(attribute.node, getattr(attribute, "said", {}))
        self._offset = self._FIRST + len(attributes)

    def _child(self, parent, attribute_id, data):
        key = (parent.id, attribute_id, data)
        if key not in self._below:
            self._below[key] = self.import_node(self._next, attribute_id, data, parent.id)
            self._next += 1
        return self._below[key]

    def _describe(self, node, said):
        if not said:
            return
        above = node.parent
        above.children.remove(node)
        for name, text in said.items():
            above = self._child(above, self.attributes[name].id(), text)
        above.append(node)

    def import_node(self, node_id, attribute_id, data, parent_id=Node.CALI_INV_ID):
        """Adds a node; one of an attribute makes that known."""
        node = self._nodes[node_id] = Node(self, node_id, attribute_id, data)
        if parent_id in self._nodes:
            self._nodes[parent_id].append(node)
        if attribute_id == Attribute.attr_attribute_id:
            self.attributes[data] = self.attributes_by_id[node_id] = Attribute(node)
        return node

    @property
    def nodes(self):
        """All nodes by number: those of paths are made when they are first asked for."""
        read, self._read = self._read, ()
        for number, (parent, attribute, text) in enumerate(read):
            self.import_node(self._offset + number, self._FIRST + attribute, text,
                             self._offset + parent - 1 if parent else Node.CALI_INV_ID)
        return self._nodes


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
            self.globals, attributes, nodes, warning = _trammel_reader.read(os.fsdecode(name), data, process_record_fn)
        except _trammel_reader.Error as error:
            raise ReaderError(str(error)) from None
        self.db = MetadataDB(attributes, nodes)
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
