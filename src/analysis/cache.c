/*
 * cache: set-associative caches for data, with the least recently used line replaced, and
 * a translation buffer, beside the program. Each thread has caches of its own. Misses are
 * told by function. References are followed by the buffer (references.h). Sizes, ways and
 * line as in cachegrind, whose counts of the first level these equal: a reference over
 * two lines is one, and misses if either does; what is read and written is read.
 *
 *     trammel run --tool cache:l1=32k/8/64,l2=1m/16/64,tlb=64/4/4k,top=20 -- PROGRAM
 */
#include "references.h"

enum { L1, L2, TLB, LEVELS };

struct cached {
	struct place place;
	uint64_t misses[LEVELS];
};

/* --- program --------------------------------------------------------------------- */

struct shape {
	uint64_t set_mask;
	uint32_t ways, line_bits; /* ways 0: there is no such level */
};

struct hierarchy {
	uint64_t bank;
	uint64_t loads, stores, load_misses[LEVELS], store_misses[LEVELS];
};

static struct shape shapes[LEVELS];
/* Of each thread, by set and way: line + 1, the last used one first. Made at the start,
 * so that what follows references calls nothing. */
static uint64_t *tags[LEVELS];
static struct hierarchy hierarchies[THREADS];
static uint64_t top;

TRAMMEL_ROUTINE void cache_set(uint64_t level, uint64_t sets, uint64_t ways,
			       uint64_t line_bits, uint64_t rows)
{
	tags[level] = calloc(THREADS * sets * ways, sizeof(uint64_t));
	if (tags[level])
		shapes[level] =
			(struct shape){sets - 1, (uint32_t)ways, (uint32_t)line_bits};
	top = rows;
}

/* A cache of a thread. */
struct level {
	uint64_t *sets;
	struct shape shape;
};

/* The caches of a thread, while its references are followed. */
struct followed {
	struct level levels[LEVELS];
	struct hierarchy *caches;
};

/* Makes a line, which is not the first of its set, that; returns whether it was not
 * there. */
static bool is_absent(uint64_t *set, uint32_t ways, uint64_t tag)
{
	uint64_t moved = set[0];
	uint32_t way = 1;

	for (; way < ways && set[way] != tag; way++) {
		uint64_t next = set[way];

		set[way] = moved;
		moved = next;
	}
	set[0] = tag;
	if (way == ways)
		return true;
	set[way] = moved;
	return false;
}

static inline bool is_line_missed(const struct level *level, uint64_t line)
{
	uint64_t *set = level->sets + (line & level->shape.set_mask) * level->shape.ways;

	return set[0] != line + 1 && is_absent(set, level->shape.ways, line + 1);
}

/* Refers to all lines of `size` bytes; returns whether one of them was absent. */
static inline bool is_missed(const struct level *level, uint64_t address, uint64_t size)
{
	uint64_t line = address >> level->shape.line_bits;
	const uint64_t last = (address + size - 1) >> level->shape.line_bits;
	bool missed = is_line_missed(level, line);

	while (line < last)
		missed |= is_line_missed(level, ++line);
	return missed;
}

/* Counts a miss, and asks the next level. */
static void count_miss(struct cached *function, const struct followed *followed,
		       uint64_t *misses, uint64_t address, uint64_t size)
{
	place_use(&function->place);
	misses[L1]++;
	COUNT(function->misses[L1], 1);
	if (!followed->levels[L2].sets ||
	    !is_missed(&followed->levels[L2], address, size))
		return;
	misses[L2]++;
	COUNT(function->misses[L2], 1);
}

static inline void refer_to(struct cached *function, uint64_t address, uint64_t size,
			    const struct followed *followed, uint64_t *misses)
{
	if (followed->levels[TLB].sets &&
	    is_missed(&followed->levels[TLB], address, size)) {
		place_use(&function->place);
		misses[TLB]++;
		COUNT(function->misses[TLB], 1);
	}
	if (is_missed(&followed->levels[L1], address, size))
		count_miss(function, followed, misses, address, size);
}

