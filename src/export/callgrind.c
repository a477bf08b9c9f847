/*
 * The format of callgrind: for each function its costs by line, or by instruction, and
 * the calls from there with what they cost with all that they led to. One part a file;
 * all numbers of a line are there, also those that are 0; `events` ends the head: readers
 * need all three.
 *
 * Source: valgrind's manual, "Callgrind Format Specification"
 */
#include "base/array.h"
#include "base/cleanup.h"
#include "export/costs.h"
#include "export/formats.h"
#include "export/places.h"
#include "report/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A jump, or a branch with its ways. */
struct jump {
	uint32_t frame;
	uint64_t from, to;
	uint64_t count, executed; /* executed: 0: it is no conditional branch */
};

struct writing {
	struct export_view *view;
	struct export_out *out;
	const struct export_options *options;
	struct export_costs costs;
	/* Names that were written: they have numbers from 1 on. */
	struct string_table objects, files, functions;
	struct table module_by_name; /* hash of file and name: module + 1; 0: several */
	struct VECTOR(struct jump) jumps; /* by frame */
};

/* Adds "KEY=(number)", and the name when it is new. */
static void add_name(struct writing *writing, const char *key, struct string_table *names,
		     const char *name)
{
	size_t known = names->count;
	uint32_t number = string_table_intern(names, name) + 1;

	text_format(&writing->out->text, "%s=(%" PRIu32 ")", key, number);
	if (number > known) {
		text_add(&writing->out->text, " ");
		export_add_escaped(&writing->out->text, name, "");
	}
	text_add(&writing->out->text, "\n");
}

/* callgrind_annotate takes the current folder from the front of some names and not of
 * others: none of them begins with it. */
static void add_file(struct writing *writing, const char *key, const char *file)
{
	struct text name = {0};

	text_format(&name, "%s%s", *file == '/' ? "/." : "", *file ? file : "???");
	add_name(writing, key, &writing->files, name.data);
	text_deinit(&name);
}

static void add_object(struct writing *writing, const char *key,
		       const struct export_frame *frame)
{
	const char *path = export_module_path(writing->view, frame);

	add_name(writing, key, &writing->objects, *path ? path : "???");
}

static uint64_t hash_name(const struct export_frame *frame)
{
	const uint64_t key[] = {frame->file ? hash_bytes(frame->file, strlen(frame->file))
					    : 0,
				hash_bytes(frame->name, strlen(frame->name))};

	return hash_bytes(key, sizeof(key));
}

/* Readers take functions of one name in one file for the same. */
static void find_names(struct writing *writing)
{
	vector_for_each (&writing->view->frames, frame) {
		bool made;
		uint64_t *module =
			table_insert(&writing->module_by_name, hash_name(frame), &made);

		if (made)
			*module = (uint64_t)frame->module + 1;
		else if (*module != (uint64_t)frame->module + 1)
			*module = 0;
	}
}

static void add_function(struct writing *writing, const char *key,
			 const struct export_frame *frame)
{
	uint64_t module = 0;
	struct text name = {0};

	text_add(&name, frame->name);
	table_find(&writing->module_by_name, hash_name(frame), &module);
	if (!module)
		text_format(&name, " [%s]", export_module_name(writing->view, frame));
	add_name(writing, key, &writing->functions, name.data);
	text_deinit(&name);
}

static void add_place(struct writing *writing, uint64_t address, uint32_t line)
{
	if (writing->options->addresses)
		text_format(&writing->out->text, "0x%" PRIx64 " ", address);
	text_format(&writing->out->text, "%" PRIu32, line);
}

/* Adds a call and what it cost; `rows` are those of one place and callee. */
static void add_call(struct writing *writing, const struct export_cost *rows,
		     size_t count)
{
	const struct export_frame *callee = &writing->view->frames.items[rows->callee];
	struct text *text = &writing->out->text;
	/* How often is known of calls that were counted; samples tell that there were
	 * some. */
	uint64_t calls = rows->type == EXPORT_NONE ? rows->value : 0;

	if (export_type_find(writing->view, EXPORT_CALLS) == EXPORT_NONE)
		calls = 1;
	add_object(writing, "cob", callee);
	add_file(writing, "cfi", callee->file ? callee->file : "");
	add_function(writing, "cfn", callee);
	text_format(text, "calls=%" PRIu64 " ", calls);
	add_place(writing, callee->offset, callee->line);
	text_add(text, "\n");
	add_place(writing, rows->address, rows->line);
	export_costs_add(text, writing->view, rows, count);
	text_add(text, "\n");
}

/* The line of an address in a frame, in the file that the reader is told of. */
static uint32_t line_at(struct writing *writing, uint32_t frame, uint64_t address,
			const char **ret_file)
{
	const struct export_node node = {EXPORT_NONE, frame, address};
	uint32_t line;

	export_line_of(writing->view, &node, ret_file, &line);
	return line;
}

