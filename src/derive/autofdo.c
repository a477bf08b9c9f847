/* For clang: samples by line of the source, functions put into others in those. */
#include "derive/autofdo.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "derive/pbo.h"
#include "derive/pointers.h"
#include "image/find.h"
#include "image/inlines.h"
#include "image/open.h"
#include "x86/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_NONE = UINT32_MAX };

/* A place in a function: lines from its first one on, and the block on that line. */
struct spot {
	uint32_t offset, discriminator;
};

/* A function, or one put into another at a place of it. */
struct node {
	uint32_t name;   /* number in inlines.names */
	uint32_t parent; /* NODE_NONE: a function */
	struct spot spot;
	uint64_t head;  /* calls */
	uint64_t total; /* samples, with those of the nodes in it */
};

/* The samples of a place. */
struct sample {
	uint32_t node;
	struct spot spot;
	uint64_t count;
};

/* A call whose target is known. */
struct call {
	uint32_t node;
	struct spot spot;
	const char *name; /* in the image */
	uint64_t count;
};

struct writing {
	struct pbo_result *result;
	const struct image *image; /* names of callees are its */
	struct image_inlines inlines;
	struct VECTOR(struct node) nodes; /* a parent is in front of its own */
	struct VECTOR(struct sample) samples;
	struct VECTOR(struct call) calls;
	struct table node_by_place, sample_by_place, call_by_place; /* hashes */
	struct table visited; /* by address of a function */
	struct text *out;
};

