/* The lines of .cali files. */
#include "record/cali_reader.h"

#include "record/cali.h"
#include "record/cali_names.h"
#include "record/cali_values.h"
#include "record/model.h"
#include "record/trm.h"
#include "record/trm_source.h"

#include <inttypes.h>
#include <stdio.h>

/* Bytes of one line. */
#define LINE_MAX_SIZE ((size_t)64 << 20)

struct reader {
	const char *name; /* of the file, for messages */
	struct trm_source *source;
	const struct trm_visitor *visitor;
	struct cali_names names;
	struct VECTOR(struct cali_attribute) attributes; /* of the line at hand */
	struct VECTOR(struct record_pair) pairs;
	struct VECTOR(record_node) paths;
	struct text bytes;             /* strings of the pairs */
	struct cali_attribute builtin; /* scratch of find_attribute */
	struct record_model *own; /* globals that were told, as children of the root */
	uint64_t lines;           /* read so far, with the one at hand */
	uint64_t bad_lines, first_bad;
	const char *reason; /* what is wrong with the first bad line */
};

static const char unknown_kind[] = "no record begins so";

/* A place in a line. */
struct line {
	const char *at;
	const char *wrong; /* what is wrong with it, or NULL */
};

static inline bool take_key(struct line *line, const char *key, size_t size)
{
	/* A line ends with a new line, which is in no key: nothing behind it is read. */
#pragma GCC unroll 16
	for (size_t i = 0; i < size; i++)
		if (line->at[i] != key[i])
			return false;
	line->at += size;
	return true;
}

#define TAKE(line, key) take_key(line, key, sizeof(key) - 1)

static uint64_t take_number(struct line *line)
{
	uint64_t number = 0;

	if (!cali_read_uint(&line->at, &number))
		line->wrong = "a number is missing";
	return number;
}

/* Behind a field: whether another one follows. */
static bool goes_on(struct line *line)
{
	if (line->wrong || *line->at != ',')
		return false;
	line->at++;
	return true;
}

static void read_node(struct reader *reader, struct line *line)
{
	struct cali_node_line node = {0};

	do {
		if (TAKE(line, "id=")) {
			node.id = take_number(line);
			node.has_id = true;
		} else if (TAKE(line, "attr=")) {
			node.attribute = take_number(line);
			node.has_attribute = true;
		} else if (TAKE(line, "parent=")) {
			node.parent = take_number(line);
			node.has_parent = true;
		} else if (TAKE(line, "data=")) {
			node.value = line->at;
			line->at = cali_skip_value(line->at);
			if (*line->at == '=')
				line->wrong = "a node with two values";
		} else {
			break;
		}
	} while (goes_on(line));
	if (!line->wrong)
		line->wrong = cali_names_define(&reader->names, &node);
}

static record_node take_nodes(struct reader *reader, struct line *line)
{
	record_node node = 0;

	do {
		struct cali_entry entry =
			cali_names_find(&reader->names, take_number(line));

		if (line->wrong)
			break;
		if (entry.kind == CALI_NODE)
			vector_push(&reader->paths, entry.number);
		if (entry.kind != CALI_NODE)
			line->wrong = "an unknown node";
		else if (!node)
			node = entry.number;
		else
			line->wrong = cali_names_join(&reader->names, node, entry.number,
						      &node);
	} while (!line->wrong && *line->at == '=' && line->at++);
	return node;
}

/* Attributes 8 to 10 may have values in records, too: a list of attributes has them. */
static const struct cali_attribute *find_attribute(struct reader *reader, uint64_t id)
{
	static const struct {
		const char *name;
		enum record_type type;
	} builtin[] = {[CALI_NAME] = {"cali.attribute.name", RECORD_STRING},
		       [CALI_TYPE] = {"cali.attribute.type", RECORD_TYPE},
		       [CALI_PROPERTIES] = {"cali.attribute.prop", RECORD_INT}};
	struct cali_attribute *made = &reader->builtin;

	if (id < CALI_NAME || id > CALI_PROPERTIES)
		return cali_names_attribute(&reader->names, id);
	struct trm_error *error =
		record_attribute_intern(reader->names.model, builtin[id].name,
					builtin[id].type, RECORD_AS_VALUE, &made->id);

	made->type = builtin[id].type;
	if (!error)
		return made;
	trm_error_destroy(error);
	return NULL;
}

