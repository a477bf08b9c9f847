/*
 * falseshare: cache lines in which threads write at different places, so that each takes
 * the line from the others though no data is shared. A line is told if two threads or
 * more referred to it, one at least wrote, and no byte was written by one of them and
 * used by another; "shared" if some byte was. Moves are writes by another thread than the
 * last one.
 *
 *     trammel run --tool falseshare:line=64,top=20 -- PROGRAM
 */
#include "references.h"

#include <pthread.h>

enum { USERS = 4, ROWS = 1 << 18, SITES = 4 };

/* --- program --------------------------------------------------------------------- */

/* Bytes of a line that one thread used; a bit for each 1/64 of the line. */
struct user {
	uint64_t bank, written, used;
};

struct shared_line {
	uint64_t number; /* address / line, + 1; 0: free */
	uint64_t moves, last;
	uint64_t apart;  /* moves to bytes that the last thread never used */
	uint64_t users;  /* threads, at most USERS are told apart */
	uint64_t shared; /* 1: of the same bytes, too; known at the end */
	struct user by[USERS];
	struct place *sites[SITES]; /* functions that wrote to it first */
};

static struct shared_line *lines;
static uint64_t line_bits, top, lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

TRAMMEL_ROUTINE void falseshare_set(uint64_t bits, uint64_t rows)
{
	line_bits = bits;
	top = rows;
	lines = calloc(ROWS, sizeof(*lines));
}

static struct shared_line *line_of(uint64_t number)
{
	uint64_t at = number * 0x9e3779b97f4a7c15 >> 32;

	for (int i = 0; lines && i < 64; i++, at++) {
		struct shared_line *row = &lines[at & (ROWS - 1)];

		if (row->number == number)
			return row;
		if (!row->number) {
			row->number = number;
			return row;
		}
	}
	lost++;
	return NULL;
}

static struct user *user_of(struct shared_line *row, uint64_t bank)
{
	for (uint32_t i = 0; i < row->users; i++)
		if (row->by[i].bank == bank)
			return &row->by[i];
	if (row->users < USERS)
		row->users++;
	row->by[row->users - 1].bank = bank;
	return &row->by[row->users - 1];
}

static void note_site(struct shared_line *row, struct place *place)
{
	for (int i = 0; i < SITES; i++) {
		if (row->sites[i] == place)
			return;
		if (!row->sites[i]) {
			row->sites[i] = place;
			return;
		}
	}
}

/* The bits of the parts of a line that `size` bytes at `offset` are in. */
static uint64_t bits_of(uint64_t offset, uint64_t size)
{
	uint64_t part = line_bits > 6 ? line_bits - 6 : 0;
	uint64_t first = offset >> part, last = (offset + size - 1) >> part;

	return (last - first >= 63 ? ~0ull : (1ull << (last - first + 1)) - 1) << first;
}

static void use_line(struct place *place, uint64_t address, uint64_t size, uint64_t bank,
		     bool writes)
{
	struct shared_line *row = line_of((address >> line_bits) + 1);
	struct user *user = row ? user_of(row, bank) : NULL;
	uint64_t bits = bits_of(address & ((1ull << line_bits) - 1), size);

	if (!user)
		return;
	user->used |= bits;
	if (!writes)
		return;
	user->written |= bits;
	if (row->last && row->last != bank) {
		row->moves++;
		row->apart += !(user_of(row, row->last)->used & bits);
	}
	row->last = bank;
	note_site(row, place);
}

static void see_bytes(struct place *place, uint64_t address, uint64_t size, uint64_t bank,
		      bool writes)
{
	const uint64_t line = 1ull << line_bits;

	pthread_mutex_lock(&lock);
	while (size) {
		uint64_t part = line - (address & (line - 1));

		part = part < size ? part : size;
		use_line(place, address, part, bank, writes);
		address += part;
		size -= part;
	}
	pthread_mutex_unlock(&lock);
}

TRAMMEL_ROUTINE void falseshare_load(struct place *place, uint64_t address, uint64_t size,
				     uint64_t bank)
{
	see_bytes(place, address, size, bank, false);
}

TRAMMEL_ROUTINE void falseshare_store(struct place *place, uint64_t address,
				      uint64_t size, uint64_t bank)
{
	see_bytes(place, address, size, bank, true);
}

REFERENCES_REPEATED(falseshare, struct place *)

