/*
 * Summaries of labels: control flow with the ids of points, for those who read what
 * analysis routines wrote.
 */
#ifndef TRAMMEL_TOOL_SUMMARY_H
#define TRAMMEL_TOOL_SUMMARY_H

#include "base/error.h"
#include "base/text.h"
#include "tool/labels.h"

enum summary_format { SUMMARY_TEXT, SUMMARY_JSON, SUMMARY_DOT };

/* Adds the summary of all labels, of functions whose names match `only` (a shell pattern;
 * NULL: all). Opens the modules' files. Errors: those of image_open; TRM_ERROR_FORMAT if
 * a file is another build than the one that was labelled. */
struct trm_error *summary_write(const struct labels *labels, const char *only,
				enum summary_format format, struct text *out);

#endif
