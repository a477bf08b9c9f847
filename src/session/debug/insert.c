#include "session/debug/insert.h"

#include "base/page.h"
#include "control/remote.h"
#include "session/debug/guard.h"
#include "session/debug/places.h"
#include "session/state/copies.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BREAK = 0xcc };

/* The offset in the arena's file of code of a module; -1: it is not there. */
static int64_t offset_in_arena(const struct module *module, uint64_t address)
{
	const uint64_t offset = address - module->code_address;
	const struct module_own_words *own = &module->file->own_words;

	if (!module->copy)
		return -1;
	if (module->copy->kind == COPY_ALL)
		return (int64_t)(module->shared_offset + module->address_maps_size +
				 offset);
	for (uint32_t i = 0; i < own->page_count; i++)
		if (own->pages[i] == offset / PAGE)
			return (int64_t)(module->shared_offset + i * (uint64_t)PAGE +
					 offset % PAGE);
	return -1;
}

/* Where a byte of a space is. */
struct byte_place {
	const struct space *space;
	uint64_t address;
	int64_t offset; /* in the arena's file; -1: it is not there */
};

static struct byte_place place_of(const struct space *space, uint64_t address)
{
	const struct module *module = space_module_of_code(space, address);

	return (struct byte_place){space, address,
				   module ? offset_in_arena(module, address) : -1};
}

static bool write_byte(const struct byte_place *place, uint8_t byte)
{
	if (place->offset >= 0)
		return pwrite(place->space->family->arena->fd, &byte, 1,
			      (off_t)place->offset) == 1;
	return !remote_failed(
		remote_write(place->space->memory_fd, place->address, &byte, 1));
}

/* Code that is mapped from a cache file: what is added to the file is not seen in a page
 * that was written to. */
static void note_page(struct debug *debug, struct space *space, uint64_t address)
{
	const uint64_t start = address & ~(uint64_t)(PAGE - 1);

	if (!space_module_of_code(space, address))
		return;
	vector_for_each (&debug->pages, page)
		if (page->space == space && page->address == start)
			return;
	vector_push(&debug->pages, ((struct debug_page){space, start}));
}

struct debug_trap *debug_trap_at(const struct session *session, const struct space *space,
				 uint64_t address)
{
	vector_for_each (&session->debug->traps, trap)
		if (trap->address == address &&
		    (trap->space == space ||
		     (trap->shared && trap->space->family == space->family)))
			return trap;
	return NULL;
}

static pid_t process_with(const struct session *session, const struct space *space)
{
	vector_for_each (&session->all_processes, process)
		if ((*process)->space == space)
			return (*process)->pid;
	return 0;
}

/* Tells guardians. Returns the row; DEBUG_RESCUED_MAX: there is no room. */
static uint32_t note_for_guardian(const struct session *session,
				  const struct byte_place *place, uint8_t byte)
{
	struct debug_shared *shared = session->debug->shared;
	uint32_t i = 0;

	if (!shared)
		return DEBUG_RESCUED_MAX;
	while (i < DEBUG_RESCUED_MAX && shared->rows[i].pid)
		i++;
	if (i == DEBUG_RESCUED_MAX)
		return i;
	shared->rows[i] = (struct debug_rescued){
		.byte = byte, .address = place->address, .offset = place->offset};
	__atomic_store_n(&shared->rows[i].pid, process_with(session, place->space),
			 __ATOMIC_RELEASE);
	if (i >= shared->count)
		shared->count = i + 1;
	return i;
}

static void forget_for_guardian(const struct session *session, uint32_t row)
{
	struct debug_shared *shared = session->debug->shared;

	if (shared && row < DEBUG_RESCUED_MAX)
		__atomic_store_n(&shared->rows[row].pid, 0, __ATOMIC_RELEASE);
}

static void forget_trap(const struct session *session, const struct debug_trap *trap)
{
	forget_for_guardian(session, trap->row);
	debug_guard_forget(trap->space, trap->break_row);
}

static void insert_at(struct session *session, struct space *space, uint64_t original,
		      uint64_t address)
{
	struct debug *debug = session->debug;
	const struct byte_place place = place_of(space, address);
	struct debug_trap *known = debug_trap_at(session, space, address);
	uint8_t byte;

	if (remote_failed(remote_read(space->memory_fd, address, &byte, 1)) ||
	    (known && byte == BREAK))
		return;
	const struct debug_trap trap = {
		.space = space,
		.address = address,
		.original = original,
		.byte = byte,
		.shared = place.offset >= 0,
		.row = known ? known->row : note_for_guardian(session, &place, byte),
		.break_row =
			known ? known->break_row : debug_guard_note(space, address, byte),
	};

	if (!write_byte(&place, BREAK)) {
		if (!known)
			forget_trap(session, &trap);
		return;
	}
	if (!trap.shared)
		note_page(debug, space, address);
	if (known)
		*known = trap;
	else
		vector_push(&debug->traps, trap);
}

