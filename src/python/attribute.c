/* Attributes, by name or by object, and their values. */
#include "python/attribute.h"

#include "base/array.h"
#include "python/module.h"
#include "python/python.h"

struct attribute {
	PyObject_HEAD trm_attribute number;
};

PyTypeObject attribute_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "trammel.Attribute",
	.tp_doc = "What can begin, be set and end",
	.tp_basicsize = sizeof(struct attribute),
	.tp_flags = Py_TPFLAGS_DEFAULT,
};

static bool find_type(PyObject *type, enum trm_type *ret_type)
{
	const struct {
		PyTypeObject *python;
		enum trm_type type;
	} known[] = {
		{&PyLong_Type, TRM_TYPE_INT},       {&PyFloat_Type, TRM_TYPE_DOUBLE},
		{&PyUnicode_Type, TRM_TYPE_STRING}, {&PyBool_Type, TRM_TYPE_BOOL},
		{&PyBytes_Type, TRM_TYPE_BLOB},
	};

	for (size_t i = 0; i < array_count(known); i++)
		if (type == (PyObject *)known[i].python) {
			*ret_type = known[i].type;
			return true;
		}
	PyErr_SetString(PyExc_TypeError,
			"an attribute's type is int, float, str, bool or bytes");
	return false;
}

static PyObject *make_attribute(PyObject *name, enum trm_type type, unsigned properties)
{
	struct attribute *attribute = PyObject_New(struct attribute, &attribute_type);
	PyObject *holder = NULL;
	const char *text = attribute ? c_name_of(name, &holder) : NULL;

	if (text)
		attribute->number = trm_attribute_create(text, type, properties);
	else
		Py_CLEAR(attribute);
	Py_XDECREF(holder);
	return (PyObject *)attribute;
}

PyObject *attribute_create(PyObject *module, PyObject *arguments, PyObject *named)
{
	static char words[][14] = {"name",         "type",   "nested", "value",
				   "aggregatable", "hidden", "whole"};
	static char *names[] = {words[0], words[1], words[2], words[3],
				words[4], words[5], words[6], NULL};
	static const unsigned bits[] = {TRM_NESTED, TRM_AS_VALUE, TRM_AGGREGATABLE,
					TRM_HIDDEN, TRM_SCOPE_PROCESS};
	int flags[5] = {0};
	PyObject *name, *python_type;
	enum trm_type type;
	unsigned properties = 0;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(arguments, named, "UO|$ppppp", names, &name,
					 &python_type, &flags[0], &flags[1], &flags[2],
					 &flags[3], &flags[4]) ||
	    !find_type(python_type, &type))
		return NULL;
	for (size_t i = 0; i < array_count(bits); i++)
		properties |= flags[i] ? bits[i] : 0;
	return make_attribute(name, type, properties);
}

/* What is too large for 64 bits is a float, as far as it is one. */
static bool take_integer(PyObject *number, struct trm_value *value)
{
	int overflow;
	long long whole = PyLong_AsLongLongAndOverflow(number, &overflow);
	unsigned long long large;
	double real;

	if (!overflow) {
		*value = trm_value_int(whole);
		return whole != -1 || !PyErr_Occurred();
	}
	large = overflow > 0 ? PyLong_AsUnsignedLongLong(number) : 0;
	if (overflow > 0 && !PyErr_Occurred()) {
		*value = trm_value_uint(large);
		return true;
	}
	PyErr_Clear();
	real = PyLong_AsDouble(number);
	if (PyErr_Occurred()) {
		PyErr_Clear();
		real = overflow * __builtin_inf();
	}
	*value = trm_value_double(real);
	return true;
}

static bool take_text(PyObject *text, struct trm_value *value, PyObject **ret_holder)
{
	Py_ssize_t size;
	const char *bytes = text_of(text, &size, ret_holder);

	if (!bytes)
		return false;
	*value = (struct trm_value){TRM_TYPE_STRING, (uint32_t)size, {0}};
	value->as.bytes = bytes;
	return true;
}

static bool take_bytes(PyObject *bytes, struct trm_value *value)
{
	*value =
		(struct trm_value){TRM_TYPE_BLOB, (uint32_t)PyBytes_GET_SIZE(bytes), {0}};
	value->as.bytes = PyBytes_AS_STRING(bytes);
	return true;
}

/* Numbers of other types, numpy's for one, say that they are some. */
static bool take_number(PyObject *object, struct trm_value *value)
{
	const PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;
	PyObject *index;
	bool taken;
	double real;

	if (methods && methods->nb_index) {
		index = PyNumber_Index(object);
		taken = index && take_integer(index, value);
		Py_XDECREF(index);
		return taken;
	}
	if (methods && methods->nb_float) {
		real = PyFloat_AsDouble(object);
		*value = trm_value_double(real);
		return real != -1 || !PyErr_Occurred();
	}
	PyErr_Format(PyExc_TypeError, "a value is a number, str or bytes, not %.100s",
		     Py_TYPE(object)->tp_name);
	return false;
}

/* The same whether something measures or not: what a program does may not depend on it.
 * False: an exception is set. */
static bool take_value(PyObject *object, struct trm_value *value, PyObject **ret_holder)
{
	*ret_holder = NULL;
	if (PyBool_Check(object)) {
		*value = trm_value_bool(object == Py_True);
		return true;
	}
	if (PyLong_Check(object))
		return take_integer(object, value);
	if (PyFloat_Check(object)) {
		*value = trm_value_double(PyFloat_AS_DOUBLE(object));
		return true;
	}
	if (PyUnicode_Check(object))
		return take_text(object, value, ret_holder);
	if (PyBytes_Check(object))
		return take_bytes(object, value);
	return take_number(object, value);
}

/* The attribute, by its object, or by its name with the type and properties that it is to
 * have if it is new. False: an exception is set. */
static bool find_attribute(PyObject *what, uint32_t type, uint32_t properties,
			   trm_attribute *ret_number)
{
	PyObject *holder;
	const char *name;

	*ret_number = 0;
	if (Py_IS_TYPE(what, &attribute_type)) {
		*ret_number = ((struct attribute *)what)->number;
		return true;
	}
	name = c_name_of(what, &holder);
	if (name && TRM_ACTIVE_)
		*ret_number = trm_link_.api->attribute(name, type, properties);
	Py_XDECREF(holder);
	return name;
}

static PyObject *say_event(PyObject *const *arguments, Py_ssize_t count,
			   uint32_t properties,
			   void (*function)(trm_attribute, struct trm_value))
{
	struct trm_value value;
	PyObject *holder;
	trm_attribute number;
	bool found;

	if (count != 2) {
		PyErr_Format(PyExc_TypeError, "an attribute and a value, not %zd things",
			     count);
		return NULL;
	}
	if (!take_value(arguments[1], &value, &holder))
		return NULL;
	found = find_attribute(arguments[0], value.type, properties, &number);
	if (found)
		function(number, value);
	Py_XDECREF(holder);
	return found ? Py_NewRef(Py_None) : NULL;
}

PyObject *attribute_begin(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	(void)module;
	return say_event(arguments, count, TRM_NESTED, trm_begin_value);
}

PyObject *attribute_set(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
	(void)module;
	return say_event(arguments, count, TRM_AS_VALUE, trm_set_value);
}

PyObject *attribute_end(PyObject *module, PyObject *what)
{
	trm_attribute number;

	(void)module;
	if (!find_attribute(what, TRM_TYPE_STRING, TRM_NESTED | TRM_FOR_END_, &number))
		return NULL;
	trm_end_attribute(number);
	return Py_NewRef(Py_None);
}
