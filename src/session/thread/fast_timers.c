#include "session/thread/fast_timers.h"

#include "base/array.h"
#include "base/clock.h"
#include "control/remote.h"
#include "session/position/spans.h"
#include "session/thread/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/* Nanoseconds since its resumption within which a thread has done next to nothing. */
#define NOWHERE_NS 60000u

/* A thread that ran for less also gets nowhere by itself: each signal finds it at its
 * stop. */
#define NOTHING_NS 20000u

/* Number of signals in a row finding it so that may still be chance. */
#define CHANCE 3

/* Signals further apart than this leave a thread time to run. */
#define APART_NS 500000u

/* Nanoseconds after a timer's signal for which each stop of its thread is examined,
 * and for which a timer that was as fast as stops is still taken to be so. */
#define RECENT_NS 1000000000u

/* Least size of the frame that the kernel pushes for a handler, and greatest stack use
 * of a handler that calls siglongjmp, bytes. */
#define SIGNAL_FRAME  500u
#define HANDLER_STACK 65536u

/* Offset of the interrupted registers in a signal's frame: behind its return address,
 * uc_flags, uc_link and uc_stack (struct rt_sigframe of the kernel). */
#define FRAME_REGISTERS (sizeof(uint64_t) + offsetof(ucontext_t, uc_mcontext.gregs))

/* Nanoseconds within which the last TIMER_SIGNALS signals of a timer as fast as stops
 * come. A slower timer does not reach that by chance where threads wait for a
 * processor: the second signal may be due when the first is seen, and the third when
 * the second is, no more. */
#define FAST_NS 450000u

/* Number of signals in a row finding that the thread ran nothing after which even a
 * slower timer is held back. */
#define SLOW_ROW 32

/* Nanoseconds for which a signal is put off: until the thread has run for the time of
 * some stops. But at most LATEST_NS, if it must wait for a processor. */
#define RUN_NS    300000u
#define LATEST_NS 200000000u

/* Nanoseconds within which the thread is to run RUN_NS once more, counted from when
 * the signal was blocked. */
#define ANEW_NS 20000000u

/* Signals of setitimer(2) come from the kernel; no other signals of that kind have
 * these numbers. */
static bool is_timer(const siginfo_t *info)
{
	return info->si_code == SI_TIMER ||
	       (info->si_code == SI_KERNEL &&
		(info->si_signo == SIGALRM || info->si_signo == SIGVTALRM ||
		 info->si_signo == SIGPROF));
}

static void note_signal(struct timer_signals *timer,
			const struct user_regs_struct *registers)
{
	timer->rsp = registers->rsp;
	timer->ns = clock_now_ns();
	timer->ran = timer->ran_now;
}

static uint64_t lesser_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns whether the thread had too little time since its last stop, and since the
 * last signal. As far as known, only the time it ran counts: it may have waited for a
 * processor most of the time. */
static bool had_no_time(const struct thread *thread, const struct timer_signals *last)
{
	const struct timer_signals *timer = &thread->timer;
	uint64_t resumed = timer->ns - thread->resumed_ns, apart = timer->ns - last->ns;

	if (timer->ran_before)
		resumed = lesser_of(resumed, timer->ran_now - timer->ran_before);
	if (last->ran)
		apart = lesser_of(apart, timer->ran_now - last->ran);
	return apart <= APART_NS && resumed <= NOWHERE_NS;
}

/* Effect of a system call on a timer. */
enum setting { SETS_NONE, STARTS_TIMER, STOPS_TIMER };

/* Two calls take the interval and the time until the timer signals, as two struct timeval
 * or timespec each. */
static enum setting setting_of(const struct thread *thread,
			       const struct user_regs_struct *registers)
{
	const int memory_fd = thread->process->space->memory_fd;
	uint64_t at, words[4];

	if (registers->orig_rax == SYS_alarm)
		return registers->rdi ? STARTS_TIMER : STOPS_TIMER;
	if (registers->orig_rax == SYS_setitimer)
		at = registers->rsi;
	else if (registers->orig_rax == SYS_timer_settime)
		at = registers->rdx;
	else
		return SETS_NONE;
	if (remote_failed(remote_read(memory_fd, at, words, sizeof(words))))
		return SETS_NONE;
	return words[2] || words[3] ? STARTS_TIMER : STOPS_TIMER;
}

/* Returns whether a system call starts a timer, which signals later. */
static bool starts_timer(const struct thread *thread,
			 const struct user_regs_struct *registers)
{
	return setting_of(thread, registers) == STARTS_TIMER;
}

