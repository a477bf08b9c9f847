#include "cli/cali/count.h"

#include "base/array.h"
#include "record/cali.h"
#include "record/cali_values.h"

#include <string.h>

/* Fields of a line, as record/cali.h has them: those that nodes have once, and lists. */
struct fields {
	bool has_id, has_attribute, has_value;
	uint64_t id, attribute, parent;
	const char *value;
	uint64_t references, values; /* items of the lists */
	uint64_t on_paths;           /* attributes on the paths of the references */
};

void cali_counts_init(struct cali_counts *counts)
{
	static const struct {
		const char *name;
		uint64_t number;
	} builtins[] = {
		{"cali.attribute.name", CALI_NAME},
		{"cali.attribute.type", CALI_TYPE},
		{"cali.attribute.prop", CALI_PROPERTIES},
	};

	*counts = (struct cali_counts){.least = UINT64_MAX};
	for (size_t i = 0; i < array_count(builtins); i++) {
		string_table_intern(&counts->names, builtins[i].name);
		vector_push(&counts->reuse, (struct cali_reuse){0});
	}
}

void cali_counts_deinit(struct cali_counts *counts)
{
	string_table_deinit(&counts->names);
	vector_deinit(&counts->reuse);
	table_deinit(&counts->elements);
	table_deinit(&counts->node_of);
	vector_deinit(&counts->nodes_known);
	text_deinit(&counts->bytes);
}

void cali_counts_begin(struct cali_counts *counts)
{
	table_deinit(&counts->node_of);
	counts->node_of = (struct table){0};
	counts->nodes_known.count = 0;
	vector_push(&counts->nodes_known, (struct cali_counted){0});
	for (uint32_t id = 0; id < CALI_BUILTIN_COUNT; id++) {
		struct cali_counted node = {
			.depth = 1,
			.text = id == cali_type_node(RECORD_STRING) ||
				id == cali_type_node(RECORD_BLOB) || id == CALI_NAME,
			.names = id >= CALI_NAME && id <= CALI_PROPERTIES
					 ? id - CALI_NAME + 1
					 : 0,
		};

		*table_insert(&counts->node_of, id, NULL) = counts->nodes_known.count;
		vector_push(&counts->nodes_known, node);
	}
}

/* The node with this number; NULL: there is none. */
static struct cali_counted *find_node(const struct cali_counts *counts, uint64_t id,
				      uint32_t *ret_item)
{
	uint64_t item;

	if (!table_find(&counts->node_of, id, &item))
		return NULL;
	if (ret_item)
		*ret_item = (uint32_t)item;
	return &counts->nodes_known.items[item];
}

/* The value counts as an element of its attribute, once. */
static void count_element(struct cali_counts *counts, uint32_t attribute)
{
	struct cali_reuse *reuse = &counts->reuse.items[attribute];
	bool is_new;

	text_add_bytes(&counts->bytes, (const char *)&attribute, sizeof(attribute));
	table_insert(&counts->elements,
		     hash_bytes(counts->bytes.data, counts->bytes.length), &is_new);
	reuse->elements += is_new;
	reuse->nodes++;
	reuse->uses++;
}

static void number_name(struct cali_counts *counts, struct cali_counted *node)
{
	uint32_t name = string_table_intern(&counts->names, counts->bytes.data);

	if (name == counts->reuse.count)
		vector_push(&counts->reuse, (struct cali_reuse){0});
	node->names = name + 1;
}

