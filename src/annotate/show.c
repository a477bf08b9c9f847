/* Listings of functions. */
#include "annotate/show.h"

#include "annotate/annotation.h"
#include "annotate/memory.h"
#include "annotate/trips.h"
#include "annotate/values.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/search.h"
#include "report/edges.h"
#include "report/samples.h"
#include "report/json/parts.h"
#include "report/text/amounts.h"
#include "report/text/grid.h"
#include "report/text/head.h"
#include "report/text/samples.h"
#include "x86/decode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One instruction, as text. */
struct line {
	uint64_t address;
	size_t size;
	char text[DISASSEMBLE_TEXT_MAX];
	struct text target; /* the name of what it leads to; empty if it has none */
	const struct image_place *place; /* NULL: not known, or not asked for */
};

/* What the functions below need; `source` holds one file of the source. */
struct listing {
	const struct annotation *annotation;
	const struct annotation_options *options;
	struct text *out;
	struct grid grid;
	struct image_place place; /* of the line shown last */
	uint32_t source_file;     /* plus 1: whose text is in `source` */
	struct VECTOR(char *) source;
	struct trips trips;
	struct report_edge *edges;     /* of the function, by block; NULL: not counted */
	size_t edge_count, edge;       /* the next block's first one */
	struct report_sample *samples; /* of the function, by address; NULL: none taken */
	size_t sample_count;
	struct report_values values; /* of its instructions */
	bool with_values;            /* there are any */
};

static const struct image_place *place_of(const struct image_rows *rows, uint64_t address)
{
	size_t index;

	if (!rows)
		return NULL;
	index = image_rows_from(rows, address);
	if (index == rows->rows.count || rows->rows.items[index].start > address)
		return NULL;
	return &rows->rows.items[index].place;
}

/* Reads the instruction at the address, which must not reach over `end`. */
static void read_line(const struct annotation *annotation,
		      const struct annotation_options *options, uint64_t address,
		      uint64_t end, struct line *line)
{
	const uint8_t *bytes = annotation->bytes + (address - annotation->address);
	struct instruction instruction;

	line->address = address;
	line->size =
		disassemble(options->syntax, bytes, end - address, address, line->text);
	line->place = place_of(options->rows, address);
	line->target.length = 0;
	text_add(&line->target, "");
	if (decode_instruction(bytes, end - address, address, &instruction) &&
	    instruction.target)
		annotation_add_name(annotation, instruction.target, &line->target);
}

static void add_empty(struct grid *grid, size_t count)
{
	while (count--)
		grid_add_text(grid, "");
}

static void forget_source(struct listing *listing)
{
	vector_for_each (&listing->source, line)
		free(*line);
	listing->source.count = 0;
}

/* Reads a file of the source, if it is there. */
static void read_source(struct listing *listing, uint32_t file)
{
	const char *path = listing->options->rows->files.strings[file];
	size_t capacity = 0;
	char *line = NULL;
	ssize_t length;
	FILE *stream;

	if (listing->source_file == file + 1)
		return;
	forget_source(listing);
	listing->source_file = file + 1;
	stream = fopen(path, "re");
	if (!stream)
		return;
	while ((length = getline(&line, &capacity, stream)) >= 0) {
		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		for (char *c = line; *c; c++)
			if (*c == '\t')
				*c = ' ';
		vector_push(&listing->source, memory_copy_string(line));
	}
	free(line);
	fclose(stream);
}

/* The samples of a function in [start, end). */
static struct report_sampled samples_in(const struct report_sample *samples, size_t count,
					uint64_t start, uint64_t end)
{
	struct report_sampled sum = {0};

	for (size_t i = search_first(count, at, samples[at].address < start);
	     i < count && samples[i].address < end; i++) {
		sum.samples += samples[i].samples;
		sum.events += samples[i].events;
	}
	return sum;
}

static bool tells_each(const struct listing *listing)
{
	return listing->samples && listing->annotation->counted;
}

/* In a profile of samples or values alone nobody counted. */
static bool has_counts(const struct listing *listing)
{
	return listing->annotation->counted ||
	       (!listing->samples && !listing->with_values);
}

