/*
 * What the service mpi says of messages in traces with MPI_MSG_TRACING, by the names that
 * LLNL's Caliper has: who sent or got it, its bytes; of collective operations their kind,
 * root and bytes. They are values of the snapshot that the message makes; a barrier,
 * which has no bytes, has a snapshot for them.
 */
#include "runtime/service/calls/mpi_messages.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/event.h"
#include "runtime/channel/snapshot_values.h"
#include "runtime/channel/trace.h"
#include "runtime/events/hooks.h"
#include "runtime/service/calls/mpi_pattern.h"
#include "runtime/store/attributes.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

#include <string.h>

enum value { DST, SRC, SIZE, SENDS, RECEIVES, OPERATIONS, KIND, ROOT, WORLD, VALUES };

static const struct {
	const char *name;
	uint32_t type, properties;
} names[VALUES] = {
	[DST] = {"mpi.msg.dst", TRM_TYPE_INT, 0},
	[SRC] = {"mpi.msg.src", TRM_TYPE_INT, 0},
	[SIZE] = {"mpi.msg.size", TRM_TYPE_INT, TRM_AGGREGATABLE},
	[SENDS] = {"mpi.send.count", TRM_TYPE_INT, TRM_AGGREGATABLE},
	[RECEIVES] = {"mpi.recv.count", TRM_TYPE_INT, TRM_AGGREGATABLE},
	[OPERATIONS] = {"mpi.coll.count", TRM_TYPE_INT, TRM_AGGREGATABLE},
	[KIND] = {"mpi.coll.type", TRM_TYPE_INT, 0},
	[ROOT] = {"mpi.coll.root", TRM_TYPE_INT, 0},
	[WORLD] = {"mpi.comm.is_world", TRM_TYPE_BOOL, 0},
};
static uint32_t attributes[VALUES];

static struct mpi_known function = {"mpi.function", 0}, comm = {"mpi.comm", 0},
			peer = {"mpi.peer", 0}, root = {"mpi.root", 0};
static struct mpi_known sent = {"mpi.bytes.sent", 0},
			received = {"mpi.bytes.received", 0},
			shared = {"mpi.bytes.collective", 0};

/* The peer's numbers. */
enum kind { UNKNOWN, BARRIER, ALL, FROM_ONE, TO_ONE };

/* Names without MPI_, or MPI_I; in any case. Those of which nothing is here are among
 * all. */
static const struct {
	const char *name;
	size_t length; /* of it that must fit; 0: all */
	enum kind kind;
} kinds[] = {
	{"barrier", 0, BARRIER}, {"bcast", 0, FROM_ONE}, {"scatter", 7, FROM_ONE},
	{"reduce", 0, TO_ONE},   {"gather", 6, TO_ONE},
};

struct values {
	struct given_bits items[VALUES];
	size_t count;
};

static void mpi_messages_add(struct values *values, enum value which, uint64_t bits)
{
	values->items[values->count++] = (struct given_bits){attributes[which], bits};
}

static enum kind kind_of(const struct context_node *call)
{
	const char *name = strings_at(call->value)->bytes;

	name += !strncmp(name, "MPI_", 4) ? 4 : 0;
	for (int i = 0; i < 2; i++, name++) {
		for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++)
			if (kinds[j].length
				    ? !strncasecmp(name, kinds[j].name, kinds[j].length)
				    : !strcasecmp(name, kinds[j].name))
				return kinds[j].kind;
		if (*name != 'I')
			break;
	}
	return ALL;
}

static void add_comm(struct values *values, struct context_node *node)
{
	const struct context_node *known = mpi_find_known(&comm, node);

	if (known)
		mpi_messages_add(
			values, WORLD,
			!strcmp(strings_at(known->value)->bytes, "MPI_COMM_WORLD"));
}

static void add_message(struct values *values, const struct runtime_event *event,
			enum value which, enum value counted)
{
	const struct context_node *other = mpi_find_known(&peer, event->before);

	if (other)
		mpi_messages_add(values, which, other->value);
	mpi_messages_add(values, SIZE, event->value);
	mpi_messages_add(values, counted, 1);
}

static void add_operation(struct values *values, const struct runtime_event *event)
{
	const struct context_node *call = mpi_find_known(&function, event->before);
	const struct context_node *of = mpi_find_known(&root, event->before);

	if (call)
		mpi_messages_add(values, KIND, kind_of(call));
	if (of)
		mpi_messages_add(values, ROOT, of->value);
	mpi_messages_add(values, SIZE, event->value);
	mpi_messages_add(values, OPERATIONS, 1);
}

/* At the end of a barrier's communicator, since it is no longer open at its own. */
static void look_at_end(struct channel_thread *own, const struct runtime_event *event)
{
	struct context_node *call = mpi_find_known(&function, event->before);
	struct values values = {.count = 0};

	if (!call || !mpi_is_known(&comm, event->attribute) || kind_of(call) != BARRIER)
		return;
	const struct runtime_event end = {RUNTIME_END, call->attribute,
					  call->value, event->before,
					  call,        event->now};

	if (!channel_takes(own->channel, &end))
		return;
	mpi_messages_add(&values, KIND, BARRIER);
	mpi_messages_add(&values, OPERATIONS, 1);
	add_comm(&values, event->before);
	channel_give_at(own, event->before, event->now, values.items, values.count);
}

static void look_at_bytes(struct channel_thread *own, const struct runtime_event *event)
{
	struct values values = {.count = 0};

	if (mpi_is_known(&sent, event->attribute))
		add_message(&values, event, DST, SENDS);
	else if (mpi_is_known(&received, event->attribute))
		add_message(&values, event, SRC, RECEIVES);
	else if (mpi_is_known(&shared, event->attribute))
		add_operation(&values, event);
	if (!values.count || !channel_takes(own->channel, event))
		return;
	add_comm(&values, event->before);
	for (size_t i = 0; i < values.count; i++)
		trace_mark(own, RUNTIME_GIVEN, event->before, values.items[i].attribute,
			   values.items[i].bits);
}

void mpi_messages_look(struct channel_thread *own, const struct runtime_event *event)
{
	if (!own->channel->mpi.messages || !own->channel->traces)
		return;
	if (unlikely(own->generation != own->channel->generation))
		channel_baseline(own->channel, own->thread);
	if (event->kind == RUNTIME_SET)
		look_at_bytes(own, event);
	else if (event->kind == RUNTIME_END)
		look_at_end(own, event);
}

const char *mpi_messages_start(void)
{
	for (size_t i = 0; i < VALUES; i++) {
		attributes[i] = attributes_create(names[i].name, names[i].type,
						  TRM_AS_VALUE | TRM_SKIP_EVENTS |
							  names[i].properties);
		if (!attributes[i])
			return "there is no room for its attributes";
	}
	return NULL;
}
