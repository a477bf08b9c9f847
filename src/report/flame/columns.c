#include "report/flame/columns.h"

#include "base/array.h"

#include <string.h>

static uint64_t get_calls(const struct report_function *function)
{
	return function->calls;
}

static uint64_t get_instructions(const struct report_function *function)
{
	return function->instructions;
}

static uint64_t get_samples(const struct report_function *function)
{
	return function->samples;
}

static uint64_t get_ns(const struct report_function *function)
{
	return function->ns;
}

static uint64_t get_inclusive(const struct report_function *function)
{
	return function->inclusive_ns;
}

static uint64_t get_loaded(const struct report_function *function)
{
	return function->memory.bytes_loaded;
}

static uint64_t get_stored(const struct report_function *function)
{
	return function->memory.bytes_stored;
}

const struct flame_column flame_columns[] = {
	{"instructions", "", get_instructions},
	{"samples", "", get_samples},
	{"time", "ns", get_ns},
	{"time with callees", "ns", get_inclusive},
	{"calls", "", get_calls},
	{"bytes loaded", "B", get_loaded},
	{"bytes stored", "B", get_stored},
	{0},
};

bool flame_column_is_used(const struct report_profile *profile,
			  const struct flame_column *column)
{
	vector_for_each (&profile->functions, function)
		if (column->get(function))
			return true;
	return false;
}

const struct flame_column *flame_column_find(const char *name)
{
	for (const struct flame_column *column = flame_columns; column->name; column++)
		if (!strcmp(column->name, name))
			return column;
	return NULL;
}

const struct flame_column *flame_column_main(const struct report_profile *profile)
{
	static const char *const names[] = {"time",  "samples",      "instructions",
					    "calls", "bytes loaded", "bytes stored"};

	for (size_t i = 0; i < array_count(names); i++) {
		const struct flame_column *column = flame_column_find(names[i]);

		if (flame_column_is_used(profile, column))
			return column;
	}
	return NULL;
}
