/*
 * What the tools that come with trammel share: places of the program with numbers of the
 * tool's own, of which the program has one copy each, and tables of them.
 *
 * A tool's struct begins with a struct place. The instrumentation part makes it by
 * PLACE_NEW and hands it to routines as data; the first routine that is given it calls
 * place_use, after which places_sort finds it. All of this is in the header since each
 * tool is one object file.
 */
#ifndef TRAMMEL_ANALYSIS_PLACES_H
#define TRAMMEL_ANALYSIS_PLACES_H

#include <trammel/tool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_NAME = 96, PLACE_MODULE = 32, PLACE_FILE = 48 };

struct place {
	struct place *next; /* in the list of those in use */
	uint64_t address;   /* link-time */
	uint64_t code;      /* the same for records: see trammel_key_code */
	uint64_t region;    /* as places_region has it */
	struct place *more; /* the same place, in another region */
	uint32_t used;      /* it is in the list */
	uint32_t line;      /* 0: not known */
	char module[PLACE_MODULE];
	char function[PLACE_NAME];
	char file[PLACE_FILE]; /* last part of the source's path */
};

/* Adds without a lock; several threads may do so. */
#define COUNT(number, amount) __atomic_fetch_add(&(number), (amount), __ATOMIC_RELAXED)

/* --- instrumentation part -------------------------------------------------------- */

