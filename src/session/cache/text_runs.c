#include "session/cache/text_runs.h"

#include "base/page.h"
#include "session/cache/module_text.h"

#include <string.h>

/* A run of pages may be so much longer than the pages that differ in it. */
enum { NEAR = 4 * PAGE };

static uint64_t end_of(const struct module_run *run)
{
	return run->offset + run->size;
}

void text_runs_note(struct text_runs *runs, const uint8_t *patched,
		    const uint8_t *original, uint64_t offset, uint64_t size)
{
	for (uint64_t at = 0; at < size; at += PAGE) {
		uint64_t piece = size - at < PAGE ? size - at : PAGE;
		struct module_run *last =
			runs->count ? &runs->items[runs->count - 1] : NULL;

		if (!memcmp(patched + at, original + at, piece))
			continue;
		if (last && offset + at - end_of(last) <= NEAR)
			last->size = offset + at + piece - last->offset;
		else
			vector_push(runs, ((struct module_run){offset + at, piece}));
	}
}

/* The two that are nearest to each other become one. */
static void join_nearest(struct text_runs *runs)
{
	uint64_t least = UINT64_MAX;
	size_t nearest = 0;

	for (size_t i = 0; i + 1 < runs->count; i++) {
		uint64_t gap = runs->items[i + 1].offset - end_of(&runs->items[i]);

		if (gap < least) {
			least = gap;
			nearest = i;
		}
	}
	runs->items[nearest].size =
		end_of(&runs->items[nearest + 1]) - runs->items[nearest].offset;
	runs->count--;
	memmove(&runs->items[nearest + 1], &runs->items[nearest + 2],
		(runs->count - nearest - 1) * sizeof(*runs->items));
}

void text_runs_take(struct text_runs *runs, struct module_text *text)
{
	while (runs->count > MODULE_RUNS)
		join_nearest(runs);
	text->run_count = (uint32_t)runs->count;
	memset(text->runs, 0, sizeof(text->runs));
	if (runs->count)
		memcpy(text->runs, runs->items, runs->count * sizeof(*runs->items));
	vector_deinit(runs);
}

void text_runs_find(const struct module_file *file, struct module_text *text)
{
	const uint64_t size = module_text_part_available(file, text);
	const uint64_t at = text->file_offset + text->part_offset;
	struct text_runs runs = {0};

	text_runs_note(&runs, file->patched[text - file->texts], file->bytes + at, 0,
		       size);
	text_runs_take(&runs, text);
}
