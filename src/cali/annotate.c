/* Attributes, and annotations by them. */
#include "cali/annotate.h"

#include "cali/own.h"
#include "cali/track.h"
#include "cali/variant.h"
#include "cali/watch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct trm_runtime_host *own_host;

PUBLIC cali_id_t cali_region_attr_id = CALI_INV_ID, cali_phase_attr_id = CALI_INV_ID,
		 cali_comm_region_attr_id = CALI_INV_ID, cali_loop_attr_id = CALI_INV_ID,
		 cali_class_iteration_attr_id = CALI_INV_ID,
		 cali_class_aggregatable_attr_id = CALI_INV_ID,
		 cali_class_memoryaddress_attr_id = CALI_INV_ID,
		 cali_class_symboladdress_attr_id = CALI_INV_ID;

/* Properties as they were asked for, by attribute. */
static int asked[(1 << 16) + 1];

/* CALI_CALIPER_ATTRIBUTE_PROPERTIES, name=property:property,... */
static int configured_properties(const char *name, int properties)
{
	const char *text = getenv("CALI_CALIPER_ATTRIBUTE_PROPERTIES");
	size_t length = strlen(name);
	char words[128];

	while (text && *text) {
		size_t item = strcspn(text, ",");

		if (item > length && !strncmp(text, name, length) &&
		    text[length] == '=') {
			snprintf(words, sizeof(words), "%.*s", (int)(item - length - 1),
				 text + length + 1);
			return cali_string2prop(words);
		}
		text += item + (text[item] == ',');
	}
	return properties;
}

static uint32_t own_properties(int properties)
{
	static const struct {
		int cali;
		uint32_t own;
	} rows[] = {
		{CALI_ATTR_ASVALUE, TRM_AS_VALUE},
		{CALI_ATTR_SKIP_EVENTS, TRM_SKIP_EVENTS},
		{CALI_ATTR_HIDDEN, TRM_HIDDEN},
		{CALI_ATTR_NESTED, TRM_NESTED},
		{CALI_ATTR_GLOBAL, TRM_GLOBAL | TRM_SCOPE_PROCESS | TRM_AS_VALUE},
		{CALI_ATTR_AGGREGATABLE, TRM_AGGREGATABLE},
		{CALI_ATTR_UNALIGNED, TRM_RUNTIME_UNALIGNED},
	};
	uint32_t own = (uint32_t)properties & CALI_ATTR_LEVEL_MASK;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (properties & rows[i].cali)
			own |= rows[i].own;
	switch (properties & CALI_ATTR_SCOPE_MASK) {
	case CALI_ATTR_SCOPE_PROCESS:
		return own | TRM_SCOPE_PROCESS;
	case CALI_ATTR_SCOPE_TASK:
		return own | TRM_SCOPE_TASK;
	default:
		return own | TRM_SCOPE_THREAD;
	}
}

/* The scope of attributes that are made without one. */
static int usual_scope(const struct trm_runtime_host *host)
{
	const char *name = getenv("CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE");

	static bool said;

	if (name && strcmp(name, "process") && strcmp(name, "task") &&
	    strcmp(name, "thread") && !said) {
		said = true;
		host->warn("Invalid value \"%s\" for "
			   "CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE: there are thread "
			   "(taken), process and task",
			   name);
	}
	return name && !strcmp(name, "process") ? CALI_ATTR_SCOPE_PROCESS
	       : name && !strcmp(name, "task")  ? CALI_ATTR_SCOPE_TASK
						: CALI_ATTR_SCOPE_THREAD;
}

static cali_id_t create_attribute(const struct trm_runtime_host *host, const char *name,
				  cali_attr_type type, int properties)
{
	trm_attribute number = host->find(name);

	if (number)
		return own_id(number);
	properties = configured_properties(name, properties);
	if (!(properties & CALI_ATTR_SCOPE_MASK))
		properties |= usual_scope(host);
	number =
		host->events->attribute(name, own_type(type), own_properties(properties));
	if (!number)
		return CALI_INV_ID;
	if (!asked[number])
		asked[number] = properties;
	own_tell_attribute(own_id(number));
	return own_id(number);
}

