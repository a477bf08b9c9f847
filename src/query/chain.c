#include "query/chain.h"

#include "query/value.h"
#include "record/value.h"

static uint32_t holder_above(const struct query_chain *chain,
			     const struct query_keys *keys, uint32_t holder)
{
	return chain->holder[keys->nodes.items[holder].parent];
}

static void add_holder(struct query_chain *chain, uint32_t key, uint32_t up)
{
	uint32_t far = chain->jump[up];

	chain->holder[key] = key;
	chain->depth[key] = chain->depth[up] + 1;
	chain->jump[key] =
		chain->depth[up] - chain->depth[far] ==
				chain->depth[far] - chain->depth[chain->jump[far]]
			? chain->jump[far]
			: up;
}

struct query_chain *query_chain_create(const struct query_keys *keys, int64_t attribute)
{
	struct query_chain *chain = memory_allocate_zeroed(1, sizeof(*chain));
	size_t count = keys->nodes.count;

	chain->holder = memory_allocate_zeroed(count, sizeof(*chain->holder));
	chain->depth = memory_allocate_zeroed(count, sizeof(*chain->depth));
	chain->jump = memory_allocate_zeroed(count, sizeof(*chain->jump));
	/* A key's parents have smaller numbers than it has. */
	for (size_t key = 1; key < count; key++) {
		const struct query_key_node *node = &keys->nodes.items[key];
		uint32_t up = chain->holder[node->parent];

		if (attribute == QUERY_CHAIN_NESTED
			    ? keys->attributes.items[node->attribute].nested
			    : node->attribute == attribute)
			add_holder(chain, (uint32_t)key, up);
		else
			chain->holder[key] = up;
	}
	return chain;
}

void query_chain_destroy(struct query_chain *chain)
{
	if (!chain)
		return;
	free(chain->holder);
	free(chain->depth);
	free(chain->jump);
	text_deinit(&chain->text);
	vector_deinit(&chain->places);
	free(chain);
}

/* The holder with this depth at or above a holder. */
static uint32_t at_depth(const struct query_chain *chain, const struct query_keys *keys,
			 uint32_t holder, uint32_t depth)
{
	while (chain->depth[holder] > depth)
		holder = chain->depth[chain->jump[holder]] >= depth
				 ? chain->jump[holder]
				 : holder_above(chain, keys, holder);
	return holder;
}

/* Adds the values up to a holder, at most `most`; the first has a "/" before it if others
 * are above it. */
static void add_values(const struct query_chain *chain, const struct query_keys *keys,
		       uint32_t holder, size_t count, struct text *out)
{
	struct VECTOR(uint32_t) holders = {0};

	for (; holder && holders.count < count;
	     holder = holder_above(chain, keys, holder))
		vector_push(&holders, holder);
	while (holders.count) {
		uint32_t at = holders.items[--holders.count];

		text_add(out, chain->depth[at] > 1 ? "/" : "");
		record_value_text(out, keys->nodes.items[at].value);
	}
	vector_deinit(&holders);
}

static bool is_inside(const char *text, size_t at)
{
	return ((unsigned char)text[at] & 0xc0) == 0x80;
}

/* Whether the last text has the values up to this holder. */
static bool is_begun(const struct query_chain *chain, uint32_t holder)
{
	uint32_t depth = chain->depth[holder];

	return depth <= chain->places.count &&
	       (!depth || chain->places.items[depth - 1].holder == holder);
}

const struct text *query_chain_text(struct query_chain *chain,
				    const struct query_keys *keys, uint32_t holder)
{
	struct VECTOR(uint32_t) missing = {0};
	struct text *text = &chain->text;

	for (; !is_begun(chain, holder); holder = holder_above(chain, keys, holder))
		vector_push(&missing, holder);
	chain->places.count = chain->depth[holder];
	text->length = holder ? chain->places.items[chain->places.count - 1].end : 0;
	text_add(text, "");
	while (missing.count) {
		holder = missing.items[--missing.count];
		add_values(chain, keys, holder, 1, text);
		vector_push(&chain->places,
			    ((struct query_chain_place){holder, text->length}));
	}
	vector_deinit(&missing);
	return text;
}

