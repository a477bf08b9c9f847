"""Measurements that a program asks for itself."""

import ctypes
import json
import os
import weakref

from pycaliper._library import MANAGERS, text

__all__ = ["ConfigManager"]

_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


def _shown(told):
    return told.decode("utf-8", "replace")


def _specification(spec):
    return text(json.dumps(spec) if isinstance(spec, (dict, list)) else spec)


class ConfigManager:
    """Channels that one-line configurations describe, as in CALI_CONFIG."""

    def __init__(self, config_str=None):
        self._manager = MANAGERS.cali_manager_create()
        if not self._manager:
            raise MemoryError
        weakref.finalize(self, MANAGERS.cali_manager_destroy, self._manager)
        if config_str is not None:
            self.add(config_str)

    def add(self, config_str):
        """Adds configurations; error() says whether something was wrong."""
        MANAGERS.cali_manager_add(self._manager, text(config_str))

    def add_config_spec(self, json_spec):
        """Adds a configuration of the program's own, as JSON or a dict."""
        MANAGERS.cali_manager_specify(self._manager, _specification(json_spec))

    def add_option_spec(self, json_spec):
        """Adds an option of the program's own, as JSON or a dict."""
        MANAGERS.cali_manager_specify(self._manager, _specification(json_spec))

    def load(self, filename):
        """Adds what a file has."""
        MANAGERS.cali_manager_load(self._manager, os.fsencode(filename))

    def set_default_parameter(self, key, value):
        """An option for all configurations that are added from now on."""
        MANAGERS.cali_manager_set_default(self._manager, text(key), text(value))

    def set_default_parameter_for_config(self, config, key, value):
        """The same for those of one name."""
        MANAGERS.cali_manager_set_default_for(self._manager, text(config), text(key), text(value))

    def error(self):
        return bool(MANAGERS.cali_manager_message(self._manager))

    def error_msg(self):
        """What was wrong; "" if nothing was."""
        return _shown(MANAGERS.cali_manager_message(self._manager))

    __repr__ = error_msg

    def start(self):
        """Starts all channels, or goes on."""
        MANAGERS.cali_manager_start(self._manager)

    def stop(self):
        """All channels pause."""
        MANAGERS.cali_manager_stop(self._manager)

    def flush(self):
        """Writes what all channels have."""
        MANAGERS.cali_manager_flush(self._manager)

    def check(self, config_str):
        """A RuntimeError if something is wrong with the configuration."""
        wrong = MANAGERS.cali_manager_check(self._manager, text(config_str))
        if wrong:
            raise RuntimeError(_shown(wrong))

    def available_config_specs(self):
        """The names of configurations, its own among them."""
        names = []
        while name := MANAGERS.cali_manager_configuration_of(self._manager, len(names)):
            names.append(_shown(name))
        return names

    def get_documentation_for_spec(self, name):
        """What a configuration and its options are."""
        told = MANAGERS.cali_manager_document_of(self._manager, text(name))
        if not told:
            return f"{name}: there is none"
        try:
            return _shown(ctypes.string_at(told))
        finally:
            _free(told)

    @staticmethod
    def get_config_docstrings():
        """What all configurations are."""
        manager = ConfigManager()
        return [manager.get_documentation_for_spec(name) for name in manager.available_config_specs()]
