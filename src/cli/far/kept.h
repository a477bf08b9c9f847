/* The folder of files by build id: modules/ID/file, .../debug, and .../from, which says
 * where they come from. */
#ifndef TRAMMEL_CLI_FAR_KEPT_H
#define TRAMMEL_CLI_FAR_KEPT_H

#include <stdbool.h>

/* Where a file is. */
struct kept_origin {
	char *host, *command; /* see struct far_way; NULL: none */
	char *path;           /* there */
};

/* Notes where the file of a build id is. */
void kept_note(const char *build_id, const struct kept_origin *origin);

/* Writes where it is, which kept_origin_deinit frees; false: nobody noted it. */
bool kept_origin(const char *build_id, struct kept_origin *ret_origin);
void kept_origin_deinit(struct kept_origin *origin);

/* Returns the path of a file, or its debug information, if it is kept; else NULL. The
 * caller frees it. */
char *kept_find(const char *build_id, bool debug);

/* Returns the path that it is to be written to; the caller frees it. */
char *kept_path(const char *build_id, bool debug);

/* Notes that there is none, and tells whether that was noted. */
void kept_note_missing(const char *build_id, bool debug);
bool kept_is_missing(const char *build_id, bool debug);

/* Deletes the least recently used files while all have more than 2 GiB, or are more than
 * 4096 build ids. */
void kept_prune(void);

#endif
