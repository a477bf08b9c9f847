#include "session/modules/trampolines.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "code/plan/plan_rows.h"
#include "control/remote.h"
#include "session/cache/address_maps.h"
#include "session/state/copies.h"
#include "wire/control.h"
#include "wire/mailbox.h"
#include "wire/ways.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Size in bytes below which trampolines are copied: that is cheaper than the system
 * calls. */
#define MAPPED_CODE_MIN (64u << 10)

/* Greatest size in bytes of a path that the program opens. */
#define CACHED_PATH_MAX 512

bool trampolines_may_spread(const struct session *session, pid_t pid)
{
	struct rlimit ours;

	return !session->attached && !remote_has_address_limit(pid) &&
	       !getrlimit(RLIMIT_FSIZE, &ours) && ours.rlim_cur == RLIM_INFINITY;
}

uint64_t trampolines_maps_header(const struct module *module)
{
	return module->file->address_maps.count
		       ? module->code_address + address_maps_header_offset(module->file)
		       : 0;
}

void trampolines_write_maps_header(const struct module *module, uint8_t *header)
{
	int64_t rows =
		(int64_t)(module->address_maps_at - trampolines_maps_header(module));
	struct wire_ways ways = {
		.bias = module->bias,
		.code = module->code_address,
		.count = module->file->address_maps.count,
		.rows = rows,
		.steps = rows + (int64_t)address_maps_steps_offset(module->file),
	};

	if (ways.count)
		memcpy(header, &ways, sizeof(ways));
}

/* Returns the index in family.modules where [start, start + count) is free, or
 * SIZE_MAX. */
static size_t index_of_free(const struct family *family, uint64_t start, uint64_t count)
{
	size_t i = 0;

	if (start < family->arena->reserved)
		return SIZE_MAX;
	while (i < family->modules.count && family->modules.items[i].first_slot < start)
		i++;
	if (i < family->modules.count &&
	    family->modules.items[i].first_slot < start + count)
		return SIZE_MAX;
	if (i) {
		const struct family_module *before = &family->modules.items[i - 1];

		if (before->first_slot + plan_slots(before->file->plan) > start)
			return SIZE_MAX;
	}
	return i;
}

/* Returns the first counter built into the code of a cache file; UINT64_MAX: none is. */
static uint64_t built_in_slot(const struct module_file *file)
{
	const struct plan *plan = file->plan;

	if (plan->counters_at < WIRE_BANK_HEADER)
		return UINT64_MAX;
	return (plan->counters_at - WIRE_BANK_HEADER) / plan->slot_size;
}

static uint32_t add_slots(struct family *family, size_t index, struct module_file *file,
			  uint64_t start)
{
	struct arena *arena = family->arena;
	uint64_t end = start + plan_slots(file->plan);

	vector_push(&family->modules, ((struct family_module){0}));
	for (size_t i = family->modules.count - 1; i > index; i--)
		family->modules.items[i] = family->modules.items[i - 1];
	family->modules.items[index] =
		(struct family_module){.file = file, .first_slot = (uint32_t)start};
	if (end > arena->slot_count)
		arena->slot_count = (uint32_t)end;
	return (uint32_t)start;
}

uint32_t trampolines_first_slot(struct family *family, struct module_file *file)
{
	uint64_t count = plan_slots(file->plan), start = built_in_slot(file);
	size_t index = SIZE_MAX;

	/* A module that counts nothing takes no place, and so leaves none to search
	 * behind it. */
	if (!count)
		return family->spreads && start != UINT64_MAX ? (uint32_t)start
							      : family->arena->reserved;
	vector_for_each (&family->modules, known)
		if (known->file == file)
			return known->first_slot;
	if (family->spreads && start != UINT64_MAX)
		index = index_of_free(family, start, count);
	if (index == SIZE_MAX) {
		start = family->arena->reserved;
		index = index_of_free(family, start, count);
	}
	for (size_t i = 0; index == SIZE_MAX; i++) {
		const struct family_module *before = &family->modules.items[i];

		start = before->first_slot + (uint64_t)plan_slots(before->file->plan);
		start = (start + PLAN_GRAPH_ROW - 1) / PLAN_GRAPH_ROW * PLAN_GRAPH_ROW;
		index = index_of_free(family, start, count);
	}
	return add_slots(family, index, file, start);
}

