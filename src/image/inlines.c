#include "image/inlines.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "image/dwarf/entry.h"
#include "image/dwarf/line.h"
#include "image/dwarf/ranges.h"
#include "image/units.h"

#include <string.h>

/* Code of a scope, with what is in it. */
struct range {
	uint64_t start, end;
	uint32_t scope;
	uint32_t depth;
};

struct reading {
	const struct image *image;
	struct image_inlines *inlines;
	struct VECTOR(struct range) ranges;
	uint32_t around[UNITS_DEPTH_MAX + 2]; /* by depth: the scope around entries */
	struct image_ranges code;             /* of the entry at hand */
	uint64_t start;                       /* where the last row begins */
	struct image_site site;               /* and its site */
	struct table files_seen; /* hash of a unit and its number of a file: ours + 1 */
	bool other;              /* a unit was compiled by another compiler than LLVM's */
};

/* The scope's code. False if it has none. */
static bool add_ranges(struct reading *reading, const struct dwarf_entry *entry,
		       uint32_t scope, uint32_t depth)
{
	bool any = false;

	dwarf_entry_ranges(entry, &reading->code);
	vector_for_each (&reading->code, range) {
		if (!units_is_code(reading->image, range->start, range->end))
			continue;
		vector_push(&reading->ranges,
			    ((struct range){range->start, range->end, scope, depth}));
		any = true;
	}
	return any;
}

/* Our number for the file that a function is declared in; INLINES_NONE if it is not
 * known. Number 0 was no file before version 5 of DWARF. */
static uint32_t file_of(struct reading *reading, const struct dwarf_entry *entry)
{
	struct dwarf_value value;
	struct dwarf_unit *unit;

	if (!dwarf_entry_find(entry, DWARF_DECL_FILE, &unit, &value) ||
	    (!value.number && unit->version < 5))
		return INLINES_NONE;
	const uint64_t key[] = {(uintptr_t)unit, value.number};
	uint64_t *number =
		table_insert(&reading->files_seen, hash_bytes(key, sizeof(key)), NULL);

	if (!*number) {
		scoped_free char *path = dwarf_unit_path(unit, value.number);

		if (!path)
			return INLINES_NONE;
		*number =
			1 + (uint64_t)string_table_intern(&reading->inlines->files, path);
	}
	return (uint32_t)(*number - 1);
}

/* Makes the scope of a function, or of one put into `parent`; INLINES_NONE if it has no
 * code or no name. */
static uint32_t add_scope(struct reading *reading, const struct dwarf_entry *entry,
			  uint32_t parent, uint32_t depth)
{
	struct image_inlines *inlines = reading->inlines;
	uint32_t scope = (uint32_t)inlines->scopes.count;
	const char *name;

	if (!add_ranges(reading, entry, scope, depth))
		return INLINES_NONE;
	name = dwarf_entry_linked_name(entry);
	if (!name) {
		while (reading->ranges.count &&
		       reading->ranges.items[reading->ranges.count - 1].scope == scope)
			reading->ranges.count--;
		return INLINES_NONE;
	}
	vector_push(&inlines->scopes,
		    ((struct image_scope){
			    .name = string_table_intern(&inlines->names, name),
			    .line = dwarf_entry_number(entry, DWARF_DECL_LINE),
			    .file = file_of(reading, entry),
			    .parent = parent,
		    }));
	if (parent != INLINES_NONE)
		inlines->scopes.items[scope].call = (struct image_site){
			dwarf_entry_number(entry, DWARF_CALL_LINE),
			dwarf_entry_number(entry, DWARF_DISCRIMINATOR),
		};
	return scope;
}

static bool see_entry(void *context, const struct dwarf_entry *entry, size_t depth)
{
	struct reading *reading = context;
	uint32_t scope = reading->around[depth], inner = scope;

	if (entry->tag == DW_TAG_subprogram)
		inner = add_scope(reading, entry, INLINES_NONE, (uint32_t)depth);
	else if (entry->tag == DW_TAG_inlined_subroutine && scope != INLINES_NONE)
		inner = add_scope(reading, entry, scope, (uint32_t)depth);
	/* Without a scope of its own it is part of what is around it. */
	if (inner == INLINES_NONE && entry->tag == DW_TAG_inlined_subroutine)
		inner = scope;
	reading->around[depth + 1] = inner;
	return true;
}

static void add_stretch(struct reading *reading, uint64_t start, uint64_t end,
			struct image_site site)
{
	if (site.line && units_is_code(reading->image, start, end))
		vector_push(&reading->inlines->stretches,
			    ((struct image_stretch){start, end, site}));
}

/* A row of the table of lines holds up to the next one. */
static void see_row(void *context, const struct dwarf_row *row)
{
	struct reading *reading = context;

	add_stretch(reading, reading->start, row->address, reading->site);
	reading->start = row->address;
	reading->site = (struct image_site){0};
	if (!row->end && row->line <= INT32_MAX && row->discriminator <= UINT32_MAX)
		reading->site = (struct image_site){(uint32_t)row->line,
						    (uint32_t)row->discriminator};
}

