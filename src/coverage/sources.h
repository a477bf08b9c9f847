/*
 * The source files on this machine. Only for the files of this folder.
 */
#ifndef TRAMMEL_COVERAGE_SOURCES_H
#define TRAMMEL_COVERAGE_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

enum source_kind {
	SOURCE_THERE,
	SOURCE_MISSING,   /* nothing that can be read has the name */
	SOURCE_GENERATED, /* it is not the name of a file, such as "<built-in>" */
};

struct source_file {
	enum source_kind kind;
	char *path;     /* absolute; owned */
	uint32_t lines; /* number of lines of an existing file; UINT32_MAX: not known */
};

/* Looks at a source file. A relative path is one in the current folder. */
void source_file_init(struct source_file *file, const char *path);
void source_file_deinit(struct source_file *file);

#endif
