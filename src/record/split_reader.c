#include "record/split_reader.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/vector.h"
#include "record/model.h"
#include "record/trm.h"
#include "record/trm_source.h"
#include "record/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_NODE UINT32_MAX

/* What the cells of a column are: a bit for each. */
enum seen {
	SEEN_WHOLE = 1,
	SEEN_NEGATIVE = 2,
	SEEN_REAL = 4,
	SEEN_BOOL = 8,
	SEEN_TEXT = 16
};

/* Something else that is said of a column. */
struct said {
	char *key, *value;
};

struct column {
	char *name;
	bool is_value, typed;
	enum record_type type;
	unsigned seen; /* enum seen */
	record_attribute id;
	struct VECTOR(struct said) said;
};

struct split {
	const char *name; /* of the file, for messages */
	struct record_model *model;
	const struct trm_visitor *visitor;
	struct json data; /* where the rows begin; at NULL: there are none */
	struct VECTOR(struct column) columns;
	struct VECTOR(record_node) nodes; /* by number; NO_NODE: it makes no sense */
	struct VECTOR(struct record_pair) pairs; /* of the row at hand */
	struct VECTOR(size_t) places;            /* of its strings in `bytes` */
	struct text bytes, text;                 /* `text` is scratch */
	uint64_t rows, bad_rows, first_bad;
	/* Memory that paths put together took, as counted. */
	uint64_t node_bytes, node_bytes_max;
};

/* What a string of the text means. */
static void take_string(struct json *json, struct json_raw string, struct text *ret_text)
{
	ret_text->length = 0;
	text_grow(ret_text,
		  json_unescape(json, string, text_room(ret_text, string.length)));
}

static struct column *column_at(struct split *split, size_t number)
{
	while (split->columns.count <= number)
		vector_add(&split->columns)->is_value = true;
	return &split->columns.items[number];
}

static void read_columns(struct split *split, struct json *json)
{
	size_t count = 0;

	while (json_next(json, NULL, &count, false)) {
		struct column *column = column_at(split, count - 1);

		take_string(json, json_string(json), &split->text);
		free(column->name);
		column->name = memory_copy_string(split->text.data);
	}
}

/* "attribute.type": "double" */
static void take_type(struct column *column, const char *word)
{
	for (int type = 0; type < RECORD_TYPE_COUNT; type++) {
		if (strcmp(record_type_name((enum record_type)type), word) != 0)
			continue;
		column->type = (enum record_type)type;
		column->typed = true;
	}
}

static void read_metadata(struct split *split, struct json *json)
{
	size_t columns = 0;

	while (json_next(json, NULL, &columns, false)) {
		struct column *column = column_at(split, columns - 1);
		size_t members = 0;
		struct text key = {0};
		struct json_raw raw;

		if (json_peek(json) != JSON_OBJECT) {
			json_skip(json);
			continue;
		}
		while (json_next(json, &raw, &members, true)) {
			take_string(json, raw, &key);
			if (json_peek(json) != JSON_STRING) {
				if (!strcmp(key.data, "is_value"))
					column->is_value = json_peek(json) == JSON_TRUE;
				json_skip(json);
				continue;
			}
			take_string(json, json_string(json), &split->text);
			if (!strcmp(key.data, "attribute.type"))
				take_type(column, split->text.data);
			else if (column->said.count < TRM_DESCRIPTIONS_MAX)
				vector_push(&column->said,
					    ((struct said){memory_copy_string(key.data),
							   memory_copy_string(
								   split->text.data)}));
		}
		text_deinit(&key);
	}
}

/* Names of attributes are not empty. */
static record_attribute named_attribute(struct split *split, const char *name,
					enum record_type type, uint32_t properties)
{
	return record_attribute_make(split->model, *name ? name : "column", type,
				     properties);
}

/* What the nodes of a column are values of. */
static record_attribute tree_attribute(struct split *split, const char *name)
{
	enum record_type type = RECORD_STRING;

	if (!strcmp(name, "path"))
		return named_attribute(split, "region", RECORD_STRING, RECORD_NESTED);
	vector_for_each (&split->columns, column)
		if (column->typed && !column->is_value && column->name &&
		    column->type != RECORD_BLOB && !strcmp(column->name, name))
			type = column->type;
	return named_attribute(split, name, type, 0);
}

/* The number that the text is, in the type of a column. */
static bool parse_value(enum record_type type, const struct text *text,
			struct record_value *ret_value)
{
	const char *word = text->data;
	char *end = NULL;

