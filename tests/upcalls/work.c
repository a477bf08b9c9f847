/* Programs with upcalls, a word each: `work WORD`. Each checks itself, and prints "done".
 * Status 77: upcalls cannot be had here. */
#include "must.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static volatile uint64_t upcalls_so_far, others_so_far;

static void count(struct trm_upcall *upcall)
{
	(void)upcall;
	__atomic_add_fetch(&upcalls_so_far, 1, __ATOMIC_RELAXED);
}

static void count_other(struct trm_upcall *upcall)
{
	must(*(int *)upcall->data == 7);
	__atomic_add_fetch(&others_so_far, 1, __ATOMIC_RELAXED);
}

/* -- Which, where, how often ------------------------------------------------------------
 */

extern char spin_begin[], spin_end[];
void spin(const volatile uint64_t *number, uint64_t reached);
__asm__(".text\n.type spin, @function\nspin:\nspin_begin:\n"
	"1:\tcmp %rsi, (%rdi)\n\tjb 1b\n\tret\nspin_end:\n.size spin, .-spin\n");

static volatile uint64_t inside_spin, interrupts_told;

static void look(struct trm_upcall *upcall)
{
	must(upcall->size == sizeof(*upcall) && upcall->event == 0 && upcall->depth == 0);
	must(!strcmp(upcall->name, "cpu-clock"));
	must(upcall->interrupts >= 1);
	interrupts_told += upcall->interrupts;
	must(upcall->pc == (uint64_t)upcall->context->uc_mcontext.gregs[REG_RIP]);
	must(upcall->thread == (uint32_t)gettid());
	inside_spin +=
		upcall->pc >= (uintptr_t)spin_begin && upcall->pc < (uintptr_t)spin_end;
	upcalls_so_far++;
}

static void every(void)
{
	struct trm_upcall_options options = usual_options(look);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id;

	options.every = 3;
	id = enable(&options);
	spin(&upcalls_so_far, 200);
	statistics = statistics_of(id);
	must(inside_spin >= 150);
	must(statistics.upcalls >= 200 && statistics.upcalls <= upcalls_so_far);
	must(statistics.threads == 1 && statistics.interrupts >= 3 * statistics.upcalls);
	must(interrupts_told >= 3 * 200 - 2);
	must(statistics.interrupts / 3 ==
	     statistics.upcalls + statistics.lost + statistics.skipped_nested);
	must(!statistics.trouble && statistics.handler_ns > 0 &&
	     statistics.event_count == 1);
	must(!statistics.threads_missed && !statistics.left);
	must(statistics.events[0].upcalls == statistics.upcalls);
	must(statistics.events[0].interrupts == statistics.interrupts);
	must(!strcmp(statistics.events[0].name, "cpu-clock") &&
	     statistics.events[0].period == period_ns());
	must(trm_upcall_disable(id) && !trm_upcall_disable(id));
	must(!trm_upcall_statistics(id, &statistics));
	upcalls_so_far = 0;
	compute_ms(20);
	must(!upcalls_so_far);
}

static uint32_t disabled;

static void leave_disabled(struct trm_upcall *upcall)
{
	(void)upcall;
	must(disabled == 1);
	upcalls_so_far++;
}

static void clear_flag(struct trm_upcall *upcall)
{
	(void)upcall;
	must(disabled == 1);
	disabled = 0;
	upcalls_so_far++;
}

static void flag(void)
{
	struct trm_upcall_options options = usual_options(leave_disabled);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id;

	options.disable = &disabled;
	id = enable(&options);
	compute_until(&upcalls_so_far, 1);
	compute_ms(30);
	must(upcalls_so_far == 1 && disabled == 1);
	statistics = statistics_of(id);
	must(statistics.skipped_disabled > 10 && statistics.upcalls == 1);
	disabled = 0;
	compute_until(&upcalls_so_far, 2);
	must(trm_upcall_disable(id));
	disabled = 0;
	options.handler = clear_flag;
	enable(&options);
	compute_until(&upcalls_so_far, 100);
}

