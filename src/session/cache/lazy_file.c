#include "session/cache/lazy_file.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "base/text.h"
#include "code/entry/trampoline.h"
#include "code/plan/plan_rows.h"
#include "control/arena.h"
#include "image/open.h"
#include "session/cache/cache_file.h"
#include "session/cache/feedback_file.h"
#include "session/cache/module_text.h"
#include "session/cache/text_runs.h"
#include "session/cache/usual_addresses.h"
#include "session/options/policy.h"
#include "wire/mailbox.h"
#include "wire/ways.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert(WIRE_AGAIN_BYTES == (int)TRAMPOLINE_AGAIN, "the resident goes there");

/* Size in bytes below which a file is planned as a whole: that takes no longer than
 * some requests for single functions. With points each function takes longer. */
#define FILE_MIN        (1u << 20)
#define FILE_MIN_POINTS (64u << 10)

/* Greatest growth as multiples of a text's bytes: code and steps take less, counters
 * too. */
enum { CODE_GROWTH = 2, STEPS_GROWTH = 1, SLOTS_SHARE = 8 };

/* With points, whose code has any size: of the functions that are executed, which are few
 * in a large text. */
enum { POINTS_GROWTH = 8 };
#define POINTS_MAX (128ull << 20) /* bytes beyond the growth of others */
enum { SPARE = 1 << 16 };         /* bytes for what is rounded up to pages */

/* Bytes of the file that are allocated at a time. */
enum { SPACE_PIECE = 1 << 20, TEXT_PIECE = 2 << 20 };

/* Returns whether parts of the run are told apart by values that the tracer measures,
 * which must not contain the time that planning takes, nor counters that come later. */
static bool is_measured_in_parts(const struct session_window *window)
{
	return window->start.wait_ns || window->stop.wait_ns || window->interval_ns ||
	       window->interval_instructions;
}

bool lazy_file_suits(const struct module_file *file,
		     const struct session_options *options)
{
	const struct collector *collector = options->collector;
	const enum policy policy = policy_of_lazy_plans();

	if (collector->paths || collector->depth < PLAN_POINTS ||
	    collector->probe != PLAN_PROBE_COUNT || collector_has_gates(collector) ||
	    options->live || file->mandatory || is_measured_in_parts(&options->window) ||
	    !feedback_is_used(options))
		return false;
	if (policy == POLICY_WHERE_IT_PAYS)
		return file->identity.size >= (options_points_of(options, file->path)
						       ? FILE_MIN_POINTS
						       : FILE_MIN) &&
		       policy_of_learning() != POLICY_NEVER;
	return policy == POLICY_ALWAYS;
}

bool lazy_file_can_be(const struct module_file *file)
{
	/* What is planned at once must fit below a program at fixed addresses. */
	if (!file->dynamic && file->plan->code_address < file->lazy->image->base &&
	    file->plan->code_address + file->plan->code.count + 2 * SPARE >
		    file->lazy->image->base)
		return false;
	/* All processes are to map the same file. */
	if (file->own_words.many)
		return false;
	for (uint32_t i = 0; i < file->text_count; i++)
		if (file->texts[i].part_size < MODULE_COPIED_MIN)
			return false;
	return file->text_count;
}

/* Room for code of points. A program at fixed
 * addresses may have it below: its heap grows above. */
static uint64_t growth_of_points(const struct module_file *file, uint64_t text)
{
	const struct plan *plan = file->plan;
	const uint64_t base = file->lazy->image->base;
	const uint64_t wanted =
		text * POINTS_GROWTH < POINTS_MAX ? text * POINTS_GROWTH : POINTS_MAX;
	const uint64_t others = plan->code.count + text * CODE_GROWTH + SPARE;

	if (file->dynamic || plan->code_address > base)
		return wanted;
	const uint64_t room = base - plan->code_address;
	const uint64_t left = room > others ? room - others : 0;

	return left < wanted ? left : wanted;
}

/* The most bytes of code that a program at fixed addresses can reach above it. */
static uint64_t most_code(const struct module_file *file)
{
	const struct plan *plan = file->plan;

	return !file->dynamic && plan->code_address > file->lazy->image->base &&
			       plan->code_address < USUAL_ADDRESSES_FIXED_END
		       ? USUAL_ADDRESSES_FIXED_END - plan->code_address
		       : UINT64_MAX;
}

