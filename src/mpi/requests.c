/*
 * Requests of receives, whose messages are known once they are complete, and of
 * persistent sends: a hash table from handles. Calls that complete requests look at it
 * only if there is something in it.
 */
#include "mpi/requests.h"

#include "base/clock.h"
#include "mpi/calls.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	pthread_mutex_t lock;
	struct mpi_note *slots; /* free: key 0 */
	size_t count, capacity; /* a power of two, or 0 */
	uint64_t notes;         /* so many were ever made */
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
static struct mpi_note *slot_of(uint64_t key)
{
	size_t at = home_of(key);

	while (tracking.slots[at].key && tracking.slots[at].key != key)
		at = (at + 1) & (tracking.capacity - 1);
	return &tracking.slots[at];
}

static bool grow_requests(void)
{
	struct mpi_note *old = tracking.slots;
	size_t capacity = tracking.capacity;
	struct mpi_note *slots = calloc(capacity ? 2 * capacity : 64, sizeof(*slots));

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
static void track_request(const struct mpi_note *note)
{
	struct mpi_note *slot;

	pthread_mutex_lock(&tracking.lock);
	if (2 * (tracking.count + 1) <= tracking.capacity || grow_requests()) {
		slot = slot_of(note->key);
		tracking.count += !slot->key;
		*slot = *note;
		slot->number = ++tracking.notes;
	}
	pthread_mutex_unlock(&tracking.lock);
}

/* Notes of all the requests; of those that nothing is known of, the key alone: 0. */
static void find_requests(const MPI_Request *requests, int count,
			  struct mpi_note *ret_notes)
{
	struct mpi_note *slot;

	pthread_mutex_lock(&tracking.lock);
	for (int i = 0; i < count; i++) {
		slot = tracking.count ? slot_of(key_of(requests[i])) : NULL;
		ret_notes[i].key = 0;
		if (!slot || !slot->key)
			continue;
		ret_notes[i] = *slot;
		slot->began = 0;
	}
	pthread_mutex_unlock(&tracking.lock);
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

/* `number`: of the note that is meant; 0: whichever is there. */
static void forget_request(uint64_t key, uint64_t number)
{
	const struct mpi_note *slot;

	pthread_mutex_lock(&tracking.lock);
	if (key && tracking.count) {
		slot = slot_of(key);
		if (slot->key && (!number || slot->number == number))
			remove_slot((size_t)(slot - tracking.slots));
	}
	pthread_mutex_unlock(&tracking.lock);
}

void mpi_untrack(MPI_Request request)
{
	forget_request(key_of(request), 0);
}

static bool is_null(MPI_Request request)
{
	return request == mpi_handles()->no_request;
}

/* How long ago receives began that are waited for now, the first time. */
static void say_waits(const struct mpi_note *notes, int count)
{
	const struct runtime_outside *runtime = NULL;

	for (int i = 0; i < count; i++) {
		if (!notes[i].key || !notes[i].began)
			continue;
		runtime = runtime ? runtime : outside_find();
		if (!runtime)
			return;
		runtime->waits(&(uint64_t){clock_now_ns() - notes[i].began});
	}
}

void mpi_track_receive(MPI_Request request, MPI_Comm comm)
{
	struct mpi_note note = {.key = key_of(request), .receive = true};
	const struct runtime_outside *runtime = outside_find();

	if (is_null(request))
		return;
	mpi_name_of(comm, &note.comm);
	if (runtime && runtime->waits(NULL))
		note.began = clock_now_ns();
	track_request(&note);
}

void mpi_track_send(MPI_Request request, MPI_Comm comm, int peer, int count,
		    MPI_Datatype type)
{
	struct mpi_note note = {.key = key_of(request), .peer = peer};

	if (is_null(request) || peer < 0)
		return;
	mpi_name_of(comm, &note.comm);
	note.bytes = mpi_bytes(count, type);
	track_request(&note);
}

void mpi_started(struct mpi_call *call, const MPI_Request *requests, int count)
{
	struct mpi_note note;

	(void)call;
	for (int i = 0; i < count; i++) {
		find_requests(&requests[i], 1, &note);
		if (note.key && !note.receive)
			mpi_note_sent(&note.comm, note.peer, note.bytes);
	}
}

/* Room for what does not fit in the record; false: there is none. */
static bool make_room(struct mpi_waiting *waiting, int count, int status_count,
		      MPI_Status **ret_statuses)
{
	size_t notes = (size_t)count * sizeof(*waiting->notes);
	size_t head = (notes + 15) & ~(size_t)15;

	waiting->notes = waiting->few_notes;
	*ret_statuses = waiting->few_statuses;
	if (count <= 16 && status_count <= 16)
		return true;
	waiting->memory = malloc(head + (size_t)status_count * sizeof(**ret_statuses));
	waiting->notes = waiting->memory;
	*ret_statuses = (void *)((char *)waiting->memory + head);
	return waiting->memory != NULL;
}

/* The notes are read before requests complete: from then on the library gives the handles
 * to other threads, which make new notes of them. */
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
	find_requests(requests, count, waiting->notes);
	say_waits(waiting->notes, count);
	return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE
		       ? own
		       : statuses;
}

void mpi_wait_done(struct mpi_call *call, struct mpi_waiting *waiting, int count,
		   const int *indices, const MPI_Status *statuses)
{
	(void)call;
	for (int i = 0; i < count && waiting->count; i++) {
		int index = indices ? indices[i] : i;
		const struct mpi_note *note;

		if (index < 0 || index >= waiting->count)
			continue;
		note = &waiting->notes[index];
		if (note->key && note->receive)
			mpi_note_received(&note->comm, &statuses[i]);
	}
}

/* Requests that are no more are null now; others are persistent, or not complete. */
void mpi_wait_end(struct mpi_waiting *waiting, const MPI_Request *requests)
{
	for (int i = 0; i < waiting->count; i++)
		if (waiting->notes[i].key && is_null(requests[i]))
			forget_request(waiting->notes[i].key, waiting->notes[i].number);
	free(waiting->memory);
}