/* Whether threads used what another one wrote. */
static bool is_shared(const struct shared_line *row)
{
	for (uint32_t i = 0; i < row->users; i++)
		for (uint32_t other = 0; other < row->users; other++)
			if (i != other && row->by[i].written & row->by[other].used)
				return true;
	return false;
}

static int by_moves(const void *a, const void *b)
{
	const struct shared_line *x = *(struct shared_line *const *)a;
	const struct shared_line *y = *(struct shared_line *const *)b;

	if (x->moves != y->moves)
		return x->moves < y->moves ? 1 : -1;
	return (x->number > y->number) - (x->number < y->number);
}

static void print_line(const void *line)
{
	const struct shared_line *row = (const struct shared_line *)line;

	for (uint32_t i = 0; i < row->users; i++)
		fprintf(stderr, "    thread %u: written %016llx, used %016llx\n", i + 1,
			(unsigned long long)row->by[i].written,
			(unsigned long long)row->by[i].used);
	for (int i = 0; i < SITES && row->sites[i]; i++) {
		fputs("    written in ", stderr);
		place_print(stderr, row->sites[i]);
		fputc('\n', stderr);
	}
}

static void print_head(const void *line)
{
	const struct shared_line *row = (const struct shared_line *)line;

	fprintf(stderr, "0x%llx: %llu moves between %llu%s threads%s",
		(unsigned long long)((row->number - 1) << line_bits),
		(unsigned long long)row->moves, (unsigned long long)row->users,
		row->users == USERS ? " or more" : "",
		is_shared(row) ? ", bytes are shared, too" : "");
}

static const struct place *first_site(const void *line)
{
	return ((const struct shared_line *)line)->sites[0];
}

/* Lines are known by who wrote to them: their addresses are others in each run. */
static const struct column columns[] = {
	COLUMN_CELL("lines", 0, print_head),
	COLUMN("moves", NULL, 0, SUM, NUMBER, shared_line, moves),
	COLUMN("apart", NULL, 0, SUM, NUMBER, shared_line, apart),
	COLUMN("threads", NULL, 0, MOST, NUMBER, shared_line, users),
	COLUMN("shared", NULL, 0, KEY, NUMBER, shared_line, shared),
	COLUMN("other", NULL, 0, KEY, PLACE, shared_line, sites[1]),
};
static const struct table table = {"lines", TABLE_COLUMNS(columns), first_site, NULL,
				   print_line};

TRAMMEL_ROUTINE void falseshare_print(void)
{
	struct shared_line **list = calloc(ROWS, sizeof(*list));
	size_t count = 0, alone = 0;

	for (int i = 0; list && lines && i < ROWS; i++)
		if (lines[i].users > 1 && lines[i].moves) {
			list[count++] = &lines[i];
			lines[i].shared = is_shared(&lines[i]);
			alone += !lines[i].shared;
		}
	if (list)
		qsort(list, count, sizeof(*list), by_moves);
	fprintf(stderr,
		"falseshare: %zu lines of %u bytes moved between threads, %zu of them "
		"without a shared byte\n"
		"  (masks: the first byte of the line is the last digit)\n",
		count, 1u << line_bits, alone);
	if (list)
		table_write(&table, &(struct table_rows){(const void *const *)list, count,
							 top, 0});
	if (lost)
		fprintf(stderr,
			"  %llu references were to lines for which there was no room\n",
			(unsigned long long)lost);
	free(list);
}

/* --- instrumentation ------------------------------------------------------------- */

static struct reference_routines routines;

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	static const char *const names[] = {"line", "top", NULL};
	uint64_t line = option_number(api, argc, argv, "line", 64);

	options_check(api, argc, argv, names);
	if (line & (line - 1))
		api->fail("falseshare: line= takes a power of two");
	api->prototype("falseshare_set(uint64_t, uint64_t)");
	api->prototype("falseshare_print()");
	references_declare(api, "falseshare", &routines);
	trammel_add_call(api, trammel_program_start(), "falseshare_set",
			 trammel_int(__builtin_ctzll(line)),
			 trammel_int((int64_t)option_number(api, argc, argv, "top", 20)));
	trammel_add_call(api, trammel_program_end(), "falseshare_print");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	if (code)
		references_of_function(api, &routines, code,
				       PLACE_NEW(struct place, api, function, NULL),
				       sizeof(struct place));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"falseshare",
		"cache lines that threads write at different places\n"
		"line=BYTES (64), top=N (20)",
		start_tool,
		NULL,
		see_function,
		NULL};
