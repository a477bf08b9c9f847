#include "tool/find.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/vector.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <trammel/tool.h>

struct folders VECTOR(char *);

/* Where trammel is installed, and where it was built. */
static void add_own_folders(struct folders *folders)
{
	static const char *const places[] = {"../analysis", TRAMMEL_TOOLS_FROM_PROGRAMS};
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length <= 0)
		return;
	own[length] = '\0';
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < array_count(places); i++) {
		struct text folder = {0};

		if (*places[i] == '/')
			text_format(&folder, "%s", places[i]);
		else
			text_format(&folder, "%s/%s", own, places[i]);
		vector_push(folders, folder.data);
	}
}

static void find_folders(struct folders *folders)
{
	const char *path = getenv("TRAMMEL_TOOL_PATH");
	scoped_free char *copy = memory_copy_string(path ? path : "");
	char *rest = copy, *word;

	while ((word = strsep(&rest, ":")))
		if (*word)
			vector_push(folders, memory_copy_string(word));
	add_own_folders(folders);
}

static void deinit_folders(struct folders *folders)
{
	vector_for_each (folders, folder)
		free(*folder);
	vector_deinit(folders);
}

static int is_tool(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 3 && !strcmp(entry->d_name + length - 3, ".so");
}

/* The name of a tool that is nearest to one that is not there; empty: none is near. */
static void find_nearest(const struct folders *folders, const char *name,
			 struct text *ret_name)
{
	vector_for_each (folders, folder) {
		struct dirent **entries;
		int count = scandir(*folder, &entries, is_tool, alphasort);

		for (int i = 0; i < count; i++) {
			char *other = entries[i]->d_name;

			other[strlen(other) - 3] = '\0';
			if (text_is_near(name, other) &&
			    (!ret_name->length ||
			     text_distance(name, other) <
				     text_distance(name, ret_name->data))) {
				text_deinit(ret_name);
				text_format(ret_name, "%s", other);
			}
			free(entries[i]);
		}
		if (count >= 0)
			free(entries);
	}
}

static struct trm_error *complain_missing(const struct folders *folders, const char *name)
{
	struct text nearest = {0};
	struct trm_error *error;

	find_nearest(folders, name, &nearest);
	if (!access(name, R_OK))
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no tool '%s': a file has a slash in its name: "
					 "./%s",
					 name, name);
	else if (nearest.length)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no tool '%s': did you mean '%s'? trammel tool "
					 "list shows all",
					 name, nearest.data);
	else
		error = trm_error_create(
			TRM_ERROR_USAGE,
			"no tool '%s': trammel tool list shows all; a file "
			"has a slash in its name: ./%s",
			name, name);
	text_deinit(&nearest);
	return error;
}

struct trm_error *tool_find(const char *name, char **ret_path)
{
	struct folders folders = {0};
	char *found = strchr(name, '/') ? memory_copy_string(name) : NULL;

	find_folders(&folders);
	for (size_t i = 0; !found && i < folders.count; i++) {
		struct text path = {0};

		text_format(&path, "%s/%s.so", folders.items[i], name);
		if (!access(path.data, R_OK))
			found = memory_copy_string(path.data);
		text_deinit(&path);
	}
	struct trm_error *error = found ? NULL : complain_missing(&folders, name);

	deinit_folders(&folders);
	if (!error)
		*ret_path = found;
	return error;
}

/* Its table is looked at, and nothing of it is called. */
static void list_tool(const char *folder, const char *file, struct text *out)
{
	struct text path = {0};
	const struct trammel_tool *table;
	void *object;

	text_format(&path, "%s/%s", folder, file);
	object = dlopen(path.data, RTLD_LAZY | RTLD_LOCAL);
	table = object ? dlsym(object, "trammel_tool") : NULL;
	if (table && table->version == TRAMMEL_TOOL_VERSION &&
	    table->size == sizeof(*table)) {
		text_format(out, "%-12.*s  ", (int)(strlen(file) - 3), file);
		for (const char *at = table->about; at && *at; at++)
			if (*at == '\n')
				text_format(out, "\n%14s", "");
			else
				text_format(out, "%c", *at);
		text_format(out, "\n");
	}
	if (object)
		dlclose(object);
	text_deinit(&path);
}

void tool_find_list(struct text *out)
{
	struct folders folders = {0};

	find_folders(&folders);
	vector_for_each (&folders, folder) {
		struct dirent **entries;
		int count = scandir(*folder, &entries, is_tool, alphasort);

		for (int i = 0; i < count; i++) {
			list_tool(*folder, entries[i]->d_name, out);
			free(entries[i]);
		}
		if (count >= 0)
			free(entries);
	}
	deinit_folders(&folders);
}
