#include "context/reader.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/search.h"
#include "wire/context_event.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <x86intrin.h>

/* Properties of attributes that have a meaning. */
enum { KNOWN = 0x3ff | RECORD_LEVEL_MASK | CONTEXT_OF_LIBRARY };

static const struct context_block *block_at(const struct context_process *process,
					    uint64_t number)
{
	return (const void *)(process->bytes + number * CONTEXT_BLOCK);
}

/* The whole string, or "" for what is none. */
static const struct context_string *string_at(const struct context_process *process,
					      uint64_t offset)
{
	static const union {
		struct context_string string;
		char bytes[sizeof(struct context_string) + 1]; /* with its 0 */
	} empty;
	const struct context_string *string;

	if (offset % 8 || offset < sizeof(*process->head) ||
	    offset + sizeof(*string) > process->size)
		return &empty.string;
	string = (const void *)(process->bytes + offset);
	if (string->size >= process->size - offset - sizeof(*string) ||
	    string->bytes[string->size])
		return &empty.string;
	return string;
}

struct record_value context_value(const struct context_process *process,
				  uint32_t attribute, uint64_t bits)
{
	enum record_type type = process->attributes.items[attribute].type;
	struct record_value value = {.type = type, .u = bits};

	if (type != RECORD_STRING && type != RECORD_BLOB)
		return value;
	const struct context_string *string = string_at(process, bits);

	value.size = string->size;
	value.bytes = string->bytes;
	return value;
}

uint64_t context_scale(uint64_t ticks, double ns_per_tick)
{
	double ns = (double)ticks * ns_per_tick + 0.5;

	return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

uint64_t context_ns(const struct context_process *process, uint64_t ticks)
{
	return context_scale(ticks, process->ns_per_tick);
}

/* Reads both clocks at one moment: something else may run in between. */
static uint64_t read_clocks(uint64_t *ret_ticks)
{
	enum { TRIES = 16, ENOUGH = 1000 };
	uint64_t least = UINT64_MAX, ns = 0;

	for (int i = 0; i < TRIES && least > ENOUGH; i++) {
		const uint64_t before = __rdtsc(), now = clock_now_ns();
		const uint64_t passed = __rdtsc() - before;

		if (passed >= least)
			continue;
		least = passed;
		ns = now;
		*ret_ticks = before + passed / 2;
	}
	return ns;
}

/* Both clocks go on after the process ended: the longer the stretch, the better. Within
 * some milliseconds the error of reading them both would show. */
static void calibrate_clock(struct context_process *process)
{
	const struct context_moment *begin = &process->head->begin;
	uint64_t ticks, ns = read_clocks(&ticks);

	process->ns_per_tick = 1;
	if (process->head->ticks_per_second || ns <= begin->ns || ticks <= begin->ticks)
		return;
	if (ns - begin->ns < 20000000) {
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
		ns = read_clocks(&ticks);
	}
	process->ns_per_tick = (double)(ns - begin->ns) / (double)(ticks - begin->ticks);
}

static struct context_known_thread *thread_of(struct context_process *process,
					      uint32_t number)
{
	while (process->threads.count <= number)
		vector_add(&process->threads);
	return &process->threads.items[number];
}

static bool is_metric_type(enum record_type type)
{
	return type != RECORD_STRING && type != RECORD_BLOB;
}

/* Of a thread that was held between reading the clock and adding up, it may be less than
 * nothing. */
static uint64_t at_least_0(uint64_t ticks)
{
	return (int64_t)ticks < 0 ? 0 : ticks;
}

/* Takes nodes of a block in; those of a thread come in their order. */
static void add_nodes(struct context_process *process,
		      struct context_known_thread *thread,
		      const struct context_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct context_node *node = &nodes[i];
		uint32_t attribute = node->attribute;
		size_t number = thread->paths.count;

		if (node->number != number || (number && node->parent_number >= number) ||
		    (number && (!attribute || attribute >= process->attributes.count)))
			return;
		struct context_path path = {
			.parent = number ? node->parent_number : 0,
			.attribute = number ? attribute : 0,
			.bits = node->value,
			.count = node->count,
			.ticks = node->ticks,
		};

		if (number)
			path.value = context_value(process, attribute, node->value);
		if (!(node->flags & CONTEXT_METRIC))
			path.ticks = at_least_0(path.ticks);
		if (node->flags & CONTEXT_METRIC && number &&
		    is_metric_type(process->attributes.items[attribute].type)) {
			path.metric = true;
			path.least = node->least;
			path.most = node->most;
		}
		vector_push(&thread->paths, path);
	}
}

