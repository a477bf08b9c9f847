/* Programs with upcalls that fork, filter their system calls, defer, and have several
 * kinds of events: a word each, as in work.c. */
#include "must.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile uint64_t upcalls_so_far;

static void count(struct trm_upcall *upcall)
{
	(void)upcall;
	__atomic_add_fetch(&upcalls_so_far, 1, __ATOMIC_RELAXED);
}

static void expect_end(pid_t child)
{
	int status;

	must(child > 0 && waitpid(child, &status, 0) == child);
	must(WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

static void *count_in_thread(void *argument)
{
	compute_until(&upcalls_so_far, upcalls_so_far + 10);
	return argument;
}

/* Children have none, unless that is asked for; then in all their threads. */
static void forks(void)
{
	struct trm_upcall_options options = usual_options(count);
	trm_upcall_id quiet = enable(&options), loud;
	pid_t child;

	compute_until(&upcalls_so_far, 10);
	for (int i = 0; i < 10; i++) {
		child = fork();
		if (!child) {
			upcalls_so_far = 0;
			compute_ms(10);
			must(!upcalls_so_far && !statistics_of(quiet).interrupts);
			_exit(5);
		}
		expect_end(child);
	}
	must(trm_upcall_disable(quiet));
	options.flags = TRM_UPCALL_FOLLOW_FORK;
	loud = enable(&options);
	for (int i = 0; i < 10; i++) {
		child = fork();
		if (!child) {
			pthread_t thread;
			pid_t grandchild;

			upcalls_so_far = 0;
			compute_until(&upcalls_so_far, 10);
			must(statistics_of(loud).threads == 1);
			must(statistics_of(loud).interrupts >= 10);
			must(!pthread_create(&thread, NULL, count_in_thread, NULL));
			must(!pthread_join(thread, NULL));
			grandchild = fork();
			if (!grandchild) {
				compute_until(&upcalls_so_far, upcalls_so_far + 5);
				_exit(5);
			}
			expect_end(grandchild);
			must(trm_upcall_disable(loud));
			_exit(5);
		}
		expect_end(child);
	}
	compute_until(&upcalls_so_far, upcalls_so_far + 10);
}

/* Children that nothing tells of: by the system call, and such as share memory. */
static void children(void)
{
	struct trm_upcall_options options = usual_options(count);
	char *const words[] = {
		(char *)"sh", (char *)"-c",
		(char *)"i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; exit 5", NULL};
	trm_upcall_id id;
	pid_t child;

	options.flags = TRM_UPCALL_FOLLOW_FORK;
	id = enable(&options);
	for (int i = 0; i < 5; i++) {
		child = (pid_t)syscall(SYS_fork);
		if (!child) {
			for (volatile int j = 0; j < 10000000; j++)
				;
			must(statistics_of(id).threads == 1);
			compute_until(&upcalls_so_far, upcalls_so_far + 5);
			syscall(SYS_exit_group, 5);
		}
		compute_ms(2);
		expect_end(child);
		must(!posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ));
		compute_ms(2);
		expect_end(child);
		child = vfork();
		if (!child) {
			execv("/bin/sh", words);
			_exit(1);
		}
		compute_ms(2);
		expect_end(child);
	}
	compute_until(&upcalls_so_far, upcalls_so_far + 10);
	must(statistics_of(id).threads == 1 && !statistics_of(id).trouble);
}

static volatile int forked;

static void fork_here(struct trm_upcall *upcall)
{
	upcalls_so_far++;
	if (upcalls_so_far % 4 || forked >= 8)
		return;
	forked++;
	pid_t child = fork();
	if (!child)
		forked = 1000; /* and the child goes on where the upcall was */
	else if (child > 0)
		expect_end(child);
	(void)upcall;
}

static void fork_in_upcall(void)
{
	for (int follow = 0; follow < 2; follow++) {
		struct trm_upcall_options options = usual_options(fork_here);
		trm_upcall_id id;

		forked = 0;
		options.flags = follow ? TRM_UPCALL_FOLLOW_FORK : 0;
		id = enable(&options);
		while (forked < 8)
			compute_ms(1);
		if (forked >= 1000) {
			if (follow)
				compute_until(&upcalls_so_far, upcalls_so_far + 5);
			must(trm_upcall_disable(id));
			_exit(5);
		}
		must(trm_upcall_disable(id));
	}
}

/* A filter that kills for what a signal's handler must do. */
static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	struct trm_upcall_options options = usual_options(count);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id = enable(&options);

	compute_until(&upcalls_so_far, 10);
	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	statistics = statistics_of(id);
	must(!statistics.trouble);
	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
	for (volatile int i = 0; i < 100000000; i++)
		;
	must(write(1, "done\n", 5) == 5);
	syscall(SYS_exit_group, 0);
}

/* -- Deferred calls ---------------------------------------------------------------------
 */

static volatile uint64_t deferred_so_far;

