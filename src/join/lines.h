/*
 * Lines of the source by modules' paths, from their files.
 */
#ifndef TRAMMEL_JOIN_LINES_H
#define TRAMMEL_JOIN_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct join_lines;

/* Opens nothing yet. */
struct join_lines *join_lines_create(void);
void join_lines_destroy(struct join_lines *lines);

/* Finds the line of an address in the module at a path, if that has the build id ("": any
 * will do) and debug information. `ret_file` lives as long as the lines. */
bool join_line_find(struct join_lines *lines, const char *path, const char *build_id,
		    uint64_t address, const char **ret_file, uint64_t *ret_line);

#endif