/* Returns the signal of the timer that a system call sets, for setitimer(2) and
 * alarm(2). */
static int signal_of_timer(const struct user_regs_struct *registers)
{
	static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};

	if (registers->orig_rax == SYS_alarm)
		return SIGALRM;
	return registers->rdi < array_count(signals) ? signals[registers->rdi] : 0;
}

/* Returns whether a system call stops the timer that has signalled. */
static bool stops_timer(const struct thread *thread, const siginfo_t *info,
			const struct user_regs_struct *registers)
{
	if (setting_of(thread, registers) != STOPS_TIMER)
		return false;
	if (registers->orig_rax == SYS_timer_settime)
		return info->si_code == SI_TIMER &&
		       (uint64_t)info->si_timerid == registers->rdi;
	return info->si_code == SI_KERNEL && info->si_signo == signal_of_timer(registers);
}

/* Returns whether siglongjmp has unblocked the signal, in the handler of the signal
 * before: it sets a mask, and does not ask for the old one. Other code that unblocks
 * signals, on a stack of that depth, gets them at once. */
static bool is_leaving(const struct timer_signals *last,
		       const struct user_regs_struct *registers)
{
	return registers->orig_rax == SYS_rt_sigprocmask &&
	       registers->rdi == SIG_SETMASK && !registers->rdx &&
	       last->rsp - registers->rsp - SIGNAL_FRAME < HANDLER_STACK;
}

/* Returns the stack pointer to which a signal's handler will return, if the thread
 * stands at the start of a handler, or has pushed nothing since; 0: it does not. */
static uint64_t goes_back_to(const struct thread *thread,
			     const struct user_regs_struct *registers)
{
	greg_t saved[NGREG];

	if (remote_failed(remote_read(thread->process->space->memory_fd,
				      registers->rsp + FRAME_REGISTERS, saved,
				      sizeof(saved))) ||
	    (saved[REG_CSGSFS] & UINT16_MAX) != (int64_t)registers->cs)
		return 0;
	return (uint64_t)saved[REG_RSP];
}

/* A timer has signalled. */
static void note_came(struct timer_signals *timer)
{
	const uint64_t now = clock_now_ns();

	timer->came[timer->signals++ % TIMER_SIGNALS] = now;
	if (now - timer->came[timer->signals % TIMER_SIGNALS] <= FAST_NS)
		timer->fast_ns = now;
}

/* Returns whether the signal found the thread waiting in a system call, which it ends:
 * nothing keeps such a thread from its work. */
static bool waits_in_call(const struct user_regs_struct *registers)
{
	const int64_t result = (int64_t)registers->rax;

	return (int64_t)registers->orig_rax >= 0 &&
	       (result == -EINTR ||
		(result >= -ERESTART_RESTARTBLOCK && result <= -ERESTARTSYS));
}

/* Returns how often in a row, this signal included, the thread has made no progress:
 * it had no time, or has stacked one handler's frame on another's, however long that
 * took. Where stops are slow that fills the stack, even if a handler comes to its end
 * now and then. */
static uint32_t count_again(const struct thread *thread, const struct timer_signals *last,
			    const struct user_regs_struct *registers, uint64_t back)
{
	if (waits_in_call(registers))
		return 0;
	if (had_no_time(thread, last) || is_leaving(last, registers) || back == last->rsp)
		return last->again + 1;
	return back ? last->again : 0;
}

/* Returns whether the thread has failed to make progress too often, and is where a
 * signal may be put off: most system calls, once interrupted, cannot return as if
 * nothing had happened. (In a handler that has not begun yet, orig_rax is the number
 * of the interrupted call.) */
static bool is_stuck(struct thread *thread, const struct user_regs_struct *registers)
{
	struct timer_signals *timer = &thread->timer;
	const struct timer_signals last = *timer;
	const uint64_t back = goes_back_to(thread, registers);

	note_signal(timer, registers);
	timer->again = count_again(thread, &last, registers, back);
	return timer->again > CHANCE &&
	       ((int64_t)registers->orig_rax < 0 || (back && !registers->rax) ||
		is_leaving(&last, registers) || starts_timer(thread, registers));
}

/* Returns whether a thread that makes no progress has stopped the timer, or is about
 * to: since the signal is late, it then counts as not sent, and the timer sends no
 * more. Otherwise a handler that restarts the timer by a jump would be called for ever
 * where the stops at the two calls take longer than the timer. */
