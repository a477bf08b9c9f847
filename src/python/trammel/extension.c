/*
 * The Python module `trammel._control`: functions of trammel/control.h, nothing more.
 * Objects are numbers: the library's tickets, which it checks itself. control.py has the
 * classes.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <trammel/control.h>

#include <stdint.h>

/* Makes an exception of (code, errno, message). */
static PyObject *make_exception;

/* Raises an error, which is freed. */
static PyObject *raise_error(struct trm_error *error)
{
	PyObject *exception = make_exception
				      ? PyObject_CallFunction(make_exception, "iis",
							      (int)trm_error_code(error),
							      trm_error_errno(error),
							      trm_error_message(error))
				      : NULL;

	if (exception) {
		PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
		Py_DECREF(exception);
	} else if (!PyErr_Occurred()) {
		PyErr_SetString(PyExc_RuntimeError, trm_error_message(error));
	}
	trm_error_release(error);
	return NULL;
}

/* A converter of PyArg_ParseTuple: a ticket. */
static int take_ticket(PyObject *object, void *ret_ticket)
{
	unsigned long long number = PyLong_AsUnsignedLongLong(object);

	if (PyErr_Occurred())
		return 0;
	*(void **)ret_ticket = (void *)(uintptr_t)number;
	return 1;
}

static PyObject *from_ticket(const void *ticket)
{
	return PyLong_FromUnsignedLongLong((uintptr_t)ticket);
}

/* Other threads of the interpreter run while the library works. */
#define UNLOCKED(error, call)                                                            \
	do {                                                                             \
		Py_BEGIN_ALLOW_THREADS error = (call);                                   \
		Py_END_ALLOW_THREADS                                                     \
	} while (0)

static PyObject *finish_call(struct trm_error *error)
{
	if (error)
		return raise_error(error);
	Py_RETURN_NONE;
}

/* Functions of one shape: what they take, and what they return. */
#define TAKES_TICKET(name, type)                                                         \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&", take_ticket, &ticket))            \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket));                                     \
		return finish_call(error);                                               \
	}

#define TAKES_NUMBER(name, type, format, number_type)                                    \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		number_type number;                                                      \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&" format, take_ticket, &ticket,      \
				      &number))                                          \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, number));                             \
		return finish_call(error);                                               \
	}

#define TAKES_TEXT(name, type, format)                                                   \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		const char *text;                                                        \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&" format, take_ticket, &ticket,      \
				      &text))                                            \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, text));                               \
		return finish_call(error);                                               \
	}

#define TAKES_TEXTS(name, type)                                                          \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		const char *first, *second;                                              \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&sz", take_ticket, &ticket, &first,   \
				      &second))                                          \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, first, second));                      \
		return finish_call(error);                                               \
	}

#define TAKES_BYTES(name, type)                                                          \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		const char *bytes;                                                       \
		Py_ssize_t size;                                                         \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&y#", take_ticket, &ticket, &bytes,   \
				      &size))                                            \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, bytes, (size_t)size));                \
		return finish_call(error);                                               \
	}

#define GIVES_TICKET(name, type, other)                                                  \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		struct other *result = NULL;                                             \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&", take_ticket, &ticket))            \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, &result));                            \
		return error ? raise_error(error) : from_ticket(result);                 \
	}

#define GIVES_NUMBER(name, type, number_type)                                            \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		number_type number = 0;                                                  \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&", take_ticket, &ticket))            \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, &number));                            \
		return error ? raise_error(error)                                        \
			     : PyLong_FromLongLong((long long)number);                   \
	}

#define GIVES_TEXT(name, type)                                                           \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
		char text[4096] = "";                                                    \
		struct trm_error *error;                                                 \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&", take_ticket, &ticket))            \
			return NULL;                                                     \
		UNLOCKED(error, trm_##name(ticket, text, sizeof(text)));                 \
		return error ? raise_error(error) : PyUnicode_FromString(text);          \
	}

