/*
 * Return addresses in relocated code (code/relocate/whole.h) become the original ones
 * before a function looks at them. The frames return to the patched original then, which
 * leads back into relocated code. Where they lie call-frame information says
 * (wire/unwind.h); only behind a frame that it does not explain each word is looked at.
 * Nothing but such an address is ever changed, and by a comparing exchange: on a stack
 * that is not the thread's own, another thread may be at work.
 */
#include "resident/look.h"

#include "resident/ask.h"
#include "resident/inside.h"
#include "resident/texts.h"
#include "resident/way_back.h"
#include "wire/control.h"
#include "wire/hooks.h"
#include "wire/layout.h"
#include "wire/unwind.h"
#include "wire/ways.h"

#define PAGE 4096ull

/* Two addresses further apart than this are on different stacks. */
#define STACK_MAX (64ull << 20)

/* Bytes searched of a stack with an unknown end, as a coroutine's. */
#define UNKNOWN_MAX (8ull << 20)

/* Bytes searched behind a frame of a module without call-frame information: mostly the
 * first one of a coroutine's or goroutine's stack. Unwinders that use call-frame
 * information end there. */
#define UNCOVERED_MAX (32ull << 10)

/* Without system calls: so much of a stack that may end anywhere. */
#define QUIET_MAX (256ull << 10)

struct range {
	uint64_t start, end;
};

/* The range of all trampolines. */
static struct range all_code(const struct wire_control *control)
{
	struct range all = {UINT64_MAX, 0};

	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_undo *undo = &control->undos[i];

		if (!control->texts[i].end || !undo->ways)
			continue;
		if (undo->code < all.start)
			all.start = undo->code;
		if (undo->code + undo->code_size > all.end)
			all.end = undo->code + undo->code_size;
	}
	return all;
}

/* The row of the function whose code begins at or before an offset; NULL: none does. */
static const struct wire_way *find_by_code(const struct wire_ways *ways, uint64_t offset)
{
	const struct wire_way *rows = wire_ways_rows(ways);
	uint64_t low = 0, high = ways->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (rows[rows[middle].by_code].code <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &rows[rows[low - 1].by_code] : NULL;
}

/* call rel32, or an indirect one, behind prefixes; as code/locate/address_map.c has it.
 */
static int is_call(const uint8_t *code)
{
	for (int i = 0; i < 14; i++, code++) {
		int prefix = *code == 0x66 || *code == 0x67 || *code == 0xf2 ||
			     *code == 0xf3 || *code == 0x2e || *code == 0x36 ||
			     *code == 0x3e || *code == 0x26 || *code == 0x64 ||
			     *code == 0x65 || (*code & 0xf0) == 0x40;

		if (!prefix)
			break;
	}
	return *code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2);
}

/* Bytes of instructions. */
enum { COUNTER = 10, CALL = 5, CALL_WORD = 8, BRANCH = 6, COMPARE = 9 };

/* addq $1, %gs:slot: PROBE_COUNT in code/emit/probe.h. */
static int is_counter(const uint8_t *code)
{
	return code[0] == 0x65 && code[1] == 0x48 && code[2] == 0x83 && code[3] == 0x04 &&
	       code[4] == 0x25;
}

/* Whether it is a call with a counter in front, or with the counter's replacement:
 * probe_is_of_call in code/emit/probe.c. */
static int is_counted_call(const uint8_t *code, uint64_t size)
{
	return size == COUNTER + CALL && code[COUNTER] == 0xe8 &&
	       (is_counter(code) ||
		(code[0] == 0x66 && code[1] == 0x2e && code[2] == 0x0f &&
		 code[3] == 0x1f && code[4] == 0x84));
}

/* Whether it is a call with an inline cache: inline_cache_is_call in
 * code/relocate/inline_cache.c. */
static int is_cached_call(const uint8_t *code, uint64_t size)
{
	const uint8_t *call = code + size - CALL_WORD, *counter = call - COUNTER,
		      *branch = counter - BRANCH;

	return size >= COMPARE + BRANCH + COUNTER + CALL_WORD && call[0] == 0x65 &&
	       call[1] == 0xff && call[2] == 0x14 && call[3] == 0x25 &&
	       is_counter(counter) && branch[0] == 0x0f && branch[1] == 0x85;
}

static int ends_in_call(const uint8_t *code, uint64_t size)
{
	return is_call(code) || is_counted_call(code, size) || is_cached_call(code, size);
}