static void add_attributes(struct context_process *process,
			   const struct context_block *block)
{
	const struct context_attribute *attributes = (const void *)(block + 1);
	size_t count = block->used / sizeof(*attributes);

	for (size_t i = 0; i < count; i++) {
		const struct context_string *name =
			string_at(process, attributes[i].name);

		vector_push(&process->attributes,
			    ((struct context_known_attribute){
				    name->bytes,
				    attributes[i].type < RECORD_TYPE_COUNT
					    ? (enum record_type)attributes[i].type
					    : RECORD_UINT,
				    attributes[i].properties & KNOWN,
			    }));
	}
}

static const struct context_node *nodes_of(const struct context_block *block)
{
	return (const void *)((const uint8_t *)block + context_nodes_at(block->kind));
}

static size_t room_for_nodes(const struct context_block *block)
{
	return context_nodes_room(block->kind);
}

const uint32_t *context_block_events(const struct context_block *block,
				     const uint32_t **ret_end)
{
	const uint32_t *events =
		(const void *)((const uint8_t *)block + context_events_at(block->kind));

	/* None begins where its cells might not be there. */
	*ret_end = events +
		   context_events_room(block->kind, block->run ? block->run : 1) -
		   (CONTEXT_CELLS_SET - 1);
	return events;
}

/* A run of a process that still lives may say more by now than when it was looked at. */
static size_t used_of(const struct context_block *block)
{
	size_t room =
		(block->run ? block->run : 1) * (size_t)CONTEXT_BLOCK - sizeof(*block);

	return block->used < room ? block->used : room;
}

struct context_blocks context_blocks_of(const struct context_process *process,
					enum context_block_kind kind)
{
	uint64_t count = process->head->blocks, there = process->size / CONTEXT_BLOCK;
	struct context_blocks found = {0};

	for (uint64_t i = CONTEXT_HEAD_BLOCKS, run; i < count && i < there; i += run) {
		const struct context_block *block = block_at(process, i);

		run = block->run ? block->run : 1;
		if (run > there - i)
			break;
		if (block->kind == kind && used_of(block) == block->used)
			vector_push(&found, block);
	}
	return found;
}

static int by_owner(const void *a, const void *b)
{
	const struct context_block *x = *(const struct context_block *const *)a;
	const struct context_block *y = *(const struct context_block *const *)b;

	return compare_numbers(x->owner, y->owner) ?: compare_numbers(x->order, y->order);
}

void context_blocks_sort(struct context_blocks *blocks)
{
	if (blocks->count)
		qsort(blocks->items, blocks->count, sizeof(*blocks->items), by_owner);
}

/* The first one of an owner, of sorted ones; the end if it has none. */
static size_t first_of(const struct context_blocks *blocks, uint32_t owner)
{
	return search_first(blocks->count, middle, blocks->items[middle]->owner < owner);
}

static void read_attributes(struct context_process *process)
{
	scoped_free struct context_block const **owned = NULL;
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_ATTRIBUTES);

	owned = blocks.items;
	vector_add(&process->attributes);
	context_blocks_sort(&blocks);
	vector_for_each (&blocks, block)
		add_attributes(process, *block);
}

/* The number of the node at an address of the process, UINT32_MAX if it is not in the
 * block. */
static uint32_t node_number(const struct context_block *block, uint64_t address)
{
	const struct context_node *nodes = nodes_of(block);
	uint64_t first = block->address +
			 (uint64_t)((const uint8_t *)nodes - (const uint8_t *)block);

	if (address < first ||
	    (address - first) / sizeof(*nodes) >= room_for_nodes(block))
		return UINT32_MAX;
	return nodes[(address - first) / sizeof(*nodes)].number;
}

static size_t count_of_nodes(const struct context_block *block, uint64_t have,
			     uint64_t wanted)
{
	uint64_t left = have < wanted ? wanted - have : 0;

	return left < room_for_nodes(block) ? (size_t)left : room_for_nodes(block);
}

