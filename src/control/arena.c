#include "control/arena.h"

#include "base/page.h"
#include "resident/resident.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/phase.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

static struct trm_error *map_file(const struct arena *arena, uint64_t offset,
				  uint64_t size, void **ret_address)
{
	void *address = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE, arena->fd, (off_t)offset);

	if (address == MAP_FAILED)
		return trm_error_system(errno, "cannot map an arena");
	*ret_address = address;
	return NULL;
}

/*
 * Registers the mutex of the control page as held by this thread. The kernel walks the
 * list of robust mutexes of a thread that ends, however it ends, and marks them: so this
 * mutex, held for good, tells the resident whether the tracer is alive.
 */
static struct trm_error *sign_in(struct wire_control *control)
{
	pthread_mutex_t *owner = (pthread_mutex_t *)control->owner;
	pthread_mutexattr_t attributes;

	_Static_assert(sizeof(pthread_mutex_t) <= sizeof(control->owner),
		       "room for a mutex");
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	int error = pthread_mutex_init(owner, &attributes);
	pthread_mutexattr_destroy(&attributes);
	if (!error)
		error = pthread_mutex_lock(owner);
	if (error)
		return trm_error_system(error, "cannot lock an arena");
	/* The kernel wakes a thread that waits for the holder's death if it is told that
	 * there are any. */
	__atomic_fetch_or(&control->owner[0], FUTEX_WAITERS, __ATOMIC_RELEASE);
	return NULL;
}

static struct trm_error *set_up(struct arena *arena, uint64_t stride, uint32_t banks)
{
	struct arena_chunk *chunk;
	void *control = NULL;
	uint64_t offset;

	TRM_TRY(arena_allocate(arena, WIRE_BANKS_OFFSET, &offset));
	if (pwrite(arena->fd, resident_image, resident_image_size, 0) !=
	    (ssize_t)resident_image_size)
		return trm_error_system(errno, "cannot write to an arena");
	TRM_TRY(map_file(arena, WIRE_CONTROL_OFFSET, sizeof(struct wire_control),
			 &control));
	arena->control = control;
	TRM_TRY(sign_in(arena->control));
	TRM_TRY(arena_allocate(arena, stride * banks, &offset));
	return arena_add_chunk(arena, offset, arena->address + offset, stride, banks,
			       &chunk);
}

/* Since 6.3 a memfd that is to be executable must say so; before, the flag was an error.
 */
unsigned int arena_memfd_flags(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	return MFD_CLOEXEC | (major > 6 || (major == 6 && minor >= 3) ? MFD_EXEC : 0);
}

struct trm_error *arena_create(int fd, uint64_t address, uint64_t stride, uint32_t banks,
			       uint32_t slot_size, struct arena **ret_arena)
{
	struct arena *arena = memory_allocate_zeroed(1, sizeof(*arena));

	*arena = (struct arena){
		.fd = fd, .references = 1, .address = address, .slot_size = slot_size};
	struct trm_error *error = set_up(arena, stride, banks);

	if (error) {
		arena_release(arena);
		return error;
	}
	*ret_arena = arena;
	return NULL;
}

struct trm_error *arena_write_stretch(struct arena *arena, uint32_t slot,
				      const uint8_t *code, size_t size)
{
	void *mapped = NULL;

	if (!arena->stretches) {
		TRM_TRY(map_file(arena, WIRE_STRETCH_CODE,
				 WIRE_STRETCHES * WIRE_STRETCH_SIZE, &mapped));
		arena->stretches = mapped;
	}
	memcpy(arena->stretches + (size_t)slot * WIRE_STRETCH_SIZE, code, size);
	return NULL;
}

static void free_bank(struct bank *bank)
{
	vector_deinit(&bank->views);
	free(bank->pages);
	free(bank);
}

static void free_chunk(struct arena_chunk *chunk)
{
	munmap(chunk->shared, chunk->stride * chunk->bank_count);
	vector_for_each (&chunk->views, view)
		free(*view);
	vector_deinit(&chunk->views);
	free(chunk);
}