static void create_usual(const struct trm_runtime_host *host)
{
	enum { REGION = CALI_ATTR_NESTED | CALI_ATTR_SCOPE_THREAD };
	static const struct {
		const char *name;
		cali_attr_type type;
		int properties;
		cali_id_t *id;
	} rows[] = {
		{"region", CALI_TYPE_STRING, REGION, &cali_region_attr_id},
		{"phase", CALI_TYPE_STRING, REGION | CALI_ATTR_LEVEL_4,
		 &cali_phase_attr_id},
		{"comm.region", CALI_TYPE_STRING, REGION | CALI_ATTR_LEVEL_1,
		 &cali_comm_region_attr_id},
		{"loop", CALI_TYPE_STRING, REGION, &cali_loop_attr_id},
		{"class.iteration", CALI_TYPE_BOOL, CALI_ATTR_SKIP_EVENTS,
		 &cali_class_iteration_attr_id},
		{"class.aggregatable", CALI_TYPE_BOOL, CALI_ATTR_SKIP_EVENTS,
		 &cali_class_aggregatable_attr_id},
		{"class.memoryaddress", CALI_TYPE_BOOL, CALI_ATTR_SKIP_EVENTS,
		 &cali_class_memoryaddress_attr_id},
		{"class.symboladdress", CALI_TYPE_BOOL, CALI_ATTR_SKIP_EVENTS,
		 &cali_class_symboladdress_attr_id},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		*rows[i].id = create_attribute(host, rows[i].name, rows[i].type,
					       rows[i].properties);
}

static bool reads_environment = true;

static void init_host(void)
{
	const struct trm_runtime_host *host = trm_runtime_host();

	if (!host || host->size != sizeof(*host))
		return;
	create_usual(host);
	if (reads_environment) {
		host->read_file();
		host->configure("CALI_CONFIG", getenv("CALI_CONFIG"));
	}
	/* Other threads' events wait for the channels. */
	__atomic_store_n(&own_host, host, __ATOMIC_RELEASE);
	host->watch_heap(&own_heap);
}

void own_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_host);
}

PUBLIC void cali_init(void)
{
	own_init();
}

PUBLIC int cali_is_initialized(void)
{
	return own_host != NULL;
}

PUBLIC const char *cali_caliper_version(void)
{
	return CALIPER_VERSION;
}

PUBLIC void cali_config_allow_read_env(int allow)
{
	reads_environment = allow != 0;
}

PUBLIC cali_id_t cali_create_attribute(const char *name, cali_attr_type type,
				       int properties)
{
	return own_ready() ? create_attribute(own_host, name, type, properties)
			   : CALI_INV_ID;
}

/* Names and types of attributes, for the program itself. */
static struct {
	pthread_mutex_t lock;
	struct about {
		struct about *next;
		cali_id_t attribute, key;
		cali_variant_t value; /* of a copy of its text */
	} * first;
} said = {PTHREAD_MUTEX_INITIALIZER, NULL};

static const struct about *find_said(cali_id_t attribute, cali_id_t key)
{
	const struct about *found;

	pthread_mutex_lock(&said.lock);
	for (found = said.first; found; found = found->next)
		if (found->attribute == attribute && found->key == key)
			break;
	pthread_mutex_unlock(&said.lock);
	return found; /* none ever goes */
}

static void keep_said(cali_id_t attribute, cali_id_t key, cali_variant_t value)
{
	bool is_text = cali_variant_get_type(value) == CALI_TYPE_STRING;
	size_t size = is_text ? cali_variant_get_size(value) : 0;
	struct about *made;
	char *text;

	if (find_said(attribute, key))
		return;
	made = malloc(sizeof(*made) + size + 1);
	if (!made)
		return;
	text = (char *)(made + 1);
	if (size)
		memcpy(text, cali_variant_get_data(&value), size);
	text[size] = '\0';
	if (is_text)
		value = cali_make_variant(CALI_TYPE_STRING, text, size);
	pthread_mutex_lock(&said.lock);
	*made = (struct about){said.first, attribute, key, value};
	said.first = made;
	pthread_mutex_unlock(&said.lock);
}

PUBLIC cali_variant_t cali_attribute_metadata(cali_id_t attribute, cali_id_t key)
{
	const struct about *found = find_said(attribute, key);

	return found ? found->value : cali_make_empty_variant();
}