#define RELEASES(name, type)                                                             \
	static PyObject *call_##name(PyObject *module, PyObject *arguments)              \
	{                                                                                \
		struct type *ticket;                                                     \
                                                                                         \
		(void)module;                                                            \
		if (!PyArg_ParseTuple(arguments, "O&", take_ticket, &ticket))            \
			return NULL;                                                     \
		Py_BEGIN_ALLOW_THREADS trm_##name(ticket);                               \
		Py_END_ALLOW_THREADS Py_RETURN_NONE;                                     \
	}

RELEASES(engine_release, trm_engine)
RELEASES(engine_interrupt, trm_engine)
RELEASES(event_release, trm_event)
RELEASES(measurements_release, trm_measurements)
RELEASES(process_release, trm_process)
RELEASES(profile_release, trm_profile)
RELEASES(records_release, trm_records)
GIVES_TEXT(engine_host, trm_engine)
GIVES_TEXT(engine_version, trm_engine)
GIVES_TEXT(measurements_names, trm_measurements)
GIVES_TEXT(process_keep, trm_process)
GIVES_NUMBER(engine_descriptor, trm_engine, int)
GIVES_NUMBER(process_pid, trm_process, int)
GIVES_NUMBER(process_refused, trm_process, int)
GIVES_NUMBER(process_state, trm_process, enum trm_process_state)
GIVES_TICKET(engine_measurements, trm_engine, trm_records)
GIVES_TICKET(engine_knobs, trm_engine, trm_records)
GIVES_TICKET(measurements_create, trm_engine, trm_measurements)
GIVES_TICKET(process_profile, trm_process, trm_profile)
GIVES_TICKET(process_read, trm_process, trm_records)
GIVES_TICKET(profile_functions, trm_profile, trm_records)
GIVES_TICKET(profile_records, trm_profile, trm_records)
TAKES_TICKET(process_pause_first, trm_process)
TAKES_TICKET(process_run, trm_process)
TAKES_TICKET(process_kill, trm_process)
TAKES_TICKET(process_detach, trm_process)
TAKES_TICKET(process_pause, trm_process)
TAKES_TICKET(process_resume, trm_process)
TAKES_TICKET(process_reset, trm_process)
TAKES_NUMBER(engine_timer, trm_engine, "L", long long)
TAKES_NUMBER(process_debug, trm_process, "i", int)
TAKES_NUMBER(process_save_every, trm_process, "L", long long)
TAKES_NUMBER(process_signal, trm_process, "i", int)
TAKES_NUMBER(process_stacks, trm_process, "i", int)
TAKES_TEXT(measurements_add, trm_measurements, "s")
TAKES_TEXT(measurements_check, trm_measurements, "s")
TAKES_TEXT(measurements_remove, trm_measurements, "s")
TAKES_TEXT(process_configure, trm_process, "s")
TAKES_TEXT(process_directory, trm_process, "z")
TAKES_TEXT(process_output, trm_process, "z")
TAKES_TEXT(process_save, trm_process, "s")
TAKES_TEXT(process_save_now, trm_process, "s")
TAKES_TEXT(profile_save, trm_profile, "s")
TAKES_TEXTS(process_set, trm_process)
TAKES_TEXTS(process_environment, trm_process)
TAKES_BYTES(process_write, trm_process)
TAKES_BYTES(process_say, trm_process)

TAKES_TICKET(process_watch, trm_process)
TAKES_TICKET(process_watch_regions, trm_process)
TAKES_TICKET(process_stop, trm_process)
TAKES_TICKET(process_go, trm_process)
TAKES_NUMBER(process_step, trm_process, "i", int)
TAKES_NUMBER(process_unbreak, trm_process, "I", unsigned int)
GIVES_TICKET(process_threads, trm_process, trm_records)
GIVES_TICKET(process_modules, trm_process, trm_records)

static PyObject *call_process_registers(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	struct trm_records *records = NULL;
	struct trm_error *error;
	int tid;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&i", take_ticket, &process, &tid))
		return NULL;
	UNLOCKED(error, trm_process_registers(process, tid, &records));
	return error ? raise_error(error) : from_ticket(records);
}

