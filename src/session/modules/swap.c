#include "session/modules/swap.h"

#include "base/cleanup.h"
#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/modules/code_addresses.h"
#include "session/modules/pages.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/thread/injection.h"
#include "wire/mailbox.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#define PIECE (256u << 10)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14 */
#endif

/* Calls that put a text in place beside two for each run, and one that closes the file.
 */
enum { CALLS = 6 };

/* Texts that are kept lie so far behind the arena, which is 64 GiB below the libraries.
 */
#define KEPT_DISTANCE (32ull << 30)

static uint64_t size_of(const struct module *module)
{
	return module->text_end - module->text_start;
}

/* The original text comes back as the file has it, so it must be that now. */
static struct trm_error *check_unchanged(const struct space *space,
					 const struct module *module,
					 const struct module_text *text)
{
	const uint8_t *original = module->file->bytes + text->file_offset;
	uint64_t available = module_text_available(module->file, text);
	scoped_free uint8_t *bytes = memory_allocate(PIECE);

	for (uint64_t at = 0; at < available; at += PIECE) {
		uint64_t size = available - at < PIECE ? available - at : PIECE;

		TRM_TRY(remote_read(space->memory_fd, module->text_start + at, bytes,
				    size));
		if (memcmp(bytes, original + at, size))
			return trm_error_create(
				TRM_ERROR_UNSUPPORTED,
				"its code in memory is not that of its file");
	}
	return NULL;
}

/* Far from where the program's own mappings go, as holes among them may be ones that it
 * has just made. */
static uint64_t place_of(const struct space *space, uint64_t distance)
{
	return space->family->arena->address + KEPT_DISTANCE + distance;
}

/* At a place, if that is free. Returns the index of the call that makes the copy; one in
 * front of it may have reserved the place. */
static unsigned int add_copy(const struct session *session, const struct space *space,
			     const struct module *module, uint64_t at,
			     struct wire_batch *batch)
{
	uint64_t size = size_of(module), reserved = 0;
	unsigned int flags = MREMAP_MAYMOVE | MREMAP_DONTUNMAP;

	if (code_addresses_are_free(session, space, at, size)) {
		reserved = WIRE_RESULT(BATCH_ADD(
			batch, SYS_mmap, at, size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			(uint64_t)-1, 0));
		flags |= MREMAP_FIXED;
	}
	return BATCH_ADD(batch, SYS_mremap, module->text_start, size, size, flags,
			 reserved, 0);
}

/* The calls that read a run from the cache file into the copy. Populating it first makes
 * one entry into the kernel of one a page. Returns the index of the one that reads. */
static unsigned int add_run(const struct module *module, const struct module_run *run,
			    unsigned int copy, unsigned int opened,
			    struct wire_batch *batch)
{
	const struct module_text *text = module_text_of(module);
	uint64_t from = module->file->cached_offset[text - module->file->texts];
	uint64_t at = text->part_offset + run->offset;
	unsigned int populated = BATCH_ADD(batch, SYS_madvise, WIRE_RESULT(copy),
					   run->size, MADV_POPULATE_WRITE, 0, 0, 0);
	unsigned int read =
		BATCH_ADD(batch, SYS_pread64, WIRE_RESULT(opened), WIRE_RESULT(copy),
			  run->size, from + run->offset, 0, 0);

	batch->calls[populated].addend = batch->calls[read].addend = at;
	batch->calls[read].added_to = 1;
	return read;
}

int swap_add_text(const struct session *session, const struct space *space,
		  const struct module *module, unsigned int opened,
		  const struct trampolines_anchor *anchor, struct wire_batch *batch)
{
	const struct module_text *text = module_text_of(module);
	const uint64_t size = size_of(module), at = place_of(space, 0);
	unsigned int read = 0;

	if (!text->run_count ||
	    batch->count + CALLS + 2 * text->run_count > WIRE_BATCH_MAX ||
	    !code_addresses_are_free(session, space, at, size))
		return -1;
	unsigned int copy = add_copy(session, space, module, at, batch);

	if (anchor) {
		batch->calls[copy].arguments[0] = WIRE_RESULT(anchor->call);
		batch->calls[copy].addend = module->text_start - anchor->address;
	}
	BATCH_ADD(batch, SYS_mprotect, WIRE_RESULT(copy), size, PROT_READ | PROT_WRITE, 0,
		  0, 0);
	for (uint32_t i = 0; i < text->run_count; i++)
		read = add_run(module, &text->runs[i], copy, opened, batch);
	/* The place, if all was read. */
	unsigned int ready = BATCH_ADD(batch, SYS_mprotect, WIRE_RESULT(read), size,
				       PROT_READ | PROT_EXEC, 0, 0, 0);
	batch->calls[ready].addend = at - text->runs[text->run_count - 1].size;
	unsigned int moved =
		BATCH_ADD(batch, SYS_mremap, WIRE_RESULT(ready), size, size,
			  MREMAP_MAYMOVE | MREMAP_FIXED, module->text_start, 0);

	batch->calls[moved].addend = at;
	return (int)moved;
}