PUBLIC void cali_attribute_each_metadata(cali_id_t attribute, cali_metadata_fn function,
					 void *context)
{
	const struct about *about;

	pthread_mutex_lock(&said.lock);
	about = said.first;
	pthread_mutex_unlock(&said.lock);
	for (; about; about = about->next) /* none ever goes */
		if (about->attribute == attribute)
			function(context, about->key, about->value);
}

PUBLIC cali_id_t cali_create_attribute_with_metadata(const char *name,
						     cali_attr_type type, int properties,
						     int n, const cali_id_t attributes[],
						     const cali_variant_t values[])
{
	cali_id_t attribute = cali_create_attribute(name, type, properties);

	for (int i = 0; attribute != CALI_INV_ID && i < n; i++) {
		const struct trm_value value = own_value(values[i]);

		if (attributes[i] != CALI_INV_ID &&
		    attributes[i] == cali_class_memoryaddress_attr_id)
			own_note_address(own_number(attribute));
		if (attributes[i] != CALI_INV_ID)
			keep_said(attribute, attributes[i], values[i]);
		if (attributes[i] != CALI_INV_ID)
			own_host->say(own_number(attribute), own_number(attributes[i]),
				      &value);
	}
	return attribute;
}

PUBLIC cali_id_t cali_find_attribute(const char *name)
{
	trm_attribute number = own_ready() ? own_host->find(name) : 0;

	return number ? own_id(number) : CALI_INV_ID;
}

struct known {
	const char *name;
	uint32_t type, properties;
};

static bool describe_attribute(trm_attribute number, struct known *ret_known)
{
	return own_ready() &&
	       own_host->describe(number, &ret_known->name, &ret_known->type,
				  &ret_known->properties);
}

PUBLIC const char *cali_attribute_name(cali_id_t attribute)
{
	struct known known;

	return describe_attribute(own_number(attribute), &known) ? known.name : NULL;
}

PUBLIC cali_attr_type cali_attribute_type(cali_id_t attribute)
{
	struct known known;

	return describe_attribute(own_number(attribute), &known)
		       ? own_cali_type(known.type)
		       : CALI_TYPE_INV;
}

PUBLIC int cali_attribute_properties(cali_id_t attribute)
{
	struct known known;

	return describe_attribute(own_number(attribute), &known)
		       ? asked[own_number(attribute)]
		       : 0;
}

PUBLIC cali_id_t cali_make_loop_iteration_attribute(const char *name)
{
	char text[256];

	const cali_variant_t is_one = cali_make_variant_from_bool(true);

	if (!own_ready())
		return CALI_INV_ID;
	snprintf(text, sizeof(text), "iteration#%s", name);
	return cali_create_attribute_with_metadata(
		text, CALI_TYPE_INT, CALI_ATTR_ASVALUE | CALI_ATTR_SCOPE_THREAD, 1,
		&cali_class_iteration_attr_id, &is_one);
}

/* Begin and end regions by name, of predefined attributes. */
#define DEFINE_REGION(kind, attribute)                                                   \
	PUBLIC void cali_begin_##kind(const char *name)                                  \
	{                                                                                \
		if (own_ready())                                                         \
			own_host->begin_text(own_number(attribute), name);               \
	}                                                                                \
	PUBLIC void cali_end_##kind(const char *name)                                    \
	{                                                                                \
		if (own_ready())                                                         \
			own_host->end_text(own_number(attribute), name);                 \
	}

DEFINE_REGION(region, cali_region_attr_id)
DEFINE_REGION(phase, cali_phase_attr_id)
DEFINE_REGION(comm_region, cali_comm_region_attr_id)

PUBLIC void cali_begin_variant(cali_id_t attribute, cali_variant_t variant)
{
	const struct trm_value value = own_value(variant);

	if (own_ready())
		own_host->events->begin(own_number(attribute), &value);
}

PUBLIC void cali_set_variant(cali_id_t attribute, cali_variant_t variant)
{
	const struct trm_value value = own_value(variant);

	if (own_ready())
		own_host->events->set(own_number(attribute), &value);
}

PUBLIC void cali_begin(cali_id_t attribute)
{
	cali_begin_variant(attribute, cali_make_variant_from_bool(true));
}

PUBLIC void cali_begin_int(cali_id_t attribute, int value)
{
	cali_begin_variant(attribute, cali_make_variant_from_int(value));
}

PUBLIC void cali_begin_double(cali_id_t attribute, double value)
{
	cali_begin_variant(attribute, cali_make_variant_from_double(value));
}