static PyObject *call_process_set_register(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	struct trm_error *error;
	unsigned long long value;
	const char *name;
	int tid;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&isK", take_ticket, &process, &tid, &name,
			      &value))
		return NULL;
	UNLOCKED(error, trm_process_set_register(process, tid, name, value));
	return finish_call(error);
}

/* place; "break", "first" or "reach"; times to ignore, or the time that is meant. */
static PyObject *call_process_break(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	struct trm_error *error;
	long long count;
	const char *place, *how;
	uint32_t number = 0;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&ssL", take_ticket, &process, &place, &how,
			      &count))
		return NULL;
	if (count < 0)
		return PyErr_Format(PyExc_ValueError, "a count is not negative");
	UNLOCKED(error,
		 *how == 'f' ? trm_process_first(process, place, &number)
		 : *how == 'r'
			 ? trm_process_reach(process, place, (uint64_t)count, &number)
			 : trm_process_break(process, place, (uint64_t)count, &number));
	return error ? raise_error(error) : PyLong_FromUnsignedLong(number);
}

static PyObject *call_process_read_memory(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	struct trm_error *error;
	unsigned long long address;
	Py_ssize_t size;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&Kn", take_ticket, &process, &address, &size))
		return NULL;
	if (size < 0)
		return PyErr_Format(PyExc_ValueError, "a size is not negative");
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);

	if (!bytes)
		return NULL;
	UNLOCKED(error, trm_process_read_memory(process, address,
						PyBytes_AS_STRING(bytes), (size_t)size));
	if (!error)
		return bytes;
	Py_DECREF(bytes);
	return raise_error(error);
}

static PyObject *call_process_write_memory(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	struct trm_error *error;
	unsigned long long address;
	const char *bytes;
	Py_ssize_t size;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&Ky#", take_ticket, &process, &address, &bytes,
			      &size))
		return NULL;
	UNLOCKED(error, trm_process_write_memory(process, address, bytes, (size_t)size));
	return finish_call(error);
}

static PyObject *call_set_exceptions(PyObject *module, PyObject *arguments)
{
	PyObject *factory;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O", &factory))
		return NULL;
	Py_XSETREF(make_exception, Py_NewRef(factory));
	Py_RETURN_NONE;
}

static PyObject *call_engine_open(PyObject *module, PyObject *arguments)
{
	struct trm_engine_options options = {.size = sizeof(options)};
	struct trm_engine *engine = NULL;
	struct trm_error *error;
	int on_loss;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "zzziIz", &options.host, &options.command,
			      &options.name, &on_loss, &options.linger_seconds,
			      &options.program))
		return NULL;
	options.on_loss = (enum trm_control_loss)on_loss;
	UNLOCKED(error, trm_engine_open(&options, &engine));
	return error ? raise_error(error) : from_ticket(engine);
}

/* What an event holds; None: there was none. */
static PyObject *describe_event(struct trm_event *event)
{
	struct trm_context context = {.size = sizeof(context)};
	size_t size = 0;
	const char *data = trm_event_data(event, &size);

	trm_event_context(event, &context);
	PyObject *described = Py_BuildValue(
		"(isKKKKLiiy#z)", (int)trm_event_kind(event), trm_event_text(event),
		(unsigned long long)(uintptr_t)trm_event_process(event),
		(unsigned long long)context.number, (unsigned long long)context.time_ns,
		(unsigned long long)context.address, (long long)context.value,
		context.pid, context.tid, data ? data : "", (Py_ssize_t)size,
		trm_event_failure(event));

	trm_event_release(event);
	return described;
}

static PyObject *call_engine_wait(PyObject *module, PyObject *arguments)
{
	struct trm_engine *engine;
	struct trm_event *event = NULL;
	struct trm_error *error;
	int timeout;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&i", take_ticket, &engine, &timeout))
		return NULL;
	UNLOCKED(error, trm_engine_wait(engine, timeout, &event));
	if (error)
		return raise_error(error);
	if (event)
		return describe_event(event);
	Py_RETURN_NONE;
}

