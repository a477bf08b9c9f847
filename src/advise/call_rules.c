#include "advise/call_rules.h"

#include "advise/places.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/table.h"
#include "image/find.h"
#include "report/arcs.h"
#include "report/demangle.h"
#include "report/runs.h"
#include "report/text/amounts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool call_rules_can_sites(const struct advice *advice)
{
	return advice->profile->arcs.count > 0;
}

bool call_rules_can_calls(const struct advice *advice)
{
	return !advice->profile->coverage && advice->profile->calls > 0;
}

bool call_rules_can_functions(const struct advice *advice)
{
	return advice->profile->executed > 0 && report_has_measured_code(advice->profile);
}

/* Small functions that are called most from one place. */

enum {
	CALL_INSTRUCTIONS = 4, /* of call, return, and what is moved for them */
	SMALL_INSTRUCTIONS = 20,
	SMALL_BYTES = 96,
	CALLS_LEAST = 1000,
};

/* Of each function: all its calls, and the place that most of them come from. */
struct callers {
	uint64_t all;
	const struct report_arc *best; /* NULL: none */
};

static struct callers *sum_callers(const struct report_profile *profile,
				   const struct report_arc *arcs, size_t count)
{
	struct callers *callers =
		memory_allocate_zeroed(profile->functions.count + 1, sizeof(*callers));

	for (size_t i = 0; i < count; i++) {
		struct callers *of = &callers[arcs[i].function];

		of->all += arcs[i].count;
		if (arcs[i].caller != REPORT_UNKNOWN &&
		    (!of->best || arcs[i].count > of->best->count))
			of->best = &arcs[i];
	}
	return callers;
}

/* Instructions of a call where they were counted, else bytes of its code; 0: neither is
 * known. */
static bool is_small(const struct advice *advice, const struct report_function *function,
		     struct text *evidence)
{
	const struct image *image;
	size_t index;

	if (function->blocks && function->calls) {
		const double each =
			(double)function->instructions / (double)function->calls;

		text_format(evidence, "%.1f instructions a call", each);
		return each <= SMALL_INSTRUCTIONS;
	}
	image = advice_image(advice, function->module);
	index = image ? image_function_at(image, function->offset) : 0;
	if (!image || index == image->functions.count)
		return false;
	text_format(evidence, "%" PRIu64 " bytes of code",
		    image->functions.items[index].size);
	return image->functions.items[index].size <= SMALL_BYTES;
}

static void add_site(const struct advice *advice, const struct report_arc *arc,
		     struct text *out)
{
	text_add(out, report_arc_caller(advice->profile, arc));
	text_add(out, " ");
	advice_add_line(advice, arc->caller_module, arc->site, out);
	text_format(out, " (0x%" PRIx64 ")", arc->site);
}

static void look_at_callers(struct advice *advice, const struct advice_rule *rule,
			    const struct callers *of)
{
	const struct report_arc *arc = of->best;
	const struct report_function *function =
		&advice->profile->functions.items[arc->function];
	struct advice_case found = {
		.module = function->module,
		.function = function->name,
		.address = function->offset,
	};

	if (arc->count < CALLS_LEAST || arc->count * 10 < of->all * 8 ||
	    arc->caller == arc->function || arc->caller_module != function->module ||
	    (strcmp(arc->kind, "direct") != 0 && strcmp(arc->kind, "plt") != 0) ||
	    !is_small(advice, function, &found.evidence)) {
		text_deinit(&found.evidence);
		return;
	}
	found.share = advice_part(advice, CALL_INSTRUCTIONS * (double)arc->count);
	found.confidence = found.share >= 2 ? ADVICE_HIGH : ADVICE_MEDIUM;
	text_add(&found.evidence, "; ");
	text_add_grouped(&found.evidence, arc->count);
	text_add(&found.evidence, " of its ");
	text_add_grouped(&found.evidence, of->all);
	text_add(&found.evidence, " calls come from ");
	add_site(advice, arc, &found.evidence);
	advice_add(advice, rule, &found);
}

void rule_inline(struct advice *advice, const struct advice_rule *rule)
{
	size_t count;
	scoped_free struct report_arc *arcs =
		report_profile_arcs(advice->profile, &(struct report_arc_filter){0},
				    REPORT_SORT_CALLS, true, &count);
	scoped_free struct callers *callers = sum_callers(advice->profile, arcs, count);

	for (size_t i = 0; i < advice->profile->functions.count; i++)
		if (callers[i].best)
			look_at_callers(advice, rule, &callers[i]);
}