PUBLIC void cali_begin_string(cali_id_t attribute, const char *value)
{
	cali_begin_variant(attribute, cali_make_variant_from_string(value));
}

PUBLIC void cali_end(cali_id_t attribute)
{
	if (own_ready())
		own_host->events->end(own_number(attribute));
}

PUBLIC void cali_safe_end_string(cali_id_t attribute, const char *value)
{
	if (cali_attribute_type(attribute) == CALI_TYPE_STRING)
		own_host->end_text(own_number(attribute), value);
}

PUBLIC void cali_set(cali_id_t attribute, const void *value, size_t size)
{
	cali_set_variant(attribute,
			 cali_make_variant(cali_attribute_type(attribute), value, size));
}

PUBLIC void cali_set_int(cali_id_t attribute, int value)
{
	cali_set_variant(attribute, cali_make_variant_from_int(value));
}

PUBLIC void cali_set_double(cali_id_t attribute, double value)
{
	cali_set_variant(attribute, cali_make_variant_from_double(value));
}

PUBLIC void cali_set_string(cali_id_t attribute, const char *value)
{
	cali_set_variant(attribute, cali_make_variant_from_string(value));
}

PUBLIC void cali_begin_byname(const char *name)
{
	cali_begin(cali_create_attribute(name, CALI_TYPE_BOOL, CALI_ATTR_DEFAULT));
}

PUBLIC void cali_end_byname(const char *name)
{
	cali_end(cali_find_attribute(name));
}

/* By name, for a type: begin and set, and a global. */
#define DEFINE_NAMED(word, type, cali_type, make)                                        \
	PUBLIC void cali_begin_##word##_byname(const char *name, type value)             \
	{                                                                                \
		cali_begin_variant(                                                      \
			cali_create_attribute(name, cali_type, CALI_ATTR_DEFAULT),       \
			make(value));                                                    \
	}                                                                                \
	PUBLIC void cali_set_##word##_byname(const char *name, type value)               \
	{                                                                                \
		cali_set_variant(                                                        \
			cali_create_attribute(name, cali_type, CALI_ATTR_UNALIGNED),     \
			make(value));                                                    \
	}

#define DEFINE_GLOBAL(word, type, cali_type, make)                                       \
	PUBLIC void cali_set_global_##word##_byname(const char *name, type value)        \
	{                                                                                \
		cali_set_variant(cali_create_attribute(name, cali_type,                  \
						       CALI_ATTR_GLOBAL |                \
							       CALI_ATTR_SKIP_EVENTS |   \
							       CALI_ATTR_SCOPE_PROCESS), \
				 make(value));                                           \
	}

DEFINE_NAMED(int, int, CALI_TYPE_INT, cali_make_variant_from_int)
DEFINE_NAMED(double, double, CALI_TYPE_DOUBLE, cali_make_variant_from_double)
DEFINE_NAMED(string, const char *, CALI_TYPE_STRING, cali_make_variant_from_string)
DEFINE_GLOBAL(int, int, CALI_TYPE_INT, cali_make_variant_from_int)
DEFINE_GLOBAL(uint, uint64_t, CALI_TYPE_UINT, cali_make_variant_from_uint)
DEFINE_GLOBAL(double, double, CALI_TYPE_DOUBLE, cali_make_variant_from_double)
DEFINE_GLOBAL(string, const char *, CALI_TYPE_STRING, cali_make_variant_from_string)

PUBLIC cali_variant_t cali_get(cali_id_t attribute)
{
	struct trm_value value;

	if (!own_ready() || !own_host->get(own_number(attribute), &value))
		return cali_make_empty_variant();
	return own_variant(value.type, &value);
}

/* Notes the first nested text. */
static bool find_region(void *context, trm_attribute attribute,
			const struct trm_value *value)
{
	const char **found = context;
	struct known known;

	if (!describe_attribute(attribute, &known) || !(known.properties & TRM_NESTED) ||
	    value->type != TRM_TYPE_STRING)
		return true;
	*found = value->as.bytes;
	return false;
}

PUBLIC const char *cali_get_current_region_or(const char *otherwise)
{
	if (own_ready())
		own_host->visit(find_region, &otherwise);
	return otherwise;
}

PUBLIC void cali_mpi_init(void)
{
}
