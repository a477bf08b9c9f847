"""The names of LLNL Caliper's Python module, over libtrammel-cali.

Programs that use it are measured by CALI_CONFIG, by a ConfigManager, or by `trammel run -m regions`; while
nothing measures, a call costs a test. New programs take the module `trammel`, which costs less.
"""

from pycaliper import annotation, config_manager, high_level, instrumentation, loop, types
from pycaliper._library import CALI as _CALI
from pycaliper._library import text as _text
from pycaliper.annotation import Annotation
from pycaliper.config_manager import ConfigManager
from pycaliper.high_level import annotate_function
from pycaliper.instrumentation import (
    begin_comm_region,
    begin_phase,
    begin_region,
    end_comm_region,
    end_phase,
    end_region,
)

__version__ = _CALI.cali_caliper_version().decode()


def config_preset(preset_map):
    """Settings such as CALI_LOG_VERBOSITY, which the environment may override."""
    for key, value in preset_map.items():
        _CALI.cali_config_preset(_text(key), _text(value))


def init():
    """Begins to measure what the environment asks for, which else happens at the first call."""
    _CALI.cali_init()


def is_initialized():
    return _CALI.cali_is_initialized() != 0