void query_chain_add_cut(const struct query_chain *chain, const struct query_keys *keys,
			 uint32_t holder, size_t most, struct text *out)
{
	struct text head = {0}, tail = {0};
	size_t half = most / 2, begin, end;
	bool all = chain->depth[holder] <= most;

	text_add(out, "");
	text_add(&tail, "");
	/* Each value takes at least a byte: `most` values on either side are enough. */
	add_values(chain, keys, holder, all ? most : half, &tail);
	if (all && tail.length <= most) {
		text_add_bytes(out, tail.data, tail.length);
		text_deinit(&tail);
		return;
	}
	add_values(chain, keys, at_depth(chain, keys, holder, (uint32_t)half), half,
		   &head);
	end = head.length < half ? head.length : half;
	begin = tail.length < half ? 0 : tail.length - half;
	while (end && is_inside(head.data, end))
		end--;
	while (is_inside(tail.data, begin))
		begin++;
	text_add_bytes(out, head.data, end);
	text_add(out, "...");
	text_add_bytes(out, tail.data + begin, tail.length - begin);
	text_deinit(&head);
	text_deinit(&tail);
}

/* Finds the first holders that differ between two distinct ones of equal depth: the
 * children of their last common one. */
static void part_ways(const struct query_chain *chain, const struct query_keys *keys,
		      uint32_t *a, uint32_t *b)
{
	while (holder_above(chain, keys, *a) != holder_above(chain, keys, *b)) {
		bool far = chain->jump[*a] != chain->jump[*b];

		*a = far ? chain->jump[*a] : holder_above(chain, keys, *a);
		*b = far ? chain->jump[*b] : holder_above(chain, keys, *b);
	}
}

/* The values of a holder from some depth on, as text that is made as it is needed. */
struct rest {
	uint32_t holder, depth, end;
	struct text text;
};

/* Until there are more than `length` bytes, or all. */
static void lengthen_rest(const struct query_chain *chain, const struct query_keys *keys,
			  struct rest *rest, size_t length)
{
	while (rest->text.length <= length && rest->depth <= rest->end)
		add_values(chain, keys,
			   at_depth(chain, keys, rest->holder, rest->depth++), 1,
			   &rest->text);
}

static int compare_rests(const struct query_chain *chain, const struct query_keys *keys,
			 struct rest *a, struct rest *b)
{
	size_t same = 0;
	int order = 0;

	for (;;) {
		lengthen_rest(chain, keys, a, same);
		lengthen_rest(chain, keys, b, same);
		size_t left = a->text.length - same, right = b->text.length - same;
		size_t common = left < right ? left : right;

		if (!common)
			return (left > right) - (left < right);
		order = memcmp(a->text.data + same, b->text.data + same, common);
		if (order)
			return order;
		same += common;
	}
}

/* A text that is a prefix of another comes first. */
static int compare_text(const struct query_chain *chain, const struct query_keys *keys,
			uint32_t a, uint32_t b)
{
	uint32_t left = chain->depth[a], right = chain->depth[b];
	uint32_t depth = left < right ? left : right;
	uint32_t x = at_depth(chain, keys, a, depth), y = at_depth(chain, keys, b, depth);

	if (x == y)
		return (left > right) - (left < right);
	part_ways(chain, keys, &x, &y);

	struct rest first = {a, chain->depth[x], left, {0}};
	struct rest second = {b, chain->depth[y], right, {0}};
	int order;

	text_add(&first.text, "");
	text_add(&second.text, "");
	order = compare_rests(chain, keys, &first, &second);
	text_deinit(&first.text);
	text_deinit(&second.text);
	return order;
}

static struct record_value value_of(const struct query_chain *chain,
				    const struct query_keys *keys, uint32_t holder)
{
	if (!holder)
		return query_nothing();
	struct record_value value = keys->nodes.items[holder].value;
	bool bytes = value.type == RECORD_STRING || value.type == RECORD_BLOB;

	return bytes || chain->depth[holder] > 1 ? record_string("") : value;
}

int query_chain_compare(const struct query_chain *chain, const struct query_keys *keys,
			uint32_t a, uint32_t b)
{
	struct record_value x = value_of(chain, keys, a), y = value_of(chain, keys, b);
	bool texts = x.type == RECORD_STRING && y.type == RECORD_STRING;

	return texts ? compare_text(chain, keys, a, b) : query_compare(x, y);
}