static inline void load_from(struct cached *function, uint64_t address, uint64_t size,
			     const struct followed *followed)
{
	followed->caches->loads++;
	refer_to(function, address, size, followed, followed->caches->load_misses);
}

static inline void store_to(struct cached *function, uint64_t address, uint64_t size,
			    const struct followed *followed)
{
	followed->caches->stores++;
	refer_to(function, address, size, followed, followed->caches->store_misses);
}

static void refer_repeatedly(const struct reference *reference,
			     const struct followed *followed)
{
	const enum reference_kind kind = reference_kind(reference);
	const uint64_t size = reference_size(reference),
		       to = kind == REFERENCE_COPY ? reference->to : reference->address;

	for (uint64_t at = 0; at < reference->bytes; at += size) {
		if (kind != REFERENCE_STORES)
			load_from(reference->place, reference->address + at, size,
				  followed);
		if (kind != REFERENCE_LOADS)
			store_to(reference->place, to + at, size, followed);
	}
}

/* The caches of the thread that has written the records. */
static void find_caches(const void *records, struct followed *ret_followed)
{
	struct hierarchy *caches = THREAD_STATE(struct hierarchy, hierarchies,
						trammel_buffer_thread(records));

	ret_followed->caches = caches;
	for (int i = 0; i < LEVELS; i++)
		ret_followed->levels[i] = (struct level){
			tags[i] ? tags[i] + (uint64_t)(caches - hierarchies) *
						    (shapes[i].set_mask + 1) *
						    shapes[i].ways
				: NULL,
			shapes[i]};
}

static void take_references(const void *records, size_t bytes)
{
	const void *const end = (const char *)records + bytes;
	const struct reference *reference = records;
	struct followed followed;

	find_caches(records, &followed);
	if (!followed.levels[L1].sets)
		return;
	for (; (const void *)reference < end; reference = reference_next(reference)) {
		const uint64_t size = reference_size(reference);

		switch (reference_kind(reference)) {
		case REFERENCE_LOAD:
			load_from(reference->place, reference->address, size, &followed);
			break;
		case REFERENCE_STORE:
			store_to(reference->place, reference->address, size, &followed);
			break;
		default:
			refer_repeatedly(reference, &followed);
		}
	}
}

TRAMMEL_BUFFER(cache_trace, 1 << 15, take_references)

PLACE_ORDER(by_misses, struct cached, misses[L1])

struct level_row {
	char name[4];
	uint64_t loads, stores, load_misses, store_misses;
};

static const struct column level_columns[] = {
	COLUMN("level", NULL, 0, KEY, TEXT, level_row, name),
	COLUMN("loads", NULL, 0, SUM, NUMBER, level_row, loads),
	COLUMN("loads.missed", NULL, 0, SUM, NUMBER, level_row, load_misses),
	COLUMN("stores", NULL, 0, SUM, NUMBER, level_row, stores),
	COLUMN("stores.missed", NULL, 0, SUM, NUMBER, level_row, store_misses),
};
static const struct table level_table = {"levels", TABLE_COLUMNS(level_columns), NULL,
					 NULL, NULL};

static void write_level(const struct level_row *level)
{
	const uint64_t load = level->load_misses, store = level->store_misses;

	fprintf(stderr,
		"  %-3s misses %12llu (%.2f %%): loads %llu (%.2f %%), stores %llu "
		"(%.2f %%)\n",
		level->name, (unsigned long long)(load + store),
		percent(load + store, level->loads + level->stores),
		(unsigned long long)load, percent(load, level->loads),
		(unsigned long long)store, percent(store, level->stores));
	table_record_row(&level_table, level);
}

static const struct column all_columns[] = {
	COLUMN("l1.misses", "L1 misses", 12, SUM, NUMBER, cached, misses[L1]),
	COLUMN("l2.misses", "L2 misses", 12, SUM, NUMBER, cached, misses[L2]),
	COLUMN("tlb.misses", "TLB misses", 12, SUM, NUMBER, cached, misses[TLB]),
};
/* Of the levels that there are. */
static struct column columns[LEVELS];
static struct table table = {"functions", columns, 0, row_place, "function", NULL};