/* Sums that do not fit are the largest number: what reads them refuses larger ones. */
static uint64_t add_counts(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t multiply_count(uint64_t count, uint64_t copies)
{
	return __builtin_mul_overflow(count, copies, &count) ? UINT64_MAX : count;
}

/* The discriminator of LLVM's is several numbers in one, each in 7 or 14 bits: which
 * block of the line, how many copies of it were made, and which of them. (llvm/IR/
 * DebugInfoMetadata.h, "Discriminator encoding") */
static uint32_t line_component(uint32_t code)
{
	if (code & 1)
		return 0;
	code >>= 1;
	return code & 0x20 ? ((code >> 1) & 0xfe0) | (code & 0x1f) : code & 0x1f;
}

static uint32_t next_component(uint32_t code)
{
	if (code & 1)
		return code >> 1;
	return code >> (code & 0x40 ? 14 : 7);
}

/* Discriminators of other compilers mean nothing to clang: the line is one place then. */
static struct spot spot_of(const struct writing *writing, uint32_t scope,
			   struct image_site site)
{
	uint32_t first = writing->inlines.scopes.items[scope].line;

	return (struct spot){
		(site.line - first) & 0xffff,
		writing->inlines.llvm ? line_component(site.discriminator) : 0,
	};
}

static uint32_t make_node(struct writing *writing, uint32_t name, uint32_t parent,
			  struct spot spot)
{
	const uint32_t place[] = {name, parent, spot.offset, spot.discriminator};
	bool new;
	uint64_t *index = table_insert(&writing->node_by_place,
				       hash_bytes(place, sizeof(place)), &new);

	if (new) {
		*index = writing->nodes.count;
		vector_push(
			&writing->nodes,
			((struct node){.name = name, .parent = parent, .spot = spot}));
	}
	return (uint32_t)*index;
}

/* The node of a scope; those around it are made first. */
static uint32_t node_of(struct writing *writing, uint32_t scope)
{
	const struct image_scope *scopes = writing->inlines.scopes.items;
	uint32_t path[128];
	size_t depth = 0;
	uint32_t node = NODE_NONE;

	for (; scope != INLINES_NONE && depth < 128; scope = scopes[scope].parent)
		path[depth++] = scope;
	while (depth--) {
		const struct image_scope *inner = &scopes[path[depth]];
		struct spot spot = {0};

		if (inner->parent != INLINES_NONE)
			spot = spot_of(writing, inner->parent, inner->call);
		node = make_node(writing, inner->name, node, spot);
	}
	return node;
}

/* A place is executed as often as the one of its instructions that is most often. Where
 * it was copied (unrolled), each copy has its part. */
static void add_sample(struct writing *writing, uint32_t node, struct spot spot,
		       uint64_t count)
{
	const uint32_t place[] = {node, spot.offset, spot.discriminator};
	bool new;
	uint64_t *index = table_insert(&writing->sample_by_place,
				       hash_bytes(place, sizeof(place)), &new);

	if (new) {
		*index = writing->samples.count;
		vector_push(&writing->samples, ((struct sample){node, spot, count}));
	}
	struct sample *sample = &writing->samples.items[*index];

	if (count > sample->count)
		sample->count = count;
}

static void add_call(struct writing *writing, uint32_t node, struct spot spot,
		     const char *name, uint64_t count)
{
	const uint64_t place[] = {node, (uint64_t)spot.offset << 32 | spot.discriminator,
				  hash_bytes(name, strlen(name))};
	bool new;

	if (!count || strpbrk(name, ": \t@"))
		return;
	uint64_t *index = table_insert(&writing->call_by_place,
				       hash_bytes(place, sizeof(place)), &new);

	if (new) {
		*index = writing->calls.count;
		vector_push(&writing->calls, ((struct call){node, spot, name, 0}));
	}
	struct call *call = &writing->calls.items[*index];

	call->count = add_counts(call->count, count);
}

/* The linked name of the function that begins at the address; NULL: there is none. */
static const char *callee_at(const struct image *image, uint64_t address)
{
	size_t index = image_function_at(image, address);

	if (index == image->functions.count || !image->functions.items[index].name)
		return NULL;
	return image->names.items + image->functions.items[index].name;
}

static void add_instruction(struct writing *writing,
			    const struct instruction *instruction, uint64_t count)
{
	struct image_site site;
	uint32_t scope = image_scope_at(&writing->inlines, instruction->address, &site);

	if (scope == INLINES_NONE || !writing->inlines.scopes.items[scope].line)
		return;
	uint32_t node = node_of(writing, scope);
	struct spot spot = spot_of(writing, scope, site);
	uint32_t copies = 1;

	if (writing->inlines.llvm)
		copies = line_component(next_component(site.discriminator));
	add_sample(writing, node, spot, multiply_count(count, copies ? copies : 1));
	if (instruction->kind != INSTRUCTION_CALL)
		return;
	const char *callee = callee_at(writing->image, instruction->target);

	if (callee)
		add_call(writing, node, spot, callee, count);
}

static void add_block(struct writing *writing, const struct annotation *annotation,
		      const struct annotation_block *block)
{
	const uint8_t *bytes = annotation->bytes + (block->address - annotation->address);
	struct instruction instruction;

	for (size_t at = 0;
	     at < block->size && decode_instruction(bytes + at, block->size - at,
						    block->address + at, &instruction);
	     at += instruction.length)
		add_instruction(writing, &instruction, block->count);
}

static void add_function(void *context, const struct annotation *annotation,
			 const struct routes *routes)
{
	struct writing *writing = context;
	struct image_site site;
	uint32_t scope =
		image_scope_at(&writing->inlines, annotation->function->offset, &site);

	(void)routes;
	while (scope != INLINES_NONE &&
	       writing->inlines.scopes.items[scope].parent != INLINES_NONE)
		scope = writing->inlines.scopes.items[scope].parent;
	if (scope == INLINES_NONE || !writing->inlines.scopes.items[scope].line) {
		writing->result->nameless += !annotation->part;
		return;
	}
	if (!annotation->part) {
		uint32_t node = node_of(writing, scope);

		writing->result->written++;
		table_insert(&writing->visited, annotation->function->offset, NULL);
		writing->nodes.items[node].head = add_counts(
			writing->nodes.items[node].head, annotation->function->calls);
	}
	vector_for_each (&annotation->blocks, block)
		add_block(writing, annotation, block);
}

static int compare_spots(const struct spot *a, const struct spot *b)
{
	return compare_numbers(a->offset, b->offset)
		       ?: (a->discriminator > b->discriminator) -
				  (a->discriminator < b->discriminator);
}

static int compare_samples(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	return compare_numbers(a->node, b->node) ?: compare_spots(&a->spot, &b->spot);
}

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return compare_numbers(a->node, b->node)
		       ?: compare_spots(&a->spot, &b->spot)
		       ?: compare_numbers(b->count, a->count)
		       ?: strcmp(a->name, b->name);
}

