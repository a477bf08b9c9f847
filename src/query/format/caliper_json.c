/* The JSON that cali-query prints: values of the tree are strings, others what they are.
 */
#include "base/array.h"
#include "record/cali_values.h"
#include "record/model.h"
#include "record/value.h"
#include "query/format/caliper.h"
#include "record/cali.h"

#include <stdlib.h>

enum { NO_KEY = UINT32_MAX };

/* A member of records, by the title of its attributes. */
struct json_key {
	const char *title;
	size_t rank; /* in the order of titles */
};

/* A value of the record at hand: of a path a part, where there may be more. */
struct json_part {
	uint32_t key;
	bool text; /* members that are texts come first */
	record_node node;
	struct record_value value; /* if there is no node */
};

struct json {
	struct caliper_printing printing;
	bool object, split, pretty, quotes, separate;
	struct VECTOR(struct json_key) keys;
	struct caliper_numbers key_of; /* by attribute, or NO_KEY */
	struct VECTOR(struct json_part) parts;
	struct VECTOR(struct json_part) members; /* the last part of each */
	struct text text;                        /* scratch */
	bool any;                                /* a record was printed */
};

static void json_begin(struct caliper_printing *printing)
{
	struct json *json = (struct json *)printing;
	const struct query *query = printing->query;

	json->object = query_option(query, "object");
	json->split = query_option(query, "split");
	json->pretty = query_option(query, "pretty");
	json->quotes = query_option(query, "quote-all");
	json->separate = query_option(query, "separate-nested");
	json->object &= !json->split && !query_option(query, "records");
	/* All files of Caliper's know these. */
	static const struct caliper_attribute known[] = {
		{.name = "cali.attribute.name", .type = RECORD_STRING},
		{.name = "attribute.alias",
		 .type = RECORD_STRING,
		 .properties = RECORD_SKIP_EVENTS},
		{.name = "attribute.unit",
		 .type = RECORD_STRING,
		 .properties = RECORD_SKIP_EVENTS}};

	for (size_t i = 0; i < array_count(known) && json->object; i++)
		caliper_attribute_make(printing, &known[i]);
}

/* The title of an attribute's member; NULL: it is not shown. */
static const char *title_of(const struct json *json,
			    const struct caliper_attribute *attribute)
{
	const struct caliper_printing *printing = &json->printing;
	const char *path = caliper_path_title(printing);
	bool usual = !attribute->hidden &&
		     (!attribute->global || printing->query->shows_globals);

	if (printing->selection == CALIPER_LIST
		    ? !attribute->listed && !attribute->in_path
		    : !usual)
		return NULL;
	if (attribute->nested && !json->separate)
		return path ? path : "path";
	return attribute->title;
}

static int compare_titles(const void *a, const void *b, void *keys)
{
	const struct json_key *all = keys;

	return strcmp(all[*(const uint32_t *)a].title, all[*(const uint32_t *)b].title);
}

static void rank_keys(struct json *json)
{
	size_t count = json->keys.count;
	uint32_t *order = memory_allocate((count + 1) * sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_titles, json->keys.items);
	for (size_t i = 0; i < count; i++)
		json->keys.items[order[i]].rank = i;
	free(order);
}

static uint32_t find_key(struct json *json, const char *title)
{
	if (!title)
		return NO_KEY;
	for (uint32_t i = 0; i < json->keys.count; i++)
		if (!strcmp(json->keys.items[i].title, title))
			return i;
	vector_push(&json->keys, ((struct json_key){.title = title}));
	return (uint32_t)json->keys.count - 1;
}

static void learn_keys(struct json *json)
{
	while (json->key_of.count < json->printing.attributes.count) {
		const struct caliper_attribute *attribute =
			&json->printing.attributes.items[json->key_of.count];
		uint32_t key = find_key(json, title_of(json, attribute));

		vector_push(&json->key_of, key);
	}
	rank_keys(json);
}

static bool is_less(const struct json *json, const struct json_part *a,
		    const struct json_part *b)
{
	if (a->text != b->text)
		return a->text;
	return json->keys.items[a->key].rank < json->keys.items[b->key].rank;
}

