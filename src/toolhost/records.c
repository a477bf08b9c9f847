#include "records.h"

#include "regions.h"

#include <trammel/tool.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert((int)TRAMMEL_MOST == (int)WIRE_FIELD_MOST &&
		       (int)TRAMMEL_FIELD_REGION == (int)WIRE_FIELD_REGION &&
		       (int)TRAMMEL_FIELDS_MAX == (int)WIRE_FIELDS_MAX &&
		       (int)TRAMMEL_TEXT_MAX == (int)WIRE_FIELD_TEXT_MAX &&
		       TRAMMEL_TOOL_VERSION == WIRE_TOOL_VERSION,
	       "the tracer knows what tools say");

struct wire_tool_records records;

static struct trammel_host hosts[WIRE_TOOLS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_name(const char *name)
{
	return name && *name &&
	       strnlen(name, WIRE_FIELD_NAME_MAX + 1) <= WIRE_FIELD_NAME_MAX;
}

static bool is_field(const struct trammel_field *field)
{
	const bool key = field->role == TRAMMEL_KEY,
		   real = field->type == TRAMMEL_FIELD_FLOAT;

	return is_name(field->name) && field->role <= TRAMMEL_MOST &&
	       field->type <= TRAMMEL_FIELD_REGION &&
	       (field->type == TRAMMEL_FIELD_INT ||
		(real ? field->role == TRAMMEL_SUM : key));
}

static bool is_text(const struct trammel_field *field)
{
	return field->type == TRAMMEL_FIELD_TEXT || field->type == TRAMMEL_FIELD_REGION;
}

static const char *text_of(const struct trammel_field *field, size_t *ret_size)
{
	const char *text = field->type == TRAMMEL_FIELD_REGION
				   ? regions_path(field->value.code)
			   : field->value.text ? field->value.text
					       : "";

	*ret_size = strnlen(text, WIRE_FIELD_TEXT_MAX);
	return text;
}

/* Bytes of a record. */
static size_t measure_record(const char *table, const struct trammel_field *fields,
			     size_t count, size_t *ret_shape)
{
	size_t shape = strlen(table) + 1, values = 0;

	for (size_t i = 0; i < count; i++) {
		size_t size = 0;

		if (is_text(&fields[i]))
			text_of(&fields[i], &size);
		shape += 2 + strlen(fields[i].name) + 1;
		values += sizeof(uint64_t) + size;
	}
	*ret_shape = shape;
	return sizeof(struct wire_tool_record) + shape + values;
}

static uint8_t *put_bytes(uint8_t *to, const void *bytes, size_t size)
{
	memcpy(to, bytes, size);
	return to + size;
}

static uint8_t *put_value(uint8_t *to, const struct trammel_field *field)
{
	uint64_t number;
	size_t size;
	const char *text;

	if (!is_text(field))
		return put_bytes(to, &field->value, sizeof(uint64_t));
	text = text_of(field, &size);
	number = size;
	to = put_bytes(to, &number, sizeof(number));
	return put_bytes(to, text, size);
}

static void put_record(uint8_t *to, const struct wire_tool_record *head,
		       const char *table, const struct trammel_field *fields)
{
	to = put_bytes(to, head, sizeof(*head));
	to = put_bytes(to, table, strlen(table) + 1);
	for (size_t i = 0; i < head->fields; i++) {
		*to++ = fields[i].role;
		*to++ = fields[i].type;
		to = put_bytes(to, fields[i].name, strlen(fields[i].name) + 1);
	}
	for (size_t i = 0; i < head->fields; i++)
		to = put_value(to, &fields[i]);
}

static bool add_record(const struct trammel_host *host, const char *table,
		       const struct trammel_field *fields, size_t count)
{
	struct wire_tool_record head = {.tool = (uint16_t)host->tool,
					.fields = (uint16_t)count};
	size_t size, shape;

	if (!is_name(table) || !count || count > WIRE_FIELDS_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_field(&fields[i]))
			return false;
	pthread_mutex_lock(&lock);
	size = measure_record(table, fields, count, &shape);
	head.size = (uint32_t)size;
	head.shape_size = (uint32_t)shape;
	if (size > sizeof(records.bytes) - records.used) {
		/* If the tracer is dead nobody wants them. */
		syscall(WIRE_TOOL_CALL, (long)WIRE_TOOL_RECORDS, &records);
		records.used = 0;
	}
	put_record(records.bytes + records.used, &head, table, fields);
	/* It is there as a whole or not at all: the process may end at any time. */
	__atomic_store_n(&records.used, records.used + size, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return true;
}

/* What is unknown stays as it is: the tracer may be gone. */
static uint64_t find_original(const struct trammel_host *host, uint64_t address)
{
	const long found = syscall(WIRE_TOOL_CALL, (long)WIRE_TOOL_CODE, address);

	(void)host;
	return found > 0 ? (uint64_t)found : address;
}

static uint64_t find_region(const struct trammel_host *host)
{
	(void)host;
	return regions_current(&records.forked);
}

void records_begin(void *handle, uint32_t index)
{
	const struct trammel_host **host = dlsym(handle, "trammel_host");

	hosts[index] = (struct trammel_host){
		TRAMMEL_TOOL_VERSION, sizeof(hosts[index]), index,
		add_record,           find_original,        find_region};
	if (host)
		*host = &hosts[index];
}
