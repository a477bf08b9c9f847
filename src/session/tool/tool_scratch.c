#include "session/tool/tool_scratch.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "control/remote.h"
#include "session/thread/injection.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE        4096u
#define PATIENCE_MS 10000

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* A system call, at the same address in the tracer and its copy. */
extern char tool_scratch_call[];
__asm__(".text\n"
	".globl tool_scratch_call\n"
	"tool_scratch_call:\n"
	"	syscall\n"
	"	hlt\n");

static struct trm_error *lost_scratch(void)
{
	return trm_error_create(TRM_ERROR_SYSTEM,
				"the process in which tools are loaded ended");
}

/* The kernel ends it with the tracer. */
static pid_t fork_scratch(void)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* Waits for a stop of a kind. */
static bool await_event(struct session *session, pid_t pid, enum event_kind kind)
{
	struct event event;

	while (event_wait_thread(&session->queue, pid, PATIENCE_MS, &event)) {
		if (event.kind == kind)
			return true;
		if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED ||
		    remote_failed(remote_resume(pid, REMOTE_SYSCALL, 0)))
			return false;
	}
	return false;
}

static struct trm_error *stop_scratch(struct session *session, pid_t pid)
{
	struct user_regs_struct registers;

	if (ptrace(PTRACE_SEIZE, pid, 0, event_trace_options() | PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0))
		return trm_error_system(errno, "cannot trace a process of its own");
	if (!await_event(session, pid, EVENT_STOP))
		return lost_scratch();
	TRM_TRY(remote_get_registers(pid, &registers));
	registers.orig_rax = (unsigned long long)-1;
	return remote_set_registers(pid, &registers);
}

static void end_process(struct session *session, pid_t pid)
{
	struct event event;

	kill(pid, SIGKILL);
	while (event_wait_thread(&session->queue, pid, PATIENCE_MS, &event) &&
	       event.kind != EVENT_KILLED && event.kind != EVENT_EXITED)
		;
}

struct trm_error *tool_scratch_begin(struct session *session,
				     const struct process *process,
				     struct tool_scratch *ret_scratch)
{
	const pid_t pid = fork_scratch();
	int memory_fd = -1;

	if (pid < 0)
		return trm_error_system(errno, "cannot make a process to load tools in");
	struct trm_error *error = stop_scratch(session, pid);

	if (!error)
		error = remote_open(pid, "mem", O_RDWR, &memory_fd);
	if (error) {
		end_process(session, pid);
		return error;
	}
	*ret_scratch = (struct tool_scratch){
		.thread = {.tid = pid, .state = THREAD_RUNNING, .stopped = true},
		.process = *process,
		.space = {.references = 1,
			  .family = process->space->family,
			  .memory_fd = memory_fd},
	};
	ret_scratch->thread.process = &ret_scratch->process;
	ret_scratch->process.space = &ret_scratch->space;
	return NULL;
}

static struct trm_error *make_call(struct session *session, pid_t pid,
				   struct wire_call *call)
{
	struct user_regs_struct registers;

	TRM_TRY(remote_get_registers(pid, &registers));
	registers.rip = (uint64_t)(uintptr_t)tool_scratch_call;
	registers.orig_rax = (unsigned long long)-1;
	registers.rax = (unsigned long long)call->number;
	registers.rdi = call->arguments[0];
	registers.rsi = call->arguments[1];
	registers.rdx = call->arguments[2];
	registers.r10 = call->arguments[3];
	registers.r8 = call->arguments[4];
	registers.r9 = call->arguments[5];
	TRM_TRY(remote_set_registers(pid, &registers));
	for (int stop = 0; stop < 2; stop++) {
		TRM_TRY(remote_resume(pid, REMOTE_SYSCALL, 0));
		if (!await_event(session, pid, EVENT_SYSCALL))
			return lost_scratch();
	}
	TRM_TRY(remote_get_registers(pid, &registers));
	call->result = (int64_t)registers.rax;
	registers.orig_rax = (unsigned long long)-1;
	return remote_set_registers(pid, &registers);
}

struct trm_error *tool_scratch_run(struct session *session, const struct thread *thread,
				   struct wire_batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++)
		TRM_TRY(make_call(session, thread->tid, &batch->calls[i]));
	return NULL;
}

static const struct mapping *find_mapping(const struct maps *maps, const char *name)
{
	vector_for_each (&maps->mappings, mapping)
		if (!strcmp(maps->text.items + mapping->path, name))
			return mapping;
	return NULL;
}

