#include "runtime/config/metadata.h"
#include "runtime/channel/log.h"
#include "runtime/config/document.h"
#include "runtime/config/items.h"
#include "runtime/store/attributes.h"
#include "runtime/store/strings.h"
#include "runtime/store/values.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 256, LIST_MAX_BYTES = 4096 };

static void keep_value(const char *name, const char *value)
{
	uint32_t attribute = attributes_create(
		name, TRM_TYPE_STRING,
		TRM_AS_VALUE | TRM_GLOBAL | TRM_SCOPE_PROCESS | CONTEXT_OF_RUN);
	uint64_t bits = value ? strings_intern(value, strlen(value)) : 0;

	if (attribute && bits)
		values_keep_process(attribute, bits);
}

/* A list as it would stand in the file: [a, b]. */
static void add_text(char *out, size_t size, const struct document *from)
{
	size_t used = strlen(out);

	if (from->kind != DOCUMENT_ARRAY && from->kind != DOCUMENT_OBJECT) {
		snprintf(out + used, size - used, "%s", from->text);
		return;
	}
	snprintf(out + used, size - used, "[");
	for (const struct document *part = from->first; part; part = part->next) {
		used = strlen(out);
		snprintf(out + used, size - used, "%s", part == from->first ? "" : ", ");
		add_text(out, size, part);
	}
	used = strlen(out);
	snprintf(out + used, size - used, "]");
}

static void keep_document(const char *name, const struct document *document)
{
	char text[LIST_MAX_BYTES] = "", part[NAME_MAX_BYTES];

	if (document->kind != DOCUMENT_OBJECT) {
		add_text(text, sizeof(text), document);
		keep_value(name, text);
		return;
	}
	for (document = document->first; document; document = document->next) {
		snprintf(part, sizeof(part), "%s.%s", name, document->name);
		keep_document(part, document);
	}
}

/* The member a.b of an object, also where the name of one has dots; NULL: none. */
static const struct document *find_value(const struct document *document,
					 const char *name)
{
	const struct document *found = document_member(document, name);

	for (const char *dot = strchr(name, '.'); dot && !found;
	     dot = strchr(dot + 1, '.')) {
		char first[NAME_MAX_BYTES] = "";
		const struct document *inner;

		strncat(first, name,
			(size_t)(dot - name) < sizeof(first) ? (size_t)(dot - name)
							     : sizeof(first) - 1);
		inner = document_member(document, first);
		if (inner)
			found = find_value(inner, dot + 1);
	}
	return found;
}

static void add_keys(const struct document *all, const char *path, const char *keys)
{
	static struct items names; /* too large for a stack */

	items_split(keys, &names);
	for (size_t i = 0; i < names.count; i++) {
		const struct document *found = find_value(all, names.items[i].name);

		if (found)
			keep_document(names.items[i].name, found);
		else
			log_warn("metadata: '%s' has no key '%s'", path,
				 names.items[i].name);
	}
}

static void add_file(const char *path, const char *keys)
{
	const char *wrong, *why;
	size_t line, column;
	char *text = document_load(path, &why);
	const struct document *all = text ? document_read(text, &wrong) : NULL;

	if (!text) {
		log_warn("metadata: cannot read '%s'%s", path, why);
		return;
	}
	if (!all) {
		document_place(text, wrong, &line, &column);
		log_warn("metadata: '%s' is not JSON: see line %zu, column %zu", path,
			 line, column);
	} else if (all->kind != DOCUMENT_OBJECT) {
		log_warn("metadata: '%s' has no names: an object { } is expected", path);
	} else if (keys) {
		add_keys(all, path, keys);
	} else {
		for (all = all->first; all; all = all->next)
			keep_document(all->name, all);
	}
	document_unload(text);
}

void metadata_add(const char *text)
{
	static struct items items; /* too large for a stack */
	const char *path;

	items_split(text, &items);
	path = items_value(&items, "file");
	if (path) {
		add_file(path, items_value(&items, "keys"));
		return;
	}
	for (size_t i = 0; i < items.count; i++)
		keep_value(items.items[i].name, items.items[i].value);
}
