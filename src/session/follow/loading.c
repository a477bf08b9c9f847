#include "session/follow/loading.h"

#include "base/array.h"
#include "control/remote.h"
#include "session/follow/release.h"
#include "session/modules/modules.h"
#include "session/thread/threads.h"
#include "session/tool/tool_modules.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Entries of a dynamic section that are looked at. */
#define DYNAMIC_MAX 64

/* Whether ld.so says so by itself when all is mapped. Where it loads libraries first that
 * audit its work (rtld-audit(7)), it calls the function for these. */
static bool tells_when_loaded(const struct space *space, pid_t pid)
{
	bool told = false;

	vector_for_each (&space->modules, module) {
		if (module->file->audited)
			return false;
		told |= module->file->tells_loaded && module->code_address &&
			!module->broken;
	}
	return told && !remote_has_variable(pid, "LD_AUDIT=");
}

void loading_begin(struct space *space, pid_t pid)
{
	space->starting = space->modules.count > 1;
	space->traced = space->starting && !tells_when_loaded(space, pid);
}

/* The dynamic section of a program that begins to run, as far as there is room. Returns
 * how many entries it has; 0: it cannot be read. */
static size_t read_dynamic(const struct space *space, pid_t pid, Elf64_Dyn *entries,
			   size_t max)
{
	const uint64_t headers = remote_auxiliary_value(pid, AT_PHDR);
	const uint64_t count = remote_auxiliary_value(pid, AT_PHNUM);
	uint64_t bias = 0, dynamic = 0;
	Elf64_Phdr header;

	for (uint64_t i = 0; i < count; i++) {
		if (remote_failed(remote_read(space->memory_fd,
					      headers + i * sizeof(header), &header,
					      sizeof(header))))
			return 0;
		if (header.p_type == PT_PHDR)
			bias = headers - header.p_vaddr;
		if (header.p_type != PT_DYNAMIC)
			continue;
		dynamic = header.p_vaddr;
		if (header.p_memsz / sizeof(*entries) < max)
			max = header.p_memsz / sizeof(*entries);
	}
	if (!dynamic || remote_failed(remote_read(space->memory_fd, bias + dynamic,
						  entries, max * sizeof(*entries))))
		return 0;
	return max;
}

/* Whether ld.so has come to the program: it loads what audits it before, and announces
 * that, too. Then DT_DEBUG leads to what debuggers look at. */
static bool has_come_to(const struct space *space, pid_t pid)
{
	Elf64_Dyn entries[DYNAMIC_MAX];
	const size_t count = read_dynamic(space, pid, entries, DYNAMIC_MAX);

	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_DEBUG)
			return entries[i].d_un.d_ptr;
	return !count;
}

bool loading_see_hook(struct space *space, pid_t pid, bool done)
{
	if (!space->starting)
		return true;
	if (space->traced && (done || space->unplanned))
		return !done;
	if (done) {
		space->loaded = space->link_map_calls > 0;
		return true;
	}
	if (space->traced && !has_come_to(space, pid))
		return false;
	if (++space->link_map_calls < 2)
		return false;
	space->starting = false;
	return !space->traced && !space->loaded;
}

/* What the loader does between opening its first file and initialising thread-local
 * storage. Nothing of a module runs meanwhile, so its plan need not be done yet. */
static bool is_loading(const struct user_regs_struct *registers)
{
	static const uint16_t calls[] = {
		SYS_mmap,   SYS_munmap,     SYS_openat, SYS_open,     SYS_read,
		SYS_fstat,  SYS_newfstatat, SYS_stat,   SYS_pread64,  SYS_close,
		SYS_access, SYS_faccessat,  SYS_lseek,  SYS_readlink, SYS_brk,
		SYS_futex,  SYS_getcwd,
	};

	for (size_t i = 0; i < array_count(calls); i++)
		if (registers->orig_rax == calls[i])
			return true;
	return registers->orig_rax == SYS_mprotect && registers->rdx == PROT_NONE;
}

/* Before any other call all modules must be instrumented. So the call is not made, and
 * the thread goes on at the exit of it, to make it again when all is done. */
static void put_off_call(struct session *session, struct thread *thread,
			 struct user_regs_struct *registers)
{
	thread_defer(session, thread, thread_put_off_call(thread, registers));
	thread_resume(session, thread, 0);
}

void loading_see_call(struct session *session, struct thread *thread)
{
	struct space *space = thread->process->space;
	struct user_regs_struct registers;

	if (remote_failed(remote_get_registers(thread->tid, &registers))) {
		thread_resume(session, thread, 0);
		return;
	}
	bool entry = (int64_t)registers.rax == -ENOSYS;

	if (!entry && registers.orig_rax == SYS_mmap && (registers.rdx & PROT_EXEC) &&
	    !(registers.r10 & MAP_ANONYMOUS) && (int64_t)registers.rax > 0)
		space->unplanned |= !modules_update(session, thread);
	if (entry && space->unplanned && !thread->deferred_since &&
	    !is_loading(&registers)) {
		put_off_call(session, thread, &registers);
		return;
	}
	if (thread->deferred_since) {
		space->unplanned = !modules_update(session, thread);
		thread_defer(session, thread, space->unplanned);
		if (space->unplanned)
			return;
	}
	if (!entry && !space->unplanned)
		tool_modules_see(session, thread);
	if (!release_if_foreign(session, thread->process))
		thread_resume(session, thread, 0);
}
