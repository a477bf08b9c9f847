#include "advise/value_rules.h"

#include "advise/code.h"
#include "advise/places.h"
#include "base/array.h"
#include "report/blocks.h"
#include "report/probes.h"
#include "report/text/amounts.h"
#include "report/values.h"
#include "x86/all_operands.h"
#include "x86/insn_class.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	LOOKED_LEAST = 64,        /* values, to judge by */
	DIVIDE_INSTRUCTIONS = 15, /* what a division by a known number is faster by */
	COPY_INSTRUCTIONS = 12,   /* of a call of memcpy for a few bytes */
	COPIES_LEAST = 1000,
	COPY_BYTES_MOST = 256,
};
static const double same_least = 0.9;

static bool has_values(const struct report_profile *profile)
{
	vector_for_each (&profile->tool_tables, table)
		if (!strcmp(table->tool, "values"))
			return true;
	return false;
}

bool value_rules_can(const struct advice *advice)
{
	return has_values(advice->profile);
}

static bool is_copy(const char *name)
{
	static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp"};

	for (size_t i = 0; i < array_count(names); i++)
		if (advice_is_function(name, names[i]))
			return true;
	return false;
}

/* Whether a probe's points are calls of a function that copies: "libc.so.6:memcpy",
 * "app:memcpy@call". */
static bool is_copy_probe(const struct report_probe *probe)
{
	const char *colon = strrchr(probe->probe, ':');
	const char *name = colon ? colon + 1 : probe->probe, *at = strchr(name, '@');

	return is_copy(name) && (!at || !strcmp(at, "@call")) &&
	       (!strcmp(probe->kind, "top") || !strcmp(probe->kind, "hist") ||
		!strcmp(probe->kind, "count"));
}

bool value_rules_can_copies(const struct advice *advice)
{
	vector_for_each (&advice->profile->probes, probe)
		if (is_copy_probe(probe))
			return true;
	return has_values(advice->profile);
}

/* Values of one function's instructions, and the code of it. */
struct valued {
	struct advice *advice;
	const struct advice_rule *rule;
	const struct report_values *values;
	struct annotation annotation;
	struct routes routes;
	bool with_routes;
};

static const struct report_value *find_value(const struct valued *of, uint64_t at,
					     const char *kind, const char *what)
{
	const char *path = of->annotation.module->path;

	vector_for_each (&of->values->items, value)
		if (value->at == at && !strcmp(value->kind, kind) &&
		    !strcmp(value->what, what) && value->code.path &&
		    !strcmp(value->code.path, path))
			return value;
	return NULL;
}

/* The value of a register in front of an instruction, as the one that wrote it left it;
 * NULL: nobody looked at that. */
static const struct report_value *value_in_front(const struct valued *of, uint32_t block,
						 uint32_t index, int number)
{
	struct advice_origin origin = {.source = ADVICE_UNKNOWN};
	struct advice_instruction by;

	if (of->with_routes)
		origin = advice_origin_of(&of->annotation, &of->routes, block, index,
					  number);
	if (origin.source == ADVICE_UNKNOWN || origin.source == ADVICE_FIXED)
		return NULL;
	by = advice_instruction_at(&of->annotation, origin.index);
	return find_value(of, by.address, "result", all_operands_register_name(number));
}

static bool is_mostly_one(const struct report_value *value)
{
	return value && value->looked >= LOOKED_LEAST && value->top.count &&
	       report_value_invariance(value) >= same_least;
}

/* How often an instruction was executed, by its block's count; else 0. */
static uint64_t executed_at(const struct valued *of, uint32_t block)
{
	return of->annotation.counted ? of->annotation.blocks.items[block].count : 0;
}

static void add_value(const struct valued *of, uint32_t block, uint64_t at,
		      const struct report_value *value, const char *what,
		      int instructions)
{
	struct advice_case found = {
		.module = of->annotation.function->module,
		.function = of->annotation.function->name,
		.address = at,
		.share = -1,
		.confidence =
			value->looked >= 10 * LOOKED_LEAST ? ADVICE_HIGH : ADVICE_MEDIUM,
	};
	const uint64_t times = executed_at(of, block);

	if (times)
		found.share =
			advice_part(of->advice, (double)instructions * (double)times);
	text_format(&found.evidence, "%s was %" PRId64 " in %.1f %% of ", what,
		    value->top.items[0].value, 100 * report_value_invariance(value));
	report_add_count(&found.evidence, value->looked, "execution", "executions");
	text_add(&found.evidence, " that were looked at");
	if (times) {
		text_add(&found.evidence, "; executed ");
		text_add_grouped(&found.evidence, times);
		text_add(&found.evidence, " times");
	} else {
		text_add(&found.evidence,
			 "; how often it is executed: measure with -m blocks, too");
	}
	advice_add(of->advice, of->rule, &found);
}

