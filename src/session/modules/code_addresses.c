#include "session/modules/code_addresses.h"

#include "base/page.h"
#include "control/maps.h"
#include "control/remote.h"
#include "session/cache/address_maps.h"
#include "session/cache/usual_addresses.h"

#include <string.h>

/* How far trampolines may lie from their module at most. */
#define REACH (1800ull << 20)

/* Ways lie this far below their module, or anywhere within reach. */
#define WAYS_DISTANCE (8ull << 30)
#define WAYS_REACH    (1ull << 40)

/* Programs lie below, libraries and what else is mapped above. */
#define PROGRAMS_END (7ull << 44)

/* Programs whose addresses are fixed lie below. */
#define LOW_END (4ull << 30)

bool code_addresses_are_free(const struct session *session, const struct space *space,
			     uint64_t address, uint64_t size)
{
	vector_for_each (&space->modules, module)
		if (module->code_size &&
		    ((address < module->code_address + module->code_size &&
		      module->code_address < address + size) ||
		     (address < module->address_maps_at + module->address_maps_size &&
		      module->address_maps_at < address + size)))
			return false;
	return maps_is_free(&session->maps, address, size);
}

/* The heap of a program begins above it, and grows: so a place below, or else one as far
 * above as can be. */
static uint64_t find_around_program(const struct maps *maps, uint64_t near, uint64_t size,
				    uint64_t reach)
{
	const uint64_t step = USUAL_ADDRESSES_VARIANT_DISTANCE,
		       last = (near - size) & -(uint64_t)PAGE;

	if (near > USUAL_ADDRESSES_LOWEST + size && near < step &&
	    maps_is_free(maps, last - PAGE, size))
		return last - PAGE;
	for (uint64_t by = USUAL_ADDRESSES_FREE_DISTANCE;
	     near > size && by < reach && by + size < last; by += step)
		if (maps_is_free(maps, last - by, size))
			return last - by;
	for (uint64_t by = reach - step; by > size + step; by -= step)
		if (maps_is_free(maps, (near + by - size) & -(uint64_t)PAGE, size))
			return (near + by - size) & -(uint64_t)PAGE;
	return 0;
}

static uint64_t find_range(const struct thread *thread, uint64_t near, uint64_t size,
			   uint64_t reach)
{
	struct maps now = {0};
	uint64_t place = 0;

	if (remote_failed(maps_read(thread->tid, &now)))
		place = 0;
	else if (near < PROGRAMS_END)
		place = find_around_program(&now, near, size, reach);
	else
		place = maps_find_free(&now, near, size, reach);
	maps_deinit(&now);
	return place;
}

uint64_t code_addresses_find(const struct thread *thread, uint64_t near, uint64_t size)
{
	return find_range(thread, near, size, REACH);
}

struct trm_error *code_addresses_choose_ways(const struct session *session,
					     const struct thread *thread,
					     struct module *module)
{
	const struct space *space = thread->process->space;
	uint64_t size = address_maps_size(module->file),
		 at = module->bias - WAYS_DISTANCE;

	module->address_maps_size = size;
	if (!size)
		return NULL;
	if (module->bias < 2 * WAYS_DISTANCE)
		at = space->family->arena->address - WAYS_DISTANCE;
	if (!code_addresses_are_free(session, space, at, size))
		at = find_range(thread, at, size, WAYS_REACH);
	module->address_maps_at = at;
	return at ? NULL
		  : trm_error_create(TRM_ERROR_UNSUPPORTED, "no room for its ways");
}

/* What is mapped of a file around one of its texts: from its first to its last address,
 * and how much of that is text. */
struct extent {
	uint64_t start, end, text; /* addresses, and bytes */
};

static struct extent extent_of(const struct maps *maps, const struct mapping *mapping)
{
	struct extent extent = {0};
	bool inside = false;

	vector_for_each (&maps->mappings, m) {
		bool own = m->inode == mapping->inode && m->device == mapping->device;

		/* Another copy of the file begins with its first byte. */
		if (own && (!m->file_offset || !inside)) {
			if (inside && m->start > mapping->start)
				break;
			extent = (struct extent){.start = m->start};
		}
		inside |= own;
		if (!own)
			continue;
		extent.end = m->end;
		if (m->executable)
			extent.text += m->end - m->start;
	}
	return extent;
}

static bool has_variant(const struct space *space, const struct mapping *mapping,
			unsigned int variant)
{
	vector_for_each (&space->modules, module)
		if (module->file->identity.inode == mapping->inode &&
		    module->file->variant == variant)
			return true;
	return false;
}

/* Where trampolines of a mapping's file lie at the distance of a variant, and what they
 * take at most, as a rule. */
static struct space_promise promise_of(const struct session *session,
				       const struct mapping *mapping,
				       const struct extent *extent, unsigned int variant)
{
	const struct session_options *options = session->options;
	const char *path = maps_path(&session->maps, mapping),
		   *slash = strrchr(path, '/');
	uint64_t span = extent->end - extent->start;
	uint64_t start = extent->start -
			 usual_addresses_distance(options, slash ? slash + 1 : path,
						  variant, span, extent->text);

	return (struct space_promise){
		.text = mapping->start,
		.start = start,
		.end = start + usual_addresses_room(options, span, extent->text),
	};
}

bool code_addresses_promise(const struct session *session, const struct space *space,
			    const struct mapping *mapping, unsigned int variant)
{
	struct extent extent = extent_of(&session->maps, mapping);
	struct space_promise own = promise_of(session, mapping, &extent, variant);

	if (extent.start < LOW_END) /* linked to its address, perhaps */
		return !variant;
	if (has_variant(space, mapping, variant))
		return true;
	vector_for_each (&space->promises, other)
		if (other->text != own.text && other->start < own.end &&
		    own.start < other->end)
			return false;
	return code_addresses_are_free(session, space, own.start, own.end - own.start);
}

void code_addresses_reserve(const struct session *session, struct space *space,
			    const struct mapping *mapping, unsigned int variant)
{
	struct extent extent = extent_of(&session->maps, mapping);

	code_addresses_release(space, mapping);
	if (extent.start >= LOW_END)
		vector_push(&space->promises,
			    promise_of(session, mapping, &extent, variant));
}

void code_addresses_release(struct space *space, const struct mapping *mapping)
{
	for (size_t i = space->promises.count; i-- > 0;)
		if (space->promises.items[i].text == mapping->start)
			vector_remove_swap(&space->promises, i);
}

bool code_addresses_suit(const struct session *session, const struct space *space,
			 const struct mapping *mapping, const struct module_file *file)
{
	uint64_t bias = mapping->start;

	if (!file->plan || !file->dynamic)
		return true;
	for (uint32_t i = 0; i < file->text_count; i++)
		if (file->texts[i].file_offset == mapping->file_offset)
			bias = mapping->start - file->texts[i].address;
	vector_for_each (&space->modules, module)
		if (module->file == file && module->bias == bias)
			return true;
	return code_addresses_are_free(session, space, bias + file->plan->code_address,
				       address_maps_code_size(file));
}
