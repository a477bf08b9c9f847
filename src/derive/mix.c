#include "derive/mix.h"

#include "base/array.h"
#include "image/contents.h"
#include "image/open.h"
#include "report/blocks.h"

#include <string.h>

/* A block as it is in the file. */
struct code {
	struct VECTOR(struct insn_class) traits;
};

struct reading {
	struct mix *mix;
	const char *functions;
	struct image **images; /* by module; NULL: not opened, or in vain */
	bool *tried;
	struct code code;
	const struct report_block *decoded; /* what `code` is of */
	bool fits;                          /* and the file has that block */
};

static const struct image *image_of(struct reading *reading, uint32_t number)
{
	const struct report_module *module =
		&reading->mix->profile->modules.items[number];

	if (reading->tried[number])
		return reading->images[number];
	reading->tried[number] = true;
	struct trm_error *error = annotation_open_image(module, &reading->images[number]);

	if (!error)
		return reading->images[number];
	vector_push(&reading->mix->troubles,
		    ((struct walk_trouble){module, memory_copy_string(error->message)}));
	trm_error_destroy(error);
	return NULL;
}

/* Reads the instructions of a block; false if they are not those that were counted. */
static bool decode_block(struct code *code, const struct image *image,
			 const struct report_block *block)
{
	const uint8_t *bytes = image_bytes_at(image, block->address, block->size);
	size_t at = 0;

	code->traits.count = 0;
	while (bytes && at < block->size) {
		struct insn_class traits;

		if (!insn_class_read(bytes + at, block->size - at, &traits))
			return false;
		at += traits.length;
		vector_push(&code->traits, traits);
	}
	return bytes && code->traits.count == block->instructions;
}

static void add_traits(struct mix_row *row, const struct insn_class *traits,
		       uint64_t count)
{
	memory_add(&row->sums, traits, count);
	row->classes[traits->class] += count;
}

/* What the row is of that an instruction of a block belongs to. */
static uint64_t key_of(const struct reading *reading, const struct report_block *block,
		       const struct insn_class *traits)
{
	const struct report_profile *profile = reading->mix->profile;

	switch (reading->mix->by) {
	case MIX_BY_CLASS:
		return traits->class;
	case MIX_BY_MNEMONIC:
		return traits->mnemonic;
	case MIX_BY_FUNCTION:
		return block->function;
	case MIX_BY_BLOCK:
		return (uint64_t)(reading->decoded - profile->blocks.items);
	case MIX_BY_MODULE:
		return profile->functions.items[block->function].module;
	case MIX_BY_PROGRAM:
		return (uintptr_t)profile->images.items[block->image].program;
	}
	return 0;
}

static struct mix_row *row_of(struct mix *mix, uint64_t key)
{
	bool new;
	uint64_t *index = table_insert(&mix->row_by_key, key, &new);

	if (new) {
		*index = mix->rows.count;
		vector_push(&mix->rows, ((struct mix_row){.key = key}));
	}
	return &mix->rows.items[*index];
}

/* Blocks are in the order of place, the same one of several images in a row. */
static void add_block(struct reading *reading, const struct report_block *block)
{
	struct mix *mix = reading->mix;
	const struct report_function *function =
		&mix->profile->functions.items[block->function];
	const struct image *image;

	if (!report_block_is_selected(mix->profile, block) ||
	    !walk_wants(reading->functions, mix->profile, function))
		return;
	image = image_of(reading, function->module);
	if (!image)
		return;
	if (!reading->decoded || reading->decoded->function != block->function ||
	    reading->decoded->address != block->address) {
		reading->decoded = block;
		reading->fits = decode_block(&reading->code, image, block);
		mix->odd += !reading->fits;
	}
	for (size_t i = 0; reading->fits && i < reading->code.traits.count; i++) {
		const struct insn_class *traits = &reading->code.traits.items[i];

		add_traits(row_of(mix, key_of(reading, block, traits)), traits,
			   block->count);
		add_traits(&mix->total, traits, block->count);
	}
}

