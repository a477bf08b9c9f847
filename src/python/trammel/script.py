"""`trammel script`: control files, scripts, and a prompt. See trammel-script(1)."""

import ast
import code
import os
import shlex
import sys

from trammel import control

# Names of a control file that are no knobs.
_PLAIN = ("application", "arguments", "attach", "host", "agent_command", "environment", "directory", "output", "stdin",
          "stdout", "stderr", "report", "pbo_out", "status")


def only_assigns(tree):
    """Whether a parsed file only assigns values to names, so that it is a control file."""
    def plain(node):
        if isinstance(node, ast.Expr):
            return isinstance(node.value, ast.Constant)
        return (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
                and not any(isinstance(part, (ast.Call, ast.Lambda, ast.Await)) for part in ast.walk(node.value)))

    return bool(tree.body) and all(map(plain, tree.body))


def _words(value):
    return shlex.split(value) if isinstance(value, str) else [str(word) for word in value]


def _engine(settings):
    if "host" in settings or "agent_command" in settings:
        return control.Engine(host=settings.get("host"), command=settings.get("agent_command"), linger=60)
    return control.default_engine()


def _trammel():
    return os.environ.get("TRAMMEL_PROGRAM", "trammel")


def _write_pbo(profile, path):
    """What compilers read, as `trammel pbo` writes it: the ending of the name says for whom."""
    form = "--fdata" if path.endswith(".fdata") else "--autofdo"
    if os.spawnlp(os.P_WAIT, _trammel(), "trammel", "pbo", form, "-o", path, profile):
        raise control.Error(f"'{path}' was not written: '{profile}' is there")


def _choose_measurement(settings, knobs):
    """What is measured: "arcs" are calls by call site; what compilers want is added."""
    named = knobs.pop("measurement", None) or knobs.get("measure")
    names = ["calls" if name == "arcs" else name for name in (named or "").split(",") if name]
    if "pbo_out" in settings and "pbo" not in names:
        names = [name for name in names if name not in ("blocks", "edges")] + ["pbo"]
    if names:
        knobs["measure"] = ",".join(names)


def run_control(settings, extra=()):
    """Runs what a control file says; returns the program's status, as a shell has it."""
    knobs = {name: value for name, value in settings.items() if name not in _PLAIN}
    if ("application" in settings) == ("attach" in settings):
        raise control.UsageError("a control file names an application, or a process to attach to: application = \"a.out\"")
    _choose_measurement(settings, knobs)
    started = {name: settings[name] for name in ("environment", "directory", "stdin", "stdout", "stderr")
               if name in settings}
    engine = _engine(settings)
    name = os.path.basename(settings.get("application", "process"))
    output = settings.get("output", name + ".trm")
    if "attach" in settings:
        process = control.Process(pid=settings["attach"], engine=engine, **knobs)
    else:
        process = control.Process(settings["application"], [*_words(settings.get("arguments", [])), *extra],
                                  engine=engine, **started, **knobs)
    with process:
        try:
            process.run()
        except control.Error:
            if process.refused:
                print_error(sys.exc_info()[1])
                return process.refused
            raise
        status = process.wait()
        process.save(output)
    if "pbo_out" in settings:
        _write_pbo(output, settings["pbo_out"])
    if settings.get("report"):
        os.spawnlp(os.P_WAIT, _trammel(), "trammel", "report", output)
    return 128 - status if status < 0 else status


def print_error(error):
    print(f"trammel: {error}", file=sys.stderr)


def _namespace(name):
    return {"__name__": "__main__", "__file__": name,
            **{known: getattr(control, known) for known in control.__all__}}


def run_file(path, arguments):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        print_error(f"cannot read '{path}': {getattr(error, 'strerror', None) or 'it is no text in UTF-8'}")
        return 4
    try:
        tree = ast.parse(text, path)
    except ValueError:
        print_error(f"'{path}': source code string cannot contain null bytes")
        return 2
    except SyntaxError as error:
        print_error(f"'{path}'{f', line {error.lineno}' if error.lineno else ''}: {error.msg}")
        return 2
    space = _namespace(path)
    if only_assigns(tree):
        known = set(space)
        exec(compile(tree, path, "exec"), space)  # pylint: disable=exec-used
        settings = {name: value for name, value in space.items() if name not in known and not name.startswith("_")}
        return run_control(settings, arguments)
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    exec(compile(tree, path, "exec"), space)  # pylint: disable=exec-used
    return 0


def _history():
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return os.path.join(state, "trammel", "script-history")


def prompt():
    """An interpreter with the classes of trammel.control, history and completion."""
    space = _namespace("<prompt>")
    sys.path.insert(0, "")
    try:
        import atexit  # pylint: disable=import-outside-toplevel
        import readline  # pylint: disable=import-outside-toplevel
        import rlcompleter  # pylint: disable=import-outside-toplevel
        readline.set_completer(rlcompleter.Completer(space).complete)
        readline.parse_and_bind("tab: complete")
        if sys.stdin.isatty():
            history = _history()
            os.makedirs(os.path.dirname(history), exist_ok=True)
            if os.path.exists(history):
                readline.read_history_file(history)
            readline.set_history_length(10000)
            atexit.register(readline.write_history_file, history)
    except (ImportError, OSError):
        pass
    code.interact("trammel: Process, Engine, Profile, measure, ... are there; help(Process) tells more."
                  if sys.stdin.isatty() else "", local=space, exitmsg="")
    return 0


def run_trammel():
    """The command `trammel` where pip installed it: the program is in a folder of the module's."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "native", "bin", "trammel")
    os.environ.setdefault("TRAMMEL_PYTHON", sys.executable)
    os.execv(program, ["trammel", *sys.argv[1:]])


def main(words):
    try:
        return run_file(words[0], words[1:]) if words else prompt()
    except (control.Error, OSError) as error:
        print_error(error)
        return 2 if isinstance(error, control.UsageError) else 4
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