static void add_totals(struct writing *writing)
{
	struct node *nodes = writing->nodes.items;

	vector_for_each (&writing->samples, sample)
		nodes[sample->node].total =
			add_counts(nodes[sample->node].total, sample->count);
	for (size_t i = writing->nodes.count; i--;)
		if (nodes[i].parent != NODE_NONE)
			nodes[nodes[i].parent].total =
				add_counts(nodes[nodes[i].parent].total, nodes[i].total);
}

/* " 3.1: ", with a space for each node that it is in. */
static void begin_line(struct writing *writing, const struct spot *spot, size_t depth)
{
	text_format(writing->out, "%*s%" PRIu32, (int)depth + 1, "", spot->offset);
	if (spot->discriminator)
		text_format(writing->out, ".%" PRIu32, spot->discriminator);
	text_add(writing->out, ": ");
}

/* Lists by node: where its own begin. Samples and calls are in that order already. */
struct index {
	size_t *samples, *calls;   /* by node, and one more */
	uint32_t *child, *sibling; /* by node: the first one in it, and the next */
};

static void write_samples(struct writing *writing, const struct index *index,
			  uint32_t node, size_t depth)
{
	size_t call = index->calls[node];

	for (size_t i = index->samples[node]; i < index->samples[node + 1]; i++) {
		const struct sample *sample = &writing->samples.items[i];

		begin_line(writing, &sample->spot, depth);
		text_format(writing->out, "%" PRIu64, sample->count);
		for (; call < index->calls[node + 1] &&
		       !compare_spots(&writing->calls.items[call].spot, &sample->spot);
		     call++)
			text_format(writing->out, " %s:%" PRIu64,
				    writing->calls.items[call].name,
				    writing->calls.items[call].count);
		text_add(writing->out, "\n");
	}
}

/* The nodes in a function, outer ones first. */
static void write_nodes(struct writing *writing, const struct index *index,
			uint32_t function)
{
	uint32_t node = function;
	size_t depth = 0;

	for (;;) {
		if (depth) {
			begin_line(writing, &writing->nodes.items[node].spot, depth - 1);
			text_format(writing->out, "%s:%" PRIu64 "\n",
				    writing->inlines.names
					    .strings[writing->nodes.items[node].name],
				    writing->nodes.items[node].total);
		}
		write_samples(writing, index, node, depth);
		if (index->child[node] != NODE_NONE) {
			node = index->child[node];
			depth++;
			continue;
		}
		while (node != function && index->sibling[node] == NODE_NONE) {
			node = writing->nodes.items[node].parent;
			depth--;
		}
		if (node == function)
			return;
		node = index->sibling[node];
	}
}

static void make_index(const struct writing *writing, struct index *index)
{
	size_t count = writing->nodes.count;

	*index = (struct index){
		.samples = memory_allocate_zeroed(count + 1, sizeof(*index->samples)),
		.calls = memory_allocate_zeroed(count + 1, sizeof(*index->calls)),
		.child = memory_allocate(count * sizeof(*index->child) + 1),
		.sibling = memory_allocate(count * sizeof(*index->sibling) + 1),
	};
	memset(index->child, 0xff, count * sizeof(*index->child)); /* NODE_NONE */
	memset(index->sibling, 0xff, count * sizeof(*index->sibling));
	vector_for_each (&writing->samples, sample)
		index->samples[sample->node + 1]++;
	vector_for_each (&writing->calls, call)
		index->calls[call->node + 1]++;
	for (size_t i = 0; i < count; i++) {
		index->samples[i + 1] += index->samples[i];
		index->calls[i + 1] += index->calls[i];
	}
	for (uint32_t i = (uint32_t)count; i--;) {
		uint32_t parent = writing->nodes.items[i].parent;

		if (parent == NODE_NONE)
			continue;
		index->sibling[i] = index->child[parent];
		index->child[parent] = i;
	}
}