static PyObject *call_engine_post(PyObject *module, PyObject *arguments)
{
	struct trm_engine *engine;
	long long value;
	const char *text;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&Ls", take_ticket, &engine, &value, &text))
		return NULL;
	return finish_call(trm_engine_post(engine, value, text));
}

/* The words of a sequence of texts, NULL at the end; NULL: an exception is set. */
static const char **take_words(PyObject *sequence)
{
	Py_ssize_t count = PySequence_Size(sequence);
	const char **words =
		count < 0 ? NULL : PyMem_Calloc((size_t)count + 1, sizeof(*words));

	for (Py_ssize_t i = 0; words && i < count; i++) {
		PyObject *item = PySequence_Fast_GET_ITEM(sequence, i);

		words[i] = PyUnicode_AsUTF8(item);
		if (!words[i]) {
			PyMem_Free(words);
			return NULL;
		}
	}
	return words;
}

static PyObject *call_process_create(PyObject *module, PyObject *arguments)
{
	struct trm_engine *engine;
	struct trm_process *process = NULL;
	PyObject *given;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&O!", take_ticket, &engine, &PyList_Type,
			      &given))
		return NULL;
	const char **words = take_words(given);

	if (!words)
		return NULL;
	struct trm_error *error = trm_process_create(engine, words, &process);

	PyMem_Free(words);
	return error ? raise_error(error) : from_ticket(process);
}

static PyObject *call_process_attach(PyObject *module, PyObject *arguments)
{
	struct trm_engine *engine;
	struct trm_process *process = NULL;
	int pid;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&i", take_ticket, &engine, &pid))
		return NULL;
	struct trm_error *error = trm_process_attach(engine, pid, &process);

	return error ? raise_error(error) : from_ticket(process);
}

static PyObject *call_process_get(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	const char *knob;
	char value[4096] = "";
	struct trm_error *error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&s", take_ticket, &process, &knob))
		return NULL;
	UNLOCKED(error, trm_process_get(process, knob, value, sizeof(value)));
	return error ? raise_error(error) : PyUnicode_FromString(value);
}

static PyObject *call_process_measure(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	struct trm_measurements *set;
	struct trm_error *error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&O&", take_ticket, &process, take_ticket,
			      &set))
		return NULL;
	UNLOCKED(error, trm_process_measure(process, set));
	return finish_call(error);
}

static PyObject *call_process_redirect(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	const char *path;
	int stream, how;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&iiz", take_ticket, &process, &stream, &how,
			      &path))
		return NULL;
	return finish_call(
		trm_process_redirect(process, stream, (enum trm_redirection)how, path));
}

static PyObject *call_process_wait(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	int timeout, status = 0;
	struct trm_error *error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&i", take_ticket, &process, &timeout))
		return NULL;
	UNLOCKED(error, trm_process_wait(process, timeout, &status));
	return error ? raise_error(error) : PyLong_FromLong(status);
}

static PyObject *call_process_saved(PyObject *module, PyObject *arguments)
{
	struct trm_process *process;
	const char *path;
	uint64_t time_ns = 0;
	struct trm_error *error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&s", take_ticket, &process, &path))
		return NULL;
	UNLOCKED(error, trm_process_saved(process, path, &time_ns));
	return error ? raise_error(error) : PyLong_FromUnsignedLongLong(time_ns);
}

static PyObject *call_engine_module(PyObject *module, PyObject *arguments)
{
	struct trm_engine *engine;
	const char *path, *build_id, *to;
	struct trm_error *error;
	int debug;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&ssis", take_ticket, &engine, &path, &build_id,
			      &debug, &to))
		return NULL;
	UNLOCKED(error, trm_engine_module(engine, path, build_id, debug, to));
	return finish_call(error);
}