/* The original of a return address in a module's code; 0 if it is not one. */
static uint64_t original_of(const struct wire_ways *ways, uint64_t word)
{
	const struct wire_step *steps = wire_ways_steps(ways);
	const struct wire_way *way = find_by_code(ways, word - ways->code);
	uint64_t original, code;

	if (!way)
		return 0;
	original = way->address;
	code = ways->code + way->code;
	for (uint32_t i = 0; i < way->map_row_count && code < word; i++) {
		const struct wire_step *step = &steps[way->first_map_row + i];

		original += (uint64_t)(int64_t)wire_step_original(*step);
		code += wire_step_code(*step);
		if (code == word && step->kind == WIRE_STEP_MOVED &&
		    ends_in_call((const uint8_t *)(uintptr_t)(code - step->code),
				 step->code))
			return original + ways->bias;
	}
	return 0;
}

static uint64_t key_of(const struct wire_control *control, uint64_t address)
{
	return address ^ (uint64_t)control->texts_changed << 48;
}

/* Rows that begin with a key: `count` of them, a power of two. */
struct rows {
	void *first;
	uint64_t size, count;
};

/*
 * The row that has a key, or is to get it: one of a few next to each other, the first
 * that is free, or has the key of a time when texts were others (Knuth's multiplicative
 * hashing says where).
 */
static void *row_of(struct rows rows, uint64_t key)
{
	enum { TRIED = 4 };
	uint64_t start = key * 0x9e3779b97f4a7c15 >> 48;
	char *chosen = NULL;

	for (uint64_t i = 0; i < TRIED; i++) {
		char *row =
			(char *)rows.first + ((start + i) & (rows.count - 1)) * rows.size;
		uint64_t other =
			__atomic_load_n((uint64_t *)(void *)row, __ATOMIC_ACQUIRE);

		if (other == key)
			return row;
		if (!chosen && (!other || (other ^ key) >> 48))
			chosen = row;
	}
	return chosen ? chosen
		      : (char *)rows.first + (start & (rows.count - 1)) * rows.size;
}

/* Whether a module's ways are there: a row is older than they are, and may be all that a
 * tracer came to that died. */
static bool has_ways(const struct wire_bank *bank, const struct wire_control *control,
		     const struct wire_undo *undo)
{
	const struct wire_ways *ways = (const struct wire_ways *)(uintptr_t)undo->ways;

	return bank->quiet || !tracer_died(control) ||
	       (is_readable(undo->ways) &&
		is_readable((uint64_t)(uintptr_t)wire_ways_rows(ways)));
}

/* The original of a return address in any module's code; 0 if it is not one. */
static uint64_t search_original(const struct wire_bank *bank,
				const struct wire_control *control, uint64_t word)
{
	uint64_t original = 0;

	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_undo *undo = &control->undos[i];

		if (control->texts[i].end && undo->ways &&
		    word - undo->code < undo->code_size && has_ways(bank, control, undo))
			original = original_of(
				(const struct wire_ways *)(uintptr_t)undo->ways, word);
	}
	return original;
}

/*
 * Finds the original of a return address by a cache: programs that throw a lot do so from
 * the same places. A signal's handler may use the same rows meanwhile: a row is valid if
 * its key is right before and afterwards.
 */
static uint64_t find_original(struct wire_bank *bank, const struct wire_control *control,
			      uint64_t word)
{
	const struct rows rows = {bank->moved, sizeof(*bank->moved), WIRE_MOVED};
	uint64_t key = key_of(control, word), original;
	struct wire_moved *row = row_of(rows, key);

	if (__atomic_load_n(&row->key, __ATOMIC_ACQUIRE) == key) {
		original = __atomic_load_n(&row->original, __ATOMIC_ACQUIRE);
		if (__atomic_load_n(&row->key, __ATOMIC_ACQUIRE) == key)
			return original;
	}
	original = search_original(bank, control, word);
	if (original) {
		__atomic_store_n(&row->key, 0, __ATOMIC_SEQ_CST);
		row->original = original;
		__atomic_store_n(&row->key, key, __ATOMIC_SEQ_CST);
	}
	return original;
}