static void refused(void)
{
	static const struct trm_upcall_event wrong[] = {{"no-such-event", 0}},
					     short_one[] = {{"cpu-clock", 5}};
	struct trm_upcall_options options = usual_options(count);
	trm_upcall_id ids[TRM_UPCALL_USERS_MAX];

	options.size = 3;
	must(strstr(trm_upcall_enable(&options, NULL), "size"));
	options = usual_options(NULL);
	must(strstr(trm_upcall_enable(&options, NULL), "handler"));
	options = usual_options(count);
	options.flags = 1u << 30;
	must(strstr(trm_upcall_enable(&options, NULL), "flag"));
	options = usual_options(count);
	options.events = wrong;
	must(trm_upcall_enable(&options, NULL));
	options.events = short_one;
	must(strstr(trm_upcall_enable(&options, NULL), "10000"));
	options = usual_options(count);
	options.event_count = TRM_UPCALL_EVENTS_MAX + 1;
	must(strstr(trm_upcall_enable(&options, NULL), "events"));
	options = usual_options(count);
	for (int i = 0; i < TRM_UPCALL_USERS_MAX; i++)
		ids[i] = enable(&options);
	must(strstr(trm_upcall_enable(&options, NULL), "USERS_MAX"));
	for (int i = 0; i < TRM_UPCALL_USERS_MAX; i++)
		must(trm_upcall_disable(ids[i]));
	must(!trm_upcall_disable(0) && !trm_upcall_disable(99));
	enable(&options);
	compute_until(&upcalls_so_far, 10);
}

static void several(void)
{
	static int seven = 7;
	struct trm_upcall_options options = usual_options(count), other;
	trm_upcall_id first = enable(&options), second;

	other = usual_options(count_other);
	other.data = &seven;
	other.every = 4;
	second = enable(&other);
	compute_until(&others_so_far, 50);
	must(upcalls_so_far > others_so_far);
	must(trm_upcall_disable(first));
	upcalls_so_far = 0;
	compute_until(&others_so_far, 100);
	must(!upcalls_so_far);
	must(statistics_of(second).upcalls >= 100);
	must(statistics_of(second).upcalls <= others_so_far);
}

static trm_upcall_id own_id;

static void end_itself(struct trm_upcall *upcall)
{
	(void)upcall;
	if (own_id && ++upcalls_so_far == 5)
		must(trm_upcall_disable(own_id));
	must(upcalls_so_far <= 5);
}

static void disabling(void)
{
	struct trm_upcall_options options = usual_options(end_itself);

	own_id = enable(&options);
	compute_until(&upcalls_so_far, 5);
	compute_ms(20);
	must(upcalls_so_far == 5);
}

/* -- Machine state ----------------------------------------------------------------------
 */

/* Returns when a handler has set rbx to 1, or ymm9 to another value than it was. */
long wait_registers(void);
long wait_vector(const void *value);
extern char wait_registers_begin[], wait_registers_end[];
extern char wait_vector_begin[], wait_vector_end[];
__asm__(".text\n.type wait_registers, @function\nwait_registers:\n"
	"\tpush %rbx\n\txor %ebx, %ebx\nwait_registers_begin:\n"
	"1:\ttest %rbx, %rbx\n\tje 1b\nwait_registers_end:\n"
	"\tmov %rbx, %rax\n\tpop %rbx\n\tret\n.size wait_registers, .-wait_registers\n"
	".type wait_vector, @function\nwait_vector:\n\tmovdqu (%rdi), %xmm9\n"
	"wait_vector_begin:\n"
	"1:\tmovq %xmm9, %rax\n\tcmp (%rdi), %rax\n\tje 1b\nwait_vector_end:\n"
	"\tret\n.size wait_vector, .-wait_vector\n");

static const uint64_t pattern[4] = {0x1122334455667788, 0x99aabbccddeeff00, 5, 6};
static const uint64_t other_pattern[4] = {42, 43, 44, 45};

static void change(struct trm_upcall *upcall)
{
	greg_t *registers = upcall->context->uc_mcontext.gregs;
	uint64_t value[4] = {0};

	if (upcall->pc >= (uintptr_t)wait_registers_begin &&
	    upcall->pc < (uintptr_t)wait_registers_end) {
		/* A second one may come before the next instruction. */
		must(!registers[REG_RBX] || registers[REG_RBX] == 77);
		registers[REG_RBX] = 77;
	}
	if (upcall->pc < (uintptr_t)wait_vector_begin ||
	    upcall->pc >= (uintptr_t)wait_vector_end)
		return;
	must(trm_upcall_read_vector(upcall, 9, value, 16));
	must(!memcmp(value, pattern, 16) || !memcmp(value, other_pattern, 16));
	must(!trm_upcall_read_vector(upcall, 32, value, 16));
	must(!trm_upcall_read_vector(upcall, 0, value, 17));
	if (trm_upcall_write_vector(upcall, 9, other_pattern, 32)) {
		must(trm_upcall_read_vector(upcall, 9, value, 32));
		must(!memcmp(value, other_pattern, 32));
	} else {
		must(trm_upcall_write_vector(upcall, 9, other_pattern, 16));
	}
}

