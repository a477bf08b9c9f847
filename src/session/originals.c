/*
 * Texts that lie in a file of the cache are given back as they came: the module's own
 * file is mapped there again, in one system call of the program's. Writing the original
 * bytes goes page by page, and a tracer that is killed in between leaves a jump cut in
 * half where it lies on two pages. The program's pages are clean then, too.
 */
#include "session/session.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Whether the program finds the module's file, unchanged, by its path. */
static bool finds_file(pid_t pid, const struct module_file *file)
{
	char name[WIRE_PATH_MAX + 64];
	struct stat status;

	if (strlen(file->path) >= WIRE_PATH_MAX)
		return false;
	snprintf(name, sizeof(name), "/proc/%d/root%s", pid, file->path);
	if (stat(name, &status))
		return false;
	struct file_identity found = file_identity_of(&status);

	return found.device == file->identity.device &&
	       found.inode == file->identity.inode && found.size == file->identity.size &&
	       found.modified_ns == file->identity.modified_ns;
}

/* The path for openat lies in the control page, which the program can read. */
static bool map_original(struct session *session, struct thread *thread,
			 struct module *module)
{
	const struct module_text *text = module_text_of(module);
	struct arena *arena = thread->process->space->family->arena;
	struct image_range part = module_part_of(module);
	/* With the controller dead, other threads would run meanwhile: see resident.c. */
	struct wire_batch batch = {.together = 1};

	snprintf((char *)arena->control->stack, WIRE_PATH_MAX, "%s", module->file->path);
	unsigned int opened = BATCH_ADD(&batch, SYS_openat, (uint64_t)AT_FDCWD,
					arena->address + WIRE_CONTROL_OFFSET +
						offsetof(struct wire_control, stack),
					O_RDONLY | O_CLOEXEC, 0, 0, 0);
	unsigned int mapped =
		BATCH_ADD(&batch, SYS_mmap, part.start, part.end - part.start,
			  PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			  WIRE_RESULT(opened), text->file_offset + text->part_offset);

	BATCH_ADD(&batch, SYS_close, WIRE_RESULT(opened), 0, 0, 0, 0, 0);
	struct trm_error *error = space_run(session, thread, &batch);
	bool done = !error && batch.calls[mapped].result == (int64_t)part.start;

	trm_error_destroy(error);
	return done;
}

void originals_map(struct session *session, struct space *space, pid_t pid)
{
	struct loan loan;

	/* A system call filter might not like it. */
	if (!loan_find(session, space, &loan))
		return;
	vector_for_each (&space->modules, module) {
		if (module->broken || module->own_inode != module->file->cached_inode ||
		    !module->file->cached_path || !finds_file(pid, module->file) ||
		    thread_filters(loan.thread->tid) != space->filters)
			continue;
		if (!map_original(session, loan.thread, module))
			continue;
		module->own_start = module->text_start;
		module->own_inode = (ino_t)module->file->identity.inode;
		module->restored = true;
	}
	loan_end(session, &loan);
}