/* Exceptions that are no exceptions. */

enum { THROWS_LEAST = 1000, THROW_INSTRUCTIONS = 2000 };

static bool is_throw(const struct report_function *function)
{
	static const char *const names[] = {"__cxa_throw", "__cxa_rethrow"};

	for (size_t i = 0; i < array_count(names); i++)
		if (!strcmp(function->name, names[i]))
			return true;
	return false;
}

/* What throws, unwinds and catches. */
static bool is_unwinding(const struct report_profile *profile,
			 const struct report_function *function)
{
	static const char *const begins[] = {"__cxa_", "_Unwind_", "__gxx_personality",
					     "_dl_find_object", "dl_iterate_phdr"};
	const char *module = profile->modules.items[function->module].name;

	if (!strncmp(module, "libgcc_s.", 9))
		return true;
	for (size_t i = 0; i < array_count(begins); i++)
		if (!strncmp(function->name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

/* The caller that threw most; NULL where that was not counted. The arcs are those of all
 * callers. */
static const struct report_arc *most_throwing(const struct report_profile *profile,
					      const struct report_arc *arcs, size_t count)
{
	const struct report_arc *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (arcs[i].caller != REPORT_UNKNOWN &&
		    is_throw(&profile->functions.items[arcs[i].function]) &&
		    (!best || arcs[i].count > best->count))
			best = &arcs[i];
	return best;
}

static double unwinding_share(const struct advice *advice, uint64_t throws)
{
	double share = 0;

	if (!advice->profile->instructions && !advice->profile->samples.count)
		return -1;
	vector_for_each (&advice->profile->functions, function)
		if (is_unwinding(advice->profile, function))
			share += advice_part_of(advice, function);
	/* Where the unwinder's blocks are not counted (--only), by what it takes. */
	if (share < 1 && advice->profile->instructions)
		share = advice_part(advice, THROW_INSTRUCTIONS * (double)throws);
	return share;
}

void rule_exceptions(struct advice *advice, const struct advice_rule *rule)
{
	const struct report_profile *profile = advice->profile;
	struct advice_case found = {.module = REPORT_NONE};
	uint64_t throws = 0;
	size_t count;

	vector_for_each (&profile->functions, function)
		throws += is_throw(function) ? function->calls : 0;
	if (throws < THROWS_LEAST)
		return;
	scoped_free struct report_arc *arcs = report_profile_arcs(
		profile, &(struct report_arc_filter){0}, REPORT_SORT_CALLS, true, &count);
	const struct report_arc *best = most_throwing(profile, arcs, count);

	found.share = unwinding_share(advice, throws);
	found.confidence = found.share >= 5 ? ADVICE_HIGH : ADVICE_MEDIUM;
	text_add_grouped(&found.evidence, throws);
	text_add(&found.evidence, " exceptions were thrown");
	if (best) {
		const struct report_function *caller =
			&profile->functions.items[best->caller];

		found.module = caller->module;
		found.function = caller->name;
		found.address = best->site;
		text_add(&found.evidence, ", ");
		text_add_grouped(&found.evidence, best->count);
		text_add(&found.evidence, " of them here");
	} else {
		text_add(&found.evidence, "; where: measure with -m calls, too");
	}
	advice_add(advice, rule, &found);
}

/* Functions that nobody calls. */

static void add_executed(struct table *executed, const struct report_profile *profile,
			 uint32_t module)
{
	vector_for_each (&profile->functions, function)
		if (function->module == module && function->executed)
			table_insert(executed, function->offset, NULL);
}

/* Whether the image's code or data refer to each function: a bit each. */
static void refer_to(const struct image *image, uint64_t address, uint8_t *referred)
{
	size_t index;

	if (address - image->base >= image->end - image->base)
		return;
	index = image_function_at(image, address);
	if (index < image->functions.count)
		referred[index] = 1;
}

/* Each four bytes of code that could be a distance or an address, and each eight bytes of
 * data that could be an address: too much at most, and never too little. Files that can
 * lie anywhere have relocations for their addresses. */
static void read_references(const struct image *image,
			    const struct image_segment *segment, uint8_t *referred)
{
	const bool fixed = image->type == IMAGE_EXECUTABLE;
	const uint8_t *bytes = image->bytes + segment->file_offset;

	for (uint64_t at = 0; at + 4 <= segment->file_size; at++) {
		uint32_t word;
		uint64_t address;

		memcpy(&word, bytes + at, sizeof(word));
		if (segment->executable) {
			/* 0: what fills up the space in front of a function. */
			if (word)
				refer_to(image,
					 segment->address + at + 4 +
						 (uint64_t)(int32_t)word,
					 referred);
			if (fixed)
				refer_to(image, word, referred);
		} else if (fixed && at + 8 <= segment->file_size) {
			memcpy(&address, bytes + at, sizeof(address));
			refer_to(image, address, referred);
		}
	}
}

static uint8_t *find_referred(const struct image *image)
{
	uint8_t *referred = memory_allocate_zeroed(image->functions.count + 1, 1);

	for (size_t i = 0; i < image->functions.count; i++)
		referred[i] = (image->functions.items[i].flags &
			       (IMAGE_FUNCTION_REFERENCED | IMAGE_FUNCTION_IFUNC |
				IMAGE_FUNCTION_COLD_PART)) != 0;
	vector_for_each (&image->segments, segment)
		read_references(image, segment, referred);
	return referred;
}

struct unused {
	uint64_t known, executed, bytes, dead, dead_bytes;
	struct text names; /* of the largest that nothing refers to */
	size_t named;
};

enum { NAMES_SHOWN = 5 };

/* The compiler's own, which every program has. */
static bool is_of_compiler(const char *name)
{
	static const char *const names[] = {"_start",
					    "_init",
					    "_fini",
					    "frame_dummy",
					    "register_tm_clones",
					    "deregister_tm_clones",
					    "__do_global_dtors_aux",
					    "_dl_relocate_static_pie",
					    "__libc_csu_init",
					    "__libc_csu_fini",
					    ""};

	for (size_t i = 0; i < array_count(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int compare_sizes(const void *left, const void *right)
{
	const struct image_function *a = *(const struct image_function *const *)left;
	const struct image_function *b = *(const struct image_function *const *)right;

	return compare_numbers(b->size, a->size)
		       ?: compare_numbers(a->address, b->address);
}

static void add_unused(const struct advice *advice, uint32_t module,
		       const struct image *image, struct unused *unused)
{
	scoped_free uint8_t *referred = find_referred(image);
	struct VECTOR(const struct image_function *) dead = {0};
	struct table executed = {0};

	add_executed(&executed, advice->profile, module);
	for (size_t i = 0; i < image->functions.count; i++) {
		const struct image_function *row = &image->functions.items[i];

		if (!(row->flags & IMAGE_FUNCTION_SYMBOL) ||
		    is_of_compiler(image->names.items + row->name))
			continue;
		unused->known++;
		if (table_find(&executed, row->address, NULL)) {
			unused->executed++;
			continue;
		}
		unused->bytes += row->size;
		if (referred[i] || (row->flags & IMAGE_FUNCTION_EXPORTED))
			continue;
		unused->dead++;
		unused->dead_bytes += row->size;
		vector_push(&dead, row);
	}
	if (dead.count)
		qsort(dead.items, dead.count, sizeof(*dead.items), compare_sizes);
	for (; unused->named < dead.count && unused->named < NAMES_SHOWN;
	     unused->named++) {
		const char *linked = image->names.items + dead.items[unused->named]->name;
		scoped_free char *name = report_demangle(linked);

		text_format(&unused->names, "%s%s", unused->named ? ", " : "",
			    name ? name : linked);
	}
	vector_deinit(&dead);
	table_deinit(&executed);
}

void rule_unused(struct advice *advice, const struct advice_rule *rule)
{
	for (uint32_t i = 0; i < advice->profile->modules.count; i++) {
		const struct report_module *module = &advice->profile->modules.items[i];
		const struct image *image = advice_is_own(advice, i) && module->functions
						    ? advice_image(advice, i)
						    : NULL;
		struct advice_case found = {
			.module = i, .share = -1, .confidence = ADVICE_HIGH};
		struct unused unused = {0};

		if (!image)
			continue;
		add_unused(advice, i, image, &unused);
		if (unused.dead) {
			report_add_count(&found.evidence, unused.dead, "function",
					 "functions");
			text_add(&found.evidence, " (");
			text_add_grouped(&found.evidence, unused.dead_bytes);
			text_format(&found.evidence,
				    " bytes) that nothing in the file refers to: %s%s; "
				    "%" PRIu64 " of %" PRIu64 " functions were executed",
				    unused.names.data,
				    unused.dead > unused.named ? ", ..." : "",
				    unused.executed, unused.known);
			advice_add(advice, rule, &found);
		}
		text_deinit(&unused.names);
	}
}