static void state(void)
{
	struct trm_upcall_options options = usual_options(change);

	enable(&options);
	for (int i = 0; i < 20; i++) {
		must(wait_registers() == 77);
		must(wait_vector(pattern) == 42);
	}
}

/* -- Threads ----------------------------------------------------------------------------
 */

enum { THREADS = 6, THREADS_MAX = 64 };
static volatile uint64_t of_thread[THREADS_MAX];
static uint32_t numbers[THREADS_MAX];

static void count_thread(struct trm_upcall *upcall)
{
	for (int i = 0; i < THREADS_MAX; i++)
		if (__atomic_load_n(&numbers[i], __ATOMIC_RELAXED) == upcall->thread)
			of_thread[i]++;
}

static void *run_thread(void *argument)
{
	int number = (int)(intptr_t)argument;
	sigset_t all;

	/* As those do that leave signals to one thread. */
	sigfillset(&all);
	if (number % 2)
		must(!pthread_sigmask(SIG_BLOCK, &all, NULL));
	__atomic_store_n(&numbers[number], (uint32_t)gettid(), __ATOMIC_RELAXED);
	compute_until(&of_thread[number], 20);
	return argument;
}

static int run_plain_thread(void *argument)
{
	run_thread(argument);
	return 3;
}

static int raw_done;

static int run_raw(void *argument)
{
	int number = (int)(intptr_t)argument;

	__atomic_store_n(&numbers[number], (uint32_t)syscall(SYS_gettid),
			 __ATOMIC_RELAXED);
	while (of_thread[number] < 20)
		;
	__atomic_store_n(&raw_done, 1, __ATOMIC_RELEASE);
	syscall(SYS_exit, 0);
	return 0;
}

/* By the system call itself, which no library sees. */
static void clone_raw(char *stack_end, int number)
{
	unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			      CLONE_THREAD | CLONE_SYSVSEM;
	void **top = (void **)(void *)stack_end;

	*--top = (void *)(intptr_t)number;
	*--top = (void *)run_raw;
	__asm__ volatile("mov %0, %%rdi\n\tmov %1, %%rsi\n\txor %%edx, %%edx\n"
			 "\txor %%r10d, %%r10d\n\txor %%r8d, %%r8d\n\tmov $56, %%eax\n"
			 "\tsyscall\n\ttest %%rax, %%rax\n\tjnz 1f\n"
			 "\tpop %%rax\n\tpop %%rdi\n\tcall *%%rax\n1:\n"
			 :
			 : "r"(flags), "r"(top)
			 : "rax", "rdi", "rsi", "rdx", "r10", "r8", "rcx", "r11",
			   "memory");
}

static void threads(void)
{
	struct trm_upcall_options options = usual_options(count_thread);
	pthread_t before, later[THREADS];
	thrd_t plain;
	trm_upcall_id id;
	int result;

	must(!pthread_create(&before, NULL, run_thread, (void *)(intptr_t)0));
	id = enable(&options);
	for (intptr_t i = 0; i < THREADS; i++)
		must(!pthread_create(&later[i], NULL, run_thread, (void *)(i + 1)));
	must(thrd_create(&plain, run_plain_thread, (void *)(intptr_t)10) == thrd_success);
	for (int i = 0; i < THREADS; i++)
		must(!pthread_join(later[i], NULL));
	must(!pthread_join(before, NULL));
	must(thrd_join(plain, &result) == thrd_success && result == 3);
	must(statistics_of(id).threads == 1 && !statistics_of(id).threads_missed);
	/* Threads that come and go leave nothing. */
	for (intptr_t i = 0; i < 20; i++) {
		must(!pthread_create(&before, NULL, run_thread, (void *)(20 + i % 2)));
		must(!pthread_join(before, NULL));
		of_thread[20 + i % 2] = 0;
	}
	must(statistics_of(id).threads == 1 && !statistics_of(id).trouble);
}

