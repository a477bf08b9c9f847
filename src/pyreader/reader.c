/*
 * The Python module `_trammel_reader`: what a profile holds, as dicts of texts. It is
 * used by caliperreader.py, which has the names that programs know.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "record/cali_values.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"
#include "base/vector.h"
#include "record/cali.h"
#include "record/record.h"

#include <inttypes.h>

/* The exception of files that cannot be read. */
static PyObject *file_error;

/* An attribute of the file. */
struct known {
	PyObject *name;
	bool hidden, nested;
};

struct reading {
	struct record_model *model;
	PyObject *on_record;                    /* NULL: records are not wanted */
	PyObject *globals;                      /* a dict */
	PyObject *path;                         /* the key "path" */
	struct VECTOR(struct known) attributes; /* by number in the model */
	struct VECTOR(PyObject *) nodes;        /* what a path to it holds, as a dict */
	struct text text;                       /* scratch */
	bool failed;                            /* an exception is set */
};

/* The value as it stands in a .cali file; NULL: an exception is set. */
static PyObject *text_of(struct reading *reading, struct record_value value)
{
	struct text *text = &reading->text;

	if (value.type == RECORD_STRING)
		return PyUnicode_DecodeUTF8(value.bytes, (Py_ssize_t)value.size,
					    "surrogateescape");
	text->length = 0;
	text_add(text, "");
	if (value.type == RECORD_ADDRESS)
		text_format(text, "%" PRIx64, value.u);
	else if (value.type == RECORD_TYPE)
		text_add(text, cali_type_name((enum record_type)value.u));
	else
		record_value_text(text, value);
	return PyUnicode_DecodeUTF8(text->data, (Py_ssize_t)text->length,
				    "surrogateescape");
}

static bool learn_attributes(struct reading *reading)
{
	while (reading->attributes.count < record_attribute_count(reading->model)) {
		record_attribute id = (record_attribute)reading->attributes.count;
		uint32_t properties = record_attribute_properties(reading->model, id);
		struct known known = {
			PyUnicode_FromString(record_attribute_name(reading->model, id)),
			properties & RECORD_HIDDEN,
			properties & RECORD_NESTED,
		};

		if (!known.name)
			return false;
		vector_push(&reading->attributes, known);
	}
	return true;
}

/* The text behind those that the dict has under the key: one alone is no list, unless
 * `always`. */
static bool add_text(PyObject *dict, PyObject *key, PyObject *text, bool always)
{
	PyObject *before = PyDict_GetItemWithError(dict, key), *list = NULL;

	if (!before && PyErr_Occurred())
		return false;
	if (!before && !always)
		return !PyDict_SetItem(dict, key, text);
	/* Those of other nodes have the same list. */
	if (!before)
		list = PyList_New(0);
	else if (PyList_Check(before))
		list = PyList_GetSlice(before, 0, PyList_GET_SIZE(before));
	else if ((list = PyList_New(0)) && PyList_Append(list, before))
		Py_CLEAR(list);
	bool right =
		list && !PyList_Append(list, text) && !PyDict_SetItem(dict, key, list);

	Py_XDECREF(list);
	return right;
}

static bool learn_node(struct reading *reading, record_node node)
{
	struct record_pair pair = record_node_pair(reading->model, node);
	const struct known *known = &reading->attributes.items[pair.attribute];
	PyObject *above = reading->nodes.items[record_node_parent(reading->model, node)];
	PyObject *dict = PyDict_Copy(above), *text = NULL;
	bool right = dict != NULL;

	if (right && !known->hidden) {
		text = text_of(reading, pair.value);
		right = text && add_text(dict, known->name, text, false) &&
			(!known->nested || add_text(dict, reading->path, text, true));
	}
	Py_XDECREF(text);
	if (right)
		vector_push(&reading->nodes, dict);
	else
		Py_XDECREF(dict);
	return right;
}

static bool learn_model(struct reading *reading)
{
	bool right = learn_attributes(reading);

	while (right && reading->nodes.count < record_node_count(reading->model))
		right = learn_node(reading, (record_node)reading->nodes.count);
	return right;
}

/* Hidden ones are left out. */
static bool add_pair(struct reading *reading, PyObject *dict,
		     const struct record_pair *pair)
{
	const struct known *known = &reading->attributes.items[pair->attribute];
	PyObject *text = known->hidden ? NULL : text_of(reading, pair->value);
	bool right = known->hidden || (text && !PyDict_SetItem(dict, known->name, text));

	Py_XDECREF(text);
	return right;
}

static void on_record(void *context, record_node node, const struct record_pair *pairs,
		      size_t count)
{
	struct reading *reading = context;
	PyObject *dict, *result;
	bool right;

	if (reading->failed || !reading->on_record)
		return;
	right = learn_model(reading) && (dict = PyDict_Copy(reading->nodes.items[node]));
	if (!right) {
		reading->failed = true;
		return;
	}
	for (size_t i = 0; i < count && right; i++)
		right = add_pair(reading, dict, &pairs[i]);
	result = right ? PyObject_CallFunctionObjArgs(reading->on_record, dict, NULL)
		       : NULL;
	reading->failed = !result;
	Py_XDECREF(result);
	Py_DECREF(dict);
}

static void on_global(void *context, record_attribute attribute,
		      struct record_value value)
{
	struct reading *reading = context;
	const struct record_pair pair = {attribute, value};