static void add_sample_columns(struct listing *listing)
{
	if (!listing->samples)
		return;
	grid_add_column(&listing->grid, "Samples", true);
	grid_add_column(&listing->grid, "Share", true);
	if (tells_each(listing))
		grid_add_column(&listing->grid, "Each", true);
}

/* Of one instruction: what an execution of it took follows from its block's count. */
static void add_samples(struct listing *listing, const struct line *line, uint64_t count)
{
	const struct annotation *annotation = listing->annotation;
	struct report_sampled sum;
	struct text each = {0};

	if (!listing->samples)
		return;
	sum = samples_in(listing->samples, listing->sample_count, line->address,
			 line->address + line->size);
	if (sum.samples) {
		grid_add_number(&listing->grid, sum.samples);
		grid_add_share(&listing->grid, sum.samples,
			       annotation->function->samples);
	} else {
		add_empty(&listing->grid, 2);
	}
	if (!tells_each(listing))
		return;
	report_add_each(&each, annotation->profile, sum.samples, sum.events, count);
	grid_add_text(&listing->grid, each.data);
	text_deinit(&each);
}

/* A row with nothing but a text, which is freed. */
static void add_heading(struct listing *listing, struct text *cell)
{
	grid_paint_row(&listing->grid, GRID_GREEN);
	add_empty(&listing->grid, 1 + (listing->samples ? 2u : 0) + tells_each(listing) +
					  (has_counts(listing) ? 2 : 0));
	grid_add_text(&listing->grid, cell->data);
	add_empty(&listing->grid, (listing->edges ? 1u : 0) + listing->with_values);
	text_deinit(cell);
}

/* "file.c:12  text of the line" */
static void add_place(struct listing *listing, const struct image_place *place)
{
	const char *path = listing->options->rows->files.strings[place->file];
	const char *name = path_name(path);
	struct text cell = {0};

	if (place->file == listing->place.file && place->line == listing->place.line)
		return;
	listing->place = *place;
	read_source(listing, place->file);
	text_format(&cell, "%s:%" PRIu32, name, place->line);
	if (place->line <= listing->source.count)
		text_format(&cell, "  %s", listing->source.items[place->line - 1]);
	add_heading(listing, &cell);
}

static void add_numbers(struct listing *listing, const struct annotation_block *block,
			uint64_t instructions)
{
	const struct annotation *annotation = listing->annotation;

	if (!has_counts(listing))
		return;
	if (!annotation->counted) {
		add_empty(&listing->grid, 2);
		return;
	}
	grid_add_number(&listing->grid, block->count);
	grid_add_share(&listing->grid, block->count * instructions,
		       block->count ? annotation->function->instructions : 0);
}

static uint64_t count_instructions(const struct annotation *annotation,
				   const struct annotation_block *block)
{
	const uint8_t *bytes = annotation->bytes + (block->address - annotation->address);
	struct instruction instruction;
	uint64_t count = 0;

	for (size_t at = 0; at < block->size; count++)
		at += decode_instruction(bytes + at, block->size - at,
					 block->address + at, &instruction)
			      ? instruction.length
			      : 1;
	return count;
}

/* "loop: 3 entries, 50 iterations (16.7 each), 80.0 %" in front of its header */
static void add_loop(struct listing *listing, const struct trip *trip)
{
	struct text cell = {0};

	text_add(&cell, "loop");
	if (trip->depth > 1)
		text_format(&cell, " in %" PRIu32, trip->depth - 1);
	text_add(&cell, ": ");
	trips_describe(trip, listing->annotation, &cell);
	add_heading(listing, &cell);
}

/* Names where an edge leads. */
static void add_target(struct listing *listing, const struct report_edge *edge,
		       struct text *cell)
{
	if (edge->to)
		annotation_add_name(listing->annotation, edge->to, cell);
	else
		text_add(cell, "outside");
}

/* "taken 12 of 30 (40.0 %)" for the two ways of a condition, and for a switch the ways
 * that were taken: "+0x20 12, +0x50 18". */
