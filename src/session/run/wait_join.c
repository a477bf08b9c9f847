#include "session/run/wait_join.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/event.h"
#include "control/remote.h"
#include "session/run/attach_check.h"
#include "session/run/wait_redo.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALWAYS UINT64_MAX

/* Calls of which a stop leaves a part done: always, or with one of the flags in an
 * argument. */
static const struct {
	int16_t number;
	uint8_t argument;
	uint64_t flags;
} parted[] = {
	{SYS_write, 0, ALWAYS},         {SYS_writev, 0, ALWAYS},
	{SYS_sendto, 0, ALWAYS},        {SYS_sendmsg, 0, ALWAYS},
	{SYS_sendmmsg, 0, ALWAYS},      {SYS_sendfile, 0, ALWAYS},
	{SYS_splice, 0, ALWAYS},        {SYS_tee, 0, ALWAYS},
	{SYS_vmsplice, 0, ALWAYS},      {SYS_copy_file_range, 0, ALWAYS},
	{SYS_getrandom, 0, ALWAYS},     {SYS_io_getevents, 0, ALWAYS},
	{SYS_io_pgetevents, 0, ALWAYS}, {SYS_recvmmsg, 0, ALWAYS},
	{SYS_recvfrom, 3, MSG_WAITALL}, {SYS_recvmsg, 2, MSG_WAITALL},
};

static bool may_be_parted(const struct stacks_call *call)
{
	for (size_t i = 0; i < array_count(parted); i++)
		if (call->number == parted[i].number)
			return parted[i].flags == ALWAYS ||
			       (call->arguments[parted[i].argument] & parted[i].flags);
	return false;
}

/* Asks a thread to stop, unless that would leave a part of its call done. */
static void ask_to_stop(struct waits_thread *thread, const struct stacks_thread *now)
{
	thread->late = now->in_kernel && may_be_parted(&now->call);
	thread->moment = now->moment;
	if (!thread->late)
		ptrace(PTRACE_INTERRUPT, (pid_t)thread->tid, 0, 0);
}

static void begin_thread(struct waits *waits, struct waits_thread *thread)
{
	struct stacks_thread now;

	thread->joining = true;
	if (!stacks_thread_read(thread->pid, thread->tid, &now))
		return;
	if (now.in_kernel && now.call.number >= 0)
		waits_enter(waits, thread, &now.call);
	thread->began_ns = clock_now_ns();
	waits_go_on(thread, thread->began_ns);
	ask_to_stop(thread, &now);
}

/* Whether this thread traces it: as it does those that were made by traced ones. */
static bool is_traced_by_us(pid_t tid)
{
	uint64_t tracer = 0;

	return remote_status(tid, "TracerPid", 10, &tracer) &&
	       (tracer == (uint64_t)gettid() || tracer == (uint64_t)getpid());
}

static struct trm_error *seize_thread(struct waits *waits, pid_t pid, pid_t tid,
				      bool *any)
{
	if (waits_find(waits, (uint32_t)tid) || attach_is_kernel_thread(tid))
		return NULL;
	if (ptrace(PTRACE_SEIZE, tid, 0, event_trace_options())) {
		const int why = errno;

		/* It has just ended, unless it is the process itself. */
		if (tid != pid && (why == ESRCH || is_traced_by_us(tid)))
			return NULL;
		return attach_explain(pid, why);
	}
	begin_thread(waits, waits_add(waits, (uint32_t)pid, (uint32_t)tid));
	*any = true;
	return NULL;
}

struct trm_error *wait_join_begin(struct waits *waits, pid_t pid)
{
	struct trm_error *error = NULL;
	char path[64];
	bool any = true;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	while (any && !error) {
		DIR *folder = opendir(path);
		struct dirent *entry;

		any = false;
		if (!folder)
			return attach_explain(pid, ESRCH);
		while (!error && (entry = readdir(folder)))
			if (entry->d_name[0] != '.')
				error = seize_thread(waits, pid,
						     (pid_t)atoi(entry->d_name), &any);
		closedir(folder);
	}
	return error;
}

bool wait_join_again(struct waits *waits)
{
	bool any = false;

	vector_for_each (&waits->threads, item) {
		struct waits_thread *thread = *item;
		struct stacks_thread now;

		if (!thread->late)
			continue;
		any = true;
		if (!stacks_thread_read(thread->pid, thread->tid, &now) ||
		    (now.in_kernel && now.moment == thread->moment))
			continue;
		/* That wait is over; when, and where it went on, nobody has seen. */
		thread->inside = false;
		ask_to_stop(thread, &now);
	}
	return any;
}

bool wait_join_is_open(const struct waits *waits)
{
	vector_for_each (&waits->threads, thread)
		if ((*thread)->joining && !(*thread)->late)
			return true;
	return false;
}

void wait_join_see_stop(struct waits *waits, struct waits_thread *thread, uint64_t now_ns)
{
	struct user_regs_struct registers;
	const bool again = wait_redo_call(thread, now_ns);
	int64_t result = 0;

	thread->joining = thread->late = false;
	if (!thread->inside ||
	    remote_failed(remote_get_registers((pid_t)thread->tid, &registers)))
		return;
	if ((int64_t)registers.orig_rax >= 0)
		result = again ? -ERESTARTNOHAND : (int64_t)registers.rax;
	waits_leave(waits, thread, result, now_ns);
}

void wait_join_explain(const struct waits *waits, struct text *notes)
{
	vector_for_each (&waits->threads, item) {
		const struct waits_thread *thread = *item;

		if (thread->late && !thread->inside)
			text_format(notes,
				    "thread %" PRIu32 " was not followed: whenever it "
				    "was looked at it was in %s, which a stop would have "
				    "cut short\n",
				    thread->tid,
				    stacks_call_name(thread->call.number) ?: "a call");
	}
}