void arena_release(struct arena *arena)
{
	if (!arena || --arena->references)
		return;
	vector_for_each (&arena->banks, bank)
		free_bank(*bank);
	vector_for_each (&arena->chunks, chunk)
		free_chunk(*chunk);
	if (arena->control) {
		/* Off the list of robust mutexes before its page goes. */
		pthread_mutex_unlock((pthread_mutex_t *)arena->control->owner);
		/* A thread that was released in the middle of a hook must not wait for
		 * the tracer. */
		__atomic_store_n(&arena->control->owner[0], FUTEX_OWNER_DIED,
				 __ATOMIC_RELEASE);
		munmap(arena->control, sizeof(*arena->control));
	}
	if (arena->stretches)
		munmap(arena->stretches, WIRE_STRETCHES * WIRE_STRETCH_SIZE);
	vector_deinit(&arena->banks);
	vector_deinit(&arena->chunks);
	vector_deinit(&arena->free);
	close(arena->fd);
	free(arena);
}

/* The first free range of at least `size` bytes; the number of ranges if there is none.
 */
static size_t find_free(const struct arena *arena, uint64_t size)
{
	size_t i = 0;

	while (i < arena->free.count &&
	       arena->free.items[i].end - arena->free.items[i].start < size)
		i++;
	return i;
}

static void remove_free(struct arena *arena, size_t index)
{
	for (size_t i = index + 1; i < arena->free.count; i++)
		arena->free.items[i - 1] = arena->free.items[i];
	arena->free.count--;
}

struct trm_error *arena_allocate(struct arena *arena, uint64_t size, uint64_t *ret_offset)
{
	const size_t found = find_free(arena, page_round_up(size));
	uint64_t offset = arena->file_size;

	if (found < arena->free.count) {
		struct arena_range *range = &arena->free.items[found];

		*ret_offset = range->start;
		range->start += page_round_up(size);
		if (range->start == range->end)
			remove_free(arena, found);
		return NULL;
	}
	if (ftruncate(arena->fd, (off_t)(offset + page_round_up(size))))
		return trm_error_system(errno, "cannot enlarge an arena");
	arena->file_size += page_round_up(size);
	*ret_offset = offset;
	return NULL;
}

/* The memory goes back, and reads as zeros. */
static void punch_hole(const struct arena *arena, uint64_t offset, uint64_t size)
{
	fallocate(arena->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
		  (off_t)size);
}

void arena_free(struct arena *arena, uint64_t offset, uint64_t size)
{
	struct arena_range range = {offset, offset + page_round_up(size)};
	size_t at = 0;

	if (!size)
		return;
	punch_hole(arena, range.start, range.end - range.start);
	while (at < arena->free.count && arena->free.items[at].start < range.start)
		at++;
	if (at && arena->free.items[at - 1].end == range.start) {
		range.start = arena->free.items[--at].start;
		remove_free(arena, at);
	}
	if (at < arena->free.count && arena->free.items[at].start == range.end) {
		arena->free.items[at].start = range.start;
		return;
	}
	vector_push(&arena->free, range);
	for (size_t i = arena->free.count - 1; i > at; i--)
		arena->free.items[i] = arena->free.items[i - 1];
	arena->free.items[at] = range;
}

uint64_t arena_memory(const struct arena *arena)
{
	struct stat status;

	return fstat(arena->fd, &status) ? 0 : (uint64_t)status.st_blocks * 512;
}

static struct trm_error *map_chunk(struct arena *arena, uint64_t file_offset,
				   uint64_t address, uint64_t stride, uint32_t count,
				   struct arena_chunk **ret_chunk)
{
	void *shared = NULL;

	TRM_TRY(map_file(arena, file_offset, stride * count, &shared));
	struct arena_chunk *chunk = memory_allocate_zeroed(1, sizeof(*chunk));

	*chunk = (struct arena_chunk){.file_offset = file_offset,
				      .address = address,
				      .stride = stride,
				      .bank_count = count,
				      .references = 1,
				      .shared = shared};
	vector_push(&arena->chunks, chunk);
	*ret_chunk = chunk;
	return NULL;
}

static struct bank *make_bank(struct arena_chunk *chunk, uint32_t number)
{
	const uint64_t at = number * chunk->stride;
	struct bank *bank = memory_allocate_zeroed(1, sizeof(*bank));

	bank->chunk = chunk;
	bank->address = chunk->address + at;
	bank->file_offset = chunk->file_offset + at;
	bank->shared = (struct wire_bank *)(chunk->shared + at);
	return bank;
}

struct trm_error *arena_add_chunk(struct arena *arena, uint64_t file_offset,
				  uint64_t address, uint64_t stride, uint32_t count,
				  struct arena_chunk **ret_chunk)
{
	TRM_TRY(map_chunk(arena, file_offset, address, stride, count, ret_chunk));
	for (uint32_t i = 0; i < count; i++) {
		struct bank *bank = make_bank(*ret_chunk, i);

		if (arena->slot_size == sizeof(uint8_t))
			bank->pages = memory_allocate_zeroed(stride / PAGE + 1,
							     sizeof(*bank->pages));
		vector_push(&arena->banks, bank);
	}
	return NULL;
}

