"""Functions of libtrammel-cali, and values for them."""

import ctypes
import os

NAME = "libtrammel-cali.so.0"
INVALID_ID = 0xFFFFFFFFFFFFFFFF


class Variant(ctypes.Structure):
    """cali_variant_t"""

    _fields_ = [("type_and_size", ctypes.c_uint64), ("value", ctypes.c_uint64)]


_TEXT, _ID, _INT, _MANAGER = ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int, ctypes.c_void_p

_FUNCTIONS = {
    "cali_attribute_name": (_TEXT, _ID),
    "cali_attribute_properties": (_INT, _ID),
    "cali_attribute_type": (_INT, _ID),
    "cali_begin": (None, _ID),
    "cali_begin_byname": (None, _TEXT),
    "cali_begin_comm_region": (None, _TEXT),
    "cali_begin_double": (None, _ID, ctypes.c_double),
    "cali_begin_double_byname": (None, _TEXT, ctypes.c_double),
    "cali_begin_int": (None, _ID, _INT),
    "cali_begin_int_byname": (None, _TEXT, _INT),
    "cali_begin_phase": (None, _TEXT),
    "cali_begin_region": (None, _TEXT),
    "cali_begin_string": (None, _ID, _TEXT),
    "cali_begin_string_byname": (None, _TEXT, _TEXT),
    "cali_begin_variant": (None, _ID, Variant),
    "cali_caliper_version": (_TEXT,),
    "cali_config_preset": (None, _TEXT, _TEXT),
    "cali_create_attribute": (_ID, _TEXT, _INT, _INT),
    "cali_end": (None, _ID),
    "cali_end_byname": (None, _TEXT),
    "cali_end_comm_region": (None, _TEXT),
    "cali_end_phase": (None, _TEXT),
    "cali_end_region": (None, _TEXT),
    "cali_find_attribute": (_ID, _TEXT),
    "cali_init": (None,),
    "cali_is_initialized": (_INT,),
    "cali_make_loop_iteration_attribute": (_ID, _TEXT),
    "cali_make_variant": (Variant, _INT, ctypes.c_void_p, ctypes.c_size_t),
    "cali_set_double": (None, _ID, ctypes.c_double),
    "cali_set_double_byname": (None, _TEXT, ctypes.c_double),
    "cali_set_global_double_byname": (None, _TEXT, ctypes.c_double),
    "cali_set_global_int_byname": (None, _TEXT, _INT),
    "cali_set_global_string_byname": (None, _TEXT, _TEXT),
    "cali_set_global_uint_byname": (None, _TEXT, ctypes.c_uint64),
    "cali_set_int": (None, _ID, _INT),
    "cali_set_int_byname": (None, _TEXT, _INT),
    "cali_set_string": (None, _ID, _TEXT),
    "cali_set_string_byname": (None, _TEXT, _TEXT),
    "cali_set_variant": (None, _ID, Variant),
}

# These may take long, so that other threads of Python run meanwhile.
_LONG_FUNCTIONS = {
    "cali_manager_add": (ctypes.c_bool, _MANAGER, _TEXT),
    "cali_manager_check": (_TEXT, _MANAGER, _TEXT),
    "cali_manager_configuration_of": (_TEXT, _MANAGER, ctypes.c_size_t),
    "cali_manager_create": (_MANAGER,),
    "cali_manager_destroy": (None, _MANAGER),
    "cali_manager_document_of": (ctypes.c_void_p, _MANAGER, _TEXT),
    "cali_manager_flush": (None, _MANAGER),
    "cali_manager_load": (ctypes.c_bool, _MANAGER, _TEXT),
    "cali_manager_message": (_TEXT, _MANAGER),
    "cali_manager_set_default": (None, _MANAGER, _TEXT, _TEXT),
    "cali_manager_set_default_for": (None, _MANAGER, _TEXT, _TEXT, _TEXT),
    "cali_manager_specify": (ctypes.c_bool, _MANAGER, _TEXT),
    "cali_manager_start": (None, _MANAGER),
    "cali_manager_stop": (None, _MANAGER),
}


def _load():
    """As the dynamic linker finds it, or in a folder for libraries above this one."""
    places, folder, wrong = [NAME], os.path.dirname(os.path.realpath(__file__)), ""
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        places += [os.path.join(folder, NAME), os.path.join(folder, "x86_64-linux-gnu", NAME)]
    for place in places:
        try:
            return ctypes.CDLL(place, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            if os.path.exists(place):
                wrong = f" ({error})"
    raise ImportError(f"cannot find '{NAME}'{wrong}: install trammel, or put its folder into LD_LIBRARY_PATH")


def _declare(library, functions):
    for name, (result, *arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


MANAGERS = _load()
_declare(MANAGERS, _LONG_FUNCTIONS)
CALI = ctypes.PyDLL(NAME, handle=MANAGERS._handle)  # pylint: disable=protected-access
_declare(CALI, _FUNCTIONS)

LOOP = ctypes.c_uint64.in_dll(CALI, "cali_loop_attr_id")


def text(value):
    """A str or bytes, as C has it: there a text ends at a NUL, so one that is in it is written as \\x00."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    if isinstance(value, bytes):
        return value.replace(b"\0", b"\\x00")
    raise TypeError(f"a str or bytes is needed, not {type(value).__name__}")


def whole(value):
    if not -2 ** 31 <= value < 2 ** 31:
        raise TypeError(f"{value} is not a number of 32 bits")
    return int(value)


_KINDS = ((int, "int", whole), (float, "double", float), ((str, bytes), "string", text))


def call(form, what, value):
    """The function for the value's type: `form` is as "cali_begin_{}_byname"."""
    for kind, name, convert in _KINDS:
        if isinstance(value, kind):
            getattr(CALI, form.format(name))(what, convert(value))
            return
    raise TypeError(f"an int, float, str or bytes is needed, not {type(value).__name__}")