	if (!reading->failed)
		reading->failed = !learn_attributes(reading) ||
				  !add_pair(reading, reading->globals, &pair);
}

/* What is said of an attribute, as a dict. */
static PyObject *descriptions_of(struct reading *reading, record_attribute id)
{
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && i < record_attribute_descriptions(reading->model, id);
	     i++) {
		struct record_pair said =
			record_attribute_description(reading->model, id, i);
		PyObject *text = text_of(reading, said.value);

		if (!text ||
		    PyDict_SetItemString(
			    dict, record_attribute_name(reading->model, said.attribute),
			    text))
			Py_CLEAR(dict);
		Py_XDECREF(text);
	}
	return dict;
}

/* (number, name, type, properties, what is said of it) of each. */
static PyObject *attributes_of(struct reading *reading)
{
	PyObject *list = PyList_New(0);

	for (record_attribute id = 0; list && id < record_attribute_count(reading->model);
	     id++) {
		PyObject *said = descriptions_of(reading, id);
		PyObject *tuple =
			said ? Py_BuildValue(
				       "(IssIO)", id,
				       record_attribute_name(reading->model, id),
				       cali_type_name(
					       record_attribute_type(reading->model, id)),
				       cali_properties_write(record_attribute_properties(
					       reading->model, id)),
				       said)
			     : NULL;

		if (!tuple || PyList_Append(list, tuple))
			Py_CLEAR(list);
		Py_XDECREF(said);
		Py_XDECREF(tuple);
	}
	return list;
}

/* (number of the one above, attribute, text) of each node, from 1 on; 0 is the root. */
static PyObject *nodes_of(struct reading *reading)
{
	PyObject *list = PyList_New(0);
	size_t count = reading->on_record ? record_node_count(reading->model) : 0;

	for (record_node node = 1; list && node < count; node++) {
		struct record_pair pair = record_node_pair(reading->model, node);
		PyObject *text = text_of(reading, pair.value);
		PyObject *tuple =
			text ? Py_BuildValue("(IIN)",
					     record_node_parent(reading->model, node),
					     pair.attribute, text)
			     : NULL;

		if (!tuple || PyList_Append(list, tuple))
			Py_CLEAR(list);
		Py_XDECREF(tuple);
	}
	return list;
}

static PyObject *run_reading(struct reading *reading, const char *path,
			     const Py_buffer *bytes)
{
	const struct trm_visitor visitor = {
		.context = reading, .record = on_record, .global = on_global};
	char *warning = NULL;
	PyObject *result = NULL, *attributes, *nodes;
	struct trm_error *error =
		bytes->buf ? trm_read_memory(bytes->buf, (size_t)bytes->len, path,
					     reading->model, &visitor, &warning)
			   : trm_read(path, reading->model, &visitor, &warning);

	if (error && !reading->failed)
		PyErr_SetString(file_error, error->message);
	if (!error && !reading->failed && (attributes = attributes_of(reading))) {
		nodes = nodes_of(reading);
		result = nodes ? Py_BuildValue("(ONNz)", reading->globals, attributes,
					       nodes, warning)
			       : NULL;
		if (!nodes)
			Py_DECREF(attributes);
	}
	trm_error_destroy(error);
	free(warning);
	return result;
}

/* read(name, bytes or None, function or None) */
static PyObject *read_profile(PyObject *module, PyObject *arguments)
{
	struct reading reading = {0};
	Py_buffer bytes = {0};
	PyObject *root, *result = NULL;
	const char *path;

	(void)module;
	if (!PyArg_ParseTuple(arguments, "sz*O", &path, &bytes, &reading.on_record))
		return NULL;
	if (reading.on_record == Py_None)
		reading.on_record = NULL;
	reading.model = record_model_create();
	reading.path = PyUnicode_FromString("path");
	reading.globals = PyDict_New();
	root = PyDict_New();
	if (root)
		vector_push(&reading.nodes, root);
	if (root && reading.path && reading.globals)
		result = run_reading(&reading, path, &bytes);
	vector_for_each (&reading.attributes, known)
		Py_DECREF(known->name);
	vector_for_each (&reading.nodes, node)
		Py_DECREF(*node);
	vector_deinit(&reading.attributes);
	vector_deinit(&reading.nodes);
	text_deinit(&reading.text);
	Py_XDECREF(reading.path);
	Py_XDECREF(reading.globals);
	record_model_destroy(reading.model);
	PyBuffer_Release(&bytes);
	return result;
}

static PyMethodDef methods[] = {
	{"read", read_profile, METH_VARARGS,
	 "read(name, bytes, function)\n--\n\n"
	 "Reads the file of this name, or the bytes, if they are not None. Calls the "
	 "function, if it is not None, with a dict for each record.\n"
	 "Returns globals, attributes, nodes (none without the function) and a warning "
	 "or None."},
	{0},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_trammel_reader",
	.m_doc = "Profiles as dicts of texts: see caliperreader.",
	.m_size = -1,
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__trammel_reader(void);
PyMODINIT_FUNC PyInit__trammel_reader(void)
{
	PyObject *module = PyModule_Create(&definition);

	file_error = PyErr_NewException("_trammel_reader.Error", NULL, NULL);
	if (module && (!file_error || PyModule_AddObjectRef(module, "Error", file_error)))
		Py_CLEAR(module);
	return module;
}
