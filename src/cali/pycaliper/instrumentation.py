"""Regions, attributes, and values by name."""

from pycaliper._library import CALI, INVALID_ID, call, text
from pycaliper.types import AttrProperties, AttrType


def _by_text(function, about):
    def marking(name):
        function(text(name))

    marking.__doc__ = about
    return marking


begin_region = _by_text(CALI.cali_begin_region, "Begins a region of this name.")
end_region = _by_text(CALI.cali_end_region, "Ends the innermost region, which must have this name.")
begin_phase = _by_text(CALI.cali_begin_phase, "Begins a phase, a region of a high level.")
end_phase = _by_text(CALI.cali_end_phase, "Ends the innermost phase, which must have this name.")
begin_comm_region = _by_text(CALI.cali_begin_comm_region, "Begins a region of communication.")
end_comm_region = _by_text(CALI.cali_end_comm_region, "Ends the innermost region of communication.")
end_byname = _by_text(CALI.cali_end_byname, "Ends the innermost value of the attribute of this name.")


def begin_byname(name, *value):
    """begin_byname(name) or begin_byname(name, value): from here to the end of it."""
    if value:
        call("cali_begin_{}_byname", text(name), *value)
    else:
        CALI.cali_begin_byname(text(name))


def set_byname(name, value):
    """Takes the place of the innermost value that is open."""
    call("cali_set_{}_byname", text(name), value)


def set_global_byname(name, value):
    """Says something of the run as a whole."""
    if isinstance(value, int) and 2 ** 31 <= value < 2 ** 64:
        CALI.cali_set_global_uint_byname(text(name), value)
    else:
        call("cali_set_global_{}_byname", text(name), value)


class Attribute:
    """An attribute with a type and properties."""

    def __init__(self, name, kind, opt=AttrProperties.CALI_ATTR_DEFAULT):
        self._id = CALI.cali_create_attribute(text(name), int(kind), int(opt))
        if self._id == INVALID_ID:
            raise RuntimeError(f"cannot make the attribute {name!r}")

    @staticmethod
    def find_attribute(name):
        """The one of this name; a RuntimeError if there is none."""
        found = Attribute.__new__(Attribute)
        found._id = CALI.cali_find_attribute(text(name))  # pylint: disable=protected-access
        if found._id == INVALID_ID:  # pylint: disable=protected-access
            raise RuntimeError(f"there is no attribute {name!r}")
        return found

    @property
    def name(self):
        return CALI.cali_attribute_name(self._id).decode("utf-8", "surrogateescape")

    @property
    def type(self):
        return AttrType(CALI.cali_attribute_type(self._id))

    @property
    def properties(self):
        return AttrProperties(CALI.cali_attribute_properties(self._id))

    def begin(self, *value):
        """begin() or begin(value): from here to the end of it."""
        if value:
            call("cali_begin_{}", self._id, *value)
        else:
            CALI.cali_begin(self._id)

    def set(self, value):
        """Takes the place of the innermost value that is open."""
        call("cali_set_{}", self._id, value)

    def end(self):
        """Ends the innermost value that is open."""
        CALI.cali_end(self._id)
