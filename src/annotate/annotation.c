#include "annotate/annotation.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/search.h"
#include "code/scan/cold_parts.h"
#include "code/scan/plt.h"
#include "image/contents.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/imports.h"
#include "image/lookup.h"
#include "image/open.h"
#include "report/blocks.h"
#include "report/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the word is the name, perhaps without its parameters. */
static bool is_name(const char *name, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(name, word, length) &&
	       (!name[length] || (name[length] == '(' && length));
}

static bool is_selected(const struct report_profile *profile,
			const struct report_function *function)
{
	return (function->executed || function->valued) &&
	       profile->modules.items[function->module].selected;
}

static bool read_address(const char *word, uint64_t *ret_address)
{
	char *end;

	errno = 0;
	*ret_address = strtoull(word, &end, 16);
	return !strncmp(word, "0x", 2) && word[2] && !*end && !errno;
}

/* The distance of two names, cut to what can be compared in no time. */
static size_t word_distance(const char *name, const char *word)
{
	char cut[65];

	snprintf(cut, sizeof(cut), "%s", name);
	if (!strchr(word, '('))
		cut[strcspn(cut, "(")] = '\0';
	return text_distance(cut, word);
}

/* A name that has the word in it is near, and else the one with the least distance. */
static const char *nearest_name(const struct report_profile *profile, const char *word)
{
	const char *best = NULL;
	size_t best_distance = strlen(word) / 2 + 1;

	if (strlen(word) > 64 || !*word)
		return NULL;
	vector_for_each (&profile->functions, function) {
		size_t now;

		if (!is_selected(profile, function))
			continue;
		now = strstr(function->name, word) ? 1
						   : word_distance(function->name, word);
		if (now >= best_distance)
			continue;
		best = function->name;
		best_distance = now;
	}
	return best;
}

static struct trm_error *no_function(const struct report_profile *profile,
				     const char *word)
{
	const char *nearest = nearest_name(profile, word);

	if (nearest)
		return trm_error_create(TRM_ERROR_USAGE,
					"no function '%s' was executed: did you mean "
					"'%s'?",
					word, nearest);
	return trm_error_create(TRM_ERROR_USAGE,
				"no function '%s' was executed: trammel report --all "
				"shows those that were",
				word);
}

struct trm_error *annotation_find(const struct report_profile *profile, const char *word,
				  const struct report_function ***ret_matches,
				  size_t *ret_count)
{
	struct VECTOR(const struct report_function *) matches = {0};
	uint64_t address;
	bool by_address = read_address(word, &address);

	vector_for_each (&profile->functions, function)
		if (is_selected(profile, function) &&
		    (by_address ? function->offset == address
				: is_name(function->name, word)))
			vector_push(&matches, function);
	if (!matches.count)
		return no_function(profile, word);
	*ret_matches = matches.items;
	*ret_count = matches.count;
	return NULL;
}

/* Adds a block and the rest in front of it that nobody executed. */
static void add_block(struct annotation *annotation, uint64_t start, uint64_t end,
		      uint64_t count)
{
	struct annotation_block *last =
		annotation->blocks.count
			? &annotation->blocks.items[annotation->blocks.count - 1]
			: NULL;
	uint64_t behind = last ? last->address + last->size : annotation->address;

	if (start > behind)
		vector_push(&annotation->blocks,
			    ((struct annotation_block){behind, (uint32_t)(start - behind),
						       0, 0}));
	if (end > start)
		vector_push(&annotation->blocks,
			    ((struct annotation_block){start, (uint32_t)(end - start),
						       count, 0}));
}

/* Without a graph: what was executed, and what lies between. */
static void take_executed(struct annotation *annotation, const struct report_block *rows,
			  size_t count)
{
	uint64_t start = annotation->address, end = start + annotation->size;

	for (size_t i = 0; i < count; i++) {
		uint64_t block = rows[i].address;

		if (block < start || block >= end || rows[i].size > end - block)
			continue;
		add_block(annotation, block, block + rows[i].size, rows[i].count);
		start = block + rows[i].size;
	}
	add_block(annotation, end, end, 0);
}

/* The blocks of the graph, with their counts. False if others were executed. */
static bool take_graph(struct annotation *annotation, const struct report_block *rows,
		       size_t count)
{
	const struct cfg *cfg = &annotation->cfg;
	size_t used = 0;

	vector_for_each (&cfg->blocks, block) {
		const struct cfg_instruction *first =
			&cfg->instructions.items[block->first];
		const struct cfg_instruction *last = first + block->count - 1;
		struct annotation_block row = {
			.address = cfg->address + first->offset,
			.size = last->offset + last->length - first->offset,
		};

		if (used < count && rows[used].address == row.address &&
		    rows[used].size == row.size) {
			row.stayed = rows[used].stayed;
			row.count = rows[used++].count;
		}
		vector_push(&annotation->blocks, row);
	}
	return used == count;
}

/* Of the blocks of a function and its parts, by address, those in a range. */
static const struct report_block *
blocks_in(const struct report_block *all, uint64_t address, uint64_t size, size_t *count)
{
	size_t first = search_first(*count, middle, all[middle].address < address);
	const struct report_block *rows = all + first;

	*count = search_first(*count - first, middle,
			      rows[middle].address - address < size);
	return rows;
}

static bool was_sampled(const struct annotation *annotation,
			const struct image_function *part)
{
	size_t count;
	struct report_sample *samples =
		report_samples_within(annotation->profile, annotation->function, &count);
	const size_t at =
		search_first(count, middle, samples[middle].address < part->address);
	const bool any = at < count && samples[at].address - part->address < part->size;

	free(samples);
	return any;
}