/* A thread of which `nodes` has more nodes than fit beside its record. */
static void read_thread(struct context_process *process,
			const struct context_thread *record,
			const struct context_blocks *nodes)
{
	struct context_known_thread *thread = thread_of(process, record->number);
	uint64_t end = process->head->end.ticks, address = (uintptr_t)record->node;
	uint32_t current = node_number(&record->head, address);
	const uint32_t *end_of_events;

	if (thread->paths.count)
		return; /* of two with one number the file is wrong */
	thread->number = record->number;
	thread->tid = record->tid;
	thread->alive = record->alive;
	thread->last = record->last;
	thread->dropped = record->dropped;
	thread->moved = record->rowless;
	if (*context_block_events(&record->head, &end_of_events))
		vector_push(&thread->events, &record->head);
	add_nodes(process, thread, nodes_of(&record->head),
		  count_of_nodes(&record->head, 0, record->node_count));
	for (size_t i = first_of(nodes, record->number);
	     i < nodes->count && nodes->items[i]->owner == record->number; i++) {
		const struct context_block *block = nodes->items[i];

		add_nodes(process, thread, nodes_of(block),
			  count_of_nodes(block, thread->paths.count, record->node_count));
		if (current == UINT32_MAX)
			current = node_number(block, address);
	}
	thread->current = current < thread->paths.count ? current : 0;
	/* The time from the last event to the process's end is the current node's. */
	if (record->alive && end > record->last && current < thread->paths.count)
		thread->paths.items[current].ticks += end - record->last;
}

enum { THREADS_MAX = 1 << 22 };

static void read_threads(struct context_process *process)
{
	struct context_blocks heads = context_blocks_of(process, CONTEXT_THREAD);
	struct context_blocks nodes = context_blocks_of(process, CONTEXT_NODES);

	context_blocks_sort(&nodes);
	vector_for_each (&heads, head) {
		const struct context_thread *record = (const void *)*head;

		if (record->number <= THREADS_MAX)
			read_thread(process, record, &nodes);
	}
	vector_deinit(&heads);
	vector_deinit(&nodes);
}

static void read_events(struct context_process *process)
{
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_EVENTS);

	context_blocks_sort(&blocks);
	vector_for_each (&blocks, block)
		if ((*block)->owner < process->threads.count)
			vector_push(&process->threads.items[(*block)->owner].events,
				    *block);
	vector_deinit(&blocks);
}

static void read_rows(struct context_process *process)
{
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_ROWS);

	vector_for_each (&blocks, block) {
		const struct context_row *rows = (const void *)(*block + 1);
		size_t count = used_of(*block) / sizeof(*rows);

		for (size_t i = 0; i < count; i++)
			if (process->threads.count &&
			    rows[i].node < process->threads.items[0].paths.count)
				vector_push(&process->rows, rows[i]);
	}
	vector_deinit(&blocks);
}

/* A thread that is on its way out has left rows of some of its nodes, one by one. */
static void forget_moved(struct context_process *process)
{
	vector_for_each (&process->rows, row)
		if (row->thread < process->threads.count)
			process->threads.items[row->thread].moved++;
	vector_for_each (&process->threads, thread)
		for (size_t i = 0; i < thread->paths.count && i < thread->moved; i++)
			thread->paths.items[i].count = thread->paths.items[i].ticks = 0;
}

static void read_globals(struct context_process *process)
{
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_GLOBALS);

	vector_for_each (&blocks, block) {
		const struct context_global *items = (const void *)(*block + 1);
		size_t count = used_of(*block) / sizeof(*items);

		for (size_t i = 0; i < count; i++)
			if (items[i].set && items[i].attribute &&
			    items[i].attribute < process->attributes.count)
				vector_push(&process->globals, items[i]);
	}
	vector_deinit(&blocks);
}

static void read_modules(struct context_process *process)
{
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_MODULES);

	vector_for_each (&blocks, block) {
		const struct context_module *items = (const void *)(*block + 1);
		size_t count = used_of(*block) / sizeof(*items);

		for (size_t i = 0; i < count; i++) {
			const struct context_string *path =
				items[i].path ? string_at(process, items[i].path) : NULL;
			const char *bytes = path ? path->bytes : process->head->program;
			size_t size = path ? path->size : CONTEXT_PROGRAM_MAX - 1;

			vector_push(&process->modules,
				    ((struct context_known_module){
					    items[i].start, items[i].end, items[i].bias,
					    strndup(bytes, size)}));
		}
	}
	vector_deinit(&blocks);
}

/* Reads, since looking at a mapping of it would make pages for its holes, for which a
 * full file system has no room. */
static bool read_all(int fd, uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t got = pread(fd, bytes + at, size - at, (off_t)at);

		if (got <= 0)
			return false;
		at += (size_t)got;
	}
	return true;
}

/* The length of what was given out of the file, which itself is as long as it may become.
 */
static size_t size_of(int fd)
{
	struct context_spool head;
	struct stat status;
	uint64_t blocks;

	if (fstat(fd, &status) || status.st_size < (off_t)sizeof(head) ||
	    !read_all(fd, (uint8_t *)&head, sizeof(head)))
		return 0;
	blocks = (uint64_t)status.st_size / CONTEXT_BLOCK;
	if (blocks > head.blocks)
		blocks = head.blocks;
	return blocks * CONTEXT_BLOCK;
}

