#include "cli/far/modules.h"

#include "base/cleanup.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/far/bring.h"
#include "cli/far/debuginfod.h"
#include "cli/far/kept.h"
#include "image/lookup.h"
#include "report/load.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ways that failed, which are not tried twice in a process. */
static struct string_table failed;

/* Whether the file of a profile is to be had here. */
static bool is_here(const struct report_module *module)
{
	char own[IMAGE_BUILD_ID_TEXT];

	return image_file_build_id(module->path, own) && !strcmp(own, module->build_id);
}

void far_modules_note(const struct far_way *way, const char *name, const char *profile)
{
	struct report_profile *loaded;
	struct trm_error *error = report_profile_load_short(profile, &loaded);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	vector_for_each (&loaded->modules, module) {
		const struct kept_origin origin = {
			.host = (char *)(uintptr_t)name,
			.command = (char *)(uintptr_t)way->command,
			.path = (char *)(uintptr_t)module->path};

		if (*module->build_id && *module->path == '/' && !is_here(module))
			kept_note(module->build_id, &origin);
	}
	report_profile_destroy(loaded);
}

static const char *name_of(const struct kept_origin *origin)
{
	return origin->host ? origin->host : origin->command;
}

static bool is_reachable(const struct kept_origin *origin)
{
	uint32_t number;

	return !string_table_find(&failed, name_of(origin), &number);
}

/* Has the file brought to `to`. */
static bool bring_file(const struct kept_origin *origin, const char *build_id, bool debug,
		       const char *to)
{
	const struct far_way way = {.hosts = origin->host, .command = origin->command};

	if (!debug)
		fprintf(stderr, "trammel: getting '%s' from %s\n", origin->path,
			name_of(origin));
	struct trm_error *error =
		far_bring(&way, origin->host, origin->path, build_id, debug, to);

	if (!error)
		return true;
	/* Most files have no debug information of their own. */
	if (debug && error->system_code == ENOENT)
		kept_note_missing(build_id, debug);
	else
		fprintf(stderr, "trammel: warning: cannot get '%s' from %s: %s\n",
			origin->path, name_of(origin), error->message);
	/* What is about this file says nothing about others. */
	if (!error->system_code && error->code != TRM_ERROR_LIMIT)
		string_table_intern(&failed, name_of(origin));
	trm_error_destroy(error);
	return false;
}

static char *find_there(const char *build_id, bool debug)
{
	struct kept_origin origin;
	char *path = kept_find(build_id, debug);

	if (path || !kept_origin(build_id, &origin))
		return path;
	if (!kept_is_missing(build_id, debug) && is_reachable(&origin)) {
		scoped_free char *to = kept_path(build_id, debug);

		if (bring_file(&origin, build_id, debug, to)) {
			kept_prune();
			path = kept_find(build_id, debug);
		}
	}
	kept_origin_deinit(&origin);
	return path;
}

/* Build ids come from profiles. */
static bool is_build_id(const char *id)
{
	const size_t length = strlen(id);

	return length >= 4 && length < IMAGE_BUILD_ID_TEXT &&
	       id[strspn(id, "0123456789abcdef")] == '\0';
}

static char *find_part(const char *build_id, const char *path, enum image_found_part part)
{
	(void)path;
	if (!is_build_id(build_id))
		return NULL;
	char *found = find_there(build_id, part != IMAGE_PART_FILE);

	/* Other debug information may know other functions than were measured. */
	if (!found && part != IMAGE_PART_SYMBOLS)
		found = debuginfod_find(build_id, part == IMAGE_PART_DEBUG);
	return found;
}

void far_modules_use(void)
{
	image_finder_set(find_part);
}