struct trm_error *arena_add_views(struct arena *arena, struct bank *front,
				  uint64_t file_offset, uint64_t address, uint32_t first,
				  uint32_t count, struct arena_chunk **ret_chunk)
{
	TRM_TRY(map_chunk(arena, file_offset, address, front->chunk->stride,
			  first + count, ret_chunk));
	(*ret_chunk)->front = front;
	(*ret_chunk)->first = first;
	(*ret_chunk)->arena = arena;
	for (uint32_t i = first; i < first + count; i++) {
		struct bank *view = make_bank(*ret_chunk, i);

		view->front = front;
		vector_push(&front->views, view);
		vector_push(&(*ret_chunk)->views, view);
	}
	return NULL;
}

bool arena_bank_is_at(const struct bank *bank, uint64_t address)
{
	if (bank->address == address)
		return true;
	vector_for_each (&bank->views, view)
		if ((*view)->address == address)
			return true;
	return false;
}

static bool has_owned_bank(const struct arena *arena, const struct arena_chunk *chunk)
{
	if (chunk->front)
		return chunk->front->owner || chunk->front->in_use;
	vector_for_each (&arena->banks, bank)
		if ((*bank)->chunk == chunk &&
		    ((*bank)->owner || (*bank)->in_use || (*bank)->views.count))
			return true;
	return false;
}

/* Drops the views of a chunk. None is in use. */
static void remove_views(struct bank *front, const struct arena_chunk *chunk)
{
	size_t kept = 0;

	vector_for_each (&front->views, view)
		if ((*view)->chunk != chunk)
			front->views.items[kept++] = *view;
	front->views.count = kept;
}

void arena_release_chunk(struct arena *arena, struct arena_chunk *chunk)
{
	if (--chunk->references || has_owned_bank(arena, chunk))
		return;
	if (chunk->front)
		remove_views(chunk->front, chunk);
	vector_for_each (&arena->chunks, other)
		if ((*other)->names == chunk)
			(*other)->names = NULL;
	for (size_t i = arena->banks.count; i-- > 0;) {
		if (arena->banks.items[i]->chunk != chunk)
			continue;
		free_bank(arena->banks.items[i]);
		vector_remove_swap(&arena->banks, i);
	}
	for (size_t i = 0; i < arena->chunks.count; i++) {
		if (arena->chunks.items[i] == chunk) {
			vector_remove_swap(&arena->chunks, i);
			break;
		}
	}
	arena_free(arena, chunk->file_offset, chunk->stride * chunk->bank_count);
	free_chunk(chunk);
}

static uint64_t routine_address(const struct arena *arena, int routine)
{
	return arena->address +
	       ((const struct resident_table *)resident_image)->graph[routine].start;
}

/* By an instruction where the kernel lets programs have it (arch/x86, HWCAP2_FSGSBASE).
 */
static uint32_t phase_routine(void)
{
	enum { FSGSBASE = 2 };
	const char *asked = getenv("TRAMMEL_FSGSBASE");

	return getauxval(AT_HWCAP2) & FSGSBASE && !(asked && !strcmp(asked, "never"))
		       ? resident_table()->phase
		       : resident_table()->phase_slow;
}

struct bank *arena_take_bank(struct arena *arena, const struct arena_chunk *chunk,
			     pid_t owner, pid_t tid)
{
	struct bank *found = NULL;

	vector_for_each (&arena->banks, item) {
		struct bank *bank = *item;

		if (bank->chunk != chunk || bank->in_use)
			continue;
		if (bank->owner == owner) {
			found = bank;
			break;
		}
		if (!bank->owner && !found)
			found = bank;
	}
	if (!found)
		return NULL;
	if (found->shared->phases & WIRE_PHASES_MIXED && found->owner)
		found->phase = ARENA_PHASE_OTHER;
	found->owner = owner;
	found->in_use = true;
	*found->shared = (struct wire_bank){
		.self = found->address,
		.entry = arena->address +
			 ((const struct resident_table *)resident_image)->hook,
		.control = arena->address + WIRE_CONTROL_OFFSET,
		.returns = arena->address +
			   ((const struct resident_table *)resident_image)->returns,
		.arc = arena->address +
		       ((const struct resident_table *)resident_image)->arc,
		.enter = routine_address(arena, RESIDENT_ENTER),
		.leave = routine_address(arena, RESIDENT_LEAVE),
		.tally = routine_address(arena, RESIDENT_TALLY),
		.span_begin = routine_address(arena, RESIDENT_SPAN_BEGIN),
		.span_end = routine_address(arena, RESIDENT_SPAN_END),
		.tool = arena->address + resident_table()->tool_call,
		.tool_unmask = arena->address + resident_table()->tool_unmask,
		.tid = (uint32_t)tid,
		.owner = (uint32_t)owner,
		.phase = arena->address + phase_routine(),
		.generation = ++arena->generations,
	};
	return found;
}

