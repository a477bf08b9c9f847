/*
 * Records of tools: what a tool has found becomes part of the profile, where `trammel
 * report`, `query`, `diff` and `merge` work on it: part of <trammel/tool.h>.
 *
 * A record belongs to a table of the tool's, and has keys, which say of what it is, and
 * numbers. Records of one process with the same keys are one row: their numbers add up,
 * or the least or largest stays, and so do those of several processes and runs in
 * reports. In a routine, or anywhere in the program:
 *
 *     trammel_record("misses", trammel_key_code("at", row->code),
 *                    trammel_sum("loads", row->loads), trammel_sum("missed",
 * row->missed));
 *
 * where row->code is a number that the instrumentation part got for an instruction, by
 *
 *     row->code = t->code_number(function->module, instruction->address);
 *
 * Columns of a report are in the order of the fields, and rows are sorted by the first
 * number. docs/profile.md says what becomes of records in a profile.
 */
#ifndef TRAMMEL_TOOL_RECORD_H
#define TRAMMEL_TOOL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum trammel_field_role {
	TRAMMEL_KEY,   /* what the record is of */
	TRAMMEL_SUM,   /* a number that adds up */
	TRAMMEL_LEAST, /* of which the least is kept */
	TRAMMEL_MOST   /* of which the largest is kept */
};

enum trammel_field_type {
	TRAMMEL_FIELD_INT,
	TRAMMEL_FIELD_FLOAT, /* of numbers that add up */
	TRAMMEL_FIELD_TEXT,  /* of keys: cut to TRAMMEL_TEXT_MAX bytes */
	TRAMMEL_FIELD_CODE,  /* of keys: code, by trammel_api.code_number */
	TRAMMEL_FIELD_PC,    /* of keys: code, by its address in the running program, as
				TRAMMEL_PC and TRAMMEL_CALLER give it */
	TRAMMEL_FIELD_REGION /* of keys: a number of trammel_region() */
};

enum { TRAMMEL_FIELDS_MAX = 32, TRAMMEL_TEXT_MAX = 1000 };

struct trammel_field {
	const char *name; /* at most 63 bytes */
	uint8_t role;     /* enum trammel_field_role */
	uint8_t type;     /* enum trammel_field_type */
	union {
		int64_t number;
		double real;
		const char *text;
		uint64_t code;
	} value;
};

/* What trammel gives a tool in the program; NULL beside it, where nothing is recorded. */
struct trammel_host {
	uint32_t version, size; /* TRAMMEL_TOOL_VERSION; bytes of this struct */
	uint32_t tool;          /* number of the tool in the run */
	/* Adds a record to a table (at most 63 bytes). Copies all. False: a name, or the
	 * number of fields, is wrong. Any thread may call it. */
	bool (*record)(const struct trammel_host *host, const char *table,
		       const struct trammel_field *fields, size_t count);
	/* See trammel_original, and trammel_region. */
	uint64_t (*original)(const struct trammel_host *host, uint64_t address);
	uint64_t (*region)(const struct trammel_host *host);
};

/* trammel fills this in before a tool's first routine is called. */
extern const struct trammel_host *trammel_host;
__attribute__((weak, visibility("default"))) const struct trammel_host *trammel_host;

/* Returns where code that a routine got by TRAMMEL_CALLER is in the program as it was
 * loaded: calls of functions that trammel relocated return to their relocated code. Takes
 * some microseconds: for reports, not for each call. */
static inline uint64_t trammel_original(uint64_t address)
{
	return trammel_host ? trammel_host->original(trammel_host, address) : address;
}

/* Records the first `count` of some fields. */
static inline bool trammel_record_fields(const char *table,
					 const struct trammel_field *fields, size_t count)
{
	return trammel_host && trammel_host->record(trammel_host, table, fields, count);
}

static inline struct trammel_field trammel_field_of(const char *name,
						    enum trammel_field_role role,
						    enum trammel_field_type type)
{
	struct trammel_field field;

	field.name = name;
	field.role = (uint8_t)role;
	field.type = (uint8_t)type;
	field.value.number = 0;
	return field;
}

/* Returns a number for the path of the program's own regions in which the thread is now
 * ("main/solve"): the same one for the same path in all threads of the process; 0: it is
 * in none. For trammel_key_region(), also later and in other threads. Regions are known
 * if the run records them: `-m regions`, or trammel_api.regions. */
static inline uint64_t trammel_region(void)
{
	return trammel_host && trammel_host->size >= sizeof(*trammel_host)
		       ? trammel_host->region(trammel_host)
		       : 0;
}

/* Makes a field that is the key region.path, as samples have it, too. */
static inline struct trammel_field trammel_key_region(uint64_t region)
{
	struct trammel_field field =
		trammel_field_of("region.path", TRAMMEL_KEY, TRAMMEL_FIELD_REGION);

	field.value.code = region;
	return field;
}

#define TRAMMEL_FIELD_(function, role, type, parameter, member)                          \
	static inline struct trammel_field function(const char *name, parameter)         \
	{                                                                                \
		struct trammel_field field = trammel_field_of(name, role, type);         \
                                                                                         \
		field.value.member = value;                                              \
		return field;                                                            \
	}
TRAMMEL_FIELD_(trammel_key, TRAMMEL_KEY, TRAMMEL_FIELD_INT, int64_t value, number)
TRAMMEL_FIELD_(trammel_key_text, TRAMMEL_KEY, TRAMMEL_FIELD_TEXT, const char *value, text)
TRAMMEL_FIELD_(trammel_key_code, TRAMMEL_KEY, TRAMMEL_FIELD_CODE, uint64_t value, code)
TRAMMEL_FIELD_(trammel_key_pc, TRAMMEL_KEY, TRAMMEL_FIELD_PC, uint64_t value, code)
TRAMMEL_FIELD_(trammel_sum, TRAMMEL_SUM, TRAMMEL_FIELD_INT, int64_t value, number)
TRAMMEL_FIELD_(trammel_sum_float, TRAMMEL_SUM, TRAMMEL_FIELD_FLOAT, double value, real)
TRAMMEL_FIELD_(trammel_least, TRAMMEL_LEAST, TRAMMEL_FIELD_INT, int64_t value, number)
TRAMMEL_FIELD_(trammel_most, TRAMMEL_MOST, TRAMMEL_FIELD_INT, int64_t value, number)

#ifdef __cplusplus
}

/* trammel_record("table", field, ...) */
template <typename... Fields>
inline bool trammel_record(const char *table, Fields... fields)
{
	const struct trammel_field list[] = {fields...};

	return trammel_record_fields(table, list, sizeof...(fields));
}
#else
#define trammel_record(table, ...)                                                       \
	trammel_record_fields((table), (const struct trammel_field[]){__VA_ARGS__},      \
			      sizeof((const struct trammel_field[]){__VA_ARGS__}) /      \
				      sizeof(struct trammel_field))
#endif

#endif