void lazy_file_make_room(struct module_file *file)
{
	struct lazy_limits *limits = &file->lazy->limits;
	const uint64_t most = most_code(file);
	uint64_t text = 0, more = 0;

	for (uint32_t i = 0; i < file->text_count; i++)
		text += file->texts[i].part_size;
	if (file->plan->points.module.count)
		more = growth_of_points(file, text);
	file->code_room =
		page_round_up(file->plan->code.count + text * CODE_GROWTH + more);
	if (file->code_room > most && file->plan->code.count < most)
		file->code_room = most;
	file->steps_room = page_round_up(file->plan->map_rows.count *
						 sizeof(*file->plan->map_rows.items) +
					 text * STEPS_GROWTH + more / 2);
	if (!file->dynamic && file->plan->code_address < file->lazy->image->base) {
		const uint64_t room =
			file->lazy->image->base - file->plan->code_address - SPARE;

		file->code_room = file->code_room < room ? file->code_room : room;
	}
	file->plan->slot_room = file->plan->slot_count + (uint32_t)(text / SLOTS_SHARE);
	*limits = (struct lazy_limits){.slots = file->plan->slot_room,
				       .code = file->code_room,
				       .steps = file->steps_room /
						sizeof(*file->plan->map_rows.items)};
}

/* Makes rows for all functions, sorted by address, which get their code when it is
 * there; and a row of no function, which comes behind all others by address and by
 * code. */
static void make_rows(struct module_file *file)
{
	const struct plan *plan = file->plan;
	const uint32_t count = (uint32_t)plan->functions.count;

	file->address_maps.count = 0;
	for (uint32_t i = 0; i < count; i++)
		vector_push(
			&file->address_maps,
			((struct wire_way){.address = plan->functions.items[i].address,
					   .size = plan->functions.items[i].size,
					   .code = PLAN_LATER,
					   .by_code = count}));
	vector_push(&file->address_maps, ((struct wire_way){.address = UINT64_MAX,
							    .code = PLAN_LATER,
							    .by_code = count}));
}

/* Fills the rows of the functions whose places in code are [first, end): the rows
 * themselves, and their indices by code. */
static void fill_rows(struct module_file *file, uint32_t first, uint32_t end)
{
	const struct plan *plan = file->plan;

	for (uint32_t place = first; place < end; place++) {
		const struct plan_function *function = plan_by_code(plan, place);
		uint32_t index = (uint32_t)(function - plan->functions.items);
		struct wire_way *row = &file->address_maps.items[index];

		row->code = function->trampoline;
		row->first_map_row = function->first_map_row;
		row->map_row_count = function->map_row_count;
		file->address_maps.items[place].by_code = index;
	}
}

static bool write_texts(const struct module_file *file, int fd)
{
	scoped_free uint8_t *bytes = memory_allocate(TEXT_PIECE);
	bool good = true;

	for (uint32_t i = 0; i < file->text_count; i++) {
		const struct module_text *text = &file->texts[i];

		for (uint64_t at = 0; good && at < text->part_size; at += TEXT_PIECE) {
			uint64_t left = text->part_size - at,
				 size = left < TEXT_PIECE ? left : TEXT_PIECE;

			module_text_compose(file, text, text->part_offset + at, size,
					    bytes);
			good = cache_file_write(fd, bytes, size,
						file->cached_offset[i] + at);
		}
	}
	return good;
}

/* Chooses the places of the file's parts; returns the file's size in bytes. */
static uint64_t lay_out(struct module_file *file)
{
	struct lazy_file *lazy = file->lazy;
	uint64_t end;

	file->code_offset = 0;
	lazy->rows_at = file->code_room;
	lazy->steps_at = lazy->rows_at + page_round_up(file->address_maps.count *
						       sizeof(*file->address_maps.items));
	end = lazy->steps_at + file->steps_room;
	for (uint32_t i = 0; i < file->text_count; i++) {
		file->cached_offset[i] = end;
		end += file->texts[i].part_size;
	}
	return end;
}