/* The value by which an instruction divides; NULL: it does not divide, or nobody looked
 * at it. */
static const struct report_value *find_divisor(const struct valued *of, uint32_t block,
					       uint32_t index)
{
	const struct advice_instruction at =
		advice_instruction_at(&of->annotation, index);
	struct all_operands operands;
	const char *name;

	if (!all_operands_read(at.bytes, at.row->length, at.address, &operands))
		return NULL;
	name = insn_mnemonic_name(operands.mnemonic);
	if (strcmp(name, "div") != 0 && strcmp(name, "idiv") != 0)
		return NULL;
	if (operands.items[0].kind == ALL_OPERANDS_MEMORY)
		return find_value(of, at.address, "load", "memory");
	if (operands.items[0].kind != ALL_OPERANDS_REGISTER ||
	    operands.items[0].number >= ALL_OPERANDS_RIP)
		return NULL;
	return find_value(of, at.address, "divisor",
			  all_operands_register_name(operands.items[0].number))
		       ?: value_in_front(of, block, index, operands.items[0].number);
}

static void look_at_division(const struct valued *of, uint32_t block, uint32_t index)
{
	const struct report_value *value = find_divisor(of, block, index);

	if (is_mostly_one(value))
		add_value(of, block,
			  advice_instruction_at(&of->annotation, index).address, value,
			  "the divisor", DIVIDE_INSTRUCTIONS);
}

static void look_at_copy(const struct valued *of, uint32_t block, uint32_t index)
{
	enum { RDX = 2 };
	const struct advice_instruction at =
		advice_instruction_at(&of->annotation, index);
	const struct report_value *value;
	struct text name = {0};
	bool copies;

	if (at.row->kind != CFG_CALL && at.row->kind != CFG_CALL_INDIRECT &&
	    at.row->kind != CFG_JUMP)
		return;
	advice_add_callee(&of->annotation, &at, &name);
	copies = name.data && is_copy(name.data);
	text_deinit(&name);
	if (!copies)
		return;
	value = value_in_front(of, block, index, RDX);
	if (is_mostly_one(value) && value->top.items[0].value > 0 &&
	    value->top.items[0].value <= COPY_BYTES_MOST)
		add_value(of, block, at.address, value, "the size", COPY_INSTRUCTIONS);
}

static void look_at_instructions(const struct valued *of,
				 void (*look)(const struct valued *of, uint32_t block,
					      uint32_t index))
{
	const struct cfg *cfg = &of->annotation.cfg;

	for (uint32_t b = 0; b < cfg->blocks.count; b++)
		for (uint32_t i = 0; i < cfg->blocks.items[b].count; i++)
			look(of, b, cfg->blocks.items[b].first + i);
}

/* A function that the profile has values of; it may have no record of its own. */
static struct report_function function_of(const struct report_profile *profile,
					  const struct report_value *value,
					  uint32_t module)
{
	vector_for_each (&profile->functions, function)
		if (function->module == module && function->offset == value->code.offset)
			return *function;
	return (struct report_function){.module = module,
					.offset = value->code.offset,
					.name = value->code.function};
}

static void look_at_function(struct valued *of, const struct annotation_file *file,
			     const struct report_function *function,
			     void (*look)(const struct valued *of, uint32_t block,
					  uint32_t index))
{
	struct trm_error *error =
		annotation_init(&of->annotation, of->advice->profile, function, file);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	error = routes_init(&of->routes, &of->annotation);
	of->with_routes = !error;
	if (of->annotation.trouble == CFG_FINE)
		look_at_instructions(of, look);
	trm_error_destroy(error);
	vector_deinit(&of->routes);
	annotation_deinit(&of->annotation);
}

/* Of a module, each function with values, once. */
static void look_at_module(struct valued *of, uint32_t module,
			   void (*look)(const struct valued *of, uint32_t block,
					uint32_t index))
{
	const struct report_profile *profile = of->advice->profile;
	struct annotation_file file;
	struct table seen = {0};
	bool opened = false;

	vector_for_each (&of->values->items, value) {
		bool made;

		if (!value->code.path || !value->code.has_offset ||
		    strcmp(value->code.path, profile->modules.items[module].path) != 0)
			continue;
		if (!opened) {
			struct trm_error *error =
				annotation_open(&file, &profile->modules.items[module]);

			trm_error_destroy(error);
			if (error)
				break;
			opened = true;
		}
		table_insert(&seen, value->code.offset, &made);
		if (!made)
			continue;
		const struct report_function function =
			function_of(profile, value, module);

		look_at_function(of, &file, &function, look);
	}
	if (opened)
		annotation_close(&file);
	table_deinit(&seen);
}