/* The member that the part is of, which it replaces, or becomes; in their order. */
static struct json_part *member_of(struct json *json, const struct json_part *part)
{
	size_t at = json->members.count;

	while (at && is_less(json, part, &json->members.items[at - 1]))
		at--;
	if (at && !is_less(json, &json->members.items[at - 1], part))
		return &json->members.items[at - 1];
	vector_add(&json->members);
	memmove(&json->members.items[at + 1], &json->members.items[at],
		(json->members.count - 1 - at) * sizeof(*part));
	json->members.items[at] = *part;
	return &json->members.items[at];
}

static bool is_text(const struct json *json, record_attribute id)
{
	enum record_type type = caliper_attribute(&json->printing, id)->type;

	return json->quotes || type == RECORD_STRING || type == RECORD_BLOB;
}

static void add_pairs(struct json *json, const struct record_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct json_part part = {json->key_of.items[pairs[i].attribute],
					 is_text(json, pairs[i].attribute), 0,
					 pairs[i].value};

		if (part.key == NO_KEY)
			continue;
		*member_of(json, &part) = part;
	}
}

static void add_nodes(struct json *json, record_node node)
{
	const struct record_model *model = json->printing.model;

	for (; node; node = record_node_parent(model, node)) {
		struct json_part part = {
			.key = json->key_of
				       .items[record_node_pair(model, node).attribute],
			.text = true,
			.node = node};

		if (part.key == NO_KEY)
			continue;
		vector_push(&json->parts, part);
		member_of(json, &part);
	}
}

/* The values of a path, the outermost first; "" is a value of none. */
static void add_path(struct json *json, uint32_t key)
{
	const char *between = "";

	for (size_t i = json->parts.count; i-- > 0;) {
		const struct json_part *part = &json->parts.items[i];

		if (part->key != key)
			continue;
		text_add(&json->text, between);
		caliper_add_value(
			&json->text,
			record_node_pair(json->printing.model, part->node).value, false);
		between = "/";
	}
}

static void add_member(struct json *json, const struct json_part *member)
{
	struct text *out = json->printing.out;
	enum record_type type = member->value.type;

	text_add_json(out, json->keys.items[member->key].title);
	text_add(out, ":");
	if (!member->node && !member->text &&
	    (type == RECORD_UINT || type == RECORD_INT || type == RECORD_BOOL)) {
		record_value_text(out, member->value);
		return;
	}
	json->text.length = 0;
	text_add(&json->text, "");
	if (member->node)
		add_path(json, member->key);
	else
		caliper_add_value(&json->text, member->value, false);
	/* Addresses look like numbers but are not; neither are inf and nan. */
	if (member->text || type != RECORD_DOUBLE || strpbrk(json->text.data, "in"))
		text_add_json(out, json->text.data);
	else
		text_add(out, json->text.data);
}

static void json_record(struct caliper_printing *printing,
			const struct caliper_record *record)
{
	struct json *json = (struct json *)printing;
	struct text *out = printing->out;
	const char *comma = "";

	if (json->key_of.count < printing->attributes.count)
		learn_keys(json);
	json->parts.count = json->members.count = 0;
	add_pairs(json, record->keys, record->key_count);
	for (size_t i = 0; i < record->node_count; i++)
		add_nodes(json, record->nodes[i]);
	add_pairs(json, record->pairs, record->pair_count);
	if (!json->members.count)
		return;
	if (!json->any)
		text_add(out, json->object  ? "{\n\"records\": [\n"
			      : json->split ? ""
					    : "[\n");
	text_add(out, json->any ? ",\n{" : "{");
	json->any = true;
	vector_for_each (&json->members, member) {
		text_add(out, comma);
		text_add(out, json->pretty ? "\n\t" : "");
		add_member(json, member);
		comma = ",";
	}
	text_add(out, json->pretty ? "\n}" : "}");
}