static bool is_too_late(const struct thread *thread, const siginfo_t *info,
			const struct user_regs_struct *registers)
{
	return thread->timer.again > CHANCE && stops_timer(thread, info, registers);
}

/* Returns whether no other thread would get the timer's signals if this one blocked
 * them. */
static bool is_alone(const struct session *session, const struct thread *thread)
{
	const uint64_t bit = 1ull << (thread->timer.late.si_signo - 1);
	struct remote_signals signals;

	vector_for_each (&session->all_threads, other)
		if ((*other)->process == thread->process && *other != thread &&
		    !(remote_get_signals((*other)->tid, &signals) &&
		      signals.blocked & bit))
			return false;
	return true;
}

/* Blocks the signal of the timer, so that it does not even stop the thread. If the
 * tracer is killed the signal stays blocked (but for regions), so this is only for
 * threads that would make no progress. The thread's time to run starts again now:
 * where stops are slow they used up all the time it was to run before. */
static void mask_signal(const struct session *session, struct thread *thread)
{
	struct timer_signals *timer = &thread->timer;
	const uint64_t now = clock_now_ns();

	if (is_alone(session, thread) &&
	    !remote_failed(remote_get_mask(thread->tid, &timer->mask))) {
		spans_note_mask(session, thread, timer->mask);
		timer->masked = !remote_failed(remote_set_mask(
			thread->tid, timer->mask | 1ull << (timer->late.si_signo - 1)));
	}
	if (timer->masked && now - timer->since < ANEW_NS) {
		timer->until = now + RUN_NS;
		timer->run = timer->ran_now;
	}
}

static void put_off(struct session *session, struct thread *thread, const siginfo_t *info)
{
	struct timer_signals *timer = &thread->timer;

	fast_timers_forget(session, thread); /* of a signal sent and lost since */
	session->late_signals++;
	timer->late = *info;
	timer->row = timer->stood = 0;
	timer->since = clock_now_ns();
	timer->until = timer->since + RUN_NS;
	timer->run = remote_ran_ns(thread->tid);
}

void fast_timers_forget(struct session *session, struct thread *thread)
{
	struct timer_signals *timer = &thread->timer;

	session->late_signals -= timer->late.si_signo != 0;
	timer->late.si_signo = 0;
	timer->until = 0;
}

static struct remote_signals signals_of(const struct thread *thread)
{
	struct remote_signals signals = {0};

	remote_get_signals(thread->tid, &signals);
	return signals;
}

/* Sends the signal that was put off, unless the timer has signalled again (two that
 * wait are one), or another thread has removed the handler, which would have run
 * before. */
static void send_signal(struct session *session, struct thread *thread)
{
	const int signal = thread->timer.late.si_signo;
	const uint64_t bit = 1ull << (signal - 1);
	const struct remote_signals signals = signals_of(thread);

	thread->timer.until = 0;
	if (signals.pending & bit || !(signals.caught & bit))
		fast_timers_forget(session, thread);
	else
		syscall(SYS_tkill, thread->tid, signal);
}

static bool is_same(const siginfo_t *a, const siginfo_t *b)
{
	return a->si_code == b->si_code &&
	       (a->si_code != SI_TIMER || a->si_timerid == b->si_timerid);
}

/* Returns whether the thread ran next to nothing since its last stop. */
static bool ran_nothing(const struct timer_signals *timer)
{
	return !timer->ran_before || timer->ran_now - timer->ran_before <= NOTHING_NS;
}

/* Returns whether the thread stands where its last stop left it. */
static bool stands_still(struct timer_signals *timer,
			 const struct user_regs_struct *registers)
{
	const bool same =
		timer->at_rip == registers->rip && timer->at_rsp == registers->rsp;

	timer->at_rip = registers->rip;
	timer->at_rsp = registers->rsp;
	timer->stood = same ? timer->stood + 1 : 0;
	return same;
}

/* Returns whether a thread with a signal put off makes no progress because the timer
 * signals again and again. */
static bool gets_nowhere(struct timer_signals *timer,
			 const struct user_regs_struct *registers)
{
	if (stands_still(timer, registers) && timer->stood > CHANCE)
		return true;
	if (!ran_nothing(timer)) {
		timer->row = 0;
		return false;
	}
	timer->row++;
	return timer->row >= SLOW_ROW ||
	       (timer->fast_ns && clock_now_ns() - timer->fast_ns < RECENT_NS);
}

/* Handles a signal that comes while one is put off. Returns true if nothing is left to
 * do with it. */