static inline void place_copy(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

/* Fills in where an instruction is; or, without one, where a function begins. */
static inline void place_fill(struct place *place, const struct trammel_api *api,
			      const struct trammel_function *function,
			      const struct trammel_instruction *instruction)
{
	struct trammel_place source;

	place->address = instruction ? instruction->address : function->address;
	place->code = api->code_number(function->module, place->address);
	place_copy(place->module, sizeof(place->module), function->module->name);
	place_copy(place->function, sizeof(place->function),
		   api->demangle(function->name));
	if (!api->place(function->module, place->address, &source))
		return;
	const char *slash = strrchr(source.file, '/');

	place_copy(place->file, sizeof(place->file), slash ? slash + 1 : source.file);
	place->line = source.line;
}

/* Makes a place of a tool's type; it stays until the end of the run. */
#define PLACE_NEW(type, api, function, instruction)                                      \
	((type *)place_new(sizeof(type), (api), (function), (instruction)))
static inline void *place_new(size_t size, const struct trammel_api *api,
			      const struct trammel_function *function,
			      const struct trammel_instruction *instruction)
{
	struct place *place = calloc(1, size);

	if (!place)
		api->fail("no memory for the places of a tool");
	else
		place_fill(place, api, function, instruction);
	return place;
}

/* The value of a tool's word NAME=VALUE; NULL: it was not given. */
static inline const char *option_text(int argc, const char *const *argv, const char *name)
{
	size_t length = strlen(name);

	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
			return argv[i] + length + 1;
	return NULL;
}

/* Reads a number with k, m or g (powers of 1024) behind it; moves `text` behind it.
 * Returns whether there is one above 0. */
static inline bool option_size(const char **text, uint64_t *ret_size)
{
	char *end;
	uint64_t size = strtoull(*text, &end, 0);
	static const char units[] = "kmg";
	const char *unit = *end ? strchr(units, *end | 0x20) : NULL;

	if (end == *text || !size)
		return false;
	if (unit) {
		size <<= 10 * (unit - units + 1);
		end++;
	}
	*text = end;
	*ret_size = size;
	return true;
}

/* The number of a word NAME=NUMBER, or `standard`; ends the run if it is none. */
static inline uint64_t option_number(const struct trammel_api *api, int argc,
				     const char *const *argv, const char *name,
				     uint64_t standard)
{
	const char *text = option_text(argc, argv, name);
	uint64_t number = standard;

	if (text && (!option_size(&text, &number) || *text))
		api->fail("%s: %s= takes a number above 0", argv[0], name);
	return number;
}

/* Ends the run if a word is none of the names, of which the last is NULL. */
static inline void options_check(const struct trammel_api *api, int argc,
				 const char *const *argv, const char *const *names)
{
	for (int i = 1; i < argc; i++) {
		const char *const *name = names;

		while (*name && (strncmp(argv[i], *name, strlen(*name)) ||
				 argv[i][strlen(*name)] != '='))
			name++;
		if (!*name)
			api->fail("%s: unknown option %s; trammel tool list tells them",
				  argv[0], argv[i]);
	}
}

/* Whether a tool's word by=region, or the run's --by-region, asks for rows by the
 * program's regions, which the run records then. */
static inline bool option_by_region(const struct trammel_api *api, int argc,
				    const char *const *argv)
{
	const char *text = option_text(argc, argv, "by");

	if (!text && !api->by_region())
		return false;
	if (text && strcmp(text, "region") != 0)
		api->fail("%s: by= takes region", argv[0]);
	api->regions();
	return true;
}

/* --- analysis part --------------------------------------------------------------- */

static struct place *places_used;

/* The region of rows: a number of trammel_region(), plus 1; 0: they are not told apart.
 */
static inline uint64_t places_region(void)
{
	return trammel_region() + 1;
}

/* Returns what a place, of `size` bytes, has for the region in which the thread is;
 * without memory the place itself. */
static inline void *place_in_region(void *data, size_t size)
{
	struct place *place = data;
	const uint64_t region = places_region();
	struct place *first = __atomic_load_n(&place->more, __ATOMIC_ACQUIRE), *row;

	for (row = first; row && row->region != region; row = row->more)
		;
	if (row || !(row = calloc(1, size)))
		return row ? row : place;
	*row = *place;
	row->next = NULL;
	row->used = 0;
	row->region = region;
	row->more = first;
	/* Two threads may add one: rows with the same keys become one in records. */
	while (!__atomic_compare_exchange_n(&place->more, &row->more, row, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return row;
}

/* Puts a place into the list, once. */
static inline void place_use(struct place *place)
{
	if (place->used || __atomic_exchange_n(&place->used, 1, __ATOMIC_RELAXED))
		return;
	place->next = __atomic_load_n(&places_used, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&places_used, &place->next, place, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* An array of the places in use, sorted; NULL: there is none, or no memory. Equal ones
 * stay in an order that does not depend on the run. */
static inline struct place **places_sort(int (*compare)(const void *, const void *),
					 size_t *ret_count)
{
	struct place **list;
	size_t count = 0;

	for (struct place *place = places_used; place; place = place->next)
		count++;
	list = calloc(count + 1, sizeof(struct place *));
	*ret_count = 0;
	for (struct place *place = places_used; list && place; place = place->next)
		list[(*ret_count)++] = place;
	if (list)
		qsort(list, *ret_count, sizeof(struct place *), compare);
	return list;
}

/* Compares by number, the largest first, then by place. */
static inline int place_compare(const struct place *a, uint64_t of_a,
				const struct place *b, uint64_t of_b)
{
	int module = strcmp(a->module, b->module);

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	if (module)
		return module;
	return (a->address > b->address) - (a->address < b->address);
}

/* Defines a comparison for places_sort by a member of the tool's struct. */
#define PLACE_ORDER(name, type, number)                                                  \
	static int name(const void *a, const void *b)                                    \
	{                                                                                \
		const type *x = *(const type *const *)a, *y = *(const type *const *)b;   \
                                                                                         \
		return place_compare(&x->place, x->number, &y->place, y->number);        \
	}

/* Writes "module:function file:line" or "... 0xaddress". */
static inline void place_print(FILE *to, const struct place *place)
{
	fprintf(to, "%s:%s ", place->module, place->function);
	if (place->line)
		fprintf(to, "%s:%u", place->file, place->line);
	else
		fprintf(to, "0x%llx", (unsigned long long)place->address);
}

static inline double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/*
 * State of each thread, by the number that TRAMMEL_THREAD gives: of a
 * type that begins with a uint64_t `bank`. More than THREADS threads share the last one.
 */
enum { THREADS = 256 };
#define THREAD_STATE(type, states, bank)                                                 \
	((type *)thread_state((states), sizeof((states)[0]), (bank)))
static inline void *thread_state(void *states, size_t size, uint64_t bank)
{
	for (uint64_t i = 0, at = bank ^ bank >> 12; i < THREADS; i++, at++) {
		uint64_t *state = (uint64_t *)((char *)states + at % THREADS * size);
		uint64_t old = __atomic_load_n(state, __ATOMIC_RELAXED);

		if (old == bank)
			return state;
		if (!old &&
		    __atomic_compare_exchange_n(state, &old, bank, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return state;
		if (old == bank)
			return state;
	}
	return (char *)states + (THREADS - 1) * size;
}

#endif
