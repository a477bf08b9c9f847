"""Values of one attribute, which is made with the type of the first one."""

from pycaliper._library import CALI, call, text
from pycaliper.types import AttrType

__all__ = ["Annotation"]

_TYPES = ((int, AttrType.CALI_TYPE_INT), (float, AttrType.CALI_TYPE_DOUBLE),
          ((str, bytes), AttrType.CALI_TYPE_STRING))


class Annotation:
    """The attribute of this name; `opt`: its properties if it is new."""

    def __init__(self, name, opt=0):
        self._name, self._properties, self._id = text(name), int(opt), None

    def _attribute(self, kind):
        if self._id is None:
            self._id = CALI.cali_create_attribute(self._name, int(kind), self._properties)
        return self._id

    def _say(self, form, values):
        if len(values) == 2:
            kind, data = AttrType(values[0]), text(values[1])
            attribute = self._attribute(kind)
            getattr(CALI, form.format("variant"))(attribute, CALI.cali_make_variant(int(kind), data, len(data)))
            return self
        (value,) = values
        for types, kind in _TYPES:
            if isinstance(value, types):
                call(form, self._attribute(kind), value)
                return self
        raise TypeError(f"an int, float, str or bytes is needed, not {type(value).__name__}")

    def begin(self, *value):
        """begin(), begin(value), or begin(type, data): from here to the end of it."""
        if not value:
            CALI.cali_begin(self._attribute(AttrType.CALI_TYPE_BOOL))
            return self
        return self._say("cali_begin_{}", value)

    def set(self, *value):
        """set(value) or set(type, data): takes the place of the innermost value that is open."""
        return self._say("cali_set_{}", value)

    def end(self):
        """Ends the innermost value that is open."""
        if self._id is None:
            CALI.cali_end_byname(self._name)
        else:
            CALI.cali_end(self._id)
