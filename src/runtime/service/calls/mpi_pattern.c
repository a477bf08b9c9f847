/*
 * What the service mpi says of messages with MPI_MSG_PATTERN: at the end of each region
 * of communication (comm.region), how many messages were sent and received in it, to and
 * from how many ranks, how many collective operations there were, and their bytes. Of
 * regions in one another each has what is in it.
 */
#include "runtime/service/calls/mpi_pattern.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/events/hooks.h"
#include "runtime/service/calls/async_event.h"
#include "runtime/store/attributes.h"
#include "runtime/store/memory.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

#include <string.h>

enum direction { SENT, RECEIVED, SHARED, DIRECTIONS };
enum { DEPTH_MAX = 8, RANKS_FEW = 1024 };

/* A bit each. */
struct rank_set {
	uint64_t *words, few[RANKS_FEW / 64];
	uint32_t room, count; /* words; bits that are set */
};

struct comm_region {
	const struct context_node *node;
	uint64_t messages[DIRECTIONS], bytes[DIRECTIONS];
	struct rank_set ranks[2]; /* SENT, RECEIVED */
};

struct comm_regions {
	uint32_t depth;
	struct comm_region open[DEPTH_MAX];
};

static struct mpi_known region = {"comm.region", 0}, peer = {"mpi.peer", 0},
			function = {"mpi.function", 0};
static struct mpi_known metrics[DIRECTIONS] = {[SENT] = {"mpi.bytes.sent", 0},
					       [RECEIVED] = {"mpi.bytes.received", 0},
					       [SHARED] = {"mpi.bytes.collective", 0}};

/* What is said, in the order of `values` in end_region(). */
static const char *const names[] = {
	"total.send.count", "total.recv.count", "total.coll.count", "mpi.send.size",
	"mpi.recv.size",    "mpi.coll.size",    "total.dest.ranks", "total.src.ranks",
};
enum { VALUES = sizeof(names) / sizeof(names[0]) };
static uint32_t attributes[VALUES];

static uint32_t wanted; /* some channel did want it */

bool mpi_is_known(struct mpi_known *known, uint32_t attribute)
{
	uint32_t number = __atomic_load_n(&known->attribute, __ATOMIC_RELAXED);

	if (unlikely(!number)) {
		number = attributes_find(known->name);
		__atomic_store_n(&known->attribute, number, __ATOMIC_RELAXED);
	}
	return attribute && attribute == number;
}

struct context_node *mpi_find_known(struct mpi_known *known, struct context_node *node)
{
	for (; node->parent; node = node->parent)
		if (mpi_is_known(known, node->attribute))
			return node;
	return NULL;
}

static bool make_room(struct rank_set *set, uint32_t words)
{
	uint64_t *more;

	if (!set->room) {
		set->words = set->few;
		set->room = RANKS_FEW / 64;
	}
	if (words <= set->room)
		return true;
	words = words > 2 * set->room ? words : 2 * set->room;
	more = runtime_map(words * sizeof(*more));
	if (!more)
		return false;
	memcpy(more, set->words, set->room * sizeof(*more));
	if (set->words != set->few)
		runtime_unmap(set->words, set->room * sizeof(*more));
	set->words = more;
	set->room = words;
	return true;
}

static void add_rank(struct rank_set *set, uint32_t rank)
{
	uint64_t bit = 1ull << rank % 64;

	if (!make_room(set, rank / 64 + 1)) {
		spool_lose_memory();
		return;
	}
	set->count += !(set->words[rank / 64] & bit);
	set->words[rank / 64] |= bit;
}

static void clear_ranks(struct rank_set *set)
{
	if (set->words)
		memset(set->words, 0, set->room * sizeof(*set->words));
	set->count = 0;
}

/* Barriers are collective operations without bytes, which no metric tells of. */
static bool is_barrier(const struct context_node *node)
{
	static const char *const functions[] = {"MPI_Barrier", "MPI_Ibarrier"};
	static uint64_t strings[2]; /* where they are; 0: nobody said them yet */

	for (size_t i = 0; i < 2; i++) {
		uint64_t at = __atomic_load_n(&strings[i], __ATOMIC_RELAXED);

		if (unlikely(!at)) {
			at = strings_find(functions[i], strlen(functions[i]));
			__atomic_store_n(&strings[i], at, __ATOMIC_RELAXED);
		}
		if (at && node->value == at)
			return true;
	}
	return false;
}

/* The rank at the other end of a message; false: it is not known. */
static bool find_peer(struct context_node *node, uint32_t *ret_rank)
{
	node = mpi_find_known(&peer, node);
	if (node)
		*ret_rank = (uint32_t)node->value;
	return node && node->value < 1u << 31;
}