static void add_ways(struct listing *listing, const struct report_edge *edges,
		     size_t count, struct text *cell)
{
	uint64_t total = 0, taken = 0;

	for (size_t i = 0; i < count; i++) {
		total += edges[i].count;
		if (strcmp(edges[i].kind, "next") != 0)
			taken += edges[i].count;
	}
	if (strcmp(edges[0].kind, "switch") != 0 &&
	    strcmp(edges[count - 1].kind, "switch") != 0) {
		text_add(cell, "taken ");
		text_add_grouped(cell, taken);
		text_add(cell, " of ");
		text_add_grouped(cell, total);
		if (total)
			text_format(cell, " (%.1f %%)",
				    100.0 * (double)taken / (double)total);
		return;
	}
	for (size_t i = 0, shown = 0; i < count; i++) {
		if (!edges[i].count)
			continue;
		text_add(cell, shown++ ? ", " : "");
		add_target(listing, &edges[i], cell);
		text_add(cell, " ");
		text_add_grouped(cell, edges[i].count);
	}
}

/* The edges of a block, which come in the order of the blocks. */
static const struct report_edge *edges_of(const struct report_edge *edges, size_t count,
					  size_t *first, uint64_t block,
					  size_t *ret_count)
{
	size_t at = *first;

	while (at < count && edges[at].from < block)
		at++;
	*first = at;
	*ret_count = 0;
	while (at + *ret_count < count && edges[at + *ret_count].from == block)
		++*ret_count;
	return edges + at;
}

static void add_branch(struct listing *listing, const struct annotation_block *block)
{
	struct text cell = {0};
	size_t count;
	const struct report_edge *edges =
		edges_of(listing->edges, listing->edge_count, &listing->edge,
			 block->address, &count);

	text_add(&cell, "");
	if (count > 1 && !edges[0].open)
		add_ways(listing, edges, count, &cell);
	grid_add_text(&listing->grid, cell.data);
	text_deinit(&cell);
}

/* What the instruction read and left most. */
static void add_values(struct listing *listing, const struct line *line)
{
	struct text cell = {0};

	if (!listing->with_values)
		return;
	text_add(&cell, "");
	annotation_values_add(&listing->values, listing->annotation, line->address,
			      &cell);
	grid_add_text(&listing->grid, cell.data);
	text_deinit(&cell);
}

static void add_block(struct listing *listing, const struct annotation_block *block)
{
	const struct annotation *annotation = listing->annotation;
	uint64_t end = block->address + block->size;
	struct line line = {.address = block->address};
	struct text cell = {0};

	vector_for_each (&listing->trips.loops, trip)
		if (&annotation->blocks.items[trip->header] == block)
			add_loop(listing, trip);
	for (; line.address < end; line.address += line.size) {
		read_line(annotation, listing->options, line.address, end, &line);
		if (line.place)
			add_place(listing, line.place);
		grid_paint_row(&listing->grid, annotation->counted && !block->count
						       ? GRID_RED
						       : GRID_PLAIN);
		add_samples(listing, &line, block->count);
		if (line.address == block->address)
			add_numbers(listing, block,
				    count_instructions(annotation, block));
		else if (has_counts(listing))
			add_empty(&listing->grid, 2);
		cell.length = 0;
		text_format(&cell, "%" PRIx64, line.address);
		grid_add_text(&listing->grid, cell.data);
		cell.length = 0;
		text_add(&cell, line.text);
		if (line.target.length)
			text_format(&cell, "  <%s>", line.target.data);
		grid_add_text(&listing->grid, cell.data);
		if (listing->edges && line.address + line.size == end)
			add_branch(listing, block);
		else if (listing->edges)
			add_empty(&listing->grid, 1);
		add_values(listing, &line);
	}
	text_deinit(&cell);
	text_deinit(&line.target);
}

/* Without a graph, and without counts, there are none. */
static void find_loops(const struct annotation *annotation, struct trips *trips)
{
	struct routes routes;
	struct trm_error *error =
		annotation->counted ? routes_init(&routes, annotation) : NULL;

	if (!annotation->counted)
		return;
	if (!error)
		trips_init(trips, annotation, &routes);
	trm_error_destroy(error);
	vector_deinit(&routes);
}

