#include "session/state/region_path.h"

#include "record/value.h"
#include "wire/probes.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The last spool of the process, by name: PID.TIME.context. A program that it executed
 * before had another one. */
static bool find_spool(const struct region_source *source, struct text *path)
{
	DIR *folder = source->folder ? opendir(source->folder) : NULL;
	char start[24], last[NAME_MAX + 1] = "";
	struct dirent *entry;

	snprintf(start, sizeof(start), "%d.", source->pid);
	while (folder && (entry = readdir(folder)))
		if (context_is_spool(entry->d_name) &&
		    !strncmp(entry->d_name, start, strlen(start)) &&
		    (strlen(entry->d_name) > strlen(last) ||
		     strcmp(entry->d_name, last) > 0))
			snprintf(last, sizeof(last), "%s", entry->d_name);
	if (folder)
		closedir(folder);
	if (*last)
		text_format(path, "%s/%s", source->folder, last);
	return *last;
}

static void open_source(struct region_source *source)
{
	struct text path = {0};
	struct trm_error *error;

	if (source->tried)
		return;
	source->tried = true;
	if (find_spool(source, &path)) {
		error = context_process_init(&source->process, path.data);
		source->known = !error;
		trm_error_destroy(error);
	}
	text_deinit(&path);
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
