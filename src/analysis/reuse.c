/*
 * reuse: how many other cache lines a thread refers to between two references to one: the
 * histogram of reuse distances, from which the misses of a fully associative cache of any
 * size follow (R. Mattson et al., Evaluation techniques for storage hierarchies, IBM
 * Systems Journal 9(2), 1970). The distance is the number of marks behind a line's last
 * reference in a Fenwick tree over time, which is made anew, with one mark a line, when
 * it is full (G. Almasi et al., Calculating stack distances efficiently, MSP 2002).
 *
 *     trammel run --tool reuse:line=64 -- PROGRAM
 */
#include "references.h"

enum { BUCKETS = 40, ROWS_MIN = 1 << 12 };

/* --- program --------------------------------------------------------------------- */

/* A line and when it was last referred to, by hash; line + 1, 0: free. */
struct row {
	uint64_t line;
	uint64_t time;
};

struct history {
	uint64_t bank;
	uint64_t references, first; /* first: first references of lines */
	uint64_t last;              /* line + 1 of the last reference */
	uint64_t buckets[BUCKETS];  /* by the bits that a distance has */
	struct row *rows;
	uint64_t row_count, used; /* a power of two */
	uint32_t *marks;          /* Fenwick tree: [1, time_count] */
	uint64_t time, time_count;
	bool failed; /* no memory: nothing more is recorded */
};

static struct history histories[THREADS];
static uint64_t line_bits;

TRAMMEL_ROUTINE void reuse_set(uint64_t bits)
{
	line_bits = bits;
}

static void mark_time(struct history *history, uint64_t time, uint32_t amount)
{
	for (; time <= history->time_count; time += time & -time)
		history->marks[time] += amount;
}

static uint64_t marks_until(const struct history *history, uint64_t time)
{
	uint64_t sum = 0;

	for (; time; time &= time - 1)
		sum += history->marks[time];
	return sum;
}

static struct row *row_of(struct row *rows, uint64_t count, uint64_t line)
{
	uint64_t at = line * 0x9e3779b97f4a7c15 >> 20;

	while (rows[at & (count - 1)].line && rows[at & (count - 1)].line != line)
		at++;
	return &rows[at & (count - 1)];
}

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Makes room: lines get the times 1, 2, ... in the order of their last references, in
 * tables with four times as many times, and eight times as many rows, as there are
 * lines. */
static bool make_room(struct history *history)
{
	uint64_t count = ROWS_MIN, number = 0;
	struct row *sorted, *rows;

	while (count < history->used * 4)
		count *= 2;
	sorted = calloc(history->used + 1, sizeof(*sorted));
	rows = calloc(2 * count, sizeof(*rows));
	free(history->marks);
	history->marks = calloc(count + 1, sizeof(*history->marks));
	if (!sorted || !rows || !history->marks) {
		free(sorted);
		free(rows);
		return false;
	}
	for (uint64_t i = 0; i < history->row_count; i++)
		if (history->rows[i].line)
			sorted[number++] = history->rows[i];
	qsort(sorted, number, sizeof(*sorted), by_time);
	history->time_count = count;
	for (uint64_t i = 0; i < number; i++) {
		struct row *row = row_of(rows, 2 * count, sorted[i].line);

		*row = (struct row){sorted[i].line, i + 1};
		mark_time(history, i + 1, 1);
	}
	free(sorted);
	free(history->rows);
	history->rows = rows;
	history->row_count = 2 * count;
	history->time = number;
	return true;
}

static void refer_to(struct history *history, uint64_t line)
{
	struct row *row;

	history->references++;
	if (line == history->last) {
		history->buckets[0]++;
		return;
	}
	history->last = line;
	if (history->time == history->time_count && !make_room(history)) {
		history->failed = true;
		return;
	}
	row = row_of(history->rows, history->row_count, line);
	if (row->line) {
		uint64_t distance = history->used - marks_until(history, row->time);
		int bits = distance ? 64 - __builtin_clzll(distance) : 0;

		history->buckets[bits < BUCKETS ? bits : BUCKETS - 1]++;
		mark_time(history, row->time, (uint32_t)-1);
	} else {
		row->line = line;
		history->used++;
		history->first++;
	}
	row->time = ++history->time;
	mark_time(history, row->time, 1);
}