static bool write_all(struct module_file *file, int fd)
{
	const struct plan *plan = file->plan;
	const struct lazy_file *lazy = file->lazy;

	return !ftruncate(fd, (off_t)lay_out(file)) &&
	       cache_file_write(fd, plan->code.items, plan->code.count, 0) &&
	       cache_file_write(fd, file->address_maps.items,
				file->address_maps.count *
					sizeof(*file->address_maps.items),
				lazy->rows_at) &&
	       cache_file_write(fd, plan->map_rows.items,
				plan->map_rows.count * sizeof(*plan->map_rows.items),
				lazy->steps_at) &&
	       write_texts(file, fd);
}

static bool map_all(struct module_file *file, int fd)
{
	struct stat status;
	uint8_t *bytes;

	if (fstat(fd, &status))
		return false;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     0);
	if (bytes == MAP_FAILED)
		return false;
	file->cached_bytes = bytes;
	file->cached_size = (size_t)status.st_size;
	for (uint32_t i = 0; i < file->text_count; i++) {
		file->patched[i] = bytes + file->cached_offset[i];
		text_runs_find(file, &file->texts[i]);
	}
	return true;
}

bool lazy_file_save(struct module_file *file)
{
	int fd = memfd_create("trammel", arena_memfd_flags());
	struct text path = {0};

	if (fd < 0)
		return false;
	make_rows(file);
	fill_rows(file, 0, file->plan->placed);
	if (!write_all(file, fd) || !map_all(file, fd)) {
		close(fd);
		return false;
	}
	text_format(&path, "/proc/%d/fd/%d", getpid(), fd);
	file->cached_path = path.data;
	file->lazy->fd = fd;
	file->lazy->code_space = page_round_up(file->plan->code.count);
	file->lazy->steps_space =
		file->lazy->steps_at + page_round_up(file->plan->map_rows.count *
						     sizeof(*file->plan->map_rows.items));
	return true;
}

/* Makes sure that [*have, end) of the file may be written through its mapping: if
 * memory is short that must be an error, not a SIGBUS. */
static bool get_space(const struct lazy_file *lazy, uint64_t *have, uint64_t end,
		      uint64_t most)
{
	uint64_t wanted = end + SPACE_PIECE < most ? end + SPACE_PIECE : most;

	if (end <= *have)
		return true;
	if (posix_fallocate(lazy->fd, (off_t)*have, (off_t)(wanted - *have)))
		return false;
	*have = wanted;
	return true;
}

static bool write_code(const struct module_file *file, const struct lazy_news *news)
{
	const struct plan *plan = file->plan;
	struct lazy_file *lazy = file->lazy;
	const uint64_t step = sizeof(*plan->map_rows.items);
	const uint64_t steps_end = lazy->steps_at + plan->map_rows.count * step;
	uint8_t *bytes = file->cached_bytes;

	if (!get_space(lazy, &lazy->code_space, plan->code.count, file->code_room) ||
	    !get_space(lazy, &lazy->steps_space, steps_end,
		       lazy->steps_at + file->steps_room))
		return false;
	memcpy(bytes + news->first_code, plan->code.items + news->first_code,
	       plan->code.count - news->first_code);
	memcpy(bytes + lazy->steps_at + news->first_map_row * step,
	       plan->map_rows.items + news->first_map_row,
	       (plan->map_rows.count - news->first_map_row) * step);
	return true;
}

static void write_row(const struct module_file *file, uint32_t index)
{
	struct wire_way *rows =
		(struct wire_way *)(void *)((uint8_t *)file->cached_bytes +
					    file->lazy->rows_at);

	rows[index] = file->address_maps.items[index];
}

/* Writes the rows of functions to the file: first the rows themselves, and then their
 * indices by code, which make them valid. */
static void write_rows(struct module_file *file, const struct lazy_news *news)
{
	const struct plan *plan = file->plan;

	fill_rows(file, news->first_place, news->end_place);
	for (uint32_t place = news->first_place; place < news->end_place; place++)
		write_row(file, plan->functions.items[place].by_code);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (uint32_t place = news->first_place; place < news->end_place; place++)
		write_row(file, place);
}

/* Returns the place of the bytes at a link-time address in the mapped file; NULL: they
 * are not there. */