static char raw_stack[1 << 18] __attribute__((aligned(16)));

static void raw_threads(void)
{
	struct trm_upcall_options options = usual_options(count_thread);

	enable(&options);
	numbers[0] = (uint32_t)gettid();
	must(clone(run_raw, raw_stack + sizeof(raw_stack) / 2,
		   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			   CLONE_SYSVSEM,
		   (void *)(intptr_t)1) > 0);
	while (!__atomic_load_n(&raw_done, __ATOMIC_ACQUIRE))
		compute_ms(1);
	raw_done = 0;
	clone_raw(raw_stack + sizeof(raw_stack), 2);
	while (!__atomic_load_n(&raw_done, __ATOMIC_ACQUIRE))
		compute_ms(1);
}

/* -- Jumps ------------------------------------------------------------------------------
 */

static jmp_buf plain_target;
static sigjmp_buf saved_target;
static int which_jump;
static volatile int may_jump;

static void jump(struct trm_upcall *upcall)
{
	jmp_buf inner;

	(void)upcall;
	must(disabled == 1);
	upcalls_so_far++;
	if (!setjmp(inner)) /* one that stays within */
		longjmp(inner, 1);
	if (!may_jump) {
		disabled = 0;
		return;
	}
	may_jump = 0;
	if (which_jump == 0)
		longjmp(plain_target, 1);
	if (which_jump == 1)
		_longjmp(plain_target, 1);
	siglongjmp(saved_target, 1);
}

static void jump_from_many(uint32_t flags)
{
	struct trm_upcall_options options = usual_options(jump);
	volatile int jumps = 0;
	sigset_t now;
	trm_upcall_id id;

	options.disable = &disabled;
	options.flags = flags;
	id = enable(&options);
	for (int i = 0; i < 300; i++) {
		which_jump = i % 3;
		if (which_jump == 2 ? sigsetjmp(saved_target, 1) : setjmp(plain_target)) {
			jumps++;
			must(!disabled);
			must(!sigprocmask(SIG_BLOCK, NULL, &now));
			for (int number = 1; number < 64; number++)
				must(sigismember(&now, number) != 1);
			continue;
		}
		may_jump = 1;
		compute_until(&upcalls_so_far, UINT64_MAX);
	}
	may_jump = 0;
	must(jumps == 300 && statistics_of(id).left == 300);
	upcalls_so_far = 0;
	compute_until(&upcalls_so_far, 20);
	must(trm_upcall_disable(id));
}

static void jumps(void)
{
	jump_from_many(0);
	jump_from_many(TRM_UPCALL_SIGNAL_STACK);
	jump_from_many(TRM_UPCALL_NESTED);
}

/* -- Nesting ----------------------------------------------------------------------------
 */

static volatile uint64_t deepest;

static void nest(struct trm_upcall *upcall)
{
	upcalls_so_far++;
	if (upcall->depth > deepest)
		deepest = upcall->depth;
	if (upcall->depth < 3)
		compute_ms(2);
}

static void nested(void)
{
	struct trm_upcall_options options = usual_options(nest);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id = enable(&options);

	compute_until(&upcalls_so_far, 30);
	must(!deepest);
	statistics = statistics_of(id);
	must(statistics.skipped_nested > 100 && statistics.lost < 30);
	must(trm_upcall_disable(id));
	options.flags = TRM_UPCALL_NESTED;
	id = enable(&options);
	compute_until(&deepest, 3);
	must(trm_upcall_disable(id));
	must(deepest == 3);
}

/* -- Signals of the program -------------------------------------------------------------
 */

static volatile uint64_t own_signals, faults, upcalls_in_handler;
static volatile int handler_runs;
static char alternate[1 << 16];

static void on_user(int signal)
{
	own_signals++;
	handler_runs = 1;
	(void)signal;
	compute_until(&upcalls_in_handler, own_signals * 3);
	handler_runs = 0;
}

