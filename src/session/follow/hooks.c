#include "session/follow/hooks.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "control/remote.h"
#include "session/cache/lazy_file.h"
#include "session/count/window.h"
#include "session/follow/dropping.h"
#include "session/follow/loading.h"
#include "session/follow/release.h"
#include "session/follow/rights.h"
#include "session/follow/trapping.h"
#include "session/modules/modules.h"
#include "session/modules/pages.h"
#include "session/modules/texts.h"
#include "session/position/fault_actions.h"
#include "session/state/debugging.h"
#include "session/state/module.h"
#include "session/state/session.h"
#include "session/state/space.h"
#include "session/state/tables.h"
#include "session/thread/held.h"
#include "session/thread/threads.h"
#include "session/thread/views.h"
#include "session/tool/tool_data.h"
#include "session/tool/tool_modules.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/hooks.h"
#include "wire/mailbox.h"
#include "wire/phase.h"
#include "wire/registers.h"
#include "wire/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef PTRACE_SEIZE
#define PTRACE_SEIZE 0x4206
#endif

#define ARCH_SET_GS 0x1001

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* since Linux 6.13 */
#endif

/* The arguments of the call that the program is about to make. */
struct request {
	struct session *session;
	struct thread *thread;
	struct bank *bank;
	uint64_t arguments[6];
	bool in_syscall; /* it is made by syscall(number, ...) */
	bool later;      /* out: not served yet, to be asked again */
	bool again;      /* out: the function that was called is planned by now */
};

/* Serves ld.so's announcement of a change of its list of modules, before and after it,
 * or that it has mapped the modules a program starts with. */
static void serve_modules(struct request *request)
{
	struct process *process = request->thread->process;
	const bool done = request->bank->shared->number == WIRE_HOOK_LOADED;

	if (!loading_see_hook(process->space, process->pid, done))
		return;
	request->later = !modules_update(request->session, request->thread);
	thread_defer(request->session, request->thread, request->later);
	if (!request->later)
		tool_modules_see_hook(request->session, request->thread);
	if (!request->later)
		release_if_foreign(request->session, process);
}

/* Serves a call of ptrace(2): a process cannot have two tracers, and the program's own
 * comes first. */
static void serve_ptrace(struct request *request)
{
	uint64_t operation = request->arguments[0] & 0xffffffff;
	struct thread *target;

	if (operation == PTRACE_TRACEME) {
		release_process(request->session, request->thread->process, true,
				"it is traced by another process of the program");
	} else if (operation == PTRACE_ATTACH || operation == PTRACE_SEIZE) {
		target = session_find_thread(request->session,
					     (pid_t)request->arguments[1]);
		if (target && target->process)
			release_process(request->session, target->process, true,
					"it is traced by process %d of the program",
					request->thread->process->pid);
	}
}

/* The kernel gives a traced program no new rights, so it must be let go before. */
static void serve_exec(struct request *request)
{
	pid_t pid = request->thread->process->pid;
	char path[4096];
	struct trm_error *error =
		remote_read_string(request->thread->process->space->memory_fd,
				   request->arguments[0], path, sizeof(path));

	if (error) {
		trm_error_destroy(error);
		return;
	}
	if (rights_change_by(pid, request->thread->tid, path))
		release_process(request->session, request->thread->process, false,
				"it executes '%s', which changes its rights", path);
}

static void serve_execat(struct request *request)
{
	char name[64];
	pid_t pid = request->thread->process->pid;

	snprintf(name, sizeof(name), "/proc/%d/fd/%d", request->thread->tid,
		 (int)request->arguments[0]);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return;
	if (rights_change_of(pid, fd))
		release_process(request->session, request->thread->process, false,
				"it executes a program that changes its rights");
	close(fd);
}

static void serve_arch(struct request *request)
{
	if ((request->arguments[0] & 0xffffffff) == ARCH_SET_GS)
		release_process(request->session, request->thread->process, true,
				"it sets its GS base, which trammel needs");
}

static void serve_gs(struct request *request)
{
	release_process(
		request->session, request->thread->process, true,
		"it calls a function that may set its GS base, which trammel needs");
}

/* Serves a call of prctl(2): the program would trap trammel's calls, too, of hooks, of
 * injections, and of handlers' returns. */
static void serve_prctl(struct request *request)
{
	if (wire_call_dispatches(SYS_prctl, request->arguments[0], request->arguments[1]))
		release_space(request->session, request->thread->process, "%s",
			      trapping_reason(TRAPPING_DISPATCHED));
}

/* The threads of the process get a filter that one of them installs. */
static void serve_seccomp(struct request *request)
{
	const struct process *process = request->thread->process;

	vector_for_each (&request->session->all_threads, thread)
		if ((*thread)->process == process && (*thread)->bank)
			(*thread)->bank->shared->quiet |= 1;
}

static void serve_action(struct request *request)
{
	const int signal = (int)request->arguments[0];

	fault_actions_see(request->thread->process, signal, request->arguments[1]);
	if (request->session->debug_calls)
		request->session->debug_calls->action_changes(request->session,
							      request->thread, signal);
}

