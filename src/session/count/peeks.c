#include "session/count/peeks.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/remote.h"
#include "sample/sampler.h"
#include "session/thread/threads.h"
#include "wire/unwind.h"

#include <stddef.h>
#include <unistd.h>

enum {
	/* The shortest time between looks: a stop takes some ten microseconds. */
	LEAST_NS = 500000,
	/* A thread that has run less since a stop for something else waits to go on. */
	BEGUN_NS = 20000,
	/* Where no thread runs the time between looks is doubled so often. */
	IDLE_MAX = 3,
	/* A stop that has not come after this is asked for again. */
	FORGET_NS = 200000000,
	STACK_BYTES = 8192,
	WORD = 8,
};

/* The clock of the processor time of all threads of a process that ever were, by its
 * pid (clock_getcpuclockid(3)). */
static bool read_clock(pid_t pid, uint64_t *ret_ns)
{
	enum { OF_PROCESS = 2 };
	struct timespec time;

	if (clock_gettime((clockid_t)(~(unsigned int)pid << 3 | OF_PROCESS), &time))
		return false;
	*ret_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	return true;
}

/* Returns whether a process may have run since the last look. Of one that ran before it
 * was attached to, only what comes counts. */
static bool has_run(struct session *session, struct process *process)
{
	struct sample_source *source = &session->sampler->source;
	const uint64_t before = process->clock_ns;

	if (!read_clock(process->pid, &process->clock_ns))
		return true;
	if ((before || !session->attached) && process->clock_ns > before) {
		source->tallies[0].total += process->clock_ns - before;
		source->run_ns += process->clock_ns - before;
	}
	return process->clock_ns != before;
}

void peeks_count(struct session *session)
{
	vector_for_each (&session->all_processes, process)
		has_run(session, *process);
}

/* Returns how much of the time that a thread ran it ran user code. */
static uint64_t user_part(const struct remote_times *times, uint64_t ran)
{
	const uint64_t all = times->user + times->system;

	return all ? (uint64_t)((double)ran * (double)times->user / (double)all) : ran;
}

/* Of a thread that ran before it was attached to, only what comes counts. */
static void begin_thread(const struct session *session, struct thread *thread)
{
	struct thread_peeks *peeks = &thread->peeks;

	peeks->known = true;
	if (!session->attached)
		return;
	remote_read_times(thread->tid, &peeks->times);
	peeks->seen_ns = remote_ran_ns(thread->tid);
	peeks->taken_ns = user_part(&peeks->times, peeks->seen_ns);
}

/* Notes which threads of a process have run since the last look. */
static void note_running(const struct session *session, const struct process *process)
{
	vector_for_each (&session->all_threads, item) {
		struct thread *thread = *item;
		struct thread_peeks *peeks = &thread->peeks;
		uint64_t ran;

		if (thread->process != process || peeks->runs)
			continue;
		if (!peeks->known)
			begin_thread(session, thread);
		ran = remote_ran_ns(thread->tid);
		peeks->runs = ran > peeks->seen_ns;
		peeks->seen_ns = ran;
	}
}

static bool can_be_asked(const struct thread *thread, uint64_t now)
{
	return thread->peeks.runs && thread->state == THREAD_RUNNING &&
	       !thread->stopped && !thread->event_pending && !thread->leaving &&
	       (!thread->peeks.asked_ns || now - thread->peeks.asked_ns > FORGET_NS);
}

/* Asks the threads that run; those that wait are not disturbed. Returns how many run. */
static unsigned int ask_threads(const struct session *session, uint64_t now)
{
	unsigned int count = 0;

	vector_for_each (&session->all_threads, item) {
		struct thread *thread = *item;
		struct thread_peeks *peeks = &thread->peeks;

		count += peeks->runs;
		if (!can_be_asked(thread, now))
			continue;
		remote_read_times(thread->tid, &peeks->times);
		peeks->runs = peeks->times.state == 'R';
		if (peeks->runs && thread_ask_to_stop(thread))
			peeks->asked_ns = now;
	}
	return count;
}

uint64_t peeks_act(struct session *session)
{
	struct sample_source *source = &session->sampler->source;
	const uint64_t period = source->events->items[0].period;
	const uint64_t now = clock_now_ns();
	uint64_t pause;

	if (now < session->peeks_due_ns)
		return session->peeks_due_ns - now;
	const uint64_t begin = sampler_own_clock();

	vector_for_each (&session->all_processes, process)
		if (has_run(session, *process))
			note_running(session, *process);
	if (ask_threads(session, now))
		session->idle_peeks = 0;
	else if (session->idle_peeks < IDLE_MAX)
		session->idle_peeks++;
	pause = sample_source_jitter(source, period < LEAST_NS ? LEAST_NS : period)
		<< session->idle_peeks;
	session->peeks_due_ns = now + pause;
	session->sampler->own_ns += sampler_own_clock() - begin;
	return pause;
}

