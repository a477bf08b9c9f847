#include "store/subject.h"

#include "base/text.h"
#include "record/model.h"
#include "record/value.h"

#include <string.h>

enum { PATH_LENGTH_MAX = 1000 }; /* bytes of a path as text; it is cut there */

struct trm_error *subjects_image(struct subjects *subjects, const char *path,
				 const char *build, int64_t *ret_image)
{
	uint64_t key =
		hash_bytes(path, strlen(path)) * 31 + hash_bytes(build, strlen(build));
	bool new;
	uint64_t *known = table_insert(&subjects->images, key, &new);

	if (new) {
		int64_t id;

		TRM_TRY(sql_run(subjects->sql,
				"INSERT INTO images(path, build) VALUES(?, ?)"
				" ON CONFLICT DO NOTHING",
				"tt", path, build));
		TRM_TRY(sql_number(subjects->sql, 0, &id,
				   "SELECT id FROM images WHERE path=? AND build=?"
				   " AND DIGEST(path)=DIGEST(?1)"
				   " AND DIGEST(build)=DIGEST(?2)",
				   "tt", path, build));
		*known = (uint64_t)id;
	}
	*ret_image = (int64_t)*known;
	return NULL;
}

/* The function of a chain of nodes, and its module; NULL if it has none. */
struct place {
	const char *function, *path;
};

static struct place find_place(const struct subjects *subjects, record_node node)
{
	struct place place = {NULL, NULL}, call = {NULL, NULL};

	for (; node; node = record_node_parent(subjects->model, node)) {
		const struct record_pair pair = record_node_pair(subjects->model, node);
		const char *name = record_attribute_name(subjects->model, pair.attribute);

		if (pair.value.type != RECORD_STRING)
			continue;
		if (!place.function && !strcmp(name, "function"))
			place.function = pair.value.bytes;
		if (!place.path && !strcmp(name, "module.path"))
			place.path = pair.value.bytes;
		if (!call.function && !strcmp(name, "graph.function"))
			call.function = pair.value.bytes;
		if (!call.path && !strcmp(name, "graph.path"))
			call.path = pair.value.bytes;
	}
	return place.function ? place : call;
}

/* "main/solve/sweep", the outermost first. */
static void add_path(const struct subjects *subjects, record_node node, struct text *out)
{
	struct VECTOR(record_node) chain = {0};

	for (; node; node = record_node_parent(subjects->model, node))
		vector_push(&chain, node);
	for (size_t i = chain.count; i-- && out->length < PATH_LENGTH_MAX;) {
		const struct record_pair pair =
			record_node_pair(subjects->model, chain.items[i]);

		text_add(out, out->length ? "/" : "");
		record_value_text(out, pair.value);
	}
	if (!out->length)
		text_add(out, "(outside)");
	if (out->length > PATH_LENGTH_MAX) {
		out->length = PATH_LENGTH_MAX;
		out->data[out->length] = '\0';
		text_add(out, "...");
	}
	vector_deinit(&chain);
}

static struct trm_error *make_function(struct subjects *subjects, record_node node,
				       uint64_t image, uint64_t offset,
				       int64_t *ret_function)
{
	struct place place = find_place(subjects, node);
	struct trm_error *error;
	struct text path = {0};
	int64_t of = 0;

	if (place.function)
		TRM_TRY(subjects_image(subjects, place.path ? place.path : "",
				       facts_build_of(subjects->facts, image,
						      place.path ? place.path : ""),
				       &of));
	else
		add_path(subjects, node, &path);
	const char *name = place.function ? place.function : path.data;
	const int64_t address = place.function ? (int64_t)offset : 0;

	error = sql_run(subjects->sql,
			"INSERT INTO functions(image, \"offset\", name)"
			" VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
			"iit", of, address, name);
	if (!error)
		error = sql_number(subjects->sql, -1, ret_function,
				   "SELECT id FROM functions WHERE image=?"
				   " AND \"offset\"=? AND name=?"
				   " AND DIGEST(name)=DIGEST(?3)",
				   "iit", of, address, name);
	text_deinit(&path);
	return error;
}

struct trm_error *subjects_find(struct subjects *subjects, record_node node,
				uint64_t image, uint64_t offset, int64_t *ret_function)
{
	const uint64_t key[] = {node, image, offset};
	bool new;
	uint64_t *known =
		table_insert(&subjects->known, hash_bytes(key, sizeof(key)), &new);

	if (new) {
		TRM_TRY(make_function(subjects, node, image, offset, ret_function));
		*known = (uint64_t)*ret_function;
	}
	*ret_function = (int64_t)*known;
	return NULL;
}

void subjects_deinit(struct subjects *subjects)
{
	table_deinit(&subjects->known);
	table_deinit(&subjects->images);
}