static void add_jump(struct writing *writing, const struct jump *jump)
{
	struct text *text = &writing->out->text;
	const char *file, *to_file;
	uint32_t line = line_at(writing, jump->frame, jump->from, &file);
	uint32_t to_line = line_at(writing, jump->frame, jump->to, &to_file);

	add_file(writing, "fi", file ? file : "");
	if (to_file && file && strcmp(file, to_file) != 0)
		add_file(writing, "jfi", to_file);
	if (jump->executed)
		text_format(text, "jcnd=%" PRIu64 "/%" PRIu64 " ", jump->count,
			    jump->executed);
	else
		text_format(text, "jump=%" PRIu64 " ", jump->count);
	add_place(writing, jump->to, to_line);
	text_add(text, "\n");
	add_place(writing, jump->from, line);
	text_add(text, "\n");
}

/* Adds all of one frame: `count` rows from `rows` on. */
static void add_frame(struct writing *writing, size_t first, size_t end, size_t *jump)
{
	const struct export_cost *rows = writing->costs.rows.items;
	const uint32_t number = rows[first].frame;
	const struct export_frame *frame = &writing->view->frames.items[number];
	uint32_t file = export_costs_file(&writing->costs, frame->file);

	text_add(&writing->out->text, "\n");
	add_object(writing, "ob", frame);
	add_file(writing, "fl", frame->file ? frame->file : "");
	add_function(writing, "fn", frame);
	for (size_t i = first, same; i < end; i += same) {
		same = export_costs_same(&writing->costs, i);
		if (rows[i].file != file)
			add_file(writing, "fi",
				 writing->costs.files.strings[rows[i].file]);
		file = rows[i].file;
		if (rows[i].callee != EXPORT_NONE) {
			add_call(writing, rows + i, same);
			continue;
		}
		add_place(writing, rows[i].address, rows[i].line);
		export_costs_add(&writing->out->text, writing->view, rows + i, same);
		text_add(&writing->out->text, "\n");
	}
	for (;
	     *jump < writing->jumps.count && writing->jumps.items[*jump].frame <= number;
	     ++*jump)
		if (writing->jumps.items[*jump].frame == number)
			add_jump(writing, &writing->jumps.items[*jump]);
}

COMPARE_BY_TWO(compare_jumps, struct jump, frame, from);

/* Edges that code takes by a jump. Those of one block stand together. */
static void find_jumps(struct writing *writing)
{
	const struct report_edge *edges = writing->view->profile->edges.items;
	size_t count = writing->view->profile->edges.count;

	for (size_t i = 0, end; i < count; i = end) {
		uint64_t executed = 0;

		for (end = i; end < count && edges[end].function == edges[i].function &&
			      edges[end].from == edges[i].from;
		     end++)
			executed = export_sum(executed, edges[end].count);
		for (size_t k = i; k < end; k++)
			if (edges[k].count && edges[k].to &&
			    strcmp(edges[k].kind, "next") != 0)
				vector_push(
					&writing->jumps,
					((struct jump){export_frame_of(writing->view,
								       edges[k].function),
						       edges[k].address, edges[k].to,
						       edges[k].count,
						       end - i > 1 ? executed : 0}));
	}
	if (writing->jumps.count)
		qsort(writing->jumps.items, writing->jumps.count,
		      sizeof(*writing->jumps.items), compare_jumps);
}

static void add_head(struct writing *writing)
{
	struct text *text = &writing->out->text;
	const struct report_run *run = &writing->view->profile->runs.items[0];
	const char *command = report_run_text(run, "run.command");

	text_add(text, "# callgrind format\nversion: 1\ncreator: trammel " TRAMMEL_VERSION
		       "\npid: 0\ncmd: ");
	if (*command)
		export_add_escaped(text, command, "");
	text_add(text, "\npart: 1\n");
	vector_for_each (&writing->view->types, type) {
		scoped_free char *name = export_cost_name(type);

		text_format(text, "desc: type %s %s ", name, type->unit);
		export_add_escaped(text, type->name, "");
		text_add(text, "\n");
	}
	if (export_type_find(writing->view, EXPORT_CALLS) == EXPORT_NONE)
		text_add(text, "desc: numbers of calls are not known\n");
	text_format(text, "positions: %s\nevents:",
		    writing->options->addresses ? "instr line" : "line");
	vector_for_each (&writing->view->types, type) {
		scoped_free char *name = export_cost_name(type);

		text_format(text, " %s", name);
	}
	text_add(text, "\n");
}

static void add_body(struct writing *writing)
{
	const struct export_cost *rows = writing->costs.rows.items;
	size_t count = writing->costs.rows.count, jump = 0;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && rows[end].frame == rows[i].frame; end++)
			;
		add_frame(writing, i, end, &jump);
		export_out_drain(writing->out);
	}
	text_add(&writing->out->text, "\ntotals:");
	export_costs_add_totals(&writing->out->text, writing->view);
	text_add(&writing->out->text, "\n");
}

struct trm_error *export_callgrind(struct export_view *view,
				   const struct export_options *options,
				   struct export_out *out)
{
	struct writing writing = {.view = view, .out = out, .options = options};
	uint32_t type;

	TRM_TRY(export_choose_type(view, options, &type));
	export_costs_init(&writing.costs, view, options->addresses, true);
	find_names(&writing);
	if (options->jumps)
		find_jumps(&writing);
	add_head(&writing);
	add_body(&writing);
	export_costs_deinit(&writing.costs);
	string_table_deinit(&writing.objects);
	string_table_deinit(&writing.files);
	string_table_deinit(&writing.functions);
	table_deinit(&writing.module_by_name);
	vector_deinit(&writing.jumps);
	return NULL;
}