static void insert_in(struct session *session, struct space *space, pid_t pid)
{
	struct debug_place places[DEBUG_PLACES];
	bool exact;

	vector_for_each (&session->debug->breakpoints, breakpoint) {
		if (breakpoint->off || (breakpoint->pid && breakpoint->pid != pid))
			continue;
		const size_t count =
			debug_places_in(space, breakpoint->address, places, &exact);

		for (size_t i = 0; i < count; i++)
			insert_at(session, space, breakpoint->address, places[i].address);
	}
}

void debug_traps_insert(struct session *session)
{
	session->debug->inserted = true;
	if (!session->debug->breakpoints.count)
		return;
	vector_for_each (&session->all_processes, process)
		if ((*process)->debugged && (*process)->space &&
		    (*process)->space->family)
			insert_in(session, (*process)->space, (*process)->pid);
}

static void remove_trap(const struct session *session, const struct debug_trap *trap)
{
	const struct byte_place place = place_of(trap->space, trap->address);
	uint8_t byte;

	/* The program may have mapped something else there since. */
	if (!remote_failed(
		    remote_read(trap->space->memory_fd, trap->address, &byte, 1)) &&
	    byte == BREAK)
		write_byte(&place, trap->byte);
	forget_trap(session, trap);
}

void debug_traps_remove(struct session *session)
{
	struct debug *debug = session->debug;

	vector_for_each (&debug->traps, trap)
		remove_trap(session, trap);
	debug->traps.count = 0;
	debug->inserted = false;
}

void debug_traps_leave(struct session *session, const struct space *space, bool gone)
{
	struct debug *debug = session->debug;

	for (size_t i = debug->traps.count; i-- > 0;) {
		const struct debug_trap *trap = &debug->traps.items[i];

		if (trap->space != space)
			continue;
		if (gone)
			forget_trap(session, trap);
		if (!gone || trap->shared)
			remove_trap(session, trap);
		vector_remove_swap(&debug->traps, i);
	}
	for (size_t i = debug->pages.count; gone && i-- > 0;)
		if (debug->pages.items[i].space == space)
			vector_remove_swap(&debug->pages, i);
}

void debug_trap_lift(struct session *session, const struct space *space, uint64_t address,
		     bool lift)
{
	const struct debug_trap *trap = debug_trap_at(session, space, address);
	const struct byte_place place = place_of(space, address);

	if (trap)
		write_byte(&place, lift ? trap->byte : BREAK);
}

void debug_traps_forked(struct session *session, const struct space *parent,
			struct space *child)
{
	struct debug *debug = session->debug;
	const size_t pages = debug->pages.count;

	vector_for_each (&debug->traps, trap)
		if (trap->space == parent && !trap->shared)
			remote_failed(remote_write(child->memory_fd, trap->address,
						   &trap->byte, 1));
	for (size_t i = 0; i < pages; i++)
		if (debug->pages.items[i].space == parent)
			vector_push(&debug->pages,
				    ((struct debug_page){child,
							 debug->pages.items[i].address}));
}

void debug_traps_renew(struct session *session, struct space *space,
		       const struct module_file *file)
{
	vector_for_each (&session->debug->pages, page) {
		const struct module *module =
			page->space == space ? space_module_of_code(space, page->address)
					     : NULL;

		if (!module || module->file != file || !file->lazy ||
		    offset_in_arena(module, page->address) >= 0)
			continue;
		const uint64_t offset = page->address - module->code_address;
		uint8_t bytes[PAGE];

		if (offset + PAGE > file->code_room)
			continue;
		memcpy(bytes, (const uint8_t *)file->cached_bytes + offset, PAGE);
		vector_for_each (&session->debug->traps, trap)
			if (trap->space == space && trap->address - page->address < PAGE)
				bytes[trap->address - page->address] = BREAK;
		remote_failed(remote_write(space->memory_fd, page->address, bytes, PAGE));
	}
}

void debug_traps_rescue(struct session *session)
{
	const struct debug_shared *shared = session->debug->shared;

	for (uint32_t i = 0; shared && i < shared->count; i++) {
		const struct debug_rescued *row = &shared->rows[i];
		const struct process *process =
			row->pid ? session_find_process(session, row->pid) : NULL;
		int fd = process && process->space ? process->space->memory_fd : -1;

		if (!row->pid)
			continue;
		if (row->offset >= 0 && process && process->space &&
		    process->space->family &&
		    pwrite(process->space->family->arena->fd, &row->byte, 1,
			   (off_t)row->offset) == 1)
			continue;
		if (fd < 0 && remote_failed(remote_open(row->pid, "mem", O_RDWR, &fd)))
			continue;
		remote_failed(remote_write(fd, row->address, &row->byte, 1));
	}
}