static void mpi_pattern_count(struct comm_regions *regions,
			      const struct runtime_event *event, enum direction direction)
{
	uint64_t bytes = event->kind == RUNTIME_SET ? event->value : 0;
	uint32_t depth = regions->depth < DEPTH_MAX ? regions->depth : DEPTH_MAX;
	uint32_t rank = 0;
	bool has_rank = direction != SHARED && find_peer(event->before, &rank);

	for (uint32_t i = 0; i < depth; i++) {
		struct comm_region *open = &regions->open[i];

		open->messages[direction]++;
		open->bytes[direction] += bytes;
		if (has_rank)
			add_rank(&open->ranks[direction], rank);
	}
}

static void begin_region(struct comm_regions *regions, const struct context_node *node)
{
	struct comm_region *open = &regions->open[regions->depth];

	if (regions->depth++ >= DEPTH_MAX)
		return;
	open->node = node;
	memset(open->messages, 0, sizeof(open->messages));
	memset(open->bytes, 0, sizeof(open->bytes));
	clear_ranks(&open->ranks[SENT]);
	clear_ranks(&open->ranks[RECEIVED]);
}

static void end_region(struct channel_thread *own, const struct runtime_event *event)
{
	struct comm_regions *regions = own->comm_regions;
	const struct comm_region *open;

	if (!regions->depth || regions->depth-- > DEPTH_MAX)
		return;
	open = &regions->open[regions->depth];
	if (open->node != event->node)
		return;
	const uint64_t values[VALUES] = {
		open->messages[SENT],    open->messages[RECEIVED],
		open->messages[SHARED],  open->bytes[SENT],
		open->bytes[RECEIVED],   open->bytes[SHARED],
		open->ranks[SENT].count, open->ranks[RECEIVED].count};
	struct given_bits bits[VALUES];

	for (size_t i = 0; i < VALUES; i++)
		bits[i] = (struct given_bits){attributes[i], values[i]};
	channel_give_at(own, event->before, event->now, bits, VALUES);
}

void mpi_pattern_look(struct channel_thread *own, const struct runtime_event *event)
{
	if (!own->channel->mpi.patterns)
		return;
	if (unlikely(!own->comm_regions))
		own->comm_regions = runtime_map(sizeof(*own->comm_regions));
	if (!own->comm_regions)
		return;
	if (unlikely(own->generation != own->channel->generation)) {
		channel_baseline(own->channel, own->thread);
		own->comm_regions->depth = 0;
	}
	if (event->kind == RUNTIME_BEGIN && mpi_is_known(&region, event->attribute))
		begin_region(own->comm_regions, event->node);
	else if (event->kind == RUNTIME_END && mpi_is_known(&region, event->attribute))
		end_region(own, event);
	else if (event->kind == RUNTIME_BEGIN && own->comm_regions->depth &&
		 mpi_is_known(&function, event->attribute) && is_barrier(event->node))
		mpi_pattern_count(own->comm_regions, event, SHARED);
	else if (event->kind == RUNTIME_SET && own->comm_regions->depth)
		for (size_t i = 0; i < DIRECTIONS; i++)
			if (mpi_is_known(&metrics[i], event->attribute))
				mpi_pattern_count(own->comm_regions, event,
						  (enum direction)i);
}

const char *mpi_pattern_start(struct channel *channel)
{
	for (size_t i = 0; i < VALUES; i++) {
		attributes[i] = attributes_create(names[i], TRM_TYPE_UINT,
						  TRM_AS_VALUE | TRM_SKIP_EVENTS |
							  TRM_AGGREGATABLE);
		if (!attributes[i])
			return "there is no room for its attributes";
	}
	channel->mpi.patterns = true;
	__atomic_store_n(&wanted, 1, __ATOMIC_RELAXED);
	return NULL;
}

void mpi_pattern_deinit(struct channel_thread *own)
{
	for (uint32_t i = 0; own->comm_regions && i < DEPTH_MAX; i++)
		for (int j = 0; j < 2; j++) {
			struct rank_set *set = &own->comm_regions->open[i].ranks[j];

			if (set->words != set->few)
				runtime_unmap(set->words,
					      set->room * sizeof(*set->words));
		}
	runtime_unmap(own->comm_regions, sizeof(*own->comm_regions));
	own->comm_regions = NULL;
}

bool mpi_pattern_waits(const uint64_t *ns)
{
	if (!__atomic_load_n(&wanted, __ATOMIC_RELAXED))
		return false;
	if (ns)
		async_event_say("irecv.req_wait_gap", ns);
	return true;
}