static void write_profile(struct writing *writing)
{
	struct index index;

	if (writing->samples.count)
		qsort(writing->samples.items, writing->samples.count,
		      sizeof(*writing->samples.items), compare_samples);
	if (writing->calls.count)
		qsort(writing->calls.items, writing->calls.count,
		      sizeof(*writing->calls.items), compare_calls);
	add_totals(writing);
	make_index(writing, &index);
	text_add(writing->out, "");
	for (uint32_t i = 0; i < writing->nodes.count; i++) {
		const struct node *node = &writing->nodes.items[i];

		if (node->parent != NODE_NONE)
			continue;
		text_format(writing->out, "%s:%" PRIu64 ":%" PRIu64 "\n",
			    writing->inlines.names.strings[node->name], node->total,
			    node->head);
		write_nodes(writing, &index, i);
	}
	free(index.samples);
	free(index.calls);
	free(index.child);
	free(index.sibling);
}

/* Those of functions that are written. */
static void add_pointer_calls(struct writing *writing,
			      const struct report_profile *profile,
			      const struct report_module *module)
{
	size_t count;
	scoped_free struct report_arc *arcs = pbo_pointer_calls(profile, module, &count);

	for (size_t i = 0; i < count; i++) {
		const struct report_function *called =
			&profile->functions.items[arcs[i].function];
		const char *name = callee_at(writing->image, called->offset);
		struct image_site site;
		uint32_t scope = image_scope_at(&writing->inlines, arcs[i].site, &site);
		uint64_t visited;

		if (!name || scope == INLINES_NONE ||
		    !writing->inlines.scopes.items[scope].line ||
		    !table_find(&writing->visited,
				profile->functions.items[arcs[i].caller].offset,
				&visited))
			continue;
		add_call(writing, node_of(writing, scope), spot_of(writing, scope, site),
			 name, arcs[i].count);
	}
}

static void write_image(struct writing *writing, const struct report_profile *profile,
			const struct report_module *module)
{
	struct walk walk = {
		.profile = profile,
		.module = module,
		.visit = add_function,
		.context = writing,
	};

	walk_functions(&walk);
	add_pointer_calls(writing, profile, module);
	writing->result->uncounted = walk.uncounted;
	write_profile(writing);
	walk_troubles_deinit(&walk.troubles);
	vector_deinit(&writing->nodes);
	vector_deinit(&writing->samples);
	vector_deinit(&writing->calls);
	table_deinit(&writing->node_by_place);
	table_deinit(&writing->sample_by_place);
	table_deinit(&writing->call_by_place);
	table_deinit(&writing->visited);
}

struct trm_error *pbo_autofdo(const struct report_profile *profile,
			      const struct report_module *module,
			      struct pbo_result *ret_result, struct text *out)
{
	struct writing writing = {.result = ret_result, .out = out};
	struct image *image;

	*ret_result = (struct pbo_result){0};
	TRM_TRY(annotation_open_image(module, &image));
	struct trm_error *reason = image_inlines_init(&writing.inlines, image);
	struct trm_error *error = NULL;

	if (reason)
		error = trm_error_create(reason->code,
					 "cannot tell the lines of '%s': %s",
					 module->path, reason->message);
	trm_error_destroy(reason);
	if (!error) {
		writing.image = image;
		write_image(&writing, profile, module);
		image_inlines_deinit(&writing.inlines);
	}
	image_close(image);
	return error;
}
