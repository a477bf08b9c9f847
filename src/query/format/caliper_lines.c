/* Formats of cali-query with a line for each record: "expand", and lines by a template.
 */
#include "record/model.h"
#include "record/value.h"
#include "query/format/caliper.h"
#include "query/format/cells.h"

#include <stdlib.h>

/* The contribution of a path to a line, made once. */
struct piece {
	size_t begin, length;
	bool made;
};

struct expand {
	struct caliper_printing printing;
	struct text pieces, scratch;
	struct VECTOR(struct piece) of_node;
	struct VECTOR(struct piece) of_attribute; /* its title and "=" */
	struct VECTOR(record_node) nodes;
};

static bool is_shown(const struct caliper_printing *printing, record_attribute id)
{
	return printing->selection != CALIPER_LIST ||
	       caliper_attribute(printing, id)->listed;
}

static void add_titled(struct expand *expand, record_attribute id)
{
	query_add_escaped(&expand->pieces,
			  caliper_attribute(&expand->printing, id)->title);
	text_add(&expand->pieces, "=");
}

static void add_value(struct expand *expand, struct record_value value, struct text *out)
{
	if (value.type == RECORD_UINT || value.type == RECORD_INT) {
		record_value_text(out, value);
		return;
	}
	expand->scratch.length = 0;
	text_add(&expand->scratch, "");
	caliper_add_value(&expand->scratch, value, false);
	query_add_escaped(out, expand->scratch.data);
}

/* Values of a path by their attributes, the last attribute first, and of each the
 * outermost first: so much is stable in Caliper's output, too. */
static void order_nodes(struct expand *expand)
{
	const struct record_model *model = expand->printing.model;
	record_node *nodes = expand->nodes.items;

	for (size_t i = 1; i < expand->nodes.count; i++) {
		record_node node = nodes[i];
		record_attribute id = record_node_pair(model, node).attribute;
		size_t at = i;

		for (; at && record_node_pair(model, nodes[at - 1]).attribute > id; at--)
			nodes[at] = nodes[at - 1];
		nodes[at] = node;
	}
}

/* The path, where SELECT lists that. */
static const char *add_nested(struct expand *expand, record_node node)
{
	const char *title = caliper_path_title(&expand->printing);

	expand->scratch.length = 0;
	if (!title ||
	    !caliper_add_nested(&expand->printing, node, false, &expand->scratch))
		return "";
	query_add_escaped(&expand->pieces, title);
	text_add(&expand->pieces, "=");
	query_add_escaped(&expand->pieces, expand->scratch.data);
	return ",";
}

static void make_piece(struct expand *expand, record_node node)
{
	const struct record_model *model = expand->printing.model;
	struct piece piece = {.begin = expand->pieces.length, .made = true};
	record_attribute last = UINT32_MAX;
	const char *comma = add_nested(expand, node);
	record_node at = node;

	expand->nodes.count = 0;
	for (; at; at = record_node_parent(model, at))
		if (is_shown(&expand->printing, record_node_pair(model, at).attribute))
			vector_push(&expand->nodes, at);
	order_nodes(expand);
	for (size_t i = expand->nodes.count; i-- > 0;) {
		struct record_pair pair = record_node_pair(model, expand->nodes.items[i]);

		if (pair.attribute == last) {
			text_add(&expand->pieces, "/");
		} else {
			text_add(&expand->pieces, comma);
			add_titled(expand, pair.attribute);
		}
		add_value(expand, pair.value, &expand->pieces);
		last = pair.attribute;
		comma = ",";
	}
	piece.length = expand->pieces.length - piece.begin;
	expand->of_node.items[node] = piece;
}

static void expand_node(struct expand *expand, record_node node, const char **comma)
{
	struct text *out = expand->printing.out;
	size_t known = expand->of_node.count;

	if (node >= known) {
		vector_reserve(&expand->of_node, node + 1);
		expand->of_node.count = expand->of_node.capacity;
		memset(expand->of_node.items + known, 0,
		       (expand->of_node.count - known) * sizeof(struct piece));
	}
	if (!expand->of_node.items[node].made)
		make_piece(expand, node);
	const struct piece *piece = &expand->of_node.items[node];

	if (!piece->length)
		return;
	text_add(out, *comma);
	text_add_bytes(out, expand->pieces.data + piece->begin, piece->length);
	*comma = ",";
}