static void look_at_values(struct advice *advice, const struct advice_rule *rule,
			   void (*look)(const struct valued *of, uint32_t block,
					uint32_t index))
{
	struct report_values values;
	struct valued of = {.advice = advice, .rule = rule, .values = &values};

	report_values_init(&values, advice->profile, &(struct report_values_choice){0});
	for (uint32_t i = 0; values.any && i < advice->profile->modules.count; i++)
		if (advice_is_own(advice, i))
			look_at_module(&of, i, look);
	report_values_deinit(&values);
}

void rule_division(struct advice *advice, const struct advice_rule *rule)
{
	look_at_values(advice, rule, look_at_division);
}

/* What a probe found of one size. */
struct size_count {
	int64_t low, high;
	uint64_t hits, most; /* in all, and of one key with this size */
	const char *key;     /* that one: what stands behind the size; "" */
};

struct sizes {
	struct VECTOR(struct size_count) items;
	uint64_t all;
};

static void add_size(struct sizes *sizes, const struct size_count *row)
{
	sizes->all += row->hits;
	vector_for_each (&sizes->items, size) {
		if (size->low != row->low || size->high != row->high)
			continue;
		size->hits += row->hits;
		if (row->hits > size->most) {
			size->most = row->hits;
			size->key = row->key;
		}
		return;
	}
	vector_push(&sizes->items, *row);
}

/* Sizes as keys ("64" or "64,caller"), or as rows of a histogram. Texts are the
 * profile's. */
static struct sizes sum_sizes(const struct report_profile *profile, uint32_t probe)
{
	size_t count;
	struct report_probe_count *rows = report_probe_counts(profile, probe, &count);
	struct sizes sizes = {0};

	for (size_t i = 0; i < count; i++) {
		struct size_count size = {.low = rows[i].low,
					  .high = rows[i].high,
					  .hits = rows[i].hits,
					  .most = rows[i].hits,
					  .key = ""};
		char *end;

		if (!rows[i].is_row) {
			if (!rows[i].key)
				continue;
			size.low = size.high = strtoll(rows[i].key, &end, 0);
			if (end == rows[i].key)
				continue;
			size.key = end + strspn(end, ", ");
		}
		add_size(&sizes, &size);
	}
	free(rows);
	return sizes;
}

static const struct size_count *most_frequent(const struct sizes *sizes)
{
	const struct size_count *best = NULL;

	vector_for_each (&sizes->items, size)
		if (!best || size->hits > best->hits)
			best = size;
	return best;
}

static void describe_size(const struct report_probe *probe, const struct size_count *size,
			  uint64_t all, struct text *out)
{
	text_add_grouped(out, size->hits);
	text_add(out, " of ");
	report_add_count(out, all, "call", "calls");
	text_format(out, " (%s) had ", probe->probe);
	if (size->low == size->high)
		text_format(out, "the size %" PRId64, size->low);
	else
		text_format(out, "a size from %" PRId64 " to %" PRId64, size->low,
			    size->high);
	if (*size->key)
		text_format(out, ", %" PRIu64 " of them at %s", size->most, size->key);
	else
		text_add(out, "; by whom: { top(8) by arg2, srcline }");
}

static void look_at_probe(struct advice *advice, const struct advice_rule *rule,
			  uint32_t index)
{
	const struct report_probe *probe = &advice->profile->probes.items[index];
	struct sizes sizes = sum_sizes(advice->profile, index);
	const struct size_count *best = most_frequent(&sizes);
	struct advice_case found = {.module = REPORT_NONE};

	if (best && sizes.all >= COPIES_LEAST &&
	    (double)best->hits >= same_least * (double)sizes.all && best->low > 0 &&
	    best->low <= COPY_BYTES_MOST) {
		found.share = advice_part(advice, COPY_INSTRUCTIONS * (double)best->hits);
		found.confidence = best->low == best->high ? ADVICE_HIGH : ADVICE_LOW;
		describe_size(probe, best, sizes.all, &found.evidence);
		advice_add(advice, rule, &found);
	}
	vector_deinit(&sizes.items);
}

void rule_copies(struct advice *advice, const struct advice_rule *rule)
{
	for (uint32_t i = 0; i < advice->profile->probes.count; i++)
		if (is_copy_probe(&advice->profile->probes.items[i]))
			look_at_probe(advice, rule, i);
	if (has_values(advice->profile))
		look_at_values(advice, rule, look_at_copy);
}