/* Which view the thread is to count in: what it asks is copied, as it may change. */
static void serve_phase(struct request *request)
{
	const int memory = request->thread->process->space->memory_fd;
	struct wire_phase phase;
	scoped_free char *name = NULL;

	if (remote_failed(
		    remote_read(memory, request->arguments[0], &phase, sizeof(phase))))
		return;
	if (phase.known && phase.size <= WIRE_PHASE_TEXT) {
		name = memory_allocate_zeroed(phase.size + 1, 1);
		if (remote_failed(remote_read(memory, phase.text, name, phase.size)))
			return;
	}
	phase.view = phase.other = 0;
	phase.done = 1;
	views_answer(request->session, request->thread, name, &phase);
	trm_error_destroy(
		remote_write(memory, request->arguments[0], &phase, sizeof(phase)));
}

static void serve_limit(struct request *request)
{
	tool_data_shrink(request->session, request->thread);
}

static void serve_window(struct request *request)
{
	struct session *session = request->session;

	window_called(session, request->thread);
	/* While the thread waits, where it stands is known for sure. Where a process is
	 * attached to, leaving it waits until no thread is in a hook. */
	if (window_ends_run(session) && !session->attached)
		release_all(session);
}

/* LeakSanitizer traces its own process when it looks for leaks, from a thread that has
 * the bank of the one that made it: both might ask at a time. */
static void serve_exit(struct request *request)
{
	if (!request->thread->process->space->leak_checked)
		return;
	if (family_has_latches(request->thread->process->space->family))
		request->bank->shared->quiet = WIRE_QUIET_ALONE;
	request->thread->process->watched = true;
	release_process(
		request->session, request->thread->process, false,
		"LeakSanitizer traces it when it exits: counted, but not followed "
		"from there");
}

/* Lets go programs that patch themselves: they must find their own bytes, and must run
 * the bytes they wrote; relocated calls bypass entries. */
static bool release_if_text(struct request *request, uint64_t start, uint64_t size,
			    const char *what)
{
	struct space *space = request->thread->process->space;
	const struct module *module = texts_find(space, start, size);

	if (module)
		release_space(request->session, request->thread->process,
			      "it %s the code of '%s'", what, module->file->name);
	return module != NULL;
}

static void serve_mprotect(struct request *request)
{
	const uint64_t protection = request->arguments[2];

	if (protection & PROT_WRITE)
		release_if_text(request, request->arguments[0], request->arguments[1],
				"gets ready to write to");
	else if (!(protection & PROT_EXEC))
		release_if_text(request, request->arguments[0], request->arguments[1],
				"forbids to run");
}

static void serve_mmap(struct request *request)
{
	if (request->arguments[3] & MAP_FIXED)
		release_if_text(request, request->arguments[0], request->arguments[1],
				"maps something else over");
}

static void serve_mremap(struct request *request)
{
	if (release_if_text(request, request->arguments[0], request->arguments[1],
			    "moves"))
		return;
	if (request->arguments[3] & MREMAP_FIXED)
		release_if_text(request, request->arguments[4], request->arguments[2],
				"maps something else over");
}

static void serve_madvise(struct request *request)
{
	const struct dropping dropping = {
		.address = request->arguments[0],
		.size = request->arguments[1],
		.advice = (uint32_t)request->arguments[2],
		.in_syscall = request->in_syscall,
	};

	/* Behind guards the kernel drops pages, too, and faults are the program's. */
	if (dropping.advice == MADV_GUARD_INSTALL) {
		release_if_text(request, dropping.address, dropping.size, "guards");
		return;
	}
	dropping_serve(request->session, request->thread,
		       request->bank->shared->registers.rsp, &dropping);
}

/* Keeps the tracer awake: where functions are called one soon after the other, the
 * next will come soon. */
static void await_more(struct session *session)
{
	const uint64_t soon = 2000000, now = clock_now_ns();

	session->awaited = now + (now - session->asked < soon ? soon : soon / 16);
	session->asked = now;
}

/* The hook's frame tells which latch it is. */
static void serve_lazy(struct request *request)
{
	struct space *space = request->thread->process->space;
	const struct wire_registers *saved = &request->bank->shared->registers;
	const struct lazy_file_session session = {pages_write_news, tool_data_update_all,
						  request->session};
	uint64_t back = 0;

	await_more(request->session);
	if (remote_failed(remote_read(space->memory_fd,
				      saved->rsp - WIRE_HOOK_FRAME + WIRE_HOOK_REGISTERS,
				      &back, sizeof(back))))
		return;
	const struct module *module = space_module_of_code(space, back);

	request->again =
		module && module->file->lazy &&
		lazy_file_plan(module->file, back - module->code_address, &session);
	session_note_change(request->session);
}

/* Lets a process go that continues or reads behind a call: the place where it
 * continues, or what it reads, cannot be known. */
static void serve_beyond(struct request *request)
{
	release_space(request->session, request->thread->process,
		      "a function reads what lies behind a call of it, or goes on there, "
		      "and was called in a way that was not foreseen");
}