static void choose_columns(void)
{
	table.count = 0;
	for (int level = 0; level < LEVELS; level++)
		if (shapes[level].ways)
			columns[table.count++] = all_columns[level];
}

TRAMMEL_ROUTINE void cache_print(void)
{
	static const char *const names[] = {"L1", "L2", "TLB"};
	struct level_row sums[LEVELS] = {0};
	uint64_t loads = 0, stores = 0;
	size_t count;
	struct place **list = places_sort(by_misses, &count);

	choose_columns();
	for (int i = 0; i < THREADS; i++) {
		const struct hierarchy *caches = &hierarchies[i];

		loads += caches->loads;
		stores += caches->stores;
		for (int level = 0; level < LEVELS; level++) {
			sums[level].load_misses += caches->load_misses[level];
			sums[level].store_misses += caches->store_misses[level];
		}
	}
	fprintf(stderr, "cache: %llu references: %llu loads, %llu stores\n",
		(unsigned long long)(loads + stores), (unsigned long long)loads,
		(unsigned long long)stores);
	for (int level = 0; level < LEVELS; level++) {
		place_copy(sums[level].name, sizeof(sums[level].name), names[level]);
		sums[level].loads = loads;
		sums[level].stores = stores;
		if (shapes[level].ways)
			write_level(&sums[level]);
	}
	table_write_places(&table, list, count, top, 0);
}

TRAMMEL_ROUTINE void cache_fork(void)
{
	table_forget_places(&table);
	for (int i = 0; i < THREADS; i++)
		hierarchies[i] = (struct hierarchy){.bank = hierarchies[i].bank};
}

/* --- instrumentation ------------------------------------------------------------- */

static struct trammel_buffer *buffer;

static bool is_power(uint64_t number)
{
	return number && !(number & (number - 1));
}

/* Reads SIZE/WAYS/LINE of a cache, or of the buffer ENTRIES/WAYS/PAGE; "0": none. */
static void set_level(const struct trammel_api *api, int argc, const char *const *argv,
		      int level, const char *name, const char *standard, uint64_t rows)
{
	const char *text = option_text(argc, argv, name);
	uint64_t size = 0, ways = 0, line = 0, sets;

	text = text ? text : standard;
	if (level != L1 && !strcmp(text, "0"))
		return;
	if (!option_size(&text, &size) || *text++ != '/' || !option_size(&text, &ways) ||
	    *text++ != '/' || !option_size(&text, &line) || *text) {
		api->fail("cache: %s= takes SIZE/WAYS/LINE, such as 32k/8/64", name);
		return;
	}
	sets = level == TLB ? size / ways : size / ways / line;
	if (!is_power(sets) || !is_power(line))
		api->fail("cache: %s=: the number of sets (%llu) and the line must be "
			  "powers of two",
			  name, (unsigned long long)sets);
	trammel_add_call(api, trammel_program_start(), "cache_set", trammel_int(level),
			 trammel_int((int64_t)sets), trammel_int((int64_t)ways),
			 trammel_int(__builtin_ctzll(line)), trammel_int((int64_t)rows));
}

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"l1", "l2", "tlb", "top", NULL};
	uint64_t rows = option_number(api, argc, argv, "top", 20);

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "cache_fork");
	api->prototype("cache_set(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)");
	api->prototype("cache_print()");
	buffer = api->buffer("cache_trace");
	set_level(api, argc, argv, L1, "l1", "32k/8/64", rows);
	set_level(api, argc, argv, L2, "l2", "0", rows);
	set_level(api, argc, argv, TLB, "tlb", "0", rows);
	trammel_add_call(api, trammel_program_end(), "cache_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	if (code)
		references_trace_function(api, buffer, code,
					  PLACE_NEW(struct cached, api, function, NULL),
					  sizeof(struct cached));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"cache",
		"data caches and translation buffer, misses by function\n"
		"l1=32k/8/64, l2=SIZE/WAYS/LINE, tlb=ENTRIES/WAYS/PAGE, top=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
