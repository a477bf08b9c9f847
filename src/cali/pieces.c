/*
 * A treap (Seidel and Aragon, "Randomized Search Trees", 1996) by the pieces' starts:
 * with the service sysalloc there are as many as the program has blocks. Nodes are
 * numbers of an array, 0 for none, so that it can grow.
 */
#include "cali/pieces.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct piece piece;
	uint32_t left, right; /* of a free node: the next one */
	uint32_t priority;    /* not below its children's */
};

static struct {
	pthread_mutex_t lock;
	struct node *nodes; /* the first one stands for none */
	uint32_t root, free, count, room;
	uint32_t random;
	uint64_t made;
} pieces = {.lock = PTHREAD_MUTEX_INITIALIZER, .random = 2463534242};

static _Thread_local __attribute__((tls_model("initial-exec"))) bool busy;

static void lock_pieces(void)
{
	busy = true;
	pthread_mutex_lock(&pieces.lock);
}

static void let_go(void)
{
	pthread_mutex_unlock(&pieces.lock);
	busy = false;
}

bool pieces_busy(void)
{
	return busy;
}

static void watch_forks(void)
{
	pthread_atfork(lock_pieces, let_go, let_go);
}

/* Marsaglia, "Xorshift RNGs", 2003. */
static uint32_t next_random(void)
{
	pieces.random ^= pieces.random << 13;
	pieces.random ^= pieces.random >> 17;
	pieces.random ^= pieces.random << 5;
	return pieces.random;
}

static bool make_room(void)
{
	uint32_t room = 2 * pieces.room + 32;
	struct node *nodes;

	if (pieces.free || pieces.count < pieces.room)
		return true;
	nodes = room > pieces.room ? realloc(pieces.nodes, room * sizeof(*nodes)) : NULL;
	if (!nodes)
		return false;
	pieces.nodes = nodes;
	pieces.room = room;
	if (!pieces.count)
		nodes[pieces.count++] = (struct node){0};
	return true;
}

static uint32_t new_node(const struct piece *piece)
{
	uint32_t number = pieces.free;

	if (number)
		pieces.free = pieces.nodes[number].right;
	else
		number = pieces.count++;
	pieces.nodes[number] = (struct node){*piece, 0, 0, next_random()};
	return number;
}

/* Key of the order: pieces named by the program come behind blocks with equal start. An
 * address of a program has 47 bits. */
static uint64_t key_of(uint64_t start, bool of_heap)
{
	return start << 1 | !of_heap;
}

/* Splits a tree into nodes with a smaller key (or equal, if `with`), and the rest. */
static void split_tree(uint32_t tree, uint64_t key, bool with, uint32_t *ret_low,
		       uint32_t *ret_high)
{
	while (tree) {
		struct node *node = &pieces.nodes[tree];
		uint64_t own = key_of(node->piece.start, node->piece.of_heap);

		if (own < key || (with && own == key)) {
			*ret_low = tree;
			ret_low = &node->right;
			tree = node->right;
		} else {
			*ret_high = tree;
			ret_high = &node->left;
			tree = node->left;
		}
	}
	*ret_low = *ret_high = 0;
}

/* Joins two trees, all of the first before all of the second. */
static uint32_t join_trees(uint32_t low, uint32_t high)
{
	uint32_t root = 0, *at = &root;

	while (low && high) {
		struct node *first = &pieces.nodes[low], *second = &pieces.nodes[high];

		if (first->priority > second->priority) {
			*at = low;
			at = &first->right;
			low = first->right;
		} else {
			*at = high;
			at = &second->left;
			high = second->left;
		}
	}
	*at = low ? low : high;
	return root;
}

bool pieces_add(struct piece *piece)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t low, high;
	bool fits;

	pthread_once(&once, watch_forks);
	lock_pieces();
	fits = make_room();
	if (fits) {
		piece->uid = ++pieces.made;
		split_tree(pieces.root, key_of(piece->start, piece->of_heap), true, &low,
			   &high);
		pieces.root = join_trees(join_trees(low, new_node(piece)), high);
	}
	let_go();
	return fits;
}

/* Takes the last one out of a tree that has one. */
static uint32_t take_last(uint32_t *tree)
{
	uint32_t last;

	while (pieces.nodes[*tree].right)
		tree = &pieces.nodes[*tree].right;
	last = *tree;
	*tree = pieces.nodes[last].left;
	return last;
}

bool pieces_take(uint64_t start, bool of_heap, struct piece *ret_piece)
{
	const uint64_t key = key_of(start, of_heap);
	uint32_t low, equal, high, taken = 0;

	lock_pieces();
	split_tree(pieces.root, key, true, &low, &high);
	split_tree(low, key, false, &low, &equal);
	if (equal) {
		taken = take_last(&equal);
		*ret_piece = pieces.nodes[taken].piece;
		pieces.nodes[taken].right = pieces.free;
		pieces.free = taken;
	}
	pieces.root = join_trees(join_trees(low, equal), high);
	let_go();
	return taken != 0;
}

bool pieces_find(uint64_t address, struct piece *ret_piece, char *ret_label, size_t size)
{
	uint32_t found = 0;
	bool inside = false;

	lock_pieces();
	for (uint32_t tree = pieces.root; tree;) {
		const struct node *node = &pieces.nodes[tree];
		bool before = node->piece.start <= address;

		found = before ? tree : found;
		tree = before ? node->right : node->left;
	}
	if (found) {
		*ret_piece = pieces.nodes[found].piece;
		inside = address - ret_piece->start < ret_piece->size;
		if (inside)
			snprintf(ret_label, size, "%s", ret_piece->label);
	}
	let_go();
	return inside;
}