	errno = 0;
	ret_value->type = type;
	if (type == RECORD_INT)
		ret_value->i = strtoll(word, &end, 10);
	else if (type == RECORD_UINT)
		ret_value->u =
			*word == '-' ? (errno = ERANGE, 0) : strtoull(word, &end, 10);
	else if (type == RECORD_ADDRESS)
		ret_value->u = strtoull(word, &end, 16);
	else if (type == RECORD_BOOL)
		ret_value->u = !strcmp(word, "true");
	else if (type == RECORD_DOUBLE)
		ret_value->d = strtod(word, &end);
	if (type == RECORD_BOOL)
		return !strcmp(word, "true") || !strcmp(word, "false");
	if (type == RECORD_TYPE)
		for (ret_value->u = 0; ret_value->u < RECORD_TYPE_COUNT; ret_value->u++)
			if (!strcmp(record_type_name((enum record_type)ret_value->u),
				    word))
				return true;
	/* Of doubles what is too small or too large is what strtod makes of it. */
	return end && end != word && end == word + text->length &&
	       (!errno || type == RECORD_DOUBLE);
}

/* What the digits say; false if there are other characters, or too many digits. */
static bool digits_value(struct json_raw digits, uint64_t *ret_number)
{
	uint64_t number = 0;

	for (size_t i = 0; i < digits.length; i++) {
		uint64_t digit = (uint64_t)digits.at[i] - '0';

		if (digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*ret_number = number;
	return digits.length > 0;
}

static void read_node(struct split *split, struct json *json)
{
	struct text key = {0}, label = {0}, column = {0};
	uint64_t parent = UINT64_MAX;
	struct json_raw raw;
	size_t members = 0;
	record_node above = 0;

	text_add(&label, "");
	text_add(&column, "path");
	while (json_next(json, &raw, &members, true)) {
		bool text = json_peek(json) == JSON_STRING;

		take_string(json, raw, &key);
		if (text && !strcmp(key.data, "label")) {
			take_string(json, json_string(json), &label);
		} else if (text && !strcmp(key.data, "column")) {
			take_string(json, json_string(json), &column);
		} else if (!text && !strcmp(key.data, "parent") &&
			   json_peek(json) == JSON_NUMBER) {
			if (!digits_value(json_word(json), &parent))
				parent = split->nodes.count;
		} else {
			json_skip(json);
		}
	}
	if (parent != UINT64_MAX)
		above = parent < split->nodes.count ? split->nodes.items[parent]
						    : NO_NODE;
	if (above != NO_NODE) {
		record_attribute attribute = tree_attribute(split, column.data);
		struct record_value value = record_string(label.data);
		enum record_type type = record_attribute_type(split->model, attribute);

		value.size = label.length;
		if (type == RECORD_STRING || parse_value(type, &label, &value))
			above = record_node_child(split->model, above, attribute, value);
		else
			above = NO_NODE;
	}
	vector_push(&split->nodes, above);
	text_deinit(&key);
	text_deinit(&label);
	text_deinit(&column);
}

static void read_nodes(struct split *split, struct json *json)
{
	size_t count = 0;

	while (json_next(json, NULL, &count, false)) {
		if (json_peek(json) == JSON_OBJECT) {
			read_node(split, json);
		} else {
			vector_push(&split->nodes, NO_NODE);
			json_skip(json);
		}
	}
}

/* Strings and plain values; what else is in the object is not for us. */
static void read_global(struct split *split, struct json *json, const char *name)
{
	enum json_kind kind = json_peek(json);
	struct record_value value = {.type = RECORD_STRING};

	if (kind == JSON_OBJECT || kind == JSON_ARRAY || kind == JSON_NULL) {
		json_skip(json);
		return;
	}
	if (kind == JSON_STRING) {
		take_string(json, json_string(json), &split->text);
	} else {
		struct json_raw word = json_word(json);

		split->text.length = 0;
		text_add_bytes(&split->text, word.at, word.length);
	}
	value.bytes = split->text.data;
	value.size = split->text.length;
	if (!json->wrong && split->visitor->global)
		split->visitor->global(split->visitor->context,
				       named_attribute(split, name, RECORD_STRING,
						       RECORD_GLOBAL | RECORD_AS_VALUE),
				       value);
}

/* The members of the object: `globals` or all others. Of the rows the place is noted. */
static void read_members(struct split *split, struct json *json, bool globals)
{
	static const struct {
		const char *name;
		void (*read)(struct split *split, struct json *json);
	} members[] = {{"columns", read_columns},
		       {"column_metadata", read_metadata},
		       {"nodes", read_nodes}};
	struct text name = {0};
	struct json_raw raw;
	size_t count = 0;

	while (json_next(json, &raw, &count, true)) {
		bool array = json_peek(json) == JSON_ARRAY, known = false;

		take_string(json, raw, &name);
		if (array && !strcmp(name.data, "data"))
			split->data = *json;
		for (size_t i = 0; i < array_count(members); i++) {
			if (!array || globals || strcmp(name.data, members[i].name) != 0)
				continue;
			members[i].read(split, json);
			known = true;
		}
		if (!known && globals && name.length && name.length < TRM_NAME_MAX - 16)
			read_global(split, json, name.data);
		else if (!known)
			json_skip(json);
	}
	text_deinit(&name);
}

static unsigned seen_of(struct json *json)
{
	enum json_kind kind = json_peek(json);

	if (kind != JSON_NUMBER) {
		json_skip(json);
		return kind == JSON_NULL                         ? 0
		       : kind == JSON_TRUE || kind == JSON_FALSE ? SEEN_BOOL
								 : SEEN_TEXT;
	}
	struct json_raw word = json_word(json);
	size_t minus = word.length && *word.at == '-';
	uint64_t number;

	word.at += minus;
	word.length -= minus;
	if (!digits_value(word, &number) || (minus && number > (uint64_t)INT64_MAX + 1))
		return SEEN_REAL;
	return minus ? SEEN_WHOLE | SEEN_NEGATIVE : SEEN_WHOLE;
}

/* Looks at all cells of the value columns. */
static void see_rows(struct split *split)
{
	struct json json = split->data;
	size_t rows = 0;

	while (json_next(&json, NULL, &rows, false)) {
		size_t cells = 0;

		if (json_peek(&json) != JSON_ARRAY) {
			json_skip(&json);
			continue;
		}
		while (json_next(&json, NULL, &cells, false)) {
			unsigned seen = seen_of(&json);

			if (cells <= split->columns.count)
				split->columns.items[cells - 1].seen |= seen;
		}
	}
}

static enum record_type type_of(unsigned seen)
{
	if (seen & SEEN_TEXT || ((seen & SEEN_BOOL) && (seen & ~SEEN_BOOL)))
		return RECORD_STRING;
	if (seen & SEEN_BOOL)
		return RECORD_BOOL;
	if (seen & SEEN_REAL)
		return RECORD_DOUBLE;
	return seen & SEEN_NEGATIVE ? RECORD_INT : RECORD_UINT;
}

static void make_attributes(struct split *split)
{
	vector_for_each (&split->columns, column) {
		const char *name = column->name ? column->name : "";
		enum record_type type =
			column->typed ? column->type : type_of(column->seen);

		if (column->is_value)
			column->id = named_attribute(split, name, type, RECORD_AS_VALUE);
		else
			column->id = tree_attribute(split, name);
		column->type = type;
		vector_for_each (&column->said, said)
			record_attribute_describe(split->model, column->id,
						  named_attribute(split, said->key,
								  RECORD_STRING,
								  RECORD_SKIP_EVENTS),
						  record_string(said->value));
	}
}

/* "0aff00", as the writer has them. */
static bool add_blob(struct text *bytes, const struct text *hex)
{
	for (size_t i = 0; i + 1 < hex->length; i += 2) {
		char pair[3] = {hex->data[i], hex->data[i + 1]}, *end, byte;

		byte = (char)strtoul(pair, &end, 16);
		if (*end || !strchr("0123456789abcdefABCDEF", pair[0]))
			return false;
		text_add_bytes(bytes, &byte, 1);
	}
	return hex->length % 2 == 0;
}

/* Adds the cell as a pair; false if it is not of the column's type. */
static bool take_value(struct split *split, struct json *json,
		       const struct column *column)
{
	struct record_pair pair = {.attribute = column->id};
	size_t place = split->bytes.length;

	if (json_peek(json) == JSON_STRING) {
		take_string(json, json_string(json), &split->text);
	} else {
		struct json_raw word = json_word(json);

		split->text.length = 0;
		text_add_bytes(&split->text, word.at, word.length);
	}
	if (json->wrong)
		return false;
	if (column->type != RECORD_STRING && column->type != RECORD_BLOB) {
		if (!parse_value(column->type, &split->text, &pair.value))
			return false;
	} else {
		if (column->type == RECORD_STRING)
			text_add_bytes(&split->bytes, split->text.data,
				       split->text.length);
		else if (!add_blob(&split->bytes, &split->text))
			return false;
		pair.value.type = column->type;
		pair.value.size = split->bytes.length - place;
		text_add_bytes(&split->bytes, "", 1);
	}
	vector_push(&split->pairs, pair);
	vector_push(&split->places, place);
	return true;
}

/* The number of a node as one of the model, put behind `before`. */
static bool take_node(struct split *split, struct json *json, record_node *node)
{
	uint64_t number;

	if (json_peek(json) != JSON_NUMBER) {
		json_skip(json);
		return false;
	}
	if (!digits_value(json_word(json), &number) || number >= split->nodes.count ||
	    split->nodes.items[number] == NO_NODE)
		return false;
	struct VECTOR(record_node) chain = {0};

	if (!*node) {
		*node = split->nodes.items[number];
		return true;
	}
	for (record_node at = split->nodes.items[number]; at;
	     at = record_node_parent(split->model, at))
		vector_push(&chain, at);
	split->node_bytes += chain.count * TRM_NODE_COST;
	if (split->node_bytes > split->node_bytes_max)
		chain.count = 0;
	while (chain.count) {
		struct record_pair pair =
			record_node_pair(split->model, chain.items[--chain.count]);

		*node = record_node_child(split->model, *node, pair.attribute,
					  pair.value);
	}
	vector_deinit(&chain);
	return split->node_bytes <= split->node_bytes_max;
}

/* Whether the row makes sense. */
static bool take_row(struct split *split, struct json *json, record_node *ret_node)
{
	size_t cells = 0;
	bool good = json_peek(json) == JSON_ARRAY;

	if (!good) {
		json_skip(json);
		return false;
	}
	split->pairs.count = split->places.count = split->bytes.length = 0;
	while (json_next(json, NULL, &cells, false)) {
		const struct column *column = split->columns.items + cells - 1;
		enum json_kind kind = json_peek(json);
		bool plain = kind != JSON_OBJECT && kind != JSON_ARRAY;

		if (kind == JSON_NULL || !plain || cells > split->columns.count ||
		    !good) {
			good &= kind == JSON_NULL;
			json_skip(json);
		} else if (column->is_value) {
			good = take_value(split, json, column);
		} else {
			good = take_node(split, json, ret_node);
		}
	}
	return good && !json->wrong;
}

static void tell_rows(struct split *split)
{
	struct json json = split->data;
	size_t rows = 0;

	while (json_next(&json, NULL, &rows, false)) {
		record_node node = 0;

		split->rows++;
		if (!take_row(split, &json, &node)) {
			if (!split->bad_rows++)
				split->first_bad = split->rows;
			continue;
		}
		for (size_t i = 0; i < split->pairs.count; i++) {
			struct record_value *value = &split->pairs.items[i].value;

			if (value->type == RECORD_STRING || value->type == RECORD_BLOB)
				value->bytes = split->bytes.data + split->places.items[i];
		}
		if (split->visitor->record)
			split->visitor->record(split->visitor->context, node,
					       split->pairs.items, split->pairs.count);
	}
}

static void deinit_split(struct split *split)
{
	vector_for_each (&split->columns, column) {
		free(column->name);
		vector_for_each (&column->said, said) {
			free(said->key);
			free(said->value);
		}
		vector_deinit(&column->said);
	}
	vector_deinit(&split->columns);
	vector_deinit(&split->nodes);
	vector_deinit(&split->pairs);
	vector_deinit(&split->places);
	text_deinit(&split->bytes);
	text_deinit(&split->text);
}

static char *warning_of(const struct split *split, bool torn)
{
	struct text text = {0};

	if (split->bad_rows)
		text_format(&text,
			    "'%s', row %" PRIu64 ": it does not fit the columns; it is "
			    "left out",
			    split->name, split->first_bad);
	if (split->bad_rows > 1)
		text_format(&text, ", as %s %" PRIu64 " more row%s",
			    split->bad_rows > 2 ? "are" : "is", split->bad_rows - 1,
			    split->bad_rows > 2 ? "s" : "");
	if (torn)
		text_format(&text,
			    "%s'%s' is damaged: what comes before the damage is kept",
			    text.length ? "; " : "", split->name);
	return text.data;
}

/* All of it is read: what the rows mean stands behind them. */
struct trm_error *split_read(struct trm_source *source, const char *name,
			     struct record_model *model,
			     const struct trm_visitor *visitor, char **ret_warning)
{
	struct split split = {.name = name, .model = model, .visitor = visitor};
	size_t size = 0;

	while (trm_source_peek(source, size + 1) > size)
		size = source->window_size;
	if (source->failure)
		return trm_error_system(source->failure, "cannot read '%s'", name);
	split.node_bytes_max = TRM_NODES_FREE + TRM_NODES_RATIO * (uint64_t)size;
	const char *begin = (const char *)source->window;
	struct json json = {.at = begin, .end = begin + size}, again = json;

	read_members(&split, &json, false);
	if (!split.columns.count || !split.data.at) {
		deinit_split(&split);
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' is not a profile: it is JSON, but has no "
					"data and columns as json-split has them",
					name);
	}
	if (visitor->file)
		visitor->file(visitor->context);
	read_members(&split, &again, true);
	see_rows(&split);
	make_attributes(&split);
	tell_rows(&split);
	*ret_warning = warning_of(&split, json.wrong);
	deinit_split(&split);
	return NULL;
}
