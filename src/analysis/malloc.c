/*
 * malloc: blocks of the heap: sizes, lifetimes, and what was never freed, by the path of
 * calls that asked for it. The path comes from a stack that the entries of all functions
 * keep, matched by the stack pointer, so exceptions and longjmp do no harm; frames of
 * code that is not instrumented are missing. Lifetimes are told in blocks allocated
 * meanwhile.
 *
 *     trammel run --tool malloc:depth=8,top=20 -- PROGRAM
 *     trammel run --tool malloc:by=region -- PROGRAM
 */
#include "tables.h"

#include <pthread.h>

enum {
	PATH_TEXT = 480,
	DEPTH_MAX = 16,
	FRAMES = 4096,
	SIZES = 48,
	BLOCKS_MIN = 1 << 12,
	PATHS = 1 << 14
};

/* The functions that allocate and free, and what their arguments say. */
enum kind { MALLOC, CALLOC, REALLOC, ALIGNED, POSIX, FREE };
static const struct {
	const char *name;
	uint8_t kind;
} heap_functions[] = {
	{"malloc", MALLOC},        {"valloc", MALLOC},    {"calloc", CALLOC},
	{"realloc", REALLOC},      {"memalign", ALIGNED}, {"aligned_alloc", ALIGNED},
	{"posix_memalign", POSIX}, {"free", FREE},        {"cfree", FREE},
};

/* --- program --------------------------------------------------------------------- */

struct frame {
	uint64_t stack; /* where the return address lies */
	struct place *function;
};

struct path {
	struct place *functions[DEPTH_MAX];                /* innermost first */
	uint64_t region;                                   /* as places_region has it */
	uint64_t blocks, bytes, freed, freed_bytes, lived; /* lived: sum of lifetimes */
	bool used;
	/* Known at the end: */
	uint64_t leaked, leaked_bytes;
	char callers[PATH_TEXT];
};

struct caller {
	uint64_t bank;
	uint64_t kind, first, second, stack; /* of the call under way; stack 0: none */
	uint32_t depth;
	struct frame frames[FRAMES];
};

struct block {
	uint64_t address; /* 0: free row; 1: it was used */
	uint64_t size, born;
	struct path *path;
};

static struct caller callers[THREADS];
static struct path *paths;
static struct block *blocks;
static uint64_t block_rows, block_used, block_live, live_bytes, peak_bytes;
static uint64_t allocations, frees, unknown_frees, bytes, sizes[SIZES], depth, top;
static bool failed, by_region;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

TRAMMEL_ROUTINE void malloc_set(uint64_t path_depth, uint64_t rows, int regions)
{
	by_region = regions;
	depth = path_depth;
	top = rows;
	paths = calloc(PATHS, sizeof(*paths));
}

/* Drops frames that the thread has left: those at or below a stack pointer. Another stack
 * may begin anywhere, and begins with an empty path. */
static void drop_left(struct caller *caller, uint64_t stack)
{
	while (caller->depth && caller->frames[caller->depth - 1].stack <= stack)
		caller->depth--;
}

TRAMMEL_ROUTINE void malloc_enter(struct place *function, uint64_t stack, uint64_t bank)
{
	struct caller *caller = THREAD_STATE(struct caller, callers, bank);

	drop_left(caller, stack);
	if (caller->depth == FRAMES)
		return;
	caller->frames[caller->depth++] = (struct frame){stack, function};
}

static struct path *path_of(const struct caller *caller)
{
	struct path path = {.region = by_region ? places_region() : 0, .used = true};
	uint64_t hash = path.region;

	for (uint32_t i = 0; i < depth && i < caller->depth; i++) {
		path.functions[i] = caller->frames[caller->depth - 1 - i].function;
		hash = (hash + (uint64_t)(uintptr_t)path.functions[i]) *
		       0x9e3779b97f4a7c15;
	}
	for (uint64_t i = 0, at = hash >> 32; paths && i < PATHS - 1; i++, at++) {
		struct path *row = &paths[at % PATHS];

		if (!row->used)
			*row = path;
		if (row->region == path.region &&
		    !memcmp(row->functions, path.functions, sizeof(path.functions)))
			return row;
	}
	return paths ? &paths[PATHS - 1] : NULL;
}

static struct block *block_at(uint64_t address, bool add)
{
	uint64_t at = address * 0x9e3779b97f4a7c15 >> 24;

	for (;; at++) {
		struct block *row = &blocks[at & (block_rows - 1)];

		if (row->address == address || (!row->address && add))
			return row;
		if (!row->address)
			return NULL;
	}
}

