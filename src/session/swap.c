/*
 * Texts of processes that are attached to. The patched text lies in the arena's file and
 * is mapped beside the original one, which stays where it is and is mapped a second time.
 * One mremap(2) puts the patched text in place, another one the original back: at no
 * instant is a text half patched, whoever dies, and afterwards the mappings are what they
 * were.
 */
#include "session/places.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#define PIECE (256u << 10)

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

static struct trm_error *write_at(const struct arena *arena, const uint8_t *bytes,
				  uint64_t size, uint64_t offset)
{
	for (uint64_t at = 0; at < size;) {
		ssize_t n =
			pwrite(arena->fd, bytes + at, size - at, (off_t)(offset + at));

		if (n <= 0)
			return trm_error_system(errno, "cannot write patched code");
		at += (uint64_t)n;
	}
	return NULL;
}

/* The whole text, so that the mapping is never cut in pieces. */
static struct trm_error *write_text(struct arena *arena, struct module *module,
				    const struct module_text *text)
{
	const struct module_file *file = module->file;
	uint64_t available = module_text_available(file, text);
	uint64_t part = available < text->part_offset ? 0 : available - text->part_offset;

	if (part > text->part_size)
		part = text->part_size;
	TRM_TRY(arena_allocate(arena, size_of(module), &module->patched_offset));
	TRM_TRY(write_at(arena, file->bytes + text->file_offset, available,
			 module->patched_offset));
	return write_at(arena, file->patched[text - file->texts], part,
			module->patched_offset + text->part_offset);
}

/* Adds what maps the text a second time: far from where the program's own mappings go, as
 * holes among them may be ones that it has just made. Returns the index of the last call;
 * one in front of it may have reserved the place. */
static unsigned int add_kept(const struct session *session, const struct space *space,
			     const struct module *module, struct wire_batch *batch)
{
	uint64_t size = size_of(module), reserved = 0;
	uint64_t at =
		space->family->arena->address + KEPT_DISTANCE + module->patched_offset;
	unsigned int flags = MREMAP_MAYMOVE | MREMAP_DONTUNMAP;

	if (places_are_free(session, space, at, size)) {
		reserved = WIRE_RESULT(BATCH_ADD(
			batch, SYS_mmap, at, size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			(uint64_t)-1, 0));
		flags |= MREMAP_FIXED;
	}
	return BATCH_ADD(batch, SYS_mremap, module->text_start, size, size, flags,
			 reserved, 0);
}

struct trm_error *swap_prepare(struct session *session, struct thread *thread,
			       struct module *module)
{
	struct space *space = thread->process->space;
	struct arena *arena = space->family->arena;
	const struct module_text *text = module_text_of(module);
	uint64_t size = size_of(module);
	struct wire_batch batch = {0};

	/* Modules that look themselves up in /proc/self/maps must find their own file. */
	if (module->file->looks_itself_up)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"it looks itself up in /proc/self/maps");
	if (!text || text->size != size)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"its text is not mapped in one piece");
	TRM_TRY(check_unchanged(space, module, text));
	TRM_TRY(write_text(arena, module, text));
	unsigned int kept = add_kept(session, space, module, &batch);
	uint64_t addend;
	unsigned int staged =
		batch_add_mapping(&batch, arena, true, module->patched_offset, size,
				  arena->address + module->patched_offset, &addend);

	TRM_TRY(space_run(session, thread, &batch));
	for (unsigned int i = 0; i <= kept; i++)
		if (batch.calls[i].result > 0)
			module->kept = (uint64_t)batch.calls[i].result;
	if (batch.calls[staged].result > 0)
		module->staged = (uint64_t)batch.calls[staged].result + addend;
	int64_t failed = batch.calls[kept].result;

	if (failed > 0 && module->staged)
		return NULL;
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

static void note(struct swapping *swapping, ino_t inode)
{
	for (unsigned int i = 0; i < swapping->batch.count; i++) {
		struct module *module = swapping->modules[i];

		if (swapping->batch.calls[i].result != (int64_t)module->text_start) {
			module->broken |= swapping->in;
			continue;
		}
		module->swapped = swapping->in;
		module->own_inode =
			swapping->in ? inode : (ino_t)module->file->identity.inode;
		*(swapping->in ? &module->staged : &module->kept) = 0;
	}
	swapping->batch.count = 0;
}

static struct trm_error *swap(struct swapping *swapping, struct space *space)
{
	struct stat status = {0};

	fstat(space->family->arena->fd, &status);
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
		note(swapping, status.st_ino);
	}
	if (!swapping->batch.count)
		return NULL;
	TRM_TRY(space_run(swapping->session, swapping->thread, &swapping->batch));
	note(swapping, status.st_ino);
	return NULL;
}

struct trm_error *swap_in(struct session *session, struct thread *thread,
			  struct space *space)
{
	struct swapping swapping = {.session = session, .thread = thread, .in = true};

	return swap(&swapping, space);
}

struct trm_error *swap_out(struct session *session, struct thread *thread,
			   struct space *space)
{
	struct swapping swapping = {.session = session, .thread = thread};

	return swap(&swapping, space);
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
