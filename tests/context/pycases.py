"""What pycaliper does, for languages.py."""

import threading

import pycaliper
from pycaliper.instrumentation import Attribute, begin_byname, end_byname, set_byname, set_global_byname
from pycaliper.loop import Loop
from pycaliper.types import CALI_ATTR_ASVALUE, CALI_ATTR_NESTED, CALI_TYPE_INT, AttrType


@pycaliper.annotate_function()
def solve(fails=False):
    if fails:
        raise KeyError("mine")


@pycaliper.annotate_function(name="Größe", annotation_type="phase")
def named():
    solve()


def refused(kind, function, *arguments):
    try:
        function(*arguments)
    except kind:
        return
    raise AssertionError(f"{function} {arguments}")


def manage():
    manager = pycaliper.ConfigManager()
    manager.set_default_parameter("output.format", "json")
    manager.add("runtime-profile(region.count,output=py.json)")
    assert not manager.error() and manager.error_msg() == "", manager.error_msg()
    refused(RuntimeError, manager.check, "runtime-reprot")
    manager.check("runtime-report")
    assert "event-trace" in manager.available_config_specs()
    assert "runtime-report" in manager.get_documentation_for_spec("runtime-report")
    assert len(pycaliper.ConfigManager.get_config_docstrings()) == len(manager.available_config_specs())
    assert pycaliper.ConfigManager("no-such-config").error()
    manager.add_config_spec({"name": "mine", "description": "own", "services": ["event", "trace"], "categories": []})
    assert "mine" in manager.available_config_specs()
    return manager


def values():
    level = Attribute("level", CALI_TYPE_INT, CALI_ATTR_NESTED)
    assert (level.name, level.type, Attribute.find_attribute("level").type) == ("level", 2, AttrType.CALI_TYPE_INT)
    assert level.properties & CALI_ATTR_NESTED
    level.begin(3)
    level.set(4)
    solve()
    level.end()
    text = pycaliper.Annotation("text", CALI_ATTR_NESTED)
    text.begin("a").begin(AttrType.CALI_TYPE_STRING, "b\0c")
    solve()
    text.end()
    text.end()
    begin_byname("plain")
    set_byname("cells", 1.5)
    set_byname("cells", 2.5)
    end_byname("cells")
    end_byname("plain")
    number = pycaliper.Annotation("number", opt=CALI_ATTR_ASVALUE)
    number.set(7)
    number.end()
    set_global_byname("my.global", "wörd")
    set_global_byname("my.count", 2 ** 63)
    refused(RuntimeError, Attribute.find_attribute, "no such attribute")
    refused(TypeError, level.begin, 2 ** 31)
    refused(TypeError, level.begin, None)
    refused(TypeError, pycaliper.begin_region, 5)
    refused(ValueError, pycaliper.annotate_function, None, "nonsense")


def main():
    manager = manage()
    manager.start()
    pycaliper.begin_region("main")
    for _ in range(3):
        solve()
    named()
    refused(KeyError, solve, True)
    loop = Loop("steps")
    for i in range(4):
        loop.start_iteration(i)
        solve()
        loop.end_iteration()
    loop.end()
    thread = threading.Thread(target=solve)
    thread.start()
    thread.join()
    values()
    pycaliper.begin_comm_region("exchange")
    pycaliper.end_comm_region("exchange")
    pycaliper.end_region("main")
    manager.stop()
    pycaliper.begin_region("unseen")
    pycaliper.end_region("unseen")
    manager.flush()
    assert pycaliper.is_initialized() and pycaliper.__version__[0].isdigit()


pycaliper.config_preset({"CALI_LOG_VERBOSITY": "0"})
pycaliper.init()
main()