/* Moves one of the kernel's mappings to where the program has it. */
static bool move_mapping(struct session *session, pid_t pid, const struct mapping *from,
			 uint64_t to)
{
	struct wire_call call = {
		.number = SYS_mremap,
		.arguments = {from->start, from->end - from->start,
			      from->end - from->start, MREMAP_MAYMOVE | MREMAP_FIXED, to},
	};

	return !remote_failed(make_call(session, pid, &call)) &&
	       call.result == (int64_t)to;
}

/* The code of the kernel's (vdso(7)) and its data lie side by side. */
static bool move_vdso(struct session *session, pid_t pid, const struct maps *own,
		      const struct maps *maps)
{
	static const char *const names[] = {"[vvar]", "[vvar_vclock]", "[vdso]"};
	bool moved = false;

	for (size_t i = 0; i < array_count(names); i++) {
		const struct mapping *from = find_mapping(own, names[i]);
		const struct mapping *to = find_mapping(maps, names[i]);

		if (!from != !to)
			return false;
		if (!from || from->start == to->start)
			continue;
		if (from->end - from->start != to->end - to->start ||
		    !maps_is_free(own, to->start, to->end - to->start) ||
		    !move_mapping(session, pid, from, to->start))
			return false;
		moved = true;
	}
	return moved;
}

bool tool_scratch_has_vdso(struct session *session, const struct thread *thread)
{
	struct maps own = {0}, maps = {0};
	const bool has = !remote_failed(maps_read(thread->tid, &own)) &&
			 !remote_failed(maps_read(thread->process->pid, &maps)) &&
			 move_vdso(session, thread->tid, &own, &maps);

	maps_deinit(&own);
	maps_deinit(&maps);
	return has;
}

static int rights_of(const struct mapping *mapping)
{
	return (mapping->readable ? PROT_READ : 0) |
	       (mapping->writable ? PROT_WRITE : 0) |
	       (mapping->executable ? PROT_EXEC : 0);
}

static struct trm_error *map_part(struct session *session, struct thread *thread,
				  struct wire_batch *batch)
{
	TRM_TRY(space_run(session, thread, batch));
	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->calls[i].result < 0)
			return trm_error_system((int)-batch->calls[i].result,
						"no memory for tools in the program");
	batch->count = 0;
	return NULL;
}

/* Maps memory in the program where the scratch process has some for tools. */
static struct trm_error *map_alike(struct session *session, struct thread *thread,
				   const struct maps *maps,
				   const struct tool_space *tools)
{
	struct wire_batch batch = {0};

	vector_for_each (&maps->mappings, mapping) {
		if (!tool_space_has(tools, mapping->start))
			continue;
		BATCH_ADD(&batch, SYS_mmap, mapping->start, mapping->end - mapping->start,
			  (uint64_t)rights_of(mapping),
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
				  MAP_NORESERVE,
			  UINT64_MAX, 0);
		if (batch.count == WIRE_BATCH_MAX)
			TRM_TRY(map_part(session, thread, &batch));
	}
	return batch.count ? map_part(session, thread, &batch) : NULL;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, size - 1);
}

/* Pages of zeros are there already. */
static struct trm_error *copy_bytes(int from, int to, const struct mapping *mapping)
{
	enum { PIECE = 1 << 20 };
	scoped_free uint8_t *bytes = memory_allocate(PIECE);

	for (uint64_t at = mapping->start; at < mapping->end; at += PIECE) {
		const uint64_t left = mapping->end - at;
		const size_t size = left < PIECE ? left : PIECE;

		TRM_TRY(remote_read(from, at, bytes, size));
		for (size_t page = 0; page < size; page += PAGE)
			if (!is_zero(bytes + page, PAGE))
				TRM_TRY(remote_write(to, at + page, bytes + page, PAGE));
	}
	return NULL;
}

struct trm_error *tool_scratch_copy(struct session *session, struct tool_scratch *scratch,
				    struct thread *thread)
{
	struct space *space = thread->process->space;
	struct maps maps = {0};
	struct trm_error *error = maps_read(scratch->thread.tid, &maps);

	if (!error)
		error = map_alike(session, thread, &maps, scratch->space.tools);
	vector_for_each (&maps.mappings, mapping)
		if (!error && mapping->readable &&
		    tool_space_has(scratch->space.tools, mapping->start))
			error = copy_bytes(scratch->space.memory_fd, space->memory_fd,
					   mapping);
	maps_deinit(&maps);
	if (error)
		return error;
	space->tools = scratch->space.tools;
	space->tools->scratch = false;
	scratch->space.tools = NULL;
	return NULL;
}

void tool_scratch_end(struct session *session, struct tool_scratch *scratch)
{
	end_process(session, scratch->thread.tid);
	close(scratch->space.memory_fd);
	tool_space_destroy(scratch->space.tools);
}
