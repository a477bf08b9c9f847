/*
 * Reading files of labels: see labels.h.
 */
#ifndef TRAMMEL_TOOL_LABELS_READ_H
#define TRAMMEL_TOOL_LABELS_READ_H

#include "tool/labels.h"

/* Reads a file; errors have its name and the line. The caller deinits the labels. */
struct trm_error *labels_read(const char *path, struct labels *ret_labels);

/* As labels_read, of `size` bytes in memory; `name` is for messages. */
struct trm_error *labels_read_memory(const char *name, const char *bytes, size_t size,
				     struct labels *ret_labels);

#endif