static void serve_syscall(struct request *request)
{
	static const struct {
		uint64_t number;
		void (*serve)(struct request *request);
	} calls[] = {
		{SYS_ptrace, serve_ptrace},     {SYS_execve, serve_exec},
		{SYS_execveat, serve_execat},   {SYS_arch_prctl, serve_arch},
		{SYS_mprotect, serve_mprotect}, {SYS_pkey_mprotect, serve_mprotect},
		{SYS_mmap, serve_mmap},         {SYS_mremap, serve_mremap},
		{SYS_madvise, serve_madvise},   {SYS_prctl, serve_prctl},
		{SYS_seccomp, serve_seccomp},
	};
	struct request inner = *request;

	inner.in_syscall = true;
	memmove(inner.arguments, request->arguments + 1, 5 * sizeof(uint64_t));
	for (size_t i = 0; i < array_count(calls); i++)
		if (calls[i].number == request->arguments[0])
			calls[i].serve(&inner);
}

bool hooks_see_call(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;
	struct trm_error *error = remote_get_registers(thread->tid, &registers);
	const pid_t tid = thread->tid;

	trm_error_destroy(error);
	if (error || (int64_t)registers.rax != -ENOSYS)
		return true;
	struct request request = {
		.session = session,
		.thread = thread,
		.arguments = {registers.rdi, registers.rsi, registers.rdx, registers.r10,
			      registers.r8, registers.r9},
	};

	/* None of these needs anything of the thread, which is in the kernel. */
	switch (registers.orig_rax) {
	case SYS_ptrace:
		serve_ptrace(&request);
		break;
	case SYS_execve:
		serve_exec(&request);
		break;
	case SYS_execveat:
		serve_execat(&request);
		break;
	default:
		return true;
	}
	return session_find_thread(session, tid) == thread;
}

static void (*const servers[])(struct request *request) = {
	[WIRE_HOOK_LINK_MAP] = serve_modules,  [WIRE_HOOK_PTRACE] = serve_ptrace,
	[WIRE_HOOK_EXEC] = serve_exec,         [WIRE_HOOK_EXECAT] = serve_execat,
	[WIRE_HOOK_SYSCALL] = serve_syscall,   [WIRE_HOOK_ARCH] = serve_arch,
	[WIRE_HOOK_EXIT] = serve_exit,         [WIRE_HOOK_START] = serve_window,
	[WIRE_HOOK_STOP] = serve_window,       [WIRE_HOOK_BOTH] = serve_window,
	[WIRE_HOOK_MPROTECT] = serve_mprotect, [WIRE_HOOK_MMAP] = serve_mmap,
	[WIRE_HOOK_MREMAP] = serve_mremap,     [WIRE_HOOK_LAZY] = serve_lazy,
	[WIRE_HOOK_LOADED] = serve_modules,    [WIRE_HOOK_MADVISE] = serve_madvise,
	[WIRE_HOOK_BEYOND] = serve_beyond,     [WIRE_HOOK_GS] = serve_gs,
	[WIRE_HOOK_GS_CODE] = serve_gs,        [WIRE_HOOK_GS_CALL] = serve_gs,
	[WIRE_HOOK_PRCTL] = serve_prctl,       [WIRE_HOOK_ACTION] = serve_action,
	[WIRE_HOOK_LIMIT] = serve_limit,       [WIRE_HOOK_PHASE] = serve_phase,
};

static void serve_hook(struct session *session, struct bank *bank)
{
	struct thread *thread = session_find_thread(session, (pid_t)bank->shared->tid);
	const struct wire_registers *saved = &bank->shared->registers;
	uint32_t number = bank->shared->number;
	bool followed = thread && thread->process && thread->process->space;
	struct request request = {
		.session = session,
		.thread = thread,
		.bank = bank,
		.arguments = {saved->rdi, saved->rsi, saved->rdx, saved->rcx, saved->r8,
			      saved->r9},
	};

	if (followed)
		held_begin(thread, bank->shared->asked_ticks);
	if (followed && number < array_count(servers) && servers[number])
		servers[number](&request);
	if (request.later)
		return;
	/* It may have been let go. */
	thread = session_find_thread(session, (pid_t)bank->shared->tid);
	if (thread)
		held_end(session, thread);
	if (request.again)
		inject_mailbox_again(bank);
	else
		inject_mailbox_done(bank, !followed);
}

void hooks_serve(struct session *session, struct family *family)
{
	struct arena *arena = family->arena;
	uint32_t rings = __atomic_load_n(&arena->control->doorbell, __ATOMIC_ACQUIRE);

	if (rings == family->heard)
		return;
	family->heard = rings;
	/* A release may free the family: its banks stay while we hold a reference. */
	arena->references++;
	for (size_t i = 0; i < arena->banks.count; i++) {
		struct bank *bank = arena->banks.items[i];

		/* WIRE_RAN: its modules were not all planned when it was served. */
		if (bank->in_use && __atomic_load_n(&bank->shared->request,
						    __ATOMIC_ACQUIRE) != WIRE_IDLE)
			serve_hook(session, bank);
	}
	family_release(session, family);
}
