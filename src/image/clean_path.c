#include "image/clean_path.h"

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Takes the last folder off; keeps "/" and what begins with "..". */
static bool take_folder_off(struct text *path)
{
	const char *slash = path->length ? strrchr(path->data, '/') : NULL;
	const char *last = slash ? slash + 1 : path->data;

	if (!path->length || !strcmp(last, ".."))
		return false;
	path->length = slash ? (size_t)(slash - path->data) : 0;
	path->data[path->length] = '\0';
	return true;
}

static void add_parts(struct text *path, const char *parts, bool absolute)
{
	while (*parts) {
		size_t length = strcspn(parts, "/");
		bool up = length == 2 && !memcmp(parts, "..", 2);

		if (!length || (length == 1 && *parts == '.') ||
		    (up && (take_folder_off(path) || absolute))) {
			parts += length + (parts[length] == '/');
			continue;
		}
		if (path->length || absolute)
			text_add(path, "/");
		text_add_bytes(path, parts, length);
		parts += length + (parts[length] == '/');
	}
}

static bool begins_with_folder(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return !strncmp(path, folder, length) && path[length] == '/';
}

char *image_clean_path(const char *folder, const char *path)
{
	struct text text = {0};
	bool absolute = *path == '/';

	/* With a relative folder, compilers may have put that in front already. */
	if (!absolute && folder &&
	    (*folder == '/' || !begins_with_folder(path, folder))) {
		absolute = *folder == '/';
		add_parts(&text, folder, absolute);
	}
	add_parts(&text, path, absolute);
	if (!text.length)
		text_add(&text, absolute ? "/" : ".");
	return text.data;
}