static void expand_pair(struct expand *expand, const struct record_pair *pair,
			const char **comma)
{
	struct text *out = expand->printing.out;

	while (expand->of_attribute.count <= pair->attribute) {
		record_attribute id = (record_attribute)expand->of_attribute.count;
		struct piece piece = {.begin = expand->pieces.length};

		if (is_shown(&expand->printing, id))
			add_titled(expand, id);
		piece.length = expand->pieces.length - piece.begin;
		vector_push(&expand->of_attribute, piece);
	}
	const struct piece *piece = &expand->of_attribute.items[pair->attribute];

	if (!piece->length)
		return;
	text_add(out, *comma);
	text_add_bytes(out, expand->pieces.data + piece->begin, piece->length);
	add_value(expand, pair->value, out);
	*comma = ",";
}

static void expand_record(struct caliper_printing *printing,
			  const struct caliper_record *record)
{
	struct expand *expand = (struct expand *)printing;
	const char *comma = "";

	for (size_t i = 0; i < record->key_count; i++)
		expand_pair(expand, &record->keys[i], &comma);
	for (size_t i = 0; i < record->node_count; i++)
		expand_node(expand, record->nodes[i], &comma);
	for (size_t i = 0; i < record->pair_count; i++)
		expand_pair(expand, &record->pairs[i], &comma);
	if (*comma)
		text_add(printing->out, "\n");
}

static void expand_end(struct caliper_printing *printing)
{
	struct expand *expand = (struct expand *)printing;

	text_deinit(&expand->pieces);
	text_deinit(&expand->scratch);
	vector_deinit(&expand->of_node);
	vector_deinit(&expand->of_attribute);
	vector_deinit(&expand->nodes);
}

const struct caliper_format caliper_expand = {
	.size = sizeof(struct expand),
	.record = expand_record,
	.end = expand_end,
};

/* Adds the first of what the record has of an attribute. */
static void add_first(struct caliper_printing *printing,
		      const struct caliper_record *record, record_attribute id,
		      struct text *out)
{
	size_t before = out->length;

	for (size_t i = 0; i < record->key_count && out->length == before; i++)
		if (record->keys[i].attribute == id)
			caliper_add_value(out, record->keys[i].value, false);
	for (size_t i = 0; i < record->node_count && out->length == before; i++)
		caliper_add_path(printing, record->nodes[i], id, false, out);
	for (size_t i = 0; i < record->pair_count && out->length == before; i++)
		if (record->pairs[i].attribute == id)
			caliper_add_value(out, record->pairs[i].value, false);
}

/* Adds a field "[WIDTH]NAME" of a format. */
static void add_field(struct caliper_printing *printing,
		      const struct caliper_record *record, const char *field, size_t size)
{
	char *name = memory_allocate(size + 1), *begin = name, *bracket;
	size_t before = printing->out->length, width = 0;
	record_attribute id;

	memcpy(name, field, size);
	name[size] = '\0';
	if (*name == '[' && (bracket = strchr(name, ']'))) {
		width = strtoul(name + 1, NULL, 10);
		begin = bracket + 1;
	}
	if (caliper_attribute_find(printing, begin, &id))
		add_first(printing, record, id, printing->out);
	free(name);
	width = width > 1000 ? 1000 : width;
	if (printing->out->length - before < width)
		text_format(printing->out, "%*s",
			    (int)(width - (printing->out->length - before)), "");
}

static void lines_begin(struct caliper_printing *printing)
{
	const char *title = query_option(printing->query, "title");

	if (title)
		text_format(printing->out, "%s\n", title);
}

static void lines_record(struct caliper_printing *printing,
			 const struct caliper_record *record)
{
	const char *format = query_option(printing->query, "format");
	const char *at = format ? format : "", *end;

	for (; (end = strchr(at, '%')); at = end + (*end != '\0')) {
		text_add_bytes(printing->out, at, (size_t)(end - at));
		at = end + 1;
		end = strchrnul(at, '%');
		add_field(printing, record, at, (size_t)(end - at));
	}
	text_format(printing->out, "%s\n", at);
}

const struct caliper_format caliper_lines = {
	.size = sizeof(struct caliper_printing),
	.begin = lines_begin,
	.record = lines_record,
};
