#include "session/state/region_path.h"

#include "record/value.h"
#include "wire/probes.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Whether a file is a spool of the process. */
static bool is_of(const struct region_source *source, const char *name)
{
	char start[24];

	snprintf(start, sizeof(start), "%d.", source->pid);
	return context_is_spool(name) && !strncmp(name, start, strlen(start));
}

/* Programs that a process executed one after the other have a spool each. Returns whether
 * this one is rather the wanted one's than what was found before. */
static bool is_better(const struct region_source *source,
		      const struct context_process *process)
{
	const uint64_t begin = process->head->begin.ns;

	if (begin < source->since_ns)
		return false;
	return !source->known ||
	       (begin < source->process.head->begin.ns) == (source->since_ns != 0);
}

static void try_spool(struct region_source *source, const char *name)
{
	struct context_process process;
	struct text path = {0};

	text_format(&path, "%s/%s", source->folder, name);
	struct trm_error *error = context_process_init(&process, path.data);

	text_deinit(&path);
	if (!error && is_better(source, &process)) {
		if (source->known)
			context_process_deinit(&source->process);
		source->process = process;
		source->known = true;
	} else if (!error) {
		context_process_deinit(&process);
	}
	trm_error_destroy(error);
}

static void open_source(struct region_source *source)
{
	DIR *folder = source->tried || !source->folder ? NULL : opendir(source->folder);
	struct dirent *entry;

	source->tried = true;
	while (folder && (entry = readdir(folder)))
		if (is_of(source, entry->d_name))
			try_spool(source, entry->d_name);
	if (folder)
		closedir(folder);
}

/* The next number of an encoded text; false at its end. */
static bool read_number(const char **at, uint64_t *ret_number)
{
	unsigned int shift = 0;
	unsigned char digit;

	*ret_number = 0;
	do {
		digit = (unsigned char)*(*at);
		if (!digit || shift >= 64)
			return false;
		(*at)++;
		*ret_number |= (uint64_t)(digit & 0x3f) << shift;
		shift += WIRE_PROBE_DIGIT_BITS;
	} while (!(digit & WIRE_PROBE_LAST_DIGIT));
	return true;
}

/* The nodes come innermost first. */
static void add_nodes(const struct context_process *process, const char *at,
		      struct text *text)
{
	uint64_t attribute, bits;

	if (!read_number(&at, &attribute) || !read_number(&at, &bits))
		return;
	add_nodes(process, at, text);
	if (attribute >= process->attributes.count ||
	    !(process->attributes.items[attribute].properties & RECORD_NESTED))
		return;
	if (text->length)
		text_add(text, "/");
	record_value_text(text, context_value(process, (uint32_t)attribute, bits));
}

void region_path_add(struct region_source *source, const char *encoded, struct text *text)
{
	if (!*encoded) {
		text_add(text, "(none)");
		return;
	}
	open_source(source);
	if (source->known)
		add_nodes(&source->process, encoded, text);
	else
		text_add(text, "?");
}

void region_source_deinit(struct region_source *source)
{
	if (source->known)
		context_process_deinit(&source->process);
}
