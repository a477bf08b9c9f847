/*
 * Requests of receives, whose messages are known once they are complete, and of
 * persistent sends: a hash table from handles. Calls that complete requests look at it
 * only if there is something in it.
 */
#include "mpi/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tracked {
	uint64_t key; /* the handle; 0: free */
	struct mpi_name comm;
	bool receive;
	int peer;       /* of a send */
	uint64_t bytes; /* the same */
};

static struct {
	pthread_mutex_t lock;
	struct tracked *slots;
	size_t count, capacity; /* a power of two, or 0 */
} tracking = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t key_of(MPI_Request request)
{
	uint64_t key = 0;

	memcpy(&key, &request, sizeof(request));
	return key;
}

static size_t home_of(uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (tracking.capacity - 1);
}

/* The slot of the key, or the free one where it would be. */
static struct tracked *slot_of(uint64_t key)
{
	size_t at = home_of(key);

	while (tracking.slots[at].key && tracking.slots[at].key != key)
		at = (at + 1) & (tracking.capacity - 1);
	return &tracking.slots[at];
}

static bool grow(void)
{
	struct tracked *old = tracking.slots;
	size_t capacity = tracking.capacity;
	struct tracked *slots = calloc(capacity ? 2 * capacity : 64, sizeof(*slots));

	if (!slots)
		return false;
	tracking.slots = slots;
	tracking.capacity = capacity ? 2 * capacity : 64;
	for (size_t i = 0; i < capacity; i++)
		if (old[i].key)
			*slot_of(old[i].key) = old[i];
	free(old);
	return true;
}

/* Without memory the message will not be known. */
static void track(const struct tracked *tracked)
{
	struct tracked *slot;

	pthread_mutex_lock(&tracking.lock);
	if (2 * (tracking.count + 1) <= tracking.capacity || grow()) {
		slot = slot_of(tracked->key);
		tracking.count += !slot->key;
		*slot = *tracked;
	}
	pthread_mutex_unlock(&tracking.lock);
}

static bool find(MPI_Request request, struct tracked *ret_tracked)
{
	uint64_t key = key_of(request);
	bool found = false;

	pthread_mutex_lock(&tracking.lock);
	if (key && tracking.count) {
		*ret_tracked = *slot_of(key);
		found = ret_tracked->key != 0;
	}
	pthread_mutex_unlock(&tracking.lock);
	return found;
}

/* What stands behind comes nearer to its home (Knuth, The Art of Computer Programming,
 * vol. 3, 6.4, algorithm R). */
static void remove_slot(size_t hole)
{
	size_t mask = tracking.capacity - 1;

	for (size_t at = (hole + 1) & mask; tracking.slots[at].key;
	     at = (at + 1) & mask) {
		size_t home = home_of(tracking.slots[at].key);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		tracking.slots[hole] = tracking.slots[at];
		hole = at;
	}
	tracking.slots[hole].key = 0;
	tracking.count--;
}

void mpi_untrack(MPI_Request request)
{
	uint64_t key = key_of(request);
	const struct tracked *slot;

	pthread_mutex_lock(&tracking.lock);
	if (key && tracking.count) {
		slot = slot_of(key);
		if (slot->key)
			remove_slot((size_t)(slot - tracking.slots));
	}
	pthread_mutex_unlock(&tracking.lock);
}

static bool is_null(MPI_Request request)
{
	return request == mpi_handles()->no_request;
}

void mpi_track_receive(MPI_Request request, MPI_Comm comm)
{
	struct tracked tracked = {.key = key_of(request), .receive = true};

	if (is_null(request))
		return;
	mpi_name_of(comm, &tracked.comm);
	track(&tracked);
}

void mpi_track_send(MPI_Request request, MPI_Comm comm, int peer, int count,
		    MPI_Datatype type)
{
	struct tracked tracked = {.key = key_of(request), .peer = peer};

	if (is_null(request) || peer < 0)
		return;
	mpi_name_of(comm, &tracked.comm);
	tracked.bytes = mpi_bytes(count, type);
	track(&tracked);
}

void mpi_started(struct mpi_call *call, const MPI_Request *requests, int count)
{
	struct tracked tracked;

	(void)call;
	for (int i = 0; i < count; i++)
		if (find(requests[i], &tracked) && !tracked.receive)
			mpi_note_sent(&tracked.comm, tracked.peer, tracked.bytes);
}

/* Room for what does not fit in the record; false: there is none. */
static bool make_room(struct mpi_waiting *waiting, int count, int status_count,
		      MPI_Status **ret_statuses)
{
	size_t requests = (size_t)count * sizeof(*waiting->requests);
	size_t head = (requests + 15) & ~(size_t)15;

	waiting->memory = NULL;
	waiting->requests = waiting->few_requests;
	*ret_statuses = waiting->few_statuses;
	if (count <= 16 && status_count <= 16)
		return true;
	waiting->memory = malloc(head + (size_t)status_count * sizeof(**ret_statuses));
	waiting->requests = waiting->memory;
	*ret_statuses = (void *)((char *)waiting->memory + head);
	return waiting->memory != NULL;
}

MPI_Status *mpi_wait_begin(struct mpi_waiting *waiting, const MPI_Request *requests,
			   int count, MPI_Status *statuses, int status_count)
{
	MPI_Status *own;

	waiting->count = 0;
	waiting->memory = NULL;
	if (count <= 0 || !__atomic_load_n(&tracking.count, __ATOMIC_ACQUIRE) ||
	    !make_room(waiting, count, status_count, &own))
		return statuses;
	waiting->count = count;
	memcpy(waiting->requests, requests, (size_t)count * sizeof(*requests));
	return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE
		       ? own
		       : statuses;
}

void mpi_wait_done(struct mpi_call *call, struct mpi_waiting *waiting, int count,
		   const int *indices, const MPI_Status *statuses)
{
	struct tracked tracked;

	(void)call;
	for (int i = 0; i < count && waiting->count; i++) {
		int index = indices ? indices[i] : i;

		if (index < 0 || index >= waiting->count ||
		    !find(waiting->requests[index], &tracked) || !tracked.receive)
			continue;
		mpi_note_received(&tracked.comm, &statuses[i]);
	}
}

/* Requests that are no more are null now; others are persistent, or not complete. */
void mpi_wait_end(struct mpi_waiting *waiting, const MPI_Request *requests)
{
	for (int i = 0; i < waiting->count; i++)
		if (is_null(requests[i]) && !is_null(waiting->requests[i]))
			mpi_untrack(waiting->requests[i]);
	free(waiting->memory);
}
