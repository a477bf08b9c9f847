/*
 * Prints a profile for tests/run-context.py: an object of JSON in a line for each record,
 * and one for each global. "path" has the pairs of the context tree, outermost first.
 *
 *     records PROFILE
 */
#include "base/text.h"
#include "record/record.h"
#include "record/model.h"
#include "record/trm_reader.h"
#include "record/value.h"

#include <stdio.h>
#include <stdlib.h>

static void add_pair(struct text *text, const struct record_model *model,
		     struct record_pair pair, const char *between)
{
	text_add_json(text, record_attribute_name(model, pair.attribute));
	text_add(text, between);
	record_value_json(text, pair.value);
}

static void add_path(struct text *text, const struct record_model *model,
		     record_node node)
{
	record_node above;

	if (!node)
		return;
	above = record_node_parent(model, node);
	add_path(text, model, above);
	text_add(text, above ? ", [" : "[");
	add_pair(text, model, record_node_pair(model, node), ", ");
	text_add(text, "]");
}

static void print_record(void *context, record_node node, const struct record_pair *pairs,
			 size_t count)
{
	struct text text = {0};

	text_add(&text, "{\"path\": [");
	add_path(&text, context, node);
	text_add(&text, "]");
	for (size_t i = 0; i < count; i++) {
		text_add(&text, ", ");
		add_pair(&text, context, pairs[i], ": ");
	}
	text_add(&text, "}");
	puts(text.data);
	text_deinit(&text);
}

static void print_global(void *context, record_attribute attribute,
			 struct record_value value)
{
	struct text text = {0};

	text_add(&text, "{\"global\": 1, ");
	add_pair(&text, context, (struct record_pair){attribute, value}, ": ");
	text_add(&text, "}");
	puts(text.data);
	text_deinit(&text);
}

int main(int argc, char **argv)
{
	struct record_model *model = record_model_create();
	struct trm_visitor visitor = {
		.context = model, .record = print_record, .global = print_global};
	char *warning = NULL;
	struct trm_error *error =
		argc == 2 ? trm_read(argv[1], model, &visitor, &warning)
			  : trm_error_create(TRM_ERROR_USAGE, "usage: records PROFILE");

	if (warning)
		fprintf(stderr, "records: %s\n", warning);
	free(warning);
	record_model_destroy(model);
	if (!error)
		return 0;
	trm_error_print(error);
	trm_error_destroy(error);
	return 1;
}