/* Keeps the table at most half full. */
static bool make_room(void)
{
	struct block *old = blocks;
	uint64_t rows = block_rows, wanted = BLOCKS_MIN;

	if (block_used * 2 < block_rows)
		return true;
	while (wanted < (block_live + 1) * 4)
		wanted *= 2;
	blocks = calloc(wanted, sizeof(*blocks));
	if (!blocks) {
		blocks = old;
		return false;
	}
	block_rows = wanted;
	block_used = block_live;
	for (uint64_t i = 0; i < rows; i++)
		if (old[i].address > 1)
			*block_at(old[i].address, true) = old[i];
	free(old);
	return true;
}

static void note_block(struct caller *caller, uint64_t stack, uint64_t address,
		       uint64_t size)
{
	struct path *path;
	struct block *row;

	/* Those that the heap function itself called. */
	drop_left(caller, stack);
	path = path_of(caller);
	if (!address || !path || failed)
		return;
	if (!make_room()) {
		failed = true;
		return;
	}
	row = block_at(address, true);
	block_used += !row->address;
	block_live += row->address != address;
	*row = (struct block){address, size, allocations, path};
	allocations++;
	bytes += size;
	sizes[size ? 64 - __builtin_clzll(size) : 0]++;
	path->blocks++;
	path->bytes += size;
	live_bytes += size;
	peak_bytes = live_bytes > peak_bytes ? live_bytes : peak_bytes;
}

static void drop_block(uint64_t address)
{
	struct block *row = block_rows && address ? block_at(address, false) : NULL;

	if (!address)
		return;
	if (!row) {
		unknown_frees++;
		return;
	}
	frees++;
	row->path->freed++;
	row->path->freed_bytes += row->size;
	row->path->lived += allocations - row->born;
	live_bytes -= row->size;
	block_live--;
	row->address = 1;
}

/* A heap function is called. What it calls itself does not count. */
TRAMMEL_ROUTINE void malloc_begin(uint64_t kind, uint64_t first, uint64_t second,
				  uint64_t third, uint64_t stack, uint64_t bank)
{
	struct caller *caller = THREAD_STATE(struct caller, callers, bank);

	if (caller->stack > stack)
		return;
	drop_left(caller, stack);
	if (kind == FREE) {
		pthread_mutex_lock(&lock);
		drop_block(first);
		pthread_mutex_unlock(&lock);
		return;
	}
	caller->stack = stack;
	caller->kind = kind;
	caller->first = first;
	caller->second = kind == CALLOC ? first * second : second;
	if (kind == POSIX)
		caller->second = third;
}

/* A heap function goes on in another one, which returns for it. calloc goes on in
 * memset, whose first argument is the block. */
TRAMMEL_ROUTINE void malloc_leave(uint64_t first, uint64_t stack, uint64_t bank)
{
	struct caller *caller = THREAD_STATE(struct caller, callers, bank);

	if (caller->stack != stack)
		return;
	caller->stack = 0;
	if (caller->kind != CALLOC)
		return;
	pthread_mutex_lock(&lock);
	note_block(caller, stack, first, caller->second);
	pthread_mutex_unlock(&lock);
}

TRAMMEL_ROUTINE void malloc_end(uint64_t returned, uint64_t stack, uint64_t bank)
{
	struct caller *caller = THREAD_STATE(struct caller, callers, bank);
	uint64_t size = caller->second;

	if (caller->stack != stack)
		return;
	caller->stack = 0;
	if (caller->kind == MALLOC)
		size = caller->first;
	if (caller->kind == POSIX && returned)
		return;
	if (caller->kind == POSIX)
		returned = *(const uint64_t *)(uintptr_t)caller->first;
	pthread_mutex_lock(&lock);
	if (caller->kind == REALLOC && (returned || !size))
		drop_block(caller->first);
	note_block(caller, stack, returned, size);
	pthread_mutex_unlock(&lock);
}