static bool is_of_trees(uint32_t kind)
{
	return kind == CONTEXT_HEAD || kind == CONTEXT_ATTRIBUTES ||
	       kind == CONTEXT_THREAD || kind == CONTEXT_NODES || kind == CONTEXT_ROWS;
}

/* Blocks of other kinds become one of none, however many follow each other: a trace may
 * be long. */
static bool read_trees(int fd, uint8_t *bytes, size_t size)
{
	struct context_block *skipped = NULL, head;
	uint64_t count = size / CONTEXT_BLOCK;

	for (uint64_t i = 0, run; i < count; i += run) {
		off_t at = (off_t)(i * CONTEXT_BLOCK);

		if (pread(fd, &head, sizeof(head), at) != sizeof(head))
			return false;
		run = head.run ? head.run : 1;
		if (run > count - i)
			run = count - i;
		if (is_of_trees(head.kind)) {
			skipped = NULL;
			if (pread(fd, bytes + at, run * CONTEXT_BLOCK, at) !=
			    (ssize_t)(run * CONTEXT_BLOCK))
				return false;
			continue;
		}
		if (!skipped)
			skipped = (void *)(bytes + at);
		skipped->run += (uint32_t)run;
	}
	return true;
}

static struct trm_error *read_file(struct context_process *process, const char *path,
				   bool (*read)(int fd, uint8_t *bytes, size_t size))
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = fd < 0 ? 0 : size_of(fd);
	void *bytes;

	if (fd < 0)
		return trm_error_system(errno, "cannot read '%s'", path);
	if (!size)
		return trm_error_create(TRM_ERROR_FORMAT, "'%s' is not a spool", path);
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (bytes == MAP_FAILED)
		return trm_error_system(errno, "cannot read '%s'", path);
	process->mapped = bytes;
	process->bytes = bytes;
	process->size = size;
	if (!read(fd, bytes, size))
		return trm_error_system(errno, "cannot read '%s'", path);
	return NULL;
}

/* Takes in what the bytes say. `timed`: how long a tick is, is to be found out. */
static struct trm_error *read_spool(struct context_process *process, const char *name,
				    bool timed)
{
	process->head = (const void *)process->bytes;
	process->ns_per_tick = 1;
	if (process->size < sizeof(*process->head) ||
	    memcmp(process->head->magic, CONTEXT_MAGIC, sizeof(process->head->magic)) ||
	    process->head->version != CONTEXT_VERSION)
		return trm_error_create(TRM_ERROR_FORMAT, "'%s' is not a spool", name);
	if (timed)
		calibrate_clock(process);
	read_attributes(process);
	read_threads(process);
	read_events(process);
	read_rows(process);
	forget_moved(process);
	read_globals(process);
	read_modules(process);
	return NULL;
}

static struct trm_error *init_from_file(struct context_process *process, const char *path,
					bool (*read)(int fd, uint8_t *bytes, size_t size),
					bool timed)
{
	struct trm_error *error;

	*process = (struct context_process){0};
	error = read_file(process, path, read);
	if (!error)
		error = read_spool(process, path, timed);
	if (error)
		context_process_deinit(process);
	return error;
}

struct trm_error *context_process_init_memory(struct context_process *process,
					      const void *bytes, size_t size,
					      const char *name)
{
	*process = (struct context_process){.bytes = bytes, .size = size};
	return read_spool(process, name, false);
}

struct trm_error *context_process_init(struct context_process *process, const char *path)
{
	return init_from_file(process, path, read_all, true);
}

struct trm_error *context_process_init_trees(struct context_process *process,
					     const char *path)
{
	return init_from_file(process, path, read_trees, false);
}

bool context_is_spool(const char *name)
{
	size_t length = strlen(name);

	return length > 8 && !strcmp(name + length - 8, ".context");
}

void context_process_deinit(struct context_process *process)
{
	vector_for_each (&process->threads, thread) {
		vector_deinit(&thread->paths);
		vector_deinit(&thread->events);
	}
	vector_deinit(&process->threads);
	vector_deinit(&process->attributes);
	vector_deinit(&process->rows);
	vector_deinit(&process->globals);
	vector_for_each (&process->modules, module)
		free(module->path);
	vector_deinit(&process->modules);
	if (process->mapped)
		munmap(process->mapped, process->size);
	process->mapped = NULL;
	process->bytes = NULL;
}

struct context_path context_path_of_row(const struct context_known_thread *ended,
					const struct context_row *row)
{
	struct context_path path = ended->paths.items[row->node];

	path.count = row->count;
	path.ticks = path.metric ? row->ticks : at_least_0(row->ticks);
	path.least = row->least;
	path.most = row->most;
	return path;
}