/* Returns the word at `place` after restoring it. */
static uint64_t look_at(struct wire_bank *bank, const struct wire_control *control,
			uint64_t *place)
{
	uint64_t word = *place, original = find_original(bank, control, word);

	if (!original)
		return word;
	__atomic_compare_exchange_n(place, &word, original, 0, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return original;
}

static bool is_known(const struct wire_bank *bank, uint64_t place)
{
	return bank->stack_known && place >= bank->stack_known && place < bank->stack_end;
}

bool look_know_stack(struct wire_bank *bank, uint64_t place)
{
	uint64_t page = place & ~(PAGE - 1);
	uint64_t known = bank->stack_known ? bank->stack_known
					   : (bank->stack_end + PAGE - 1) & ~(PAGE - 1);

	if (place >= bank->stack_end || bank->stack_end - place > STACK_MAX)
		return false;
	if (is_known(bank, place))
		return true;
	if (bank->quiet || (bank->stack_gap && page <= bank->stack_gap))
		return false;
	while (known > page && is_readable(known - PAGE))
		known -= PAGE;
	bank->stack_known = known;
	if (known > page)
		bank->stack_gap = known - PAGE;
	return known <= page;
}

/* Behind the last address to look at. */
static uint64_t end_of(struct wire_bank *bank, uint64_t start)
{
	uint64_t end = bank->stack_end;

	if (look_know_stack(bank, start))
		return end;
	if (!bank->quiet)
		return start + UNKNOWN_MAX;
	/* No system call may be made to test whether the next page exists. */
	if (end > start && end - start <= QUIET_MAX && start > bank->stack_gap + PAGE)
		return end;
	return (start | (PAGE - 1)) + 1;
}

/* A walk up the stack. */
struct walk {
	struct wire_bank *bank;
	const struct wire_control *control;
	uint64_t start, end; /* of memory known to be readable, if `end` is the stack's */
	uint64_t page;       /* another readable page; 0: none yet */
	struct range code;   /* where trampolines are */
	bool uncovered;      /* the last frame is in a module that tells nothing of it */
};

static bool may_read(struct walk *walk, uint64_t address)
{
	uint64_t page = address & ~(PAGE - 1);

	if (address % sizeof(uint64_t))
		return false;
	if (address >= walk->start && address < walk->end)
		return true;
	if (walk->bank->quiet || (page != walk->page && !is_readable(address)))
		return false;
	walk->page = page;
	return true;
}

static bool read_word(void *context, uint64_t address, uint64_t *ret_word)
{
	if (!may_read(context, address))
		return false;
	*ret_word = *(const uint64_t *)(uintptr_t)address;
	return true;
}

static bool read_return(void *context, uint64_t address, uint64_t *ret_pc)
{
	struct walk *walk = context;

	if (!read_word(context, address, ret_pc))
		return false;
	if (*ret_pc - walk->code.start < walk->code.end - walk->code.start)
		*ret_pc = look_at(walk->bank, walk->control,
				  (uint64_t *)(uintptr_t)address);
	return true;
}

/* With the tracer dead, unloaded modules stay in the table. */
static bool find_tables(const struct wire_control *control, uint64_t pc,
			struct unwind_tables *ret_tables)
{
	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];
		const struct wire_undo *undo = &control->undos[i];

		if (pc < text->start || pc >= text->end || !undo->unwind_header ||
		    (tracer_died(control) && !is_patched(undo)))
			continue;
		ret_tables->header = undo->unwind_header;
		ret_tables->start = undo->unwind_start;
		ret_tables->end = undo->unwind_end;
		ret_tables->bytes = (const uint8_t *)(uintptr_t)undo->unwind_start;
		return true;
	}
	return false;
}

/* As find_original does. */
static bool find_rule(void *context, uint64_t pc, struct unwind_rule *ret_rule)
{
	struct walk *walk = context;
	const struct rows rows = {walk->bank->rules, sizeof(*walk->bank->rules),
				  WIRE_RULES};
	uint64_t key = key_of(walk->control, pc);
	struct wire_rule *row = row_of(rows, key);
	struct unwind_tables tables;

	if (__atomic_load_n(&row->key, __ATOMIC_ACQUIRE) == key) {
		*ret_rule = row->rule;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&row->key, __ATOMIC_ACQUIRE) == key)
			return true;
	}
	if (!find_tables(walk->control, pc, &tables))
		return false;
	walk->uncovered = !unwind_find_rule(&tables, pc, ret_rule);
	if (walk->uncovered)
		return false;
	__atomic_store_n(&row->key, 0, __ATOMIC_SEQ_CST);
	row->rule = *ret_rule;
	__atomic_store_n(&row->key, key, __ATOMIC_SEQ_CST);
	return true;
}

/* Restores each word from an address on, as far as pages can be read; at most
 * `unknown_max` bytes of a stack whose end is not known. */