static uint8_t *text_at(const struct module_file *file, uint64_t address, uint64_t size)
{
	for (uint32_t i = 0; i < file->text_count; i++) {
		const struct module_text *text = &file->texts[i];
		uint64_t at = address - text->address - text->part_offset;

		if (at < text->part_size && size <= text->part_size - at)
			return file->patched[i] + at;
	}
	return NULL;
}

const uint8_t *lazy_file_text(const struct module_file *file, uint64_t address,
			      uint64_t size)
{
	return text_at(file, address, size);
}

/* Adds the patch to the last news, if it lies close to them. */
static bool extend_news(struct lazy_text *last, const struct plan_patch *patch)
{
	uint64_t end = patch->address + patch->size - last->address;

	if (patch->address < last->address || end > PAGE)
		return false;
	last->size = end > last->size ? end : last->size;
	return true;
}

static void write_patches(struct module_file *file, const struct plan_patches *patches,
			  lazy_file_writer *write, void *context)
{
	struct lazy_file *lazy = file->lazy;
	const size_t first = lazy->news.count;

	vector_for_each (patches, patch) {
		uint8_t *place = text_at(file, patch->address, patch->size);
		size_t count = lazy->news.count;

		if (!place)
			continue;
		memcpy(place, patch->bytes, patch->size);
		if (count == first || !extend_news(&lazy->news.items[count - 1], patch))
			vector_push(&lazy->news,
				    ((struct lazy_text){patch->address, patch->size}));
	}
	for (size_t i = first; i < lazy->news.count; i++)
		write(context, file, lazy->news.items[i].address,
		      lazy->news.items[i].size);
}

/* Sets a function's latch, which asks no more from then on. */
static void set_latch(struct module_file *file, uint32_t function)
{
	uint64_t word, *place;
	uint32_t offset;

	if (!lazy_jump(file->plan, function, &offset, &word))
		return;
	place = (uint64_t *)(void *)((uint8_t *)file->cached_bytes + offset);
	__atomic_store_n(place, word, __ATOMIC_RELEASE);
}

static void set_latches(struct module_file *file, const struct lazy_news *news)
{
	const struct plan_function *rows = file->plan->functions.items;

	for (uint32_t place = news->first_place; place < news->end_place; place++) {
		const struct plan_function *row = &rows[rows[place].by_code];

		file->instrumented -=
			row->reason != PLAN_INSTRUMENTED && !plan_is_cold_part(row);
		set_latch(file, rows[place].by_code);
	}
}

bool lazy_file_plan(struct module_file *file, uint64_t code_offset,
		    const struct lazy_file_session *session)
{
	const struct plan *plan = file->plan;
	uint32_t function = code_offset < plan->latches_size
				    ? lazy_function_at(plan, (uint32_t)code_offset)
				    : PLAN_NO_FUNCTION;
	struct lazy_news news;

	if (function == PLAN_NO_FUNCTION)
		return false;
	if (plan->functions.items[function].place < plan->placed ||
	    plan->functions.items[function].reason) {
		set_latch(file, function);
		return true;
	}
	if (!lazy_extend(file->lazy->plan, function, &file->lazy->limits, &news) &&
	    plan->functions.items[function].reason == PLAN_NO_SPACE)
		file->instrumented--;
	plan_move_new_counters(file->plan, news.first_fixup);
	if (write_code(file, &news)) {
		write_rows(file, &news);
		write_patches(file, &news.patches, session->write, session->context);
	} else {
		lazy_give_up(file->lazy->plan, &news);
	}
	session->ready(session->context);
	set_latches(file, &news);
	set_latch(file, function);
	vector_deinit(&news.patches);
	return true;
}

void lazy_file_destroy(struct module_file *file)
{
	struct lazy_file *lazy = file->lazy;

	if (file->cached_bytes) {
		munmap(file->cached_bytes, file->cached_size);
		close(lazy->fd);
	}
	lazy_destroy(lazy->plan);
	image_close(lazy->image);
	free(lazy->context);
	vector_deinit(&lazy->news);
	free(lazy);
	file->lazy = NULL;
	file->cached_bytes = NULL;
	file->patched[0] = NULL;
}
