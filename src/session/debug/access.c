#include "session/debug/access.h"

#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/debug/insert.h"
#include "session/debug/places.h"
#include "session/debug/state.h"
#include "session/debug/view.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct trm_error *debug_find(struct session *session, pid_t tid,
			     struct thread **ret_thread)
{
	struct thread *thread = session_find_thread(session, tid);

	if (!thread || !debug_has(thread))
		return trm_error_create(TRM_ERROR_GONE, "there is no thread %d", tid);
	if (!thread->stopped)
		return trm_error_create(TRM_ERROR_UNSUPPORTED, "thread %d runs", tid);
	*ret_thread = thread;
	return NULL;
}

struct trm_error *debug_get_registers(struct session *session, pid_t tid,
				      struct user_regs_struct *ret_registers)
{
	struct thread *thread;
	struct debug_view view;

	TRM_TRY(debug_find(session, tid, &thread));
	if (!debug_view(thread, &view))
		return trm_error_create(TRM_ERROR_GONE, "thread %d has ended", tid);
	*ret_registers = view.shown;
	if (thread->debug.shown)
		ret_registers->rip = thread->debug.shown;
	return NULL;
}

struct trm_error *debug_set_registers(struct session *session, pid_t tid,
				      const struct user_regs_struct *registers)
{
	struct user_regs_struct now, own = *registers;
	struct thread *thread;
	struct debug_view view;

	TRM_TRY(debug_get_registers(session, tid, &now));
	TRM_TRY(debug_find(session, tid, &thread));
	if (!debug_view(thread, &view))
		return trm_error_create(TRM_ERROR_GONE, "thread %d has ended", tid);
	own.rip = view.real.rip;
	if (registers->rip != now.rip) {
		own.rip = debug_way_to(thread->process->space, registers->rip);
		thread->debug.shown = thread->debug.met = 0;
	}
	own.gs = view.real.gs;
	own.gs_base = view.real.gs_base;
	return remote_set_registers(thread->tid, &own);
}

/* A process whose memory can be read; `ret_fd` is the caller's if it has no space. */
static struct trm_error *open_memory(struct session *session, pid_t pid,
				     struct space **ret_space, int *ret_fd)
{
	struct process *process = session_find_process(session, pid);

	if (!process)
		return trm_error_create(TRM_ERROR_GONE, "there is no process %d", pid);
	*ret_space = process->space;
	if (process->space)
		*ret_fd = process->space->memory_fd;
	else
		return remote_open(pid, "mem", O_RDWR, ret_fd);
	return NULL;
}

/* Puts the original bytes of a module's text over what was read of it. */
static void show_text(const struct module *module, uint64_t address, uint8_t *bytes,
		      size_t size)
{
	const struct image_range part = module_part_of(module);
	const uint64_t start = address > part.start ? address : part.start;
	const uint64_t end = address + size < part.end ? address + size : part.end;
	enum { PIECE = 64 };

	for (uint64_t at = start; at < end;) {
		const size_t piece = end - at < PIECE ? end - at : PIECE;
		const uint8_t *original =
			module_file_original(module->file, at - module->bias, piece);

		for (size_t i = 0; !original && i < piece; i++) {
			const uint8_t *byte = module_file_original(
				module->file, at + i - module->bias, 1);

			if (byte)
				bytes[at + i - address] = *byte;
		}
		if (original)
			memcpy(bytes + (at - address), original, piece);
		at += piece;
	}
}

struct trm_error *debug_read(struct session *session, pid_t pid, uint64_t address,
			     void *bytes, size_t size)
{
	struct trm_error *error;
	struct space *space;
	int fd;

	TRM_TRY(open_memory(session, pid, &space, &fd));
	error = remote_read(fd, address, bytes, size);
	if (!space)
		close(fd);
	if (error || !space || !space->family)
		return error;
	vector_for_each (&session->debug->traps, trap)
		if (trap->space == space && trap->address - address < size)
			((uint8_t *)bytes)[trap->address - address] = trap->byte;
	vector_for_each (&space->modules, module)
		if (!module->broken && module->file->plan && module->code_size &&
		    address < module->text_end && address + size > module->text_start)
			show_text(module, address, bytes, size);
	return NULL;
}

struct trm_error *debug_write(struct session *session, pid_t pid, uint64_t address,
			      const void *bytes, size_t size)
{
	struct trm_error *error;
	struct space *space;
	int fd;

	TRM_TRY(open_memory(session, pid, &space, &fd));
	if (space && space->family)
		vector_for_each (&space->modules, module)
			if (!module->broken && module->code_size &&
			    address < module->text_end &&
			    address + size > module->text_start)
				return trm_error_create(
					TRM_ERROR_UNSUPPORTED,
					"the code of '%s' cannot be changed: it is "
					"measured",
					module->file->name);
	error = remote_write(fd, address, bytes, size);
	if (!space)
		close(fd);
	return error;
}