static void look_at_all(struct wire_bank *bank, uint64_t start, uint64_t unknown_max)
{
	const struct wire_control *control =
		(const struct wire_control *)(uintptr_t)bank->control;
	const struct range code = all_code(control);
	uint64_t end = end_of(bank, start);

	if (end != bank->stack_end && end - start > unknown_max)
		end = start + unknown_max;
	start = (start + sizeof(start) - 1) & -sizeof(start);
	for (uint64_t at = start; at + sizeof(at) <= end; at += sizeof(at)) {
		uint64_t *place = (uint64_t *)(uintptr_t)at;

		if ((at == start || !(at & (PAGE - 1))) && !bank->quiet &&
		    !is_readable(at))
			return;
		if (*place - code.start < code.end - code.start)
			look_at(bank, control, place);
	}
}

void look_through(struct wire_bank *bank, const struct wire_registers *frame)
{
	uint64_t rsp = frame->rsp, stack_end = end_of(bank, rsp);
	struct walk walk = {
		.bank = bank,
		.control = (const struct wire_control *)(uintptr_t)bank->control,
		.start = rsp,
		.end = bank->quiet || stack_end == bank->stack_end ? stack_end : rsp,
	};
	const struct unwind_view view = {&walk, find_rule, read_word, read_return, NULL};
	struct unwind_place place = wire_return_place(frame);
	uint64_t rest = rsp;

	walk.code = all_code(walk.control);
	if (read_return(&walk, rsp, &place.pc))
		rest = unwind_walk(&view, place);
	if (rest != UNWIND_DONE)
		look_at_all(bank, rest, walk.uncovered ? UNCOVERED_MAX : UNKNOWN_MAX);
}

/* So many looks are told at once; one in some is timed, for all. */
enum { LOOKS_TOLD = 1024, LOOKS_TIMED = 16 };

/* A look was timed. */
static void note_time(struct wire_bank *bank, uint64_t start, uint64_t end)
{
	struct wire_looks *looks =
		&((struct wire_control *)(uintptr_t)bank->control)->looks;

	bank->look_ticks += (end - start) * LOOKS_TIMED;
	if (bank->look_count % LOOKS_TOLD)
		return;
	if (bank->look_since) {
		__atomic_fetch_add(&looks->count, LOOKS_TOLD, __ATOMIC_RELAXED);
		__atomic_fetch_add(&looks->ticks, bank->look_ticks, __ATOMIC_RELAXED);
		__atomic_fetch_add(&looks->elapsed, end - bank->look_since,
				   __ATOMIC_RELAXED);
	}
	bank->look_since = end;
	bank->look_ticks = 0;
}

static void look_timed(struct wire_bank *bank, const struct wire_registers *frame)
{
	bool timed = ++bank->look_count % LOOKS_TIMED == 0 && !bank->untimed;
	uint64_t start = timed ? __builtin_ia32_rdtsc() : 0;

	look_through(bank, frame);
	if (timed)
		note_time(bank, start, __builtin_ia32_rdtsc());
}

/* Whether the code behind a call differs from the program's, which returns there: its
 * function was relocated whole, or the call was copied into relocated code. */
static int is_changed(const struct wire_bank *bank, const struct wire_control *control,
		      uint64_t word)
{
	for (uint64_t i = 0; i < control->text_count && i < WIRE_TEXTS_MAX; i++) {
		const struct wire_text *text = &control->texts[i];
		const struct wire_undo *undo = &control->undos[i];
		const struct wire_ways *ways =
			(const struct wire_ways *)(uintptr_t)undo->ways;

		if (text->end && ways && word >= text->start && word < text->end &&
		    has_ways(bank, control, undo))
			return way_around(ways, word - ways->bias) != NULL;
	}
	return 0;
}

/* The function's own return address; whether the tracer is to be asked. */
static int look_beyond(struct wire_bank *bank, uint64_t *place)
{
	const struct wire_control *control =
		(const struct wire_control *)(uintptr_t)bank->control;
	uint64_t word = *place;

	return (look_at(bank, control, place) != word ||
		is_changed(bank, control, word)) &&
	       !bank->quiet;
}

int resident_look(const struct wire_registers *frame)
{
	struct wire_bank *bank = own_bank();
	uint32_t number = (uint32_t)((const uint64_t *)(frame + 1))[1];

	if (number == WIRE_HOOK_BEYOND)
		return look_beyond(bank, (uint64_t *)(uintptr_t)frame->rsp);
	if (number == WIRE_HOOK_OWN)
		look_at(bank, (const struct wire_control *)(uintptr_t)bank->control,
			(uint64_t *)(uintptr_t)frame->rsp);
	else if (number == WIRE_HOOK_LAZY)
		ask_quietly(bank, frame);
	else
		look_timed(bank, frame);
	return 0;
}