/* Goes on behind the instruction `mov (%rax), %al`, which is two bytes long. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	volatile char much[4096];

	(void)signal;
	(void)info;
	for (size_t i = 0; i < sizeof(much); i++)
		much[i] = 0x5a;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
	faults++;
}

static void fault_in_upcall(struct trm_upcall *upcall)
{
	uintptr_t pc = upcall->pc;

	if (handler_runs)
		upcalls_in_handler++;
	__asm__ volatile("xor %%eax, %%eax\n\tmovb (%%rax), %%al" : : : "rax", "memory");
	must(upcall->pc == pc &&
	     (uintptr_t)upcall->context->uc_mcontext.gregs[REG_RIP] == pc);
	upcalls_so_far++;
}

static void signals_with(uint32_t flags, int on_stack)
{
	struct trm_upcall_options options = usual_options(fault_in_upcall);
	struct sigaction action = {.sa_flags = on_stack};
	const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	stack_t after;
	trm_upcall_id id;

	must(!sigaltstack(&stack, NULL));
	action.sa_handler = on_user;
	must(!sigaction(SIGUSR1, &action, NULL));
	action.sa_flags = SA_SIGINFO | on_stack;
	action.sa_sigaction = on_fault;
	must(!sigaction(SIGSEGV, &action, NULL));
	own_signals = upcalls_in_handler = faults = upcalls_so_far = 0;
	options.flags = flags;
	id = enable(&options);
	for (int i = 0; i < 20; i++) {
		must(!raise(SIGUSR1));
		compute_until(&upcalls_so_far, upcalls_so_far + 2);
	}
	must(own_signals == 20 && faults == upcalls_so_far);
	must(!sigaltstack(NULL, &after));
	must(after.ss_sp == alternate && after.ss_size == sizeof(alternate) &&
	     !after.ss_flags);
	must(trm_upcall_disable(id));
}

static void signals(void)
{
	signals_with(0, 0);
	signals_with(0, SA_ONSTACK);
	signals_with(TRM_UPCALL_SIGNAL_STACK, SA_ONSTACK);
}

static volatile int stack_faults;

static void on_stack_fault(int signal, siginfo_t *info, void *context)
{
	stack_faults += signal == SIGSTKFLT && info->si_pid == getpid() && context;
}

/* The library's signal stays the program's, too. */
static void own_signal(void)
{
	struct trm_upcall_options options = usual_options(count);
	struct sigaction action = {.sa_flags = SA_SIGINFO}, old;
	sigset_t all, now;
	pid_t child;
	int status;

	action.sa_sigaction = on_stack_fault;
	must(!sigaction(SIGSTKFLT, &action, NULL));
	enable(&options);
	compute_until(&upcalls_so_far, 10);
	must(!raise(SIGSTKFLT) && stack_faults == 1);
	must(signal(SIGSTKFLT, SIG_IGN) == (void (*)(int))(void *)on_stack_fault);
	must(!raise(SIGSTKFLT) && stack_faults == 1);
	must(!sigaction(SIGSTKFLT, &action, &old) && old.sa_handler == SIG_IGN);
	compute_until(&upcalls_so_far, 20);
	/* Blocked, as the program sees it. */
	sigfillset(&all);
	must(!sigprocmask(SIG_BLOCK, &all, NULL) && !sigprocmask(SIG_BLOCK, NULL, &now));
	must(sigismember(&now, SIGSTKFLT) == 1);
	compute_until(&upcalls_so_far, upcalls_so_far + 10);
	must(!sigprocmask(SIG_UNBLOCK, &all, &now) && sigismember(&now, SIGSTKFLT) == 1);
	must(!sigprocmask(SIG_BLOCK, NULL, &now) && sigismember(&now, SIGSTKFLT) == 0);
	must(signal(SIGSTKFLT, SIG_DFL) == (void (*)(int))(void *)on_stack_fault);
	compute_until(&upcalls_so_far, upcalls_so_far + 10);
	child = fork();
	if (!child) {
		raise(SIGSTKFLT);
		_exit(0);
	}
	must(waitpid(child, &status, 0) == child);
	must(WIFSIGNALED(status) && WTERMSIG(status) == SIGSTKFLT);
}

/* Replaced where no library sees it: said, and nothing happens. */
static void replaced(void)
{
	struct trm_upcall_options options = usual_options(count);
	const uint64_t ignore[4] = {(uintptr_t)SIG_IGN};
	trm_upcall_id id = enable(&options);

	compute_until(&upcalls_so_far, 10);
	must(!statistics_of(id).trouble);
	must(!syscall(SYS_rt_sigaction, SIGSTKFLT, ignore, NULL, 8));
	upcalls_so_far = 0;
	compute_ms(20);
	must(!upcalls_so_far && strstr(statistics_of(id).trouble, "another handler"));
}