static PyObject *call_profile_open(PyObject *module, PyObject *arguments)
{
	struct trm_profile *profile = NULL;
	const char *path;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "s", &path))
		return NULL;
	struct trm_error *error = trm_profile_open(path, &profile);

	return error ? raise_error(error) : from_ticket(profile);
}

static PyObject *call_profile_query(PyObject *module, PyObject *arguments)
{
	struct trm_profile *profile;
	struct trm_records *records = NULL;
	const char *query;
	struct trm_error *error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O&s", take_ticket, &profile, &query))
		return NULL;
	UNLOCKED(error, trm_profile_query(profile, query, &records));
	return error ? raise_error(error) : from_ticket(records);
}

static PyObject *call_profiles_merge(PyObject *module, PyObject *arguments)
{
	PyObject *given;
	const char *path;
	struct trm_error *error;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "O!s", &PyList_Type, &given, &path))
		return NULL;
	const char **words = take_words(given);

	if (!words)
		return NULL;
	UNLOCKED(error, trm_profiles_merge(words, path));
	PyMem_Free(words);
	return finish_call(error);
}

static PyObject *value_of(const struct trm_field *field)
{
	switch (field->kind) {
	case TRM_FIELD_INTEGER:
		return PyLong_FromLongLong(field->integer);
	case TRM_FIELD_NUMBER:
	case TRM_FIELD_ADDRESS:
		return PyLong_FromUnsignedLongLong(field->number);
	case TRM_FIELD_REAL:
		return PyFloat_FromDouble(field->real);
	case TRM_FIELD_FLAG:
		return PyBool_FromLong(field->integer != 0);
	case TRM_FIELD_DATA:
		return PyBytes_FromStringAndSize(field->text,
						 (Py_ssize_t)field->text_size);
	case TRM_FIELD_TEXT:
		return PyUnicode_DecodeUTF8(field->text, (Py_ssize_t)field->text_size,
					    "surrogateescape");
	default:
		Py_RETURN_NONE;
	}
}

/* A record as a dict; of several values of a name (a path) the last one. NULL: an
 * exception is set. */
static PyObject *describe_record(struct trm_records *records, size_t number)
{
	struct trm_field field = {.size = sizeof(field)};
	size_t count = 0;
	struct trm_error *error = trm_records_fields(records, number, &count);
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && !error && i < count; i++) {
		error = trm_records_field(records, number, i, &field);
		if (error)
			break;
		PyObject *value = value_of(&field);

		if (!value || PyDict_SetItemString(dict, field.name, value))
			Py_CLEAR(dict);
		Py_XDECREF(value);
	}
	if (!error)
		return dict;
	Py_XDECREF(dict);
	return raise_error(error);
}

/* Adds a value to a path, or to other values, as its field says. */
static int add_to_path(PyObject *path, PyObject *values, const struct trm_field *field)
{
	PyObject *value = value_of(field);
	int failed = 1;

	if (value && field->nested)
		failed = PyList_Append(path, value);
	else if (value)
		failed = PyDict_SetItemString(values, field->name, value);
	Py_XDECREF(value);
	return failed;
}

/* A record as (list of the values of its path, dict of the others). NULL: an exception is
 * set. */
static PyObject *describe_path(struct trm_records *records, size_t number)
{
	struct trm_field field = {.size = sizeof(field)};
	PyObject *path = PyList_New(0), *values = PyDict_New();
	size_t count = 0;
	struct trm_error *error = trm_records_fields(records, number, &count);
	bool failed = !path || !values;

	for (size_t i = 0; !failed && !error && i < count; i++) {
		error = trm_records_field(records, number, i, &field);
		failed = !error && add_to_path(path, values, &field);
	}
	PyObject *both = failed || error ? NULL : PyTuple_Pack(2, path, values);

	Py_XDECREF(path);
	Py_XDECREF(values);
	return error ? raise_error(error) : both;
}