static void call_later(void *data)
{
	char *memory = (char *)malloc(1000);

	must(*(int *)data == 9);
	must(snprintf(memory, 1000, "%d %f", *(int *)data, 1.5) == 10);
	free(memory);
	deferred_so_far++;
}

static int nine = 9;

static void defer_one(struct trm_upcall *upcall)
{
	(void)upcall;
	upcalls_so_far++;
	trm_upcall_defer(call_later, &nine);
	must(!trm_upcall_run_deferred());
}

static int by_value(const void *one, const void *other)
{
	int first = *(const int *)one, second = *(const int *)other;

	return (first > second) - (first < second);
}

/* Mostly in malloc and qsort. */
static void *allocate(void *unused)
{
	void *kept[100] = {NULL};
	int numbers[1000];

	while (deferred_so_far < 300)
		for (unsigned i = 0; i < 20000; i++) {
			unsigned at = i * 2654435761u % 100;

			free(kept[at]);
			kept[at] = malloc(at * 137 + i % 5000);
			must(kept[at]);
			memset(kept[at], 1, at + 1);
			for (unsigned j = 0; i % 100 == 0 && j < 1000; j++)
				numbers[j] = (int)(j * 2654435761u);
			if (i % 100 == 0)
				qsort(numbers, 1000, sizeof(int), by_value);
		}
	for (int i = 0; i < 100; i++)
		free(kept[i]);
	return unused;
}

static void deferred(void)
{
	struct trm_upcall_options options = usual_options(defer_one);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id = enable(&options);
	pthread_t thread;

	must(!pthread_create(&thread, NULL, allocate, NULL));
	allocate(NULL);
	must(!pthread_join(thread, NULL));
	must(trm_upcall_disable(id));
	trm_upcall_run_deferred();
	id = enable(&options);
	statistics = statistics_of(id);
	must(statistics.deferred == statistics.deferred_run);
	must(statistics.deferred_run == deferred_so_far && deferred_so_far >= 300);
	must(statistics.deferred + statistics.deferred_lost >= upcalls_so_far);
}

/* -- Events -----------------------------------------------------------------------------
 */

enum { FAULT_PAGES = 400 };
static volatile uint64_t of_event[4];

static void count_event(struct trm_upcall *upcall)
{
	of_event[upcall->event] += upcall->interrupts;
}

static void events(void)
{
	const struct trm_upcall_event wanted[] = {
		{"page-faults", 1}, {"cpu-clock", period_ns()}, {"context-switches", 2}};
	struct trm_upcall_options options = usual_options(count_event);
	struct trm_upcall_statistics statistics;
	const struct timespec moment = {0, 100000};
	trm_upcall_id id;
	char *memory;

	options.events = wanted;
	options.event_count = 3;
	if (trm_upcall_enable(&options, &id)) {
		options.event_count = 2; /* the kernel is not to be looked at */
		id = enable(&options);
	}
	memory = mmap(NULL, FAULT_PAGES * 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	must(memory != MAP_FAILED);
	must(!madvise(memory, FAULT_PAGES * 4096, MADV_NOHUGEPAGE));
	for (int i = 0; i < FAULT_PAGES; i++)
		memory[i * 4096] = 1;
	must(of_event[0] >= FAULT_PAGES && of_event[0] < FAULT_PAGES + 200);
	compute_until(&of_event[1], of_event[1] + 20);
	for (int i = 0; i < 50; i++)
		must(!nanosleep(&moment, NULL));
	compute_until(&of_event[1], of_event[1] + 20);
	statistics = statistics_of(id);
	must(options.event_count == 2 || of_event[2] >= 24);
	must(statistics.events[0].interrupts >= FAULT_PAGES);
}

/* Without a clock of its own, at which they would be told. */
static void switches(void)
{
	static const struct trm_upcall_event wanted = {"context-switches", 1};
	struct trm_upcall_options options = usual_options(count_event);
	const struct timespec moment = {0, 100000};
	trm_upcall_id id;

	options.events = &wanted;
	id = enable(&options);
	for (int i = 0; i < 50; i++)
		must(!nanosleep(&moment, NULL));
	compute_until(&of_event[0], 50);
	must(statistics_of(id).interrupts >= 50);
}

static void timers(void)
{
	struct trm_upcall_options options = usual_options(count);
	struct trm_upcall_statistics statistics;
	trm_upcall_id id;

	options.flags = TRM_UPCALL_TIMERS;
	id = enable(&options);
	compute_until(&upcalls_so_far, 20);
	statistics = statistics_of(id);
	must(!strcmp(statistics.events[0].source, "timer"));
	/* The kernel's ticks are longer than this period. */
	must(statistics.interrupts > statistics.upcalls);
	must(statistics.interrupts ==
	     statistics.upcalls + statistics.lost + statistics.skipped_nested);
}

static const struct {
	const char *word;
	void (*run)(void);
} tests[] = {
	{"forks", forks},
	{"children", children},
	{"fork_in_upcall", fork_in_upcall},
	{"filter", filter},
	{"deferred", deferred},
	{"events", events},
	{"switches", switches},
	{"timers", timers},
	{NULL, NULL},
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