static uint32_t displacement_of(const struct family *family, const struct module *module)
{
	return WIRE_BANK_HEADER + module->first_slot * family->arena->slot_size;
}

static void fix_up(const struct family *family, const struct module *module,
		   uint8_t *code)
{
	const struct plan *plan = module->file->plan;
	uint32_t moved = displacement_of(family, module) - plan->counters_at;

	vector_for_each (&plan->fixups, fixup) {
		bool slot = fixup->kind == PLAN_FIXUP_SLOT;
		uint64_t by = slot ? moved : module->bias, value = 0;
		size_t length = slot ? sizeof(uint32_t) : sizeof(uint64_t);

		memcpy(&value, code + fixup->offset, length);
		value += by;
		memcpy(code + fixup->offset, &value, length);
	}
}

/* Gives a module its part of the arena: an existing one, or a new one, whose bytes
 * `compose` writes. */
static struct trm_error *
share_copy(struct session *session, struct family *family, struct module *module,
	   enum copy_kind kind, uint64_t size,
	   void (*compose)(const struct family *family, const struct module *module,
			   uint8_t *bytes))
{
	bool made;

	copies_give(family, &module->copy); /* of a try that failed */
	TRM_TRY(copies_take(session, family, module, kind, size, &module->copy, &made));
	module->shared_offset = module->copy->offset;
	module->shared_size = size;
	if (!made)
		return NULL;
	scoped_free uint8_t *bytes = memory_allocate_zeroed(1, size);

	compose(family, module, bytes);
	if (pwrite(family->arena->fd, bytes, size, (off_t)module->shared_offset) !=
	    (ssize_t)size) {
		copies_give(family, &module->copy);
		return trm_error_system(errno, "cannot write trampolines");
	}
	return NULL;
}

/* Writes a complete copy: the address maps, trampolines, header, and room for copied
 * instructions. */
static void compose_all(const struct family *family, const struct module *module,
			uint8_t *bytes)
{
	const struct module_file *file = module->file;
	const struct plan *plan = file->plan;
	uint64_t ways = module->address_maps_size;

	memcpy(bytes + ways, plan->code.items, plan->code.count);
	fix_up(family, module, bytes + ways);
	trampolines_write_maps_header(module,
				      bytes + ways + address_maps_header_offset(file));
	address_maps_write(file, bytes);
}

bool trampolines_are_cached(const struct family *family, const struct module *module)
{
	const struct module_file *file = module->file;

	return file->cached_path &&
	       (file->address_maps.count || file->plan->code.count >= MAPPED_CODE_MIN) &&
	       !file->own_words.many &&
	       file->plan->counters_at == displacement_of(family, module);
}

/* Writes a page of code as it is in this process. */
static void write_page(const struct module *module, uint32_t page, uint8_t *bytes)
{
	const struct module_file *file = module->file;
	uint64_t start = page * (uint64_t)PAGE, left = file->plan->code.count - start;

	memcpy(bytes, file->plan->code.items + start, left < PAGE ? left : PAGE);
	for (uint32_t i = 0; i < file->own_words.count; i++) {
		uint32_t offset = file->own_words.offsets[i];
		uint64_t value;

		memcpy(&value, file->plan->code.items + offset, sizeof(value));
		value += module->bias;
		for (uint64_t k = 0; k < sizeof(value); k++)
			if (offset + k - start < PAGE)
				bytes[offset + k - start] = (uint8_t)(value >> 8 * k);
	}
}

/* Writes the parts that the module does not have from the cache file: pages of its
 * own, the header of its address maps, and room for copied instructions. */
static void compose_own(const struct family *family, const struct module *module,
			uint8_t *bytes)
{
	const struct module_own_words *own = &module->file->own_words;

	(void)family;
	trampolines_write_maps_header(module, bytes + own->page_count * (uint64_t)PAGE);
	for (uint32_t i = 0; i < own->page_count; i++)
		write_page(module, own->pages[i], bytes + i * (uint64_t)PAGE);
}

/* Adds a call of mmap(2) at `address`, relative to `anchor`; NULL: at the address as
 * such. */
static unsigned int add_mmap(struct wire_batch *batch,
			     const struct trampolines_anchor *anchor, uint64_t address,
			     const uint64_t arguments[6])
{
	unsigned int call = batch_add(batch, SYS_mmap, arguments);

	batch->calls[call].arguments[0] = anchor ? WIRE_RESULT(anchor->call) : address;
	batch->calls[call].addend = anchor ? address - anchor->address : 0;
	return call;
}

