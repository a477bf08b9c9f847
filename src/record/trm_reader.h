/* Reading profiles of any kind. */
#ifndef TRAMMEL_RECORD_TRM_READER_H
#define TRAMMEL_RECORD_TRM_READER_H

#include "record/record.h"

/*
 * Reads a profile ("-": from standard input) into `model` (attributes and nodes are added
 * to what it has, so several files can be read into one). A torn or damaged tail ends the
 * reading with a warning in `ret_warning` (NULL if there is none; free() it); records
 * before it are kept. Errors: the file cannot be read, is not a profile, or was written
 * by a later format version.
 *
 * Files of LLNL's Caliper are read too, told apart by their first bytes:
 * .cali (record/cali.h) and json-split (record/split.h). In these an invalid line or row
 * is left out; the warning names the first.
 */
struct trm_error *trm_read(const char *path, struct record_model *model,
			   const struct trm_visitor *visitor, char **ret_warning);
/* Reads a profile from memory. `name` is used in messages. */
struct trm_error *trm_read_memory(const void *bytes, size_t size, const char *name,
				  struct record_model *model,
				  const struct trm_visitor *visitor, char **ret_warning);

#endif
