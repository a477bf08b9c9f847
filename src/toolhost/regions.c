#include "regions.h"

#include "wire/bank.h"
#include "wire/context.h"
#include "wire/probes.h"
#include "wire/tool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { FSGSBASE = 2, KNOWN = 64 };

/* A path; all stay, in a table by hash that grows. */
struct region {
	uint64_t number;
	char path[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region **rows; /* a power of two */
static struct region **by_number;
static uint64_t row_count, count;

/* What a thread has found, by node: these stay as they are while it lives. */
struct known_node {
	const struct context_node *node;
	uint64_t number;
};
static __thread struct known_node known[KNOWN];

/* What the library of contexts has of this thread; NULL: it has nothing, or the thread
 * has no bank. */
static const struct context_thread *find_thread(void)
{
	const struct wire_bank *bank;

	/* Else routines that call libraries are not called by points. */
	if (!(getauxval(AT_HWCAP2) & FSGSBASE))
		return NULL;
	__asm__ volatile("rdgsbase %0" : "=r"(bank));
	return bank ? (const struct context_thread *)(uintptr_t)bank->context : NULL;
}

/* Adds a number; returns the new length, 0: there is no room. */
static size_t add_number(char *path, size_t length, uint64_t number)
{
	do {
		if (length == WIRE_FIELD_TEXT_MAX)
			return 0;
		path[length] = (char)(WIRE_PROBE_DIGIT | (number & 0x3f));
		number >>= WIRE_PROBE_DIGIT_BITS;
		if (!number)
			path[length] |= WIRE_PROBE_LAST_DIGIT;
		length++;
	} while (number);
	return length;
}

/* Writes the path of a node, innermost first: as much as there is room for. */
static void write_path(const struct context_node *node, char *path)
{
	size_t length = 0;

	for (; node->parent; node = node->parent) {
		size_t end = add_number(path, length, node->attribute);

		end = end ? add_number(path, end, node->value) : 0;
		if (!end)
			break;
		length = end;
	}
	path[length] = '\0';
}

static uint64_t hash_path(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3;
	return hash ^ hash >> 32;
}

static struct region **find_row(const char *path)
{
	uint64_t at = hash_path(path);

	while (rows[at & (row_count - 1)] &&
	       strcmp(rows[at & (row_count - 1)]->path, path) != 0)
		at++;
	return &rows[at & (row_count - 1)];
}

/* Makes room for one more; false: there is no memory. */
static bool make_room(void)
{
	const uint64_t more = row_count ? row_count * 2 : 64;
	struct region **wider, **list;

	if (count * 2 < row_count)
		return true;
	wider = calloc(more, sizeof(*wider));
	list = realloc(by_number, more * sizeof(*list));
	if (list)
		by_number = list;
	if (!wider || !list) {
		free(wider);
		return false;
	}
	free(rows);
	rows = wider;
	row_count = more;
	for (uint64_t i = 0; i < count; i++)
		*find_row(by_number[i]->path) = by_number[i];
	return true;
}

static uint64_t number_path(const char *path)
{
	const size_t size = strlen(path) + 1;
	struct region **row;

	if (!*path || !make_room())
		return 0;
	row = find_row(path);
	if (*row)
		return (*row)->number;
	*row = malloc(sizeof(**row) + size);
	if (!*row)
		return 0;
	memcpy((*row)->path, path, size);
	by_number[count] = *row;
	(*row)->number = ++count;
	return count;
}

uint64_t regions_current(uint64_t *forked)
{
	const struct context_thread *thread = find_thread();
	const struct context_node *node = thread ? thread->node : NULL;
	struct known_node *row = &known[(uintptr_t)node / sizeof(*node) % KNOWN];
	char path[WIRE_FIELD_TEXT_MAX + 1];

	if (*forked)
		memset(known, 0, sizeof(known));
	*forked = 0;
	if (!node)
		return 0;
	if (row->node == node)
		return row->number;
	write_path(node, path);
	pthread_mutex_lock(&lock);
	row->number = number_path(path);
	pthread_mutex_unlock(&lock);
	row->node = node;
	return row->number;
}

const char *regions_path(uint64_t number)
{
	const char *path = "";

	pthread_mutex_lock(&lock);
	if (number && number <= count)
		path = by_number[number - 1]->path;
	pthread_mutex_unlock(&lock);
	return path;
}