static void take_attributes(struct reader *reader, struct line *line)
{
	reader->attributes.count = 0;
	do {
		uint64_t id = take_number(line);
		const struct cali_attribute *attribute = find_attribute(reader, id);

		if (line->wrong)
			return;
		if (!attribute) {
			line->wrong = "an unknown attribute";
			return;
		}
		vector_push(&reader->attributes, *attribute);
	} while (*line->at == '=' && line->at++);
}

/* Bytes may move while values are added: they get their places at the end. */
static void place_bytes(struct reader *reader)
{
	vector_for_each (&reader->pairs, pair)
		if (pair->value.type == RECORD_STRING || pair->value.type == RECORD_BLOB)
			pair->value.bytes = reader->bytes.data + pair->value.u;
}

static void take_values(struct reader *reader, struct line *line)
{
	size_t count = reader->attributes.count;
	const struct cali_attribute *attribute = reader->attributes.items;

	reader->pairs.count = 0;
	vector_reserve(&reader->pairs, count);
	for (size_t i = 0; i < count; i++, attribute++) {
		struct record_pair *pair = &reader->pairs.items[reader->pairs.count];
		bool empty;

		if (i && *line->at != '=') {
			line->wrong = "less values than attributes";
			return;
		}
		line->at += i > 0;
		pair->attribute = attribute->id;
		if (!cali_read_value(&line->at, attribute->type, &reader->bytes,
				     &pair->value, &empty)) {
			line->wrong = "a value that is not of its attribute's type";
			return;
		}
		reader->pairs.count += !empty;
	}
	if (*line->at == '=')
		line->wrong = "more values than attributes";
	if (reader->bytes.length)
		place_bytes(reader);
}

/* The fields of a record; its node. Its pairs are the reader's. */
static record_node take_fields(struct reader *reader, struct line *line)
{
	const char *values = NULL; /* that came before their attributes */
	bool has_attributes = false, has_values = false;
	record_node node = 0;

	reader->pairs.count = reader->bytes.length = reader->paths.count = 0;
	if (*line->at != ',' && *line->at != '\n')
		line->wrong = unknown_kind;
	while (goes_on(line)) {
		if (TAKE(line, "ref=")) {
			node = take_nodes(reader, line);
		} else if (TAKE(line, "attr=")) {
			take_attributes(reader, line);
			has_attributes = true;
		} else if (!TAKE(line, "data=")) {
			break;
		} else if (has_attributes) {
			take_values(reader, line);
			has_values = true;
		} else {
			values = line->at;
			while (*(line->at = cali_skip_value(line->at)) == '=')
				line->at++;
		}
	}
	if (!line->wrong && has_attributes && values && !has_values) {
		line->at = values;
		take_values(reader, line);
	} else if (!line->wrong && has_attributes != (has_values || values)) {
		line->wrong = "attributes without values, or values without attributes";
	}
	return node;
}

static void read_context(struct reader *reader, struct line *line)
{
	record_node node = take_fields(reader, line);

	if (line->wrong)
		return;
	if (reader->visitor->entries)
		reader->visitor->entries(reader->visitor->context, node,
					 reader->paths.items, reader->paths.count,
					 reader->pairs.items, reader->pairs.count);
	else if (reader->visitor->record)
		reader->visitor->record(reader->visitor->context, node,
					reader->pairs.items, reader->pairs.count);
}

/* Tells a global, unless it was told. */
static void tell_global(struct reader *reader, struct record_pair pair)
{
	const struct trm_visitor *visitor = reader->visitor;
	record_attribute own;
	struct trm_error *error = record_attribute_intern(
		reader->own, record_attribute_name(reader->names.model, pair.attribute),
		pair.value.type, 0, &own);

	trm_error_destroy(error);
	if (error)
		return;
	size_t known = record_node_count(reader->own);

	if (record_node_child(reader->own, 0, own, pair.value) == known &&
	    visitor->global)
		visitor->global(visitor->context, pair.attribute, pair.value);
}