static int by_leaked(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	uint64_t of_x = x->bytes - x->freed_bytes, of_y = y->bytes - y->freed_bytes;

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct path *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static void print_path(const void *row)
{
	const struct path *path = (const struct path *)row;

	for (uint64_t i = 0; i < depth && path->functions[i]; i++) {
		fprintf(stderr, "      %s ", i ? "called by" : "in       ");
		place_print(stderr, path->functions[i]);
		fputc('\n', stderr);
	}
}

static const struct place *path_place(const void *row)
{
	return ((const struct path *)row)->functions[0];
}

/* How many other blocks were allocated in the lives of those that were freed. */
static void print_life(const void *row)
{
	const struct path *path = (const struct path *)row;

	fprintf(stderr, "%12.1f",
		path->freed ? (double)path->lived / (double)path->freed : 0);
}

static const struct column leak_columns[] = {
	COLUMN(NULL, "never freed, bytes", 18, NONE, NUMBER, path, leaked_bytes),
	COLUMN(NULL, "blocks", 12, NONE, NUMBER, path, leaked),
	COLUMN(NULL, "of", 12, NONE, NUMBER, path, blocks),
};
static const struct table leak_table = {"leaks", TABLE_COLUMNS(leak_columns), path_place,
					NULL, print_path};

static const struct column columns[] = {
	COLUMN("leaked.bytes", NULL, 0, SUM, NUMBER, path, leaked_bytes),
	COLUMN("leaked", NULL, 0, SUM, NUMBER, path, leaked),
	COLUMN("bytes", "allocated, bytes", 18, SUM, NUMBER, path, bytes),
	COLUMN("blocks", "blocks", 12, SUM, NUMBER, path, blocks),
	COLUMN("freed", NULL, 0, SUM, NUMBER, path, freed),
	COLUMN("lived", NULL, 0, SUM, NUMBER, path, lived),
	COLUMN_CELL("freed after, others", 19, print_life),
	COLUMN("called.by", NULL, 0, KEY, TEXT, path, callers),
	COLUMN_REGION(path, region),
};
static const struct table path_table = {"paths", TABLE_COLUMNS(columns), path_place, NULL,
					print_path};

/* Blocks of less than `below` bytes, and not of less than half of that. */
struct size_row {
	uint64_t below, blocks;
};

static void print_below(const void *row)
{
	const struct size_row *size = (const struct size_row *)row;

	fprintf(stderr, "%s%14llu", size->below > 1 ? "<" : " ",
		size->below > 1 ? (unsigned long long)size->below : 0ull);
}

static const struct column size_columns[] = {
	COLUMN_CELL("size, bytes", 15, print_below),
	COLUMN("below", NULL, 0, KEY, NUMBER, size_row, below),
	COLUMN("blocks", "blocks", 12, SUM, NUMBER, size_row, blocks),
	COLUMN(NULL, "share", 8, NONE, PART, size_row, blocks),
};
static const struct table size_table = {"sizes", TABLE_COLUMNS(size_columns), NULL, NULL,
					NULL};

static void write_sizes(void)
{
	static struct size_row list[SIZES];
	const void *items[SIZES];
	struct table_rows rows = {items, 0, SIZES, allocations};

	for (int i = 0; i < SIZES; i++) {
		list[i] = (struct size_row){1ull << i, sizes[i]};
		if (sizes[i])
			items[rows.count++] = &list[i];
	}
	table_write(&size_table, &rows);
}

struct totals {
	uint64_t blocks, bytes, freed, leaked, leaked_bytes, peak;
};

static const struct column totals_columns[] = {
	COLUMN("blocks", NULL, 0, SUM, NUMBER, totals, blocks),
	COLUMN("bytes", NULL, 0, SUM, NUMBER, totals, bytes),
	COLUMN("freed", NULL, 0, SUM, NUMBER, totals, freed),
	COLUMN("leaked", NULL, 0, SUM, NUMBER, totals, leaked),
	COLUMN("leaked.bytes", NULL, 0, SUM, NUMBER, totals, leaked_bytes),
	COLUMN("bytes", NULL, 0, MOST, NUMBER, totals, peak),
};
static const struct table totals_table = {"totals", TABLE_COLUMNS(totals_columns), NULL,
					  NULL, NULL};

static void write_totals(void)
{
	const struct totals totals = {allocations, bytes,      frees,
				      block_live,  live_bytes, peak_bytes};

	fprintf(stderr,
		"malloc: %llu blocks of %llu bytes allocated, %llu freed; at most %llu "
		"bytes at once, %llu bytes in %llu blocks never freed\n",
		(unsigned long long)allocations, (unsigned long long)bytes,
		(unsigned long long)frees, (unsigned long long)peak_bytes,
		(unsigned long long)live_bytes, (unsigned long long)block_live);
	if (unknown_frees)
		fprintf(stderr, "  %llu frees were of blocks that were not seen before\n",
			(unsigned long long)unknown_frees);
	table_record_row(&totals_table, &totals);
}

/* The callers of the function that asked for the blocks, the innermost first. */
static void name_callers(struct path *path)
{
	size_t length = 0;

	for (uint64_t i = 1; i < depth && path->functions[i] && length < PATH_TEXT; i++)
		length += (size_t)snprintf(path->callers + length, PATH_TEXT - length,
					   "%s%s", i > 1 ? " < " : "",
					   path->functions[i]->function);
}

/* The paths that have something, in an order; of those that leak, or all. */
static struct table_rows
sort_paths(const void **list, int (*compare)(const void *, const void *), bool leaking)
{
	struct table_rows rows = {list, 0, top, 0};

	qsort(paths, PATHS, sizeof(*paths), compare);
	for (uint64_t i = 0; i < PATHS; i++)
		if (leaking ? paths[i].leaked : paths[i].blocks)
			list[rows.count++] = &paths[i];
	return rows;
}

TRAMMEL_ROUTINE void malloc_print(void)
{
	const void **list = calloc(PATHS, sizeof(*list));
	struct table_rows rows;

	write_totals();
	write_sizes();
	if (!paths || !list)
		return;
	for (uint64_t i = 0; i < PATHS; i++) {
		paths[i].leaked = paths[i].blocks - paths[i].freed;
		paths[i].leaked_bytes = paths[i].bytes - paths[i].freed_bytes;
		name_callers(&paths[i]);
	}
	rows = sort_paths(list, by_leaked, true);
	table_print(&leak_table, &rows);
	rows = sort_paths(list, by_bytes, false);
	table_write(&path_table, &rows);
	free(list);
	if (failed)
		fputs("  no memory was left: blocks are not recorded to the end\n",
		      stderr);
}

/* --- instrumentation ------------------------------------------------------------- */

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"depth", "top", "by", NULL};
	uint64_t path_depth = option_number(api, argc, argv, "depth", 8);

	options_check(api, argc, argv, names);
	if (path_depth > DEPTH_MAX)
		api->fail("malloc: depth= takes 1 to %d", DEPTH_MAX);
	api->prototype("malloc_set(uint64_t, uint64_t, int)");
	api->prototype("malloc_enter(void *, uint64_t, uint64_t)");
	api->prototype("malloc_begin(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, "
		       "uint64_t)");
	api->prototype("malloc_end(uint64_t, uint64_t, uint64_t)");
	api->prototype("malloc_leave(uint64_t, uint64_t, uint64_t)");
	api->prototype("malloc_print()");
	trammel_add_call(api, trammel_program_start(), "malloc_set",
			 trammel_int((int64_t)path_depth),
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)),
			 trammel_int(option_by_region(api, argc, argv)));
	trammel_add_call(api, trammel_program_end(), "malloc_print");
	return 0;
}

