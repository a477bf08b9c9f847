/*
 * Passes that label points from another process, a Python one mostly
 * (src/python/trammel/labels.py): it asks by lines, and gets a line for each.
 *
 *     module         {"path": "/usr/bin/prog", ..., "functions": 12}   is told first
 *     next           the next function with its code, as JSON; null: there is none
 *     label KIND WHERE FUNCTION NUMBER [VALUE, ...]   the label's id
 *     kind NAME VALUES                                the kind's number
 *     done           the module is labelled; no answer
 *
 * FUNCTION is the number of one that was told; NUMBER that of an instruction ("before",
 * "after") or edge ("edge") in it, 0 of the "entry". Values are integers and strings. An
 * answer that begins with "!" says what is wrong.
 */
#ifndef TRAMMEL_TOOL_PASS_H
#define TRAMMEL_TOOL_PASS_H

#include "tool/tool.h"

#include <stdio.h>

/* Opens the pass at the other ends of two files as a tool that has only label(). There
 * is one at a time. The caller closes it by tool_close, and the files. */
struct tool *pass_open(FILE *in, FILE *out);

#endif