/* What was read is known to be whole by the results alone. */
static bool read_all(const struct wire_batch *batch, unsigned int last)
{
	for (unsigned int i = 0; i < last; i++) {
		const struct wire_call *call = &batch->calls[i];

		if (call->number == SYS_pread64 &&
		    call->result != (int64_t)call->arguments[2])
			return false;
	}
	return true;
}

bool swap_text_done(struct session *session, struct thread *thread,
		    const struct module *module, const struct wire_batch *batch,
		    int moved)
{
	struct wire_batch drop = {0};

	if (moved < 0)
		return false;
	if (batch->calls[moved].result == (int64_t)module->text_start)
		return read_all(batch, (unsigned int)moved);
	/* What was reserved, or the copy that lies there. */
	uint64_t at = batch->calls[moved].addend;

	for (int i = 0; i < moved; i++)
		if (batch->calls[i].number == SYS_mmap &&
		    batch->calls[i].result == (int64_t)at)
			BATCH_ADD(&drop, SYS_munmap, at, size_of(module), 0, 0, 0, 0);
	if (drop.count)
		trm_error_destroy(space_run(session, thread, &drop));
	return false;
}

/* Where a copy lies, or what was reserved for it; 0: neither is there. */
static uint64_t copy_made(const struct wire_batch *batch, unsigned int copy)
{
	const struct wire_call *call = &batch->calls[copy];

	if (call->result <= 0 && WIRE_IS_RESULT(call->arguments[4]))
		call--;
	return call->result > 0 ? (uint64_t)call->result : 0;
}

struct trm_error *swap_prepare(struct session *session, struct thread *thread,
			       struct module *module)
{
	struct space *space = thread->process->space;
	struct family *family = space->family;
	const struct module_text *text = module_text_of(module);
	uint64_t size = size_of(module);
	struct wire_batch batch = {0};

	if (!text || text->size != size)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"its text is not mapped in one piece");
	TRM_TRY(check_unchanged(space, module, text));
	unsigned int kept =
		add_copy(session, space, module, place_of(space, family->copies), &batch);
	unsigned int staged = add_copy(session, space, module,
				       place_of(space, family->copies + size), &batch);

	family->copies += 2 * size;
	TRM_TRY(space_run(session, thread, &batch));
	module->kept = copy_made(&batch, kept);
	module->staged = copy_made(&batch, staged);
	if (batch.calls[kept].result > 0 && batch.calls[staged].result > 0) {
		struct trm_error *error =
			pages_write(space, module, module->staged, false);

		if (!error)
			return NULL;
		swap_forget(session, thread, module);
		module->kept = module->staged = 0;
		return error;
	}
	int64_t failed = batch.calls[kept].result;

	swap_forget(session, thread, module);
	module->kept = module->staged = 0;
	return trm_error_system((int)-(failed < 0 ? failed : batch.calls[staged].result),
				"its text cannot be mapped a second time");
}

/* A batch of calls, one a module, and what is to be noted when it was made. */
struct swapping {
	struct session *session;
	struct thread *thread;
	struct wire_batch batch;
	struct module *modules[WIRE_BATCH_MAX];
	bool in; /* else: out */
};

static void note_swap(struct swapping *swapping)
{
	for (unsigned int i = 0; i < swapping->batch.count; i++) {
		struct module *module = swapping->modules[i];

		if (swapping->batch.calls[i].result != (int64_t)module->text_start) {
			module->broken |= swapping->in;
			continue;
		}
		module->swapped = swapping->in;
		*(swapping->in ? &module->staged : &module->kept) = 0;
	}
	swapping->batch.count = 0;
}

static struct trm_error *swap_text(struct swapping *swapping, struct space *space)
{
	vector_for_each (&space->modules, module) {
		uint64_t size = size_of(module);
		uint64_t from = swapping->in ? module->staged : module->kept;

		if (!from)
			continue;
		swapping->modules[swapping->batch.count] = module;
		BATCH_ADD(&swapping->batch, SYS_mremap, from, size, size,
			  MREMAP_MAYMOVE | MREMAP_FIXED, module->text_start, 0);
		if (swapping->batch.count < WIRE_BATCH_MAX)
			continue;
		TRM_TRY(space_run(swapping->session, swapping->thread, &swapping->batch));
		note_swap(swapping);
	}
	if (!swapping->batch.count)
		return NULL;
	TRM_TRY(space_run(swapping->session, swapping->thread, &swapping->batch));
	note_swap(swapping);
	return NULL;
}

struct trm_error *swap_in(struct session *session, struct thread *thread,
			  struct space *space)
{
	struct swapping swapping = {.session = session, .thread = thread, .in = true};

	return swap_text(&swapping, space);
}

struct trm_error *swap_out(struct session *session, struct thread *thread,
			   struct space *space)
{
	struct swapping swapping = {.session = session, .thread = thread};

	return swap_text(&swapping, space);
}

void swap_forget(struct session *session, struct thread *thread,
		 const struct module *module)
{
	struct wire_batch batch = {0};
	uint64_t size = size_of(module);

	if (module->kept)
		BATCH_ADD(&batch, SYS_munmap, module->kept, size, 0, 0, 0, 0);
	if (module->staged)
		BATCH_ADD(&batch, SYS_munmap, module->staged, size, 0, 0, 0, 0);
	if (batch.count)
		trm_error_destroy(space_run(session, thread, &batch));
}