/* Piece of calls->whole. */
struct piece {
	uint64_t offset, size;
};

/* Adds calls that reserve a place at `address`, relative to `anchor`, and move a piece
 * there. The place must be free, or with MAP_FIXED hold an earlier mapping of
 * trammel's. */
static struct trampolines_anchor add_move(struct wire_batch *batch,
					  struct trampolines_calls *calls,
					  const struct trampolines_anchor *anchor,
					  const struct piece *piece, uint64_t address,
					  uint64_t flags)
{
	flags |= MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	unsigned int place = add_mmap(
		batch, anchor, address,
		(const uint64_t[6]){0, piece->size, PROT_NONE, flags, (uint64_t)-1, 0});
	unsigned int moved = BATCH_ADD(
		batch, SYS_mremap, WIRE_RESULT(calls->whole), piece->size, piece->size,
		MREMAP_MAYMOVE | MREMAP_FIXED, WIRE_RESULT(place), 0);

	batch->calls[moved].addend = piece->offset;
	assert(calls->piece_count < TRAMPOLINES_PIECES);
	calls->pieces[calls->piece_count].moved = moved;
	calls->pieces[calls->piece_count].offset = piece->offset;
	calls->pieces[calls->piece_count++].size = piece->size;
	return (struct trampolines_anchor){moved, address};
}

/* Maps the arena from its start on a second time; see batch_add_mapping. It can be larger
 * than the room between libraries and their trampolines, whose places it must not take:
 * it goes below the arena, if that is free. */
static unsigned int add_whole(struct wire_batch *batch, const struct arena *arena,
			      uint64_t size)
{
	const uint64_t apart = 1ull << 30, below = arena->address - size - apart;
	unsigned int place = BATCH_ADD(
		batch, SYS_mmap,
		arena->address > size + apart ? below & -(uint64_t)PAGE : 0, size,
		PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0);

	return BATCH_ADD(batch, SYS_mremap, arena->address, 0, size,
			 MREMAP_MAYMOVE | MREMAP_FIXED, WIRE_RESULT(place), 0);
}

unsigned int trampolines_open(struct wire_batch *batch, const struct arena *arena,
			      const struct module *module)
{
	uint64_t path = arena->address + WIRE_CONTROL_OFFSET +
			offsetof(struct wire_control, stack);

	snprintf((char *)arena->control->stack, CACHED_PATH_MAX, "%s",
		 module->file->cached_path);
	return BATCH_ADD(batch, SYS_openat, (uint64_t)AT_FDCWD, path,
			 O_RDONLY | O_CLOEXEC | (module->file->lazy ? 0 : O_NOFOLLOW), 0,
			 0, 0);
}

static struct trm_error *add_copy(struct session *session, struct wire_batch *batch,
				  struct family *family, struct module *module,
				  struct trampolines_calls *ret_calls)
{
	const uint64_t ways = module->address_maps_size;
	struct trampolines_anchor *last = NULL;

	TRM_TRY(share_copy(session, family, module, COPY_ALL,
			   ways + address_maps_code_size(module->file), compose_all));
	uint64_t lead = module->shared_offset;
	struct piece piece = {lead, ways};

	ret_calls->whole = add_whole(batch, family->arena, lead + module->shared_size);
	if (ways) {
		ret_calls->ways = add_move(batch, ret_calls, NULL, &piece,
					   module->address_maps_at, MAP_FIXED_NOREPLACE);
		last = &ret_calls->ways;
	}
	piece.offset += ways;
	piece.size = module->shared_size - ways;
	ret_calls->code = add_move(batch, ret_calls, last, &piece, module->code_address,
				   MAP_FIXED_NOREPLACE);
	ret_calls->last = ret_calls->code;
	BATCH_ADD(batch, SYS_munmap, WIRE_RESULT(ret_calls->whole), lead, 0, 0, 0, 0);
	return NULL;
}

/* Moves the module's own pages, which lie at `lead` in calls->whole, over those from the
 * cache file. */