static void see_bytes(uint64_t address, uint64_t size, uint64_t bank)
{
	struct history *history = THREAD_STATE(struct history, histories, bank);
	uint64_t last = (address + size - 1) >> line_bits;

	for (uint64_t line = address >> line_bits; !history->failed && line <= last;
	     line++)
		refer_to(history, line + 1);
}

TRAMMEL_ROUTINE void reuse_load(void *unused, uint64_t address, uint64_t size,
				uint64_t bank)
{
	(void)unused;
	see_bytes(address, size, bank);
}

TRAMMEL_ROUTINE void reuse_store(void *unused, uint64_t address, uint64_t size,
				 uint64_t bank)
{
	(void)unused;
	see_bytes(address, size, bank);
}

REFERENCES_REPEATED(reuse, void *)

struct bucket {
	uint64_t below; /* distances are less; 0: never before */
	uint64_t references;
};

static uint64_t largest; /* of all rows: that of the longest bar */

static void print_below(const void *row)
{
	const struct bucket *bucket = (const struct bucket *)row;

	if (!bucket->below)
		fprintf(stderr, "%12s", "never before");
	else
		fprintf(stderr, "%s%11llu", bucket->below > 1 ? "<" : " ",
			bucket->below > 1 ? (unsigned long long)bucket->below : 0ull);
}

static void print_bar(const void *row)
{
	static const char bar[] = "########################################";
	const uint64_t part = ((const struct bucket *)row)->references;
	uint64_t length = largest ? part * (sizeof(bar) - 1) / largest : 0;

	fprintf(stderr, "%.*s", (int)length, bar);
}

static const struct column columns[] = {
	COLUMN_CELL("other lines", 12, print_below),
	COLUMN("below", NULL, 0, KEY, NUMBER, bucket, below),
	COLUMN("references", "references", 15, SUM, NUMBER, bucket, references),
	COLUMN(NULL, "sum", 8, NONE, SUM, bucket, references),
	COLUMN_CELL("", 0, print_bar),
};
static const struct table table = {"distances", TABLE_COLUMNS(columns), NULL, NULL, NULL};

TRAMMEL_ROUTINE void reuse_print(void)
{
	static struct bucket buckets[BUCKETS + 1];
	const void *list[BUCKETS + 1];
	struct table_rows rows = {list, 0, BUCKETS + 1, 0};
	uint64_t first = 0;
	bool failed = false;

	for (int i = 0; i < THREADS; i++) {
		rows.all += histories[i].references;
		first += histories[i].first;
		failed |= histories[i].failed;
		for (int b = 0; b < BUCKETS; b++)
			buckets[b].references += histories[i].buckets[b];
	}
	buckets[BUCKETS].references = first;
	for (int b = 0; b <= BUCKETS; b++) {
		buckets[b].below = b < BUCKETS ? 1ull << b : 0;
		if (buckets[b].references > largest)
			largest = buckets[b].references;
		if (buckets[b].references || b == BUCKETS)
			list[rows.count++] = &buckets[b];
	}
	fprintf(stderr, "reuse: %llu references to %llu lines of %u bytes\n",
		(unsigned long long)rows.all, (unsigned long long)first, 1u << line_bits);
	table_write(&table, &rows);
	if (failed)
		fputs("  no memory was left for a thread: it is not recorded to its "
		      "end\n",
		      stderr);
}

TRAMMEL_ROUTINE void reuse_fork(void)
{
	for (int i = 0; i < THREADS; i++) {
		histories[i].references = histories[i].first = 0;
		memset(histories[i].buckets, 0, sizeof(histories[i].buckets));
	}
}

/* --- instrumentation ------------------------------------------------------------- */

static struct reference_routines routines;

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"line", NULL};
	uint64_t line = option_number(api, argc, argv, "line", 64);

	options_check(api, argc, argv, names);
	table_call_at_fork(api, "reuse_fork");
	if (line & (line - 1))
		api->fail("reuse: line= takes a power of two");
	api->prototype("reuse_set(uint64_t)");
	api->prototype("reuse_print()");
	references_declare(api, "reuse", &routines);
	trammel_add_call(api, trammel_program_start(), "reuse_set",
			 trammel_int(__builtin_ctzll(line)));
	trammel_add_call(api, trammel_program_end(), "reuse_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	static const uint64_t unused = 0;
	const struct trammel_code *code = api->code(function);

	if (code)
		references_of_function(api, &routines, code, &unused, sizeof(unused));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"reuse",
		"histogram of reuse distances of cache lines\nline=BYTES (64)",
		start_tool,
		NULL,
		see_function,
		NULL};
