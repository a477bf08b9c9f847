/* Options and destruction of a query. */
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

const char *query_option(const struct query *query, const char *name)
{
	vector_for_each (&query->options, option)
		if (!strcmp(option->name, name))
			return option->value;
	return NULL;
}

static void destroy_test(struct query_test *test)
{
	free(test->name);
	free(test->text);
	if (test->regex)
		regfree(test->regex);
	free(test->regex);
}

void query_forget_options(struct query *query)
{
	vector_for_each (&query->options, option)
		free(option->value);
	query->options.count = 0;
}

void query_destroy(struct query *query)
{
	vector_for_each (&query->columns, column) {
		free(column->name);
		free(column->alias);
		free(column->unit);
	}
	vector_for_each (&query->aggregates, aggregate)
		free(aggregate->name);
	vector_for_each (&query->fields, field)
		free(field->name);
	vector_for_each (&query->tests, test)
		destroy_test(test);
	vector_for_each (&query->havings, test)
		destroy_test(test);
	vector_for_each (&query->orders, order)
		free(order->name);
	vector_for_each (&query->limit_by, order)
		free(order->name);
	vector_for_each (&query->keys, key)
		free(*key);
	vector_for_each (&query->path, attribute)
		free(*attribute);
	vector_deinit(&query->columns);
	vector_deinit(&query->aggregates);
	vector_deinit(&query->fields);
	vector_deinit(&query->tests);
	vector_deinit(&query->havings);
	vector_deinit(&query->conditions);
	vector_deinit(&query->expressions);
	vector_deinit(&query->arguments);
	vector_deinit(&query->lets);
	vector_deinit(&query->keys);
	vector_deinit(&query->orders);
	vector_deinit(&query->limit_by);
	vector_deinit(&query->path);
	query_forget_options(query);
	vector_deinit(&query->options);
	free(query->text);
	free(query);
}