/* What a block's conditional branch did: a way that two edges share says nothing. */
static void add_branch(struct mix_branches *branches, const struct annotation *annotation,
		       const struct routes *routes, const struct cfg_block *block)
{
	const struct cfg *cfg = &annotation->cfg;
	uint32_t number = (uint32_t)(block - cfg->blocks.items);
	const struct cfg_edge *edges = &cfg->edges.items[block->first_edge];
	uint8_t kind = cfg->instructions.items[block->first + block->count - 1].kind;
	uint64_t count = annotation->blocks.items[number].count;

	if (kind != CFG_CONDITION && kind != CFG_LOOP)
		return;
	branches->executed += count;
	for (uint32_t i = 0; i < block->edge_count; i++)
		vector_for_each (routes, route) {
			if (route->from != number || route->to != edges[i].to ||
			    !route->known || edges[0].to == edges[1].to)
				continue;
			if (edges[i].kind == CFG_EDGE_TAKEN)
				branches->taken += route->count;
			else
				branches->passed += route->count;
		}
}

static void add_branches(void *context, const struct annotation *annotation,
			 const struct routes *routes)
{
	struct mix *mix = context;

	if (routes)
		vector_for_each (&annotation->cfg.blocks, block)
			add_branch(&mix->branches, annotation, routes, block);
}

const char *mix_row_name(const struct mix *mix, const struct mix_row *row)
{
	const struct report_profile *profile = mix->profile;

	switch (mix->by) {
	case MIX_BY_CLASS:
		return insn_class_name((unsigned int)row->key);
	case MIX_BY_MNEMONIC:
		return insn_mnemonic_name((unsigned int)row->key);
	case MIX_BY_FUNCTION:
		return profile->functions.items[row->key].name;
	case MIX_BY_BLOCK:
		return profile->functions.items[profile->blocks.items[row->key].function]
			.name;
	case MIX_BY_MODULE:
		return profile->modules.items[row->key].path;
	case MIX_BY_PROGRAM:
		return (const char *)(uintptr_t)row->key;
	}
	return "";
}

/* What the comparison needs; qsort_r hands it through. */
struct order {
	const struct mix *mix;
	enum mix_sort sort;
};

static int compare_kinds(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct mix_row *a = left, *b = right;
	uint64_t more_a = a->sums.instructions, more_b = b->sums.instructions;
	int names = strcmp(mix_row_name(order->mix, a), mix_row_name(order->mix, b));

	if (order->sort == MIX_SORT_LOADS) {
		more_a = a->sums.load_bytes;
		more_b = b->sums.load_bytes;
	} else if (order->sort == MIX_SORT_STORES) {
		more_a = a->sums.store_bytes;
		more_b = b->sums.store_bytes;
	}
	if (order->sort == MIX_SORT_NAME)
		more_a = more_b = 0;
	return compare_numbers(more_b, more_a)
		       ?: names
		       ?: compare_numbers(a->key, b->key);
}

static void read_blocks(struct mix *mix, const char *functions)
{
	size_t modules = mix->profile->modules.count;
	struct reading reading = {
		.mix = mix,
		.functions = functions,
		.images = memory_allocate_zeroed(modules, sizeof(*reading.images)),
		.tried = memory_allocate_zeroed(modules, sizeof(*reading.tried)),
	};

	vector_for_each (&mix->profile->blocks, block)
		add_block(&reading, block);
	for (size_t i = 0; i < modules; i++)
		image_close(reading.images[i]);
	vector_deinit(&reading.code.traits);
	free(reading.images);
	free(reading.tried);
}

void mix_init(struct mix *mix, const struct report_profile *profile,
	      const char *functions, enum mix_by by, enum mix_sort sort)
{
	struct order order = {mix, sort};

	*mix = (struct mix){.profile = profile, .by = by};
	struct walk walk = {
		.profile = profile,
		.functions = functions,
		.visit = add_branches,
		.context = mix,
	};

	read_blocks(mix, functions);
	if (by == MIX_BY_CLASS)
		walk_functions(&walk);
	walk_troubles_deinit(&walk.troubles); /* the same as those of the mix */
	vector_for_each (&profile->functions, function)
		mix->uncounted +=
			!function->blocks && walk_wants(functions, profile, function);
	if (mix->rows.count)
		qsort_r(mix->rows.items, mix->rows.count, sizeof(*mix->rows.items),
			compare_kinds, &order);
}

void mix_deinit(struct mix *mix)
{
	vector_deinit(&mix->rows);
	table_deinit(&mix->row_by_key);
	walk_troubles_deinit(&mix->troubles);
}