static void read_globals(struct reader *reader, struct line *line)
{
	struct VECTOR(record_node) chain = {0};
	record_node node = take_fields(reader, line);

	if (line->wrong)
		return;
	for (; node; node = record_node_parent(reader->names.model, node))
		vector_push(&chain, node);
	while (chain.count)
		tell_global(reader, record_node_pair(reader->names.model,
						     chain.items[--chain.count]));
	vector_deinit(&chain);
	vector_for_each (&reader->pairs, pair)
		tell_global(reader, *pair);
}

static void count_bad_line(struct reader *reader, const char *reason)
{
	if (!reader->bad_lines++) {
		reader->first_bad = reader->lines;
		reader->reason = reason;
	}
}

static void read_line(struct reader *reader, struct line *line)
{
	if (TAKE(line, "__rec=ctx")) {
		read_context(reader, line);
	} else if (TAKE(line, "__rec=node,")) {
		read_node(reader, line);
	} else if (TAKE(line, "__rec=globals")) {
		read_globals(reader, line);
	} else if (*line->at != '\n' && *line->at != '\r') {
		line->wrong = unknown_kind;
	}
}

/* All whole lines of the window. */
static void read_window(struct reader *reader)
{
	struct trm_source *source = reader->source;
	const char *window = (const char *)source->window;
	const char *last = memrchr(window, '\n', source->window_size);
	struct line line = {.at = window};

	if (!last)
		return;
	reader->names.node_bytes_max =
		TRM_NODES_FREE + TRM_NODES_RATIO * (source->offset + source->window_size);
	while (line.at <= last) {
		reader->lines++;
		line.wrong = NULL;
		read_line(reader, &line);
		if (line.wrong)
			count_bad_line(reader, line.wrong);
		if (*line.at != '\n')
			line.at = memchr(line.at, '\n', (size_t)(last + 1 - line.at));
		line.at++;
	}
	trm_source_skip(source, (size_t)(line.at - window));
}

static struct trm_error *read_lines(struct reader *reader)
{
	struct trm_source *source = reader->source;
	size_t before = 0;

	while (trm_source_peek(source, before + 1) > before) {
		read_window(reader);
		before = source->window_size;
		if (before > LINE_MAX_SIZE)
			return trm_error_create(
				TRM_ERROR_FORMAT,
				"'%s', line %" PRIu64 ": it has more than %zu bytes",
				reader->name, reader->lines + 1, LINE_MAX_SIZE);
	}
	if (source->failure)
		return trm_error_system(source->failure, "cannot read '%s'",
					reader->name);
	return NULL;
}

/* One line for all that was wrong. */
static char *warning_of(const struct reader *reader)
{
	struct text text = {0};

	if (reader->bad_lines)
		text_format(&text, "'%s', line %" PRIu64 ": %s; it is left out",
			    reader->name, reader->first_bad, reader->reason);
	if (reader->bad_lines > 1)
		text_format(&text, ", as %s %" PRIu64 " more line%s",
			    reader->bad_lines > 2 ? "are" : "is", reader->bad_lines - 1,
			    reader->bad_lines > 2 ? "s" : "");
	if (reader->source->window_size)
		text_format(&text,
			    "%s'%s' ends in the middle of line %" PRIu64
			    ": what was written before it is kept",
			    text.length ? "; " : "", reader->name, reader->lines + 1);
	return text.data;
}

struct trm_error *cali_read(struct trm_source *source, const char *name,
			    struct record_model *model, const struct trm_visitor *visitor,
			    char **ret_warning)
{
	struct reader reader = {
		.name = name,
		.source = source,
		.visitor = visitor,
		.own = record_model_create(),
	};

	cali_names_init(&reader.names, model);
	if (visitor->file)
		visitor->file(visitor->context);
	struct trm_error *error = read_lines(&reader);

	if (!error)
		*ret_warning = warning_of(&reader);
	cali_names_deinit(&reader.names);
	vector_deinit(&reader.attributes);
	vector_deinit(&reader.pairs);
	vector_deinit(&reader.paths);
	text_deinit(&reader.bytes);
	record_model_destroy(reader.own);
	return error;
}