static bool was_executed(const struct annotation *annotation,
			 const struct image_function *part)
{
	size_t count;
	struct report_block *all =
		report_function_blocks(annotation->profile, annotation->function, &count);

	blocks_in(all, part->address, part->size, &count);
	free(all);
	return count > 0 || was_sampled(annotation, part);
}

static void take_blocks(struct annotation *annotation)
{
	size_t count;
	struct report_block *all =
		report_function_blocks(annotation->profile, annotation->function, &count);
	const struct report_block *rows =
		blocks_in(all, annotation->address, annotation->size, &count);

	if (annotation->trouble == CFG_FINE && !take_graph(annotation, rows, count)) {
		/* Another version of trammel measured it. */
		annotation->trouble = CFG_ODD;
		annotation->blocks.count = 0;
	}
	if (annotation->trouble != CFG_FINE)
		take_executed(annotation, rows, count);
	free(all);
}

struct trm_error *annotation_open_image(const struct report_module *module,
					struct image **ret_image)
{
	return image_open_build(module->path, module->build_id, ret_image);
}

static int compare_parts(const void *left, const void *right)
{
	const struct image_function *a = *(const struct image_function *const *)left;
	const struct image_function *b = *(const struct image_function *const *)right;

	return compare_numbers(a->part_of, b->part_of)
		       ?: compare_numbers(a->address, b->address);
}

struct trm_error *annotation_open(struct annotation_file *file,
				  const struct report_module *module)
{
	*file = (struct annotation_file){.module = module};
	TRM_TRY(annotation_open_image(module, &file->image));
	scan_init(&file->scan, file->image, true);
	cold_parts_add(&file->scan, file->image, NULL);
	vector_for_each (&file->image->functions, function)
		if (function->flags & IMAGE_FUNCTION_COLD_PART)
			vector_push(&file->parts, function);
	if (file->parts.count)
		qsort(file->parts.items, file->parts.count, sizeof(*file->parts.items),
		      compare_parts);
	return NULL;
}

void annotation_close(struct annotation_file *file)
{
	vector_deinit(&file->parts);
	scan_deinit(&file->scan);
	image_close(file->image);
}

/* A row of image.functions: the function itself, or a part of it. */
static bool take_code(struct annotation *annotation, size_t index)
{
	const struct image *image = annotation->image;
	const struct image_function *row = &image->functions.items[index];
	const uint8_t *bytes = image_bytes_at(image, row->address, row->size);

	if (!bytes)
		return false;
	annotation->address = row->address;
	annotation->size = row->size;
	annotation->bytes = bytes;
	annotation->part = row->flags & IMAGE_FUNCTION_COLD_PART;
	annotation->blocks.count = 0;
	annotation->trouble = cfg_build(&annotation->cfg, &annotation->file->scan, image,
					(uint32_t)index);
	take_blocks(annotation);
	return true;
}

struct trm_error *annotation_init(struct annotation *annotation,
				  const struct report_profile *profile,
				  const struct report_function *function,
				  const struct annotation_file *file)
{
	const struct image *image = file->image;
	size_t index = image_function_at(image, function->offset);

	*annotation = (struct annotation){
		.profile = profile,
		.function = function,
		.module = file->module,
		.file = file,
		.image = image,
		.counted = function->blocks > 0,
		.with_edges = function->edge_count > 0,
	};
	if (index == image->functions.count || !take_code(annotation, index))
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' has no function at 0x%" PRIx64
					" now: measure again",
					file->module->path, function->offset);
	return NULL;
}

bool annotation_next(struct annotation *annotation)
{
	const struct annotation_file *file = annotation->file;
	const struct image_function *const *parts = file->parts.items;
	const uint64_t whole = annotation->function->offset;
	const uint64_t least = annotation->part ? annotation->address + 1 : 0;
	size_t next = search_first(file->parts.count, middle,
				   parts[middle]->part_of < whole ||
					   (parts[middle]->part_of == whole &&
					    parts[middle]->address < least));

	for (; next < file->parts.count && parts[next]->part_of == whole; next++)
		if (was_executed(annotation, parts[next]))
			return take_code(annotation,
					 (size_t)(parts[next] -
						  annotation->image->functions.items));
	return false;
}

void annotation_deinit(struct annotation *annotation)
{
	vector_deinit(&annotation->blocks);
	cfg_deinit(&annotation->cfg);
}

bool annotation_may_stay(const struct annotation *annotation, uint32_t block)
{
	return cfg_may_stay(&annotation->cfg, block);
}

bool annotation_is_exposed(const struct annotation *annotation, uint32_t block)
{
	return (block || annotation->part) && annotation->cfg.blocks.items[block].exposed;
}

/* Adds the name of a function of another module, if the address is that of a stub of the
 * procedure linkage table, or of a word that the loader fills. */
static void add_import(const struct image *image, uint64_t address, struct text *out)
{
	const uint64_t word = plt_word(image, address);
	const char *import = image_import_at(image, word ? word : address);
	scoped_free char *name = import && *import ? image_demangle(import) : NULL;

	if (name)
		text_format(out, "%s%s", name, word ? "@plt" : "");
}

void annotation_add_name(const struct annotation *annotation, uint64_t address,
			 struct text *out)
{
	const struct image *image = annotation->image;
	const struct image_function *function = image_function_around(image, address);
	uint64_t own = address - annotation->address;

	if (own < annotation->size) {
		text_format(out, "+0x%" PRIx64, own);
		return;
	}
	if (!function || address - function->address >= function->size) {
		add_import(image, address, out);
		return;
	}
	if (function->name) {
		char *name = image_demangle(image->names.items + function->name);

		text_add(out, name);
		free(name);
	} else {
		text_format(out, "sub_%" PRIx64, function->address);
	}
	if (address > function->address)
		text_format(out, "+0x%" PRIx64, address - function->address);
}