static void add_own_pages(struct wire_batch *batch, const struct module *module,
			  uint64_t lead, struct trampolines_calls *calls)
{
	const struct module_own_words *own = &module->file->own_words;
	uint32_t next;

	for (uint32_t first = 0; first < own->page_count; first = next) {
		next = first + 1;
		while (next < own->page_count &&
		       own->pages[next] == own->pages[next - 1] + 1)
			next++;
		const struct piece piece = {lead + first * (uint64_t)PAGE,
					    (next - first) * (uint64_t)PAGE};

		calls->last = add_move(batch, calls, &calls->last, &piece,
				       module->code_address +
					       own->pages[first] * (uint64_t)PAGE,
				       MAP_FIXED);
	}
}

/* Adds the calls that map the code from the cache file, and the address maps; over and
 * behind the code the module's own parts. */
static struct trm_error *add_cached(struct session *session, struct wire_batch *batch,
				    struct family *family, struct module *module,
				    struct trampolines_calls *ret_calls)
{
	const struct module_file *file = module->file;
	uint64_t length = address_maps_header_offset(file),
		 own = file->own_words.page_count * (uint64_t)PAGE;
	struct trampolines_calls calls = {0};

	TRM_TRY(share_copy(session, family, module, COPY_OWN,
			   own + address_maps_header_size(file) +
				   ADDRESS_MAPS_FINISH_SIZE,
			   compose_own));
	uint64_t lead = module->shared_offset;

	calls.opened = trampolines_open(batch, family->arena, module);
	calls.code.address = module->code_address;
	calls.code.call = add_mmap(batch, NULL, calls.code.address,
				   (const uint64_t[6]){0, length, PROT_READ | PROT_EXEC,
						       MAP_PRIVATE | MAP_FIXED_NOREPLACE,
						       WIRE_RESULT(calls.opened),
						       file->code_offset});
	calls.last = calls.code;
	if (module->address_maps_size) {
		calls.ways.address = module->address_maps_at;
		calls.ways.call = add_mmap(
			batch, &calls.code, calls.ways.address,
			(const uint64_t[6]){0, module->address_maps_size, PROT_READ,
					    MAP_PRIVATE | MAP_FIXED_NOREPLACE,
					    WIRE_RESULT(calls.opened),
					    file->code_offset + length});
		calls.last = calls.ways;
	}
	struct piece piece = {lead + own, module->shared_size - own};

	calls.whole = add_whole(batch, family->arena, lead + module->shared_size);
	calls.last = add_move(batch, &calls, &calls.last, &piece,
			      module->code_address + length, MAP_FIXED_NOREPLACE);
	add_own_pages(batch, module, lead, &calls);
	BATCH_ADD(batch, SYS_munmap, WIRE_RESULT(calls.whole), lead, 0, 0, 0, 0);
	*ret_calls = calls;
	return NULL;
}

struct trm_error *trampolines_add(struct session *session, struct wire_batch *batch,
				  struct family *family, struct module *module,
				  bool cached, struct trampolines_calls *ret_calls)
{
	return (cached ? add_cached : add_copy)(session, batch, family, module,
						ret_calls);
}

static bool was_mapped(const struct wire_batch *done,
		       const struct trampolines_anchor *anchor)
{
	return anchor->address &&
	       done->calls[anchor->call].result == (int64_t)anchor->address;
}

void trampolines_remove(struct wire_batch *batch, const struct wire_batch *done,
			const struct module *module,
			const struct trampolines_calls *calls)
{
	if (was_mapped(done, &calls->ways))
		BATCH_ADD(batch, SYS_munmap, module->address_maps_at,
			  module->address_maps_size, 0, 0, 0, 0);
	if (was_mapped(done, &calls->code))
		BATCH_ADD(batch, SYS_munmap, module->code_address,
			  address_maps_code_size(module->file), 0, 0, 0, 0);
	const struct wire_call *place = &done->calls[calls->whole - 1];
	int64_t whole = done->calls[calls->whole].result;

	if (whole < 0 && place->result > 0)
		BATCH_ADD(batch, SYS_munmap, (uint64_t)place->result, place->arguments[1],
			  0, 0, 0, 0);
	/* Pieces that were not moved are still where the arena was mapped. */
	for (unsigned int i = 0; i < calls->piece_count; i++) {

		if (whole > 0 && done->calls[calls->pieces[i].moved].result < 0)
			BATCH_ADD(batch, SYS_munmap,
				  (uint64_t)whole + calls->pieces[i].offset,
				  calls->pieces[i].size, 0, 0, 0, 0);
	}
}