/* All records, each as `describe` makes it; they are released. */
static PyObject *take_records(PyObject *arguments,
			      PyObject *(*describe)(struct trm_records *records,
						    size_t number))
{
	struct trm_records *records;
	size_t count = 0;

	if (!PyArg_ParseTuple(arguments, "O&", take_ticket, &records))
		return NULL;
	struct trm_error *error = trm_records_count(records, &count);

	if (error)
		return raise_error(error);
	PyObject *list = PyList_New((Py_ssize_t)count);

	for (size_t i = 0; list && i < count; i++) {
		PyObject *one = describe(records, i);

		if (one)
			PyList_SET_ITEM(list, (Py_ssize_t)i, one);
		else
			Py_CLEAR(list);
	}
	trm_records_release(records);
	return list;
}

static PyObject *call_records_take(PyObject *module, PyObject *arguments)
{
	(void)module;
	return take_records(arguments, describe_record);
}

static PyObject *call_records_take_paths(PyObject *module, PyObject *arguments)
{
	(void)module;
	return take_records(arguments, describe_path);
}

#define ROW(name)                                                                        \
	{                                                                                \
#name, call_##name, METH_VARARGS, NULL                                   \
	}

static PyMethodDef functions[] = {
	ROW(process_watch),        ROW(process_watch_regions), ROW(process_stop),
	ROW(process_go),           ROW(process_step),          ROW(process_unbreak),
	ROW(process_threads),      ROW(process_modules),       ROW(process_registers),
	ROW(process_set_register), ROW(process_break),         ROW(process_read_memory),
	ROW(process_write_memory), ROW(set_exceptions),        ROW(engine_open),
	ROW(engine_release),       ROW(engine_interrupt),      ROW(engine_host),
	ROW(engine_version),       ROW(engine_descriptor),     ROW(engine_wait),
	ROW(engine_post),          ROW(engine_timer),          ROW(engine_measurements),
	ROW(engine_knobs),         ROW(event_release),         ROW(measurements_create),
	ROW(measurements_add),     ROW(measurements_check),    ROW(measurements_remove),
	ROW(measurements_names),   ROW(measurements_release),  ROW(process_create),
	ROW(process_attach),       ROW(process_set),           ROW(process_get),
	ROW(process_configure),    ROW(process_measure),       ROW(process_environment),
	ROW(process_directory),    ROW(process_redirect),      ROW(process_output),
	ROW(process_pause_first),  ROW(process_run),           ROW(process_wait),
	ROW(process_state),        ROW(process_pid),           ROW(process_refused),
	ROW(process_signal),       ROW(process_kill),          ROW(process_detach),
	ROW(process_write),        ROW(process_pause),         ROW(process_resume),
	ROW(process_reset),        ROW(process_read),          ROW(process_save),
	ROW(process_save_now),     ROW(process_profile),       ROW(process_release),
	ROW(profile_open),         ROW(profile_query),         ROW(profile_functions),
	ROW(profile_records),      ROW(profile_save),          ROW(profile_release),
	ROW(profiles_merge),       ROW(records_take_paths),    ROW(records_take),
	ROW(records_release),      ROW(process_debug),         ROW(process_say),
	ROW(process_stacks),       ROW(process_save_every),    ROW(process_saved),
	ROW(process_keep),         ROW(engine_module),         {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
					"_control",
					"Functions of libtrammel-control.",
					-1,
					functions,
					NULL,
					NULL,
					NULL,
					NULL};

PyMODINIT_FUNC PyInit__control(void);
PyMODINIT_FUNC PyInit__control(void)
{
	PyObject *module = PyModule_Create(&definition);

	for (int kind = 0; module && kind < TRM_EVENT_COUNT; kind++) {
		char name[64];

		snprintf(name, sizeof(name), "EVENT_%d", kind);
		if (PyModule_AddStringConstant(
			    module, name, trm_event_kind_name((enum trm_event_kind)kind)))
			Py_CLEAR(module);
	}
	if (module && PyModule_AddIntConstant(module, "EVENT_COUNT", TRM_EVENT_COUNT))
		Py_CLEAR(module);
	return module;
}