static void see_heap(const struct trammel_api *api,
		     const struct trammel_function *function, int kind)
{
	const struct trammel_code *code = api->code(function);

	trammel_add_call(api, trammel_entry(function), "malloc_begin", trammel_int(kind),
			 trammel_argument_of(0), trammel_argument_of(1),
			 trammel_argument_of(2), trammel_register(TRAMMEL_RSP),
			 trammel_thread());
	for (uint32_t i = 0; i < code->edge_count; i++) {
		const struct trammel_block *block = code->edges[i].from;
		const struct trammel_instruction *last =
			&block->instructions[block->instruction_count - 1];

		if (last->kind == TRAMMEL_RETURN)
			trammel_add_call(api, trammel_before(last), "malloc_end",
					 trammel_returned(),
					 trammel_register(TRAMMEL_RSP), trammel_thread());
		else if (!code->edges[i].to && last->kind != TRAMMEL_BRANCH)
			trammel_add_call(api, trammel_before(last), "malloc_leave",
					 trammel_register(TRAMMEL_RDI),
					 trammel_register(TRAMMEL_RSP), trammel_thread());
	}
}

/* The kind of a heap function, also by its name inside of the C library; -1: another. */
static int kind_of(const char *name)
{
	if (!strncmp(name, "__libc_", 7))
		name += 7;
	else if (!strncmp(name, "__", 2))
		name += 2;
	for (size_t i = 0; i < sizeof(heap_functions) / sizeof(heap_functions[0]); i++)
		if (!strcmp(name, heap_functions[i].name))
			return heap_functions[i].kind;
	return -1;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	if (!api->code(function) || function->part_of)
		return;
	if (kind_of(function->name) >= 0) {
		see_heap(api, function, kind_of(function->name));
		return;
	}
	trammel_add_call(api, trammel_entry(function), "malloc_enter",
			 trammel_data(PLACE_NEW(struct place, api, function, NULL),
				      sizeof(struct place)),
			 trammel_register(TRAMMEL_RSP), trammel_thread());
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"malloc",
		"heap blocks: sizes, lifetimes, leaks with call paths\n"
		"depth=N (8), top=N (20), by=region",
		start_tool,
		NULL,
		see_function,
		NULL};