void arena_give_bank(struct bank *bank)
{
	bank->in_use = false;
}

/* States of a flag: set by the program, marked by the tracer. */
enum { FLAG_SET = 1, FLAG_MARKED = 2 };

/* Which flags are reported, and their new state. */
struct flag_use {
	uint8_t mask; /* of what they are */
	bool changes;
	uint8_t after; /* if it changes */
};

static const struct flag_use to_read = {.mask = UINT8_MAX};
static const struct flag_use to_take = {.mask = UINT8_MAX, .changes = true};
static const struct flag_use to_mark = {
	.mask = FLAG_SET, .changes = true, .after = FLAG_MARKED};
static const struct flag_use to_mark_all = {
	.mask = UINT8_MAX, .changes = true, .after = FLAG_MARKED};

/* The receiver of counters. */
struct reader {
	void (*add)(void *context, uint32_t slot, uint64_t count);
	void *context;
	const struct flag_use *use;
};

/* Reports a flag. Each is written alone: the program may set its neighbours meanwhile. */
static void tell_flag(uint8_t *flag, uint32_t slot, const struct reader *reader)
{
	if (reader->use->changes)
		__atomic_store_n(flag, reader->use->after, __ATOMIC_RELAXED);
	reader->add(reader->context, slot, 1);
}

static void read_flags(uint8_t *flags, uint64_t size, uint32_t first_slot,
		       const struct reader *reader)
{
	const uint64_t mask = reader->use->mask * 0x0101010101010101u;
	uint64_t word, at = 0;

	for (; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, flags + at, sizeof(word));
		for (word &= mask; word;) {
			uint64_t byte = (uint64_t)__builtin_ctzll(word) / 8;

			word &= ~(0xffull << 8 * byte);
			tell_flag(&flags[at + byte], first_slot + (uint32_t)(at + byte),
				  reader);
		}
	}
	for (; at < size; at++)
		if (__atomic_load_n(&flags[at], __ATOMIC_RELAXED) & reader->use->mask)
			tell_flag(&flags[at], first_slot + (uint32_t)at, reader);
}

/* The program may write to them meanwhile. */
static void read_counters(uint8_t *bytes, uint64_t size, uint32_t slot_size,
			  uint32_t first_slot, const struct reader *reader)
{
	const uint64_t *counters = (const uint64_t *)(const void *)bytes;

	if (slot_size == sizeof(uint8_t)) {
		read_flags(bytes, size, first_slot, reader);
		return;
	}
	for (uint64_t i = 0; i < size / sizeof(*counters); i++) {
		uint64_t count = __atomic_load_n(&counters[i], __ATOMIC_RELAXED);

		if (count)
			reader->add(reader->context, first_slot + (uint32_t)i, count);
	}
}

/* The part of [*start, end) that comes first and is there, up to *ret_stop; pages that no
 * thread wrote are holes in the file. False: there is no more. */
static bool next_data(const struct arena *arena, uint64_t *start, uint64_t end,
		      uint64_t *ret_stop)
{
	off_t data = lseek(arena->fd, (off_t)*start, SEEK_DATA);

	if (*start >= end || data < 0 || (uint64_t)data >= end)
		return false;
	off_t hole = lseek(arena->fd, data, SEEK_HOLE);

	*start = (uint64_t)data;
	*ret_stop = hole < 0 || (uint64_t)hole > end ? end : (uint64_t)hole;
	return true;
}