static void add_globals(struct json *json)
{
	struct caliper_printing *printing = &json->printing;
	const char *comma = "";
	struct text value = {0};

	caliper_order_globals(printing);
	text_add(printing->out, ",\n\"globals\": {\n");
	vector_for_each (&printing->globals, global) {
		value.length = 0;
		text_add(&value, "");
		caliper_add_value(&value, global->value, false);
		text_add(printing->out, comma);
		text_add(printing->out, json->pretty ? "\t" : "");
		text_add_json(printing->out,
			      caliper_attribute(printing, global->attribute)->name);
		text_add(printing->out, ": ");
		text_add_json(printing->out, value.data);
		comma = ",\n";
	}
	text_add(printing->out, "\n}");
	text_deinit(&value);
}

static void add_said(struct json *json, const char *what, const char *said)
{
	text_add(json->printing.out, ",");
	text_add_json(json->printing.out, what);
	text_add(json->printing.out, ": ");
	text_add_json(json->printing.out, said);
}

/* Adds a member of "attributes": later metadata comes first. */
static void add_attribute(struct json *json, record_attribute id)
{
	const struct caliper_printing *printing = &json->printing;
	const struct caliper_attribute *attribute = caliper_attribute(printing, id);

	text_add_json(printing->out, attribute->name);
	text_format(printing->out, ": {\"is_global\": %s,\"is_nested\": %s",
		    attribute->global ? "true" : "false",
		    attribute->nested ? "true" : "false");
	add_said(json, "cali.attribute.name", attribute->name);
	json->text.length = 0;
	record_value_text(&json->text,
			  record_uint(cali_properties_write(attribute->properties)));
	if (attribute->properties)
		add_said(json, "cali.attribute.prop", json->text.data);
	for (size_t i = record_attribute_descriptions(printing->model, id); i-- > 0;) {
		struct record_pair said =
			record_attribute_description(printing->model, id, i);

		json->text.length = 0;
		text_add(&json->text, "");
		/* Like Caliper, only mentions hidden attributes. */
		if (!caliper_attribute(printing, said.attribute)->hidden)
			caliper_add_value(&json->text, said.value, false);
		add_said(json, caliper_attribute(printing, said.attribute)->name,
			 json->text.data);
	}
	add_said(json, "cali.attribute.type", cali_type_name(attribute->type));
	text_add(printing->out, "}");
}

static int compare_names(const void *a, const void *b, void *attributes)
{
	const struct caliper_attribute *all = attributes;

	return strcmp(all[*(const uint32_t *)a].name, all[*(const uint32_t *)b].name);
}

/* Adds all attributes of the files, or those that SELECT lists, by name. */
static void add_attributes(struct json *json)
{
	struct caliper_printing *printing = &json->printing;
	struct caliper_numbers order = {0};

	for (uint32_t i = 0; i < printing->attributes.count; i++) {
		const struct caliper_attribute *attribute =
			caliper_attribute(printing, i);

		if (!attribute->hidden && (!attribute->nested || json->separate) &&
		    (printing->selection != CALIPER_LIST || attribute->listed))
			vector_push(&order, i);
	}
	if (order.count)
		qsort_r(order.items, order.count, sizeof(order.items[0]), compare_names,
			printing->attributes.items);
	text_add(printing->out, ",\n\"attributes\": {");
	vector_for_each (&order, id) {
		text_add(printing->out, id == order.items ? "\n" : ",\n");
		text_add(printing->out, json->pretty ? "\t" : "");
		add_attribute(json, *id);
	}
	text_add(printing->out, "\n}");
	vector_deinit(&order);
}

static void json_end(struct caliper_printing *printing)
{
	struct json *json = (struct json *)printing;
	bool brackets = json->object || !json->split;

	if (!json->any && brackets)
		text_add(printing->out, json->object ? "{\n\"records\": [\n" : "[\n");
	text_add(printing->out, brackets ? "\n]" : "");
	if (json->object) {
		add_globals(json);
		add_attributes(json);
		text_add(printing->out, "\n}");
	}
	text_add(printing->out, "\n");
	vector_deinit(&json->keys);
	vector_deinit(&json->key_of);
	vector_deinit(&json->parts);
	vector_deinit(&json->members);
	text_deinit(&json->text);
}

const struct caliper_format caliper_json = {
	.size = sizeof(struct json),
	.begin = json_begin,
	.record = json_record,
	.end = json_end,
};