static bool is_llvm(struct dwarf_unit *unit)
{
	struct dwarf_entry root;
	const char *producer;

	dwarf_entry_read(unit, unit->first, &root);
	producer = dwarf_entry_string(&root, DWARF_PRODUCER);
	return producer && (strstr(producer, "clang") || strstr(producer, "LLVM"));
}

static void see_unit(void *context, struct dwarf_unit *unit, struct dwarf_unit *root)
{
	struct reading *reading = context;
	size_t before = reading->inlines->scopes.count;

	/* Other units may come to lie where those of split files were. */
	table_deinit(&reading->files_seen);
	reading->around[0] = INLINES_NONE;
	units_walk(root, see_entry, reading);
	reading->site = (struct image_site){0};
	dwarf_unit_rows(unit, see_row, reading);
	if (reading->inlines->scopes.count > before && !is_llvm(root))
		reading->other = true;
}

/* Outer ranges first. */
static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return compare_numbers(a->start, b->start)
		       ?: compare_numbers(b->end, a->end)
		       ?: compare_numbers(a->depth, b->depth)
		       ?: compare_numbers(a->scope, b->scope);
}

static void add_part(struct image_inlines *inlines, uint64_t start, uint64_t end,
		     uint32_t scope)
{
	if (end > start)
		vector_push(&inlines->parts, ((struct image_part){start, end, scope}));
}

/* Cuts ranges in each other into parts. One that reaches over the end of what it is in is
 * damage, and is cut off there. */
static void make_parts(struct reading *reading)
{
	struct VECTOR(struct range) open = {0};
	uint64_t at = 0;

	if (reading->ranges.count)
		qsort(reading->ranges.items, reading->ranges.count,
		      sizeof(*reading->ranges.items), compare_ranges);
	for (size_t i = 0; i <= reading->ranges.count; i++) {
		bool last = i == reading->ranges.count;
		struct range next = last ? (struct range){.start = UINT64_MAX}
					 : reading->ranges.items[i];

		while (open.count && open.items[open.count - 1].end <= next.start) {
			struct range *inner = &open.items[--open.count];

			add_part(reading->inlines, at, inner->end, inner->scope);
			at = inner->end > at ? inner->end : at;
		}
		if (last)
			break;
		if (open.count) {
			struct range *outer = &open.items[open.count - 1];

			add_part(reading->inlines, at, next.start, outer->scope);
			if (next.end > outer->end)
				next.end = outer->end;
		}
		at = next.start;
		vector_push(&open, next);
	}
	vector_deinit(&open);
}

struct trm_error *image_inlines_init(struct image_inlines *inlines,
				     const struct image *image)
{
	struct reading reading = {.image = image, .inlines = inlines};

	*inlines = (struct image_inlines){0};
	scoped_free char *lack = NULL;
	struct trm_error *error = image_each_unit(image, see_unit, &reading, &lack);

	if (!error && !inlines->scopes.count)
		error = trm_error_create(TRM_ERROR_UNSUPPORTED, "%s",
					 lack ? lack : "no debug information");
	if (error) {
		image_inlines_deinit(inlines);
	} else {
		make_parts(&reading);
		inlines->stretches.count =
			units_untangle(inlines->stretches.items, inlines->stretches.count,
				       sizeof(*inlines->stretches.items));
		inlines->llvm = !reading.other;
	}
	table_deinit(&reading.files_seen);
	vector_deinit(&reading.ranges);
	vector_deinit(&reading.code);
	return error;
}

void image_inlines_deinit(struct image_inlines *inlines)
{
	string_table_deinit(&inlines->names);
	string_table_deinit(&inlines->files);
	vector_deinit(&inlines->scopes);
	vector_deinit(&inlines->parts);
	vector_deinit(&inlines->stretches);
}

/* The item of a vector of disjoint ranges in order that has the address; NULL: none. */
#define FIND_AT(vector, address)                                                         \
	({                                                                               \
		size_t low_ = 0, high_ = (vector)->count;                                \
		while (low_ < high_) {                                                   \
			size_t middle_ = low_ + (high_ - low_) / 2;                      \
			if ((vector)->items[middle_].end <= (address))                   \
				low_ = middle_ + 1;                                      \
			else                                                             \
				high_ = middle_;                                         \
		}                                                                        \
		low_ < (vector)->count && (vector)->items[low_].start <= (address)       \
			? &(vector)->items[low_]                                         \
			: NULL;                                                          \
	})

uint32_t image_scope_at(const struct image_inlines *inlines, uint64_t address,
			struct image_site *ret_site)
{
	const struct image_part *part = FIND_AT(&inlines->parts, address);
	const struct image_stretch *stretch = FIND_AT(&inlines->stretches, address);

	if (!part || !stretch)
		return INLINES_NONE;
	*ret_site = stretch->site;
	return part->scope;
}