static void add_head(const struct annotation *annotation, const struct memory_sums *sums,
		     struct text *out)
{
	const struct report_function *function = annotation->function;

	report_add_visible(out, function->name);
	text_add(out, "\n  ");
	report_add_visible(out, annotation->module->path);
	text_format(out, ", 0x%" PRIx64 ", ", function->offset);
	report_add_count(out, annotation->size, "byte", "bytes");
	text_add(out, "\n  ");
	if (function->samples) {
		report_add_count(out, function->samples, "sample", "samples");
		text_format(out, " (%.1f %% of all)%s",
			    100.0 * (double)function->samples /
				    (double)annotation->profile->events.items[0].selected,
			    annotation->counted ? ", " : "\n");
	}
	if (function->samples && !annotation->counted)
		return;
	if (!function->calls && function->valued && !annotation->counted) {
		text_add(out, "values, without counts\n");
		return;
	}
	report_add_count(out, function->calls, "call", "calls");
	if (!annotation->counted) {
		text_add(out, ", without counts of blocks\n");
		return;
	}
	text_add(out, ", ");
	report_add_count(out, function->instructions, "instruction", "instructions");
	text_format(out, " (%.1f %% of all)\n",
		    annotation->profile->instructions
			    ? 100.0 * (double)function->instructions /
				      (double)annotation->profile->instructions
			    : 0.0);
	text_add(out, "  ");
	memory_describe(sums, out);
	text_add(out, "\n");
}

/* The code of the function, or of a cold part of it. */
static void add_code(const struct annotation *annotation,
		     const struct annotation_options *options, struct text *out)
{
	struct listing listing = {
		.annotation = annotation, .options = options, .out = out};

	if (annotation->with_edges)
		listing.edges = report_function_edges(
			annotation->profile, annotation->function, &listing.edge_count);
	if (annotation->part) {
		text_format(out, "\n  cold part, 0x%" PRIx64 ", ", annotation->address);
		report_add_count(out, annotation->size, "byte", "bytes");
		text_add(out, "\n");
	}
	if (annotation->function->samples)
		listing.samples = report_samples_within(
			annotation->profile, annotation->function, &listing.sample_count);
	find_loops(annotation, &listing.trips);
	listing.with_values = annotation_values_init(&listing.values, annotation);
	add_sample_columns(&listing);
	if (has_counts(&listing)) {
		grid_add_column(&listing.grid, "Count", true);
		grid_add_column(&listing.grid, "Share", true);
	}
	grid_add_column(&listing.grid, "Address", true);
	grid_add_column(&listing.grid, "Instruction", false);
	if (listing.edges)
		grid_add_column(&listing.grid, "Branch", false);
	if (listing.with_values)
		grid_add_column(&listing.grid, "Values", false);
	vector_for_each (&annotation->blocks, block)
		add_block(&listing, block);
	text_add(out, "\n");
	grid_print(&listing.grid, &(struct text_style){options->colour, options->width},
		   out);
	grid_deinit(&listing.grid);
	forget_source(&listing);
	vector_deinit(&listing.source);
	trips_deinit(&listing.trips);
	report_values_deinit(&listing.values);
	free(listing.edges);
	free(listing.samples);
}

void annotation_text(struct annotation *annotation,
		     const struct annotation_options *options, struct text *out)
{
	const struct annotation whole = *annotation;
	struct memory_sums sums = {0};
	struct text code = {0};

	do {
		vector_for_each (&annotation->blocks, block)
			memory_add_block(&sums, annotation, block);
		add_code(annotation, options, &code);
	} while (annotation_next(annotation));
	add_head(&whole, &sums, out);
	text_add(out, code.data);
	text_deinit(&code);
}

/* All of the function. */
struct json_counts {
	struct report_edge *rows; /* NULL: they were not counted */
	size_t count;
	struct report_sample *samples; /* NULL: none were taken */
	size_t sample_count;
	struct report_values values;
};

static void add_json_samples(const struct json_counts *rows, uint64_t start, uint64_t end,
			     struct text *out)
{
	const struct report_sampled sum =
		samples_in(rows->samples, rows->sample_count, start, end);

