/* Comparison of attributes' names and values with those of a query's conditions. */
#include "query/match.h"

#include "record/value.h"

#include <string.h>

bool query_is_name(const char *wanted, const char *attribute)
{
	size_t length = strlen(wanted);

	return !strncmp(wanted, attribute, length) &&
	       (!attribute[length] || !strcmp(attribute + length, ".ns"));
}

static bool compare_passes(enum query_comparison comparison, int order)
{
	switch (comparison) {
	case QUERY_EQUAL:
		return order == 0;
	case QUERY_UNEQUAL:
		return order != 0;
	case QUERY_LESS:
		return order < 0;
	case QUERY_LESS_EQUAL:
		return order <= 0;
	case QUERY_GREATER:
		return order > 0;
	case QUERY_GREATER_EQUAL:
		return order >= 0;
	default:
		return true;
	}
}

/* Numbers are compared as numbers, all else as text. */
bool query_test_passes(const struct query_test *test, struct record_value value)
{
	struct text text = {0};
	bool passes;

	if (!query_is_there(value))
		return false;
	if (test->comparison == QUERY_EXISTS)
		return true;
	if (test->comparison < QUERY_GLOB && query_is_there(test->number) &&
	    query_is_there(query_number(value)))
		return compare_passes(test->comparison,
				      query_compare(value, test->number));
	if (value.type == RECORD_STRING && test->comparison < QUERY_GLOB)
		return compare_passes(test->comparison,
				      query_compare(value, record_string(test->text)));
	text_add(&text, "");
	record_value_text(&text, value);
	if (test->comparison == QUERY_GLOB)
		passes = text_glob(test->text, text.data);
	else if (test->comparison == QUERY_REGEX)
		passes = !regexec(test->regex, text.data, 0, NULL, 0);
	else
		passes = compare_passes(test->comparison, strcmp(text.data, test->text));
	text_deinit(&text);
	return passes;
}

bool query_is_class(const char *name)
{
	return !strcmp(name, "class.iteration");
}

bool query_is_key(const char *key, const struct query_attribute *attribute)
{
	if (query_is_class(key))
		return attribute->iteration;
	return query_is_name(key, attribute->name);
}
