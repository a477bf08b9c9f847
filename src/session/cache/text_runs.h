/*
 * Selection of the bytes of a patched text that are written over the program's: few
 * runs of pages that contain all bytes in which it differs from the original, so that
 * writing takes few system calls.
 */
#ifndef TRAMMEL_SESSION_CACHE_TEXT_RUNS_H
#define TRAMMEL_SESSION_CACHE_TEXT_RUNS_H

#include "session/cache/module_file.h"

/* Runs collected while a text is compared. */
struct text_runs VECTOR(struct module_run);

/* Notes the pages in which `size` bytes of a text's part, from `offset` on in it,
 * differ; pieces come in the order of their offsets, and begin with whole pages. */
void text_runs_note(struct text_runs *runs, const uint8_t *patched,
		    const uint8_t *original, uint64_t offset, uint64_t size);

/* Stores the collected runs in the text, joined to MODULE_RUNS at most, and frees
 * `runs`. */
void text_runs_take(struct text_runs *runs, struct module_text *text);

/* Finds the runs of a whole text whose patched bytes exist already. */
void text_runs_find(const struct module_file *file, struct module_text *text);

#endif