static bool count_node(struct cali_counts *counts, const struct fields *fields)
{
	const struct cali_counted *attribute, *parent = NULL;
	struct cali_counted node = {0};
	struct record_value value = {0};
	const char *at = fields->has_value ? fields->value : "\n";
	bool empty;

	attribute = find_node(counts, fields->attribute, NULL);
	if (fields->parent != UINT64_MAX)
		parent = find_node(counts, fields->parent, &node.parent);
	if (!fields->has_id || !fields->has_attribute || !attribute ||
	    !attribute->names || (fields->parent != UINT64_MAX && !parent))
		return false;
	node.attribute = attribute->names - 1;
	node.depth = parent ? parent->depth + 1 : 1;
	node.text = parent && parent->text;
	counts->bytes.length = 0;
	text_add(&counts->bytes, "");
	if (!cali_read_value(&at, RECORD_STRING, &counts->bytes, &value, &empty))
		return false;
	counts->nodes++;
	counts->node_bytes += 24 + (attribute->text ? value.size : 8);
	if (fields->attribute == CALI_NAME)
		number_name(counts, &node);
	count_element(counts, node.attribute);
	*table_insert(&counts->node_of, fields->id, NULL) = counts->nodes_known.count;
	vector_push(&counts->nodes_known, node);
	return true;
}

static void count_snapshot(struct cali_counts *counts, const struct fields *fields)
{
	uint64_t elements = fields->references + 2 * fields->values;

	counts->snapshots++;
	counts->references += fields->references;
	counts->values += fields->values;
	counts->attributes += fields->on_paths + fields->values;
	counts->least = elements < counts->least ? elements : counts->least;
	counts->most = elements > counts->most ? elements : counts->most;
}

static bool skip_word(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

/* A list of nodes; those of snapshots are used. */
static bool take_references(struct cali_counts *counts, const char **at,
			    struct fields *fields)
{
	do {
		uint64_t id;
		struct cali_counted *node;

		if (!cali_read_uint(at, &id) || !(node = find_node(counts, id, NULL)))
			return false;
		fields->references++;
		fields->on_paths += node->depth;
		node->uses++;
	} while (**at == '=' && (*at)++);
	return true;
}

/* The first number of a list counts, where there can be one only. */
static bool take_numbers(const char **at, uint64_t *ret_number, uint64_t *count)
{
	uint64_t number;

	do {
		if (!cali_read_uint(at, &number))
			return false;
		if (!(*count)++)
			*ret_number = number;
	} while (**at == '=' && (*at)++);
	return true;
}

static bool take_field(struct cali_counts *counts, const char **at, struct fields *fields,
		       bool *ret_known)
{
	uint64_t count = 0;

	*ret_known = true;
	if (skip_word(at, "id="))
		return fields->has_id = cali_read_uint(at, &fields->id);
	if (skip_word(at, "parent="))
		return cali_read_uint(at, &fields->parent);
	if (skip_word(at, "ref="))
		return take_references(counts, at, fields);
	if (skip_word(at, "attr=")) {
		fields->has_attribute = true;
		return take_numbers(at, &fields->attribute, &count);
	}
	*ret_known = skip_word(at, "data=");
	if (!*ret_known)
		return true;
	fields->has_value = true;
	fields->value = *at;
	do {
		*at = cali_skip_value(*at);
		fields->values++;
	} while (**at == '=' && (*at)++);
	return true;
}

bool cali_counts_line(struct cali_counts *counts, const char *line)
{
	struct fields fields = {.parent = UINT64_MAX};
	bool known, node = skip_word(&line, "__rec=node"),
		    snapshot = !node && skip_word(&line, "__rec=ctx");

	if (!node && !snapshot)
		return *line == '\n' || skip_word(&line, "__rec=globals");
	while (*line == ',') {
		line++;
		if (!take_field(counts, &line, &fields, &known))
			return false;
		if (!known)
			break;
	}
	if (node)
		return count_node(counts, &fields);
	count_snapshot(counts, &fields);
	return true;
}

void cali_counts_end(struct cali_counts *counts)
{
	for (size_t i = counts->nodes_known.count; i-- > 1 + CALI_BUILTIN_COUNT;) {
		const struct cali_counted *node = &counts->nodes_known.items[i];

		counts->reuse.items[node->attribute].uses += node->uses;
		counts->nodes_known.items[node->parent].uses += node->uses;
	}
}