static bool join_signals(struct session *session, struct thread *thread, siginfo_t *info,
			 const struct user_regs_struct *registers)
{
	struct timer_signals *timer = &thread->timer;

	/* Two signals of one timer count as one; other signals, as from kill(2), come
	 * first. */
	if (timer->until) {
		if (!is_same(info, &timer->late))
			return false;
		if (waits_in_call(registers)) {
			fast_timers_forget(session, thread);
			return false;
		}
		if (gets_nowhere(timer, registers))
			mask_signal(session, thread);
		return true;
	}
	if (info->si_code == SI_TKILL) {
		*info = timer->late;
		trm_error_destroy(remote_set_signal(thread->tid, info));
	}
	fast_timers_forget(session, thread);
	return false;
}

bool fast_timers_put_off(struct session *session, struct thread *thread, siginfo_t *info,
			 const struct user_regs_struct *registers)
{
	struct timer_signals *timer = &thread->timer;

	if (is_timer(info))
		note_came(timer);
	if (timer->late.si_signo == info->si_signo) {
		if (!join_signals(session, thread, info, registers)) {
			note_signal(timer, registers);
			return false;
		}
	} else {
		if (!is_timer(info) || timer->until)
			return false;
		bool stuck = is_stuck(thread, registers);

		if (is_too_late(thread, info, registers)) {
			fast_timers_forget(session, thread);
			thread_resume(session, thread, 0);
			return true;
		}
		if (!stuck)
			return false;
		put_off(session, thread, info);
	}
	thread_resume(session, thread, 0);
	return true;
}

/* One stop may be seen twice, since its event can be put back. */
static void note_stop(struct thread *thread)
{
	struct timer_signals *timer = &thread->timer;
	const uint64_t now = clock_now_ns();
	const bool recent = timer->ns && now - timer->ns < RECENT_NS;

	if (timer->stop_ns > thread->resumed_ns)
		return;
	timer->stop_ns = now;
	timer->ran_before = timer->ran_now;
	timer->ran_now = recent ? remote_ran_ns(thread->tid) : 0;
}

void fast_timers_see_stop(const struct session *session, struct thread *thread)
{
	struct timer_signals *timer = &thread->timer;

	note_stop(thread);
	if (!timer->masked)
		return;
	timer->masked = false;
	trm_error_destroy(remote_set_mask(thread->tid, timer->mask));
	spans_forget_mask(session, thread);
}

/* Returns whether the signal's handler may be another one after a call. */
static bool changes_handler(uint64_t number)
{
	return number == SYS_rt_sigaction || number == SYS_execve ||
	       number == SYS_execveat;
}

bool fast_timers_see_call(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;

	if (!thread->timer.until ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    (int64_t)registers.rax != -ENOSYS ||
	    registers.orig_rax == SYS_rt_sigreturn || /* not a call of the program's
							 own */
	    starts_timer(thread, &registers))
		return false;
	if (is_too_late(thread, &thread->timer.late, &registers)) {
		fast_timers_forget(session, thread);
		return false;
	}
	send_signal(session, thread);
	if (!changes_handler(registers.orig_rax))
		return false;
	thread_put_off_call(thread, &registers);
	thread_resume(session, thread, 0);
	return true;
}

/* Returns the nanoseconds for which the signal is still put off. */
static uint64_t time_left(const struct thread *thread, uint64_t now)
{
	const struct timer_signals *timer = &thread->timer;
	uint64_t ran;

	if (timer->until > now)
		return timer->until - now;
	if (!timer->run || now - timer->since > LATEST_NS)
		return 0;
	ran = remote_ran_ns(thread->tid) - timer->run;
	return ran < RUN_NS ? RUN_NS - ran : 0;
}

uint64_t fast_timers_act(struct session *session)
{
	uint64_t next = UINT64_MAX, now;

	if (!session->late_signals)
		return next;
	now = clock_now_ns();
	vector_for_each (&session->all_threads, item) {
		struct timer_signals *timer = &(*item)->timer;
		uint64_t left = timer->until ? time_left(*item, now) : UINT64_MAX;

		if (!left) {
			send_signal(session, *item);
			/* The stop ends the blocking. */
			if (timer->masked)
				thread_ask_to_stop(*item);
			continue;
		}
		if (timer->until)
			timer->until = now + left;
		next = left < next ? left : next;
	}
	return next;
}

void fast_timers_let_go(struct session *session, struct thread *thread)
{
	if (thread->timer.until)
		send_signal(session, thread);
	fast_timers_forget(session, thread);
}