static void read_bank(const struct arena *arena, const struct bank *bank,
		      const struct reader *reader)
{
	uint8_t *base = (uint8_t *)bank->shared;
	uint64_t start = bank->file_offset + WIRE_BANK_HEADER +
			 (uint64_t)arena->reserved * arena->slot_size;
	uint64_t end = bank->file_offset + bank->chunk->stride;

	/* Pages that are holes are skipped without touching them. */
	for (uint64_t stop = start; next_data(arena, &start, end, &stop); start = stop) {
		uint64_t at = start - bank->file_offset;

		if (reader->use->after == FLAG_MARKED)
			memset(bank->pages + at / PAGE, true,
			       (stop - 1 - bank->file_offset) / PAGE - at / PAGE + 1);
		read_counters(base + at, stop - start, arena->slot_size,
			      (uint32_t)((at - WIRE_BANK_HEADER) / arena->slot_size),
			      reader);
	}
}

void arena_read_bank(const struct arena *arena, const struct bank *bank,
		     void (*add)(void *context, uint32_t slot, uint64_t count),
		     void *context)
{
	read_bank(arena, bank, &(struct reader){add, context, &to_read});
}

void arena_take_flags(const struct arena *arena, const struct bank *bank,
		      void (*add)(void *context, uint32_t slot, uint64_t count),
		      void *context)
{
	read_bank(arena, bank, &(struct reader){add, context, &to_take});
}

void arena_mark_flags(const struct arena *arena, const struct bank *bank, bool all,
		      void (*add)(void *context, uint32_t slot, uint64_t count),
		      void *context)
{
	read_bank(arena, bank,
		  &(struct reader){add, context, all ? &to_mark_all : &to_mark});
}

bool *arena_bank_pages(const struct arena *arena, const struct bank *bank)
{
	const uint64_t end = bank->file_offset + bank->chunk->stride;
	bool *pages =
		memory_allocate_zeroed(bank->chunk->stride / PAGE + 1, sizeof(*pages));

	for (uint64_t at = bank->file_offset, stop = at;
	     next_data(arena, &at, end, &stop); at = stop)
		for (uint64_t page = (at - bank->file_offset) / PAGE;
		     page <= (stop - 1 - bank->file_offset) / PAGE; page++)
			pages[page] = true;
	return pages;
}

uint64_t arena_bank_memory(const struct arena *arena, const struct bank *bank)
{
	const uint64_t end = bank->file_offset + bank->chunk->stride;
	uint64_t sum = 0;

	for (uint64_t at = bank->file_offset, stop = at;
	     next_data(arena, &at, end, &stop); at = stop)
		sum += stop - at;
	return sum;
}

static void note_page(void *some, uint32_t slot, uint64_t count)
{
	(void)slot;
	(void)count;
	*(bool *)some = true;
}

/* To read from a page that is a hole would fill it. A thread's first bank ends before the
 * flags of modules that its process loaded when larger ones were made. */
bool arena_mark_some(const struct bank *bank, uint32_t slot, uint32_t count)
{
	const uint64_t start = WIRE_BANK_HEADER + (uint64_t)slot;
	const uint64_t last = start + count, stride = bank->chunk->stride;
	const uint64_t end = last < stride ? last : stride;
	bool some = false;

	for (uint64_t at = start, next; at < end; at = next) {
		next = (at / PAGE + 1) * PAGE;
		next = next < end ? next : end;
		if (bank->pages[at / PAGE])
			read_flags((uint8_t *)bank->shared + at, next - at,
				   (uint32_t)(at - WIRE_BANK_HEADER),
				   &(struct reader){note_page, &some, &to_mark});
	}
	return some;
}

static void clear_views(const struct arena *arena, struct arena_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->used; i++) {
		arena_clear_bank(arena, chunk->views.items[i]);
		chunk->views.items[i]->phase = ARENA_PHASE_UNSET;
	}
	if (chunk->first)
		punch_hole(arena, chunk->file_offset, chunk->first * chunk->stride);
	chunk->used = chunk->rows_read = 0;
}

void arena_clear_bank(const struct arena *arena, struct bank *bank)
{
	punch_hole(arena, bank->file_offset + WIRE_BANK_HEADER,
		   bank->chunk->stride - WIRE_BANK_HEADER);
	if (bank->pages)
		memset(bank->pages, false, bank->chunk->stride / PAGE);
	if (bank->front) /* its header is that one's */
		return;
	vector_for_each (&arena->chunks, chunk)
		if ((*chunk)->front == bank)
			clear_views(arena, *chunk);
	bank->phase = ARENA_PHASE_UNSET;
	bank->full = false;
	bank->owner = 0;
	bank->shared->owner = 0;
	bank->in_use = false;
}
