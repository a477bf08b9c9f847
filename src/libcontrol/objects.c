#include "libcontrol/objects.h"

#include "base/vector.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* The kind is in the lowest bits of a ticket; numbers go up. */
enum { KIND_BITS = 4, KIND_MASK = (1 << KIND_BITS) - 1, DEAD_MANY = 64 };

struct entry {
	uint64_t ticket;
	void *object; /* NULL: it was released */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct VECTOR(struct entry) entries; /* in the order of their tickets */
static size_t dead;
static uint64_t last;

static const char *const names[OBJECT_KINDS] = {
	[OBJECT_ENGINE] = "an engine",
	[OBJECT_PROCESS] = "a process",
	[OBJECT_MEASUREMENTS] = "a set of measurements",
	[OBJECT_EVENT] = "an event",
	[OBJECT_PROFILE] = "a profile",
	[OBJECT_RECORDS] = "records",
};

static void drop_dead(void)
{
	size_t kept = 0;

	if (dead < DEAD_MANY || dead < entries.count / 2)
		return;
	vector_for_each (&entries, entry)
		if (entry->object)
			entries.items[kept++] = *entry;
	entries.count = kept;
	dead = 0;
}

/* NULL: there is none. */
static struct entry *find_entry(uint64_t ticket)
{
	size_t from = 0, to = entries.count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (entries.items[middle].ticket < ticket)
			from = middle + 1;
		else
			to = middle;
	}
	return from < entries.count && entries.items[from].ticket == ticket &&
			       entries.items[from].object
		       ? &entries.items[from]
		       : NULL;
}

void *object_add(enum object_kind kind, void *object)
{
	pthread_mutex_lock(&lock);
	drop_dead();
	uint64_t ticket = ++last << KIND_BITS | kind;

	vector_push(&entries, ((struct entry){ticket, object}));
	pthread_mutex_unlock(&lock);
	return (void *)(uintptr_t)ticket;
}

/* Why a ticket is no good. */
static struct trm_error *explain_ticket(uint64_t number, uint64_t issued,
					enum object_kind kind)
{
	const uint64_t given = number & KIND_MASK, serial = number >> KIND_BITS;

	if (!number)
		return trm_error_create(TRM_ERROR_USAGE, "NULL is not %s", names[kind]);
	if (!serial || serial > issued || !given || given >= OBJECT_KINDS)
		return trm_error_create(TRM_ERROR_USAGE,
					"what was given is not %s of this library",
					names[kind]);
	if (given != kind)
		return trm_error_create(TRM_ERROR_USAGE, "%s was given where %s is meant",
					names[given], names[kind]);
	return trm_error_create(TRM_ERROR_USAGE,
				"%s was released, and cannot be used any more",
				names[kind]);
}

struct trm_error *object_find(const void *ticket, enum object_kind kind,
			      void **ret_object)
{
	const uint64_t number = (uintptr_t)ticket;

	pthread_mutex_lock(&lock);
	const struct entry *entry = find_entry(number);
	void *object = entry ? entry->object : NULL;
	uint64_t issued = last;

	pthread_mutex_unlock(&lock);
	if (!object || (number & KIND_MASK) != kind)
		return explain_ticket(number, issued, kind);
	*ret_object = object;
	return NULL;
}

void *object_remove(const void *ticket, enum object_kind kind)
{
	const uint64_t number = (uintptr_t)ticket;
	void *object = NULL;

	pthread_mutex_lock(&lock);
	struct entry *entry = (number & KIND_MASK) == kind ? find_entry(number) : NULL;

	if (entry) {
		object = entry->object;
		entry->object = NULL;
		dead++;
	}
	pthread_mutex_unlock(&lock);
	return object;
}
