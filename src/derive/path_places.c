#include "derive/path_places.h"

#include "annotate/annotation.h"
#include "base/cleanup.h"
#include "derive/path_graph.h"
#include "image/contents.h"
#include "image/open.h"
#include "x86/length.h"

#include <stdlib.h>

void path_codes_init(struct path_codes *codes, const struct report_profile *profile)
{
	*codes = (struct path_codes){profile,
				     memory_allocate_zeroed(profile->modules.count + 1,
							    sizeof(*codes->items))};
}

void path_codes_deinit(struct path_codes *codes)
{
	for (size_t i = 0; i < codes->profile->modules.count; i++) {
		if (codes->items[i].lines)
			image_rows_deinit(&codes->items[i].rows);
		if (codes->items[i].image)
			image_close(codes->items[i].image);
	}
	free(codes->items);
}

const struct path_code *path_codes_of(struct path_codes *codes, uint32_t module)
{
	struct path_code *code = &codes->items[module];
	struct trm_error *error;

	if (code->module)
		return code;
	code->module = &codes->profile->modules.items[module];
	error = annotation_open_image(code->module, &code->image);
	if (error) {
		trm_error_destroy(error);
		code->image = NULL;
		return code;
	}
	error = image_rows_init(&code->rows, code->image);
	code->lines = !error;
	trm_error_destroy(error);
	return code;
}

bool path_places_next(const char **blocks, uint64_t *ret_distance)
{
	char *end;

	if (!**blocks)
		return false;
	*ret_distance = strtoull(*blocks, &end, 16);
	if (end == *blocks)
		return false;
	*blocks = *end ? end + 1 : end;
	return true;
}

/* The bytes from an address up to the first branch, or to `end`. */
static uint64_t size_of_code(const struct path_code *code, uint64_t address, uint64_t end)
{
	enum { MOST = 4096 };
	uint64_t room = end - address < MOST ? end - address : MOST, at = 0;
	const uint8_t *bytes;

	/* Less of it is mapped at a segment's end. */
	while (!(bytes = image_bytes_at(code->image, address, room)) && room)
		room /= 2;
	while (at < room) {
		struct brief brief;

		if (!length_decode(bytes + at, room - at, &brief))
			break;
		at += brief.length;
		if (brief.kind == BRIEF_JUMP8 || brief.kind == BRIEF_JUMP32 ||
		    brief.kind == BRIEF_CONDITION8 || brief.kind == BRIEF_CONDITION32 ||
		    brief.kind == BRIEF_JUMP_INDIRECT || brief.kind == BRIEF_STOP)
			break;
	}
	return at;
}

uint64_t path_places_size(const struct hot_paths *paths, const struct path_code *code,
			  const struct hot_path *row, uint64_t distance)
{
	const struct report_profile *profile = paths->profile;
	const uint64_t address = row->path->part + distance;
	const struct report_path_graph *found;
	struct path_graph graph;
	uint64_t next;

	for (uint32_t i = 0; i < row->function->block_count; i++) {
		const struct report_block *block =
			&profile->blocks.items[row->function->first_block + i];

		if (block->address == address)
			return block->size;
	}
	/* It was never executed. */
	found = path_graph_find(profile, row->path->function, row->path->part);
	if (!code->image || !found)
		return 0;
	path_graph_init(&graph, found);
	next = path_graph_next(&graph, distance);
	path_graph_deinit(&graph);
	return size_of_code(code, address,
			    next == PATH_GRAPH_NONE ? UINT64_MAX
						    : row->path->part + next);
}

void path_places_code(const struct hot_paths *paths, const struct path_code *code,
		      const struct hot_path *row, uint64_t distance,
		      enum disassemble_syntax syntax,
		      void (*see)(struct text *out, uint64_t address, const char *text,
				  bool first),
		      struct text *out)
{
	const uint64_t address = row->path->part + distance,
		       size = path_places_size(paths, code, row, distance);
	const uint8_t *bytes =
		code->image ? image_bytes_at(code->image, address, size) : NULL;
	char line[DISASSEMBLE_TEXT_MAX];

	for (uint64_t at = 0; bytes && at < size;) {
		uint64_t here = at;

		at += disassemble(syntax, bytes + at, size - at, address + at, line);
		see(out, address + here, line, !here);
	}
}

void path_places_lines(const struct hot_paths *paths, const struct path_code *code,
		       const struct hot_path *row,
		       void (*see)(struct text *out, const char *file, uint32_t line,
				   bool same),
		       struct text *out)
{
	const char *blocks = row->path->blocks;
	struct image_place last = {0};
	uint64_t distance;
	bool first = true;

	while (code->lines && path_places_next(&blocks, &distance)) {
		uint64_t address = row->path->part + distance;
		uint64_t end = address + path_places_size(paths, code, row, distance);

		for (size_t i = image_rows_from(&code->rows, address);
		     i < code->rows.rows.count && code->rows.rows.items[i].start < end;
		     i++) {
			struct image_place place = code->rows.rows.items[i].place;

			if (!place.line || (!first && place.file == last.file &&
					    place.line == last.line))
				continue;
			see(out, code->rows.files.strings[place.file], place.line,
			    !first && place.file == last.file);
			last = place;
			first = false;
		}
	}
}
