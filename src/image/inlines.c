#include "image/inlines.h"

#include "image/libdw.h"
#include "image/units.h"

#include <dwarf.h>
#include <string.h>

enum {
	DEPTH_MAX = 128, /* of scopes and blocks in each other: more is damage */
	ATTRIBUTE_DISCRIMINATOR =
		0x2136, /* DW_AT_GNU_discriminator, which dwarf.h lacks */
};

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
	bool other; /* a unit was compiled by another compiler than LLVM's */
};

static uint32_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	if (libdw.dwarf_formudata(libdw.dwarf_attr_integrate(die, name, &attribute),
				  &number) ||
	    number > UINT32_MAX)
		return 0;
	return (uint32_t)number;
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					     DW_AT_name};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		Dwarf_Attribute attribute;
		const char *name = libdw.dwarf_formstring(
			libdw.dwarf_attr_integrate(die, names[i], &attribute));

		if (name)
			return name;
	}
	return NULL;
}

/* The scope's code. False if it has none. */
static bool add_ranges(struct reading *reading, Dwarf_Die *die, uint32_t scope,
		       uint32_t depth)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	bool any = false;

	while ((offset = libdw.dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		if (end <= start || !image_bytes_at(reading->image, start, end - start))
			continue; /* of a function that the linker has left out */
		vector_push(&reading->ranges, ((struct range){start, end, scope, depth}));
		any = true;
	}
	return any;
}

/* Makes the scope of a function, or of one put into `parent`; INLINES_NONE if it has no
 * code or no name. */
static uint32_t add_scope(struct reading *reading, Dwarf_Die *die, uint32_t parent,
			  uint32_t depth)
{
	struct image_inlines *inlines = reading->inlines;
	uint32_t scope = (uint32_t)inlines->scopes.count;
	const char *name = name_of(die);

	if (!name || !add_ranges(reading, die, scope, depth))
		return INLINES_NONE;
	vector_push(&inlines->scopes,
		    ((struct image_scope){
			    .name = string_table_intern(&inlines->names, name),
			    .line = number_of(die, DW_AT_decl_line),
			    .parent = parent,
		    }));
	if (parent != INLINES_NONE) {
		inlines->scopes.items[scope].call = (struct image_site){
			number_of(die, DW_AT_call_line),
			number_of(die, ATTRIBUTE_DISCRIMINATOR),
		};
	}
	return scope;
}

/* What is in a unit, a namespace, a function or a block of one. */
static void see_children(struct reading *reading, Dwarf_Die *die, uint32_t scope,
			 uint32_t depth)
{
	Dwarf_Die child;

	if (depth == DEPTH_MAX || libdw.dwarf_child(die, &child))
		return;
	do {
		int tag = libdw.dwarf_tag(&child);
		uint32_t inner = scope;

		if (tag == DW_TAG_subprogram)
			inner = add_scope(reading, &child, INLINES_NONE, depth);
		else if (tag == DW_TAG_inlined_subroutine && scope != INLINES_NONE)
			inner = add_scope(reading, &child, scope, depth);
		else if (tag != DW_TAG_lexical_block && tag != DW_TAG_namespace &&
			 tag != DW_TAG_class_type && tag != DW_TAG_structure_type)
			continue;
		/* Without a scope of its own it is part of what is around it. */
		if (inner == INLINES_NONE && tag == DW_TAG_inlined_subroutine)
			inner = scope;
		see_children(reading, &child, inner, depth + 1);
	} while (!libdw.dwarf_siblingof(&child, &child));
}

static void add_stretch(struct reading *reading, uint64_t start, uint64_t end,
			struct image_site site)
{
	if (site.line && end > start &&
	    image_bytes_at(reading->image, start, end - start))
		vector_push(&reading->inlines->stretches,
			    ((struct image_stretch){start, end, site}));
}

/* A row of the table of lines holds up to the next one. */
static void see_lines(struct reading *reading, Dwarf_Die *unit)
{
	struct image_site site = {0};
	Dwarf_Addr start = 0, address;
	Dwarf_Lines *lines;
	size_t count;

	if (libdw.dwarf_getsrclines(unit, &lines, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *row = libdw.dwarf_onesrcline(lines, i);
		unsigned int discriminator = 0;
		bool ends;
		int line;

		if (!row || libdw.dwarf_lineaddr(row, &address) ||
		    libdw.dwarf_lineno(row, &line) ||
		    libdw.dwarf_lineendsequence(row, &ends))
			continue;
		add_stretch(reading, start, address, site);
		libdw.dwarf_linediscriminator(row, &discriminator);
		start = address;
		site = (struct image_site){0};
		if (!ends && line > 0)
			site = (struct image_site){(uint32_t)line, discriminator};
	}
}

static bool is_llvm(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	const char *producer = libdw.dwarf_formstring(
		libdw.dwarf_attr(unit, DW_AT_producer, &attribute));

	return producer && (strstr(producer, "clang") || strstr(producer, "LLVM"));
}

static void see_unit(void *context, Dwarf_Die *unit, Dwarf_Die *root)
{
	struct reading *reading = context;
	size_t before = reading->inlines->scopes.count;

	see_children(reading, root, INLINES_NONE, 0);
	see_lines(reading, unit);
	if (reading->inlines->scopes.count > before && !is_llvm(root))
		reading->other = true;
}

/* Outer ranges first. */
static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return (a->scope > b->scope) - (a->scope < b->scope);
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
	struct trm_error *error = image_each_unit(image, see_unit, &reading);

	if (!error && !inlines->scopes.count)
		error = trm_error_create(TRM_ERROR_UNSUPPORTED, "no debug information");
	if (error) {
		image_inlines_deinit(inlines);
	} else {
		make_parts(&reading);
		inlines->stretches.count =
			units_untangle(inlines->stretches.items, inlines->stretches.count,
				       sizeof(*inlines->stretches.items));
		inlines->llvm = !reading.other;
	}
	vector_deinit(&reading.ranges);
	return error;
}

void image_inlines_deinit(struct image_inlines *inlines)
{
	string_table_deinit(&inlines->names);
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