/* The registers by their numbers in DWARF. */
static void take_registers(const struct user_regs_struct *registers,
			   struct sample_record *record)
{
	static const size_t places[SAMPLE_REGISTERS] = {
		offsetof(struct user_regs_struct, rax),
		offsetof(struct user_regs_struct, rdx),
		offsetof(struct user_regs_struct, rcx),
		offsetof(struct user_regs_struct, rbx),
		offsetof(struct user_regs_struct, rsi),
		offsetof(struct user_regs_struct, rdi),
		offsetof(struct user_regs_struct, rbp),
		offsetof(struct user_regs_struct, rsp),
		offsetof(struct user_regs_struct, r8),
		offsetof(struct user_regs_struct, r9),
		offsetof(struct user_regs_struct, r10),
		offsetof(struct user_regs_struct, r11),
		offsetof(struct user_regs_struct, r12),
		offsetof(struct user_regs_struct, r13),
		offsetof(struct user_regs_struct, r14),
		offsetof(struct user_regs_struct, r15),
		offsetof(struct user_regs_struct, rip),
	};

	record->has_registers = true;
	record->ip = registers->rip;
	for (size_t i = 0; i < array_count(places); i++)
		record->registers[i] =
			*(const unsigned long long *)(const void *)((const char *)
									    registers +
								    places[i]);
}

/* Reads the stack from the stack pointer on, as far as it is mapped. */
static size_t read_stack(const struct thread *thread, uint64_t from, uint8_t *bytes)
{
	const struct space *space = thread->process->space;
	ssize_t size =
		space ? pread(space->memory_fd, bytes, STACK_BYTES, (off_t)from) : -1;

	return size < WORD ? 0 : (size_t)size;
}

/* The images of a process in the records of samples are those of the session. Code that
 * no module has is where the process says that it is. */
static void follow_image(struct sampler *sampler, const struct process *process,
			 uint64_t pc)
{
	struct sample_processes *processes = &sampler->processes;
	const uint32_t pid = (uint32_t)process->pid, number = process->image->number;
	uint32_t index = sample_processes_find(processes, pid);
	struct sample_map map;

	if (processes->images.items[index].owner &&
	    processes->images.items[index].owner != number) {
		sample_processes_execute(processes, pid);
		index = sample_processes_find(processes, pid);
	}
	processes->images.items[index].owner = number;
	processes->images.items[index].begin_ns = process->image->start_ns;
	if (!sample_processes_place(processes, index, pc, &map))
		sample_processes_read(processes, pid);
}

/* Takes a sample that stands for `count` periods. */
static void take_sample(struct session *session, const struct thread *thread,
			const struct user_regs_struct *registers, uint64_t count)
{
	struct sampler *sampler = session->sampler;
	uint8_t stack[STACK_BYTES];
	struct sample_record record = {
		.kind = SAMPLE_TAKEN,
		.pid = (uint32_t)thread->process->pid,
		.tid = (uint32_t)thread->tid,
		.id = SAMPLE_LOOK_ID,
		.time = clock_now_ns(),
		.period = count * sampler->events.items[0].period,
		.overrun = count - 1,
		.name = "",
	};

	take_registers(registers, &record);
	if (sampler->options.rate.callpath) {
		record.stack = stack;
		record.stack_size = read_stack(thread, registers->rsp, stack);
	}
	follow_image(sampler, thread->process, registers->rip);
	sample_processes_read_dumps(&sampler->processes);
	sampler_see(sampler, &record);
	sampler->source.looks++;
}

/* Takes a sample for the user code that the thread has run, if that is a period or more.
 * In a system call none is taken, but the time is kept for the next one: threads lose
 * their processor at the ends of system calls, and wait there to go on, much more often
 * than that time is spent there. Within user code they lose it at interrupts, anywhere.
 */
static void look_at(struct session *session, struct thread *thread)
{
	const uint64_t period = session->sampler->events.items[0].period;
	struct thread_peeks *peeks = &thread->peeks;
	struct user_regs_struct registers;
	uint64_t user;

	peeks->seen_ns = remote_ran_ns(thread->tid);
	user = user_part(&peeks->times, peeks->seen_ns);
	if (user < peeks->taken_ns + period ||
	    peeks->seen_ns < peeks->event_ns + BEGUN_NS ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    (int64_t)registers.orig_rax >= 0)
		return;
	const uint64_t count = (user - peeks->taken_ns) / period;

	take_sample(session, thread, &registers, count);
	peeks->taken_ns += count * period;
}

void peeks_see_stop(struct session *session, struct thread *thread)
{
	if (!thread->peeks.asked_ns || !session->sampler || session->sampler->finished)
		return;
	const uint64_t begin = sampler_own_clock();

	thread->peeks.asked_ns = 0;
	look_at(session, thread);
	session->sampler->own_ns += sampler_own_clock() - begin;
}

void peeks_see_event(const struct session *session, struct thread *thread)
{
	if (session->sampler && session->sampler->source.looked)
		thread->peeks.event_ns = remote_ran_ns(thread->tid);
}