	if (!sum.samples)
		return;
	json_add_number(out, "samples", sum.samples);
	json_add_number(out, "sample.events", sum.events);
}

static void add_json_edges(const struct report_edge *edges, size_t count,
			   struct text *out)
{
	json_add_key(out, "edges");
	text_add(out, "[");
	for (size_t i = 0; i < count; i++) {
		text_add(out, i ? ", {" : "{");
		json_add_string(out, "edge.kind", edges[i].kind);
		if (edges[i].to)
			json_add_address(out, "edge.to", edges[i].to);
		if (!edges[i].open)
			json_add_number(out, "count", edges[i].count);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_json_block(const struct annotation *annotation,
			   const struct annotation_options *options,
			   const struct annotation_block *block,
			   const struct json_counts *counts, struct text *out)
{
	size_t first = 0, count = 0;
	uint64_t end = block->address + block->size;
	struct line line = {.address = block->address};

	json_begin_item(out);
	json_add_address(out, "block", block->address);
	json_add_number(out, "block.size", block->size);
	json_add_number(out, "block.instructions", count_instructions(annotation, block));
	if (annotation->counted) {
		struct memory_sums sums = {0};

		memory_add_block(&sums, annotation, block);
		json_add_number(out, "count", block->count);
		memory_add_json(&sums, out);
	}
	add_json_samples(counts, block->address, end, out);
	if (counts->rows) {
		const struct report_edge *rows = edges_of(counts->rows, counts->count,
							  &first, block->address, &count);

		add_json_edges(rows, count, out);
	}
	json_add_key(out, "code");
	text_add(out, "[");
	for (; line.address < end; line.address += line.size) {
		read_line(annotation, options, line.address, end, &line);
		text_add(out, line.address == block->address ? "\n    {" : ",\n    {");
		json_add_address(out, "address", line.address);
		json_add_string(out, "text", line.text);
		json_add_string(out, "target", line.target.data);
		add_json_samples(counts, line.address, line.address + line.size, out);
		annotation_values_json(&counts->values, annotation, line.address, out);
		if (line.place) {
			json_add_string(out, "file",
					options->rows->files.strings[line.place->file]);
			json_add_number(out, "line", line.place->line);
		}
		text_add(out, "}");
	}
	text_add(out, "]}");
	text_deinit(&line.target);
}

static void add_json_loops(const struct annotation *annotation, struct text *out)
{
	struct trips trips = {0};

	find_loops(annotation, &trips);
	vector_for_each (&trips.loops, trip) {
		json_begin_item(out);
		trips_add_json(&trips, trip, annotation, out);
		text_add(out, "}");
	}
	trips_deinit(&trips);
}

void annotation_json(struct annotation *annotation,
		     const struct annotation_options *options, struct text *out)
{
	const struct report_function *function = annotation->function;
	struct json_counts counts = {0};
	struct text loops = {0};

	if (annotation->with_edges)
		counts.rows = report_function_edges(annotation->profile, function,
						    &counts.count);
	if (function->samples)
		counts.samples = report_samples_within(annotation->profile, function,
						       &counts.sample_count);
	annotation_values_init(&counts.values, annotation);
	text_add(out, "{");
	json_add_string(out, "module", annotation->module->name);
	json_add_place(out, annotation->module->path, function);
	json_add_number(out, "size", annotation->size);
	json_add_number(out, "calls", function->calls);
	if (function->samples)
		json_add_number(out, "samples", function->samples);
	if (annotation->counted)
		json_add_number(out, "instructions", function->instructions);
	json_begin_list(out, "blocks");
	json_begin_list(&loops, "loops");
	do {
		vector_for_each (&annotation->blocks, block)
			add_json_block(annotation, options, block, &counts, out);
		add_json_loops(annotation, &loops);
	} while (annotation_next(annotation));
	text_add(out, "]");
	if (annotation->counted)
		text_format(out, "%s]", loops.data);
	text_add(out, "}\n");
	text_deinit(&loops);
	report_values_deinit(&counts.values);
	free(counts.rows);
	free(counts.samples);
}