/* Blocked where no library sees it: interrupts wait, and none is lost. */
static void blocked(void)
{
	struct trm_upcall_options options = usual_options(count);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id = enable(&options);
	uint64_t all = ~0ull, none = 0, upcalls, interrupts;

	compute_until(&upcalls_so_far, 10);
	must(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8));
	interrupts = statistics_of(id).interrupts;
	upcalls = upcalls_so_far;
	compute_ms(100);
	statistics = statistics_of(id);
	must(statistics.waiting > 100 && upcalls_so_far == upcalls);
	must(!syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, 8));
	compute_until(&upcalls_so_far, upcalls + 1);
	interrupts = statistics_of(id).interrupts - interrupts;
	must(interrupts >= statistics.waiting);
	statistics = statistics_of(id);
	must(statistics.lost > 90);
	must(statistics.interrupts ==
	     statistics.upcalls + statistics.lost + statistics.skipped_nested);
}

/* -- System calls -----------------------------------------------------------------------
 */

static void calls(void)
{
	struct trm_upcall_options options = usual_options(count);
	struct pollfd nothing = {.fd = -1};
	int queue = epoll_create1(0), pipes[2];
	struct epoll_event event;
	sigset_t all, none;
	char byte;

	must(!pipe(pipes));
	sigfillset(&all);
	sigemptyset(&none);
	enable(&options);
	for (int i = 0; i < 300; i++) {
		struct timespec moment = {0, 100000}, other = moment;
		struct timeval short_time = {0, 100};

		for (volatile int j = 0; j < 100000; j++)
			;
		must(!nanosleep(&moment, NULL) && !usleep(100));
		must(!poll(&nothing, 1, 1) && !epoll_wait(queue, &event, 1, 1));
		must(!select(0, NULL, NULL, NULL, &short_time));
		must(write(pipes[1], "x", 1) == 1 && read(pipes[0], &byte, 1) == 1);
		/* As event loops do: blocked but while they wait. */
		must(!sigprocmask(SIG_BLOCK, &all, NULL));
		for (volatile int j = 0; j < 300000; j++)
			;
		must(!ppoll(&nothing, 1, &other, &none));
		must(!sigprocmask(SIG_SETMASK, &none, NULL));
	}
	must(upcalls_so_far > 100);
}

static void descriptors(void)
{
	struct trm_upcall_options options = usual_options(count);
	int first = dup(0);

	must(first >= 0);
	close(first);
	enable(&options);
	compute_until(&upcalls_so_far, 10);
	must(dup(0) == first);
	for (int i = 3; i < 4096; i++)
		close(i);
	compute_until(&upcalls_so_far, 30);
}

static void limits(void)
{
	const struct rlimit none = {0, 0};
	struct trm_upcall_options options = usual_options(count);
	trm_upcall_id id = enable(&options);
	const char *reason;

	must(!setrlimit(RLIMIT_SIGPENDING, &none));
	compute_until(&upcalls_so_far, 20);
	must(trm_upcall_disable(id));
	options.flags = TRM_UPCALL_TIMERS;
	reason = trm_upcall_enable(&options, NULL);
	must(reason && strstr(reason, "timer"));
	options.flags = 0;
	enable(&options);
	compute_until(&upcalls_so_far, 40);
}

static const struct {
	const char *word;
	void (*run)(void);
} tests[] = {
	{"every", every},         {"flag", flag},
	{"refused", refused},     {"several", several},
	{"disabling", disabling}, {"state", state},
	{"threads", threads},     {"raw_threads", raw_threads},
	{"jumps", jumps},         {"nested", nested},
	{"signals", signals},     {"own_signal", own_signal},
	{"replaced", replaced},   {"blocked", blocked},
	{"calls", calls},         {"descriptors", descriptors},
	{"limits", limits},       {NULL, NULL},
};

int main(int count_of_words, char **words)
{
	for (size_t i = 0; count_of_words == 2 && tests[i].word; i++)
		if (!strcmp(tests[i].word, words[1])) {
			tests[i].run();
			puts("done");
			return 0;
		}
	return 2;
}
