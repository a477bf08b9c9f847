/*
 * Programs that annotate themselves, one for each word: `work WORD [NUMBER]`. What they
 * must leave in a profile stands in the tests that run them (the .py files beside).
 */
#include <trammel/annotate.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *self;

/* Regions, loops, and pairs by name and by attribute; 10 steps. */
static void regions(long n)
{
	trm_attribute cells = trm_attribute_create("cells", TRM_TYPE_UINT,
						   TRM_AS_VALUE | TRM_AGGREGATABLE);
	trm_attribute residual = trm_attribute_create("residual", TRM_TYPE_DOUBLE,
						      TRM_AS_VALUE | TRM_AGGREGATABLE);
	trm_attribute delta = trm_attribute_create("delta", TRM_TYPE_INT,
						   TRM_AS_VALUE | TRM_AGGREGATABLE);
	trm_attribute phase = trm_attribute_create("phase", TRM_TYPE_STRING, TRM_NESTED);
	TRM_FUNCTION();

	trm_set("step", 5);
	for (int step = 0; step < n; step++) {
		TRM_LOOP("timestep", step)
		{
			TRM_REGION("solve");
			trm_set(cells, 100u + (unsigned)step);
			trm_set(residual, 0.1 * step);
			trm_set(delta, 5 - step);
			for (int level = 0; level < 3; level++) {
				trm_begin("level", level);
				trm_set(cells, 7u);
				trm_end("level");
			}
		}
		trm_begin(phase, "output");
		trm_end(phase);
	}
}

static void *thread_work(void *number)
{
	TRM_REGION("thread");
	for (int i = 0; i < 3; i++) {
		TRM_REGION("part");
		trm_set("of", (int)(long)number);
	}
	return NULL;
}

static void one_after_the_other(void *(*work)(void *), long n)
{
	for (long i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, (void *)i))
			abort();
		pthread_join(thread, NULL);
	}
}

static void threads(long n)
{
	one_after_the_other(thread_work, n);
}

/* Contexts for several blocks of memory, and for one. */
static void *wide_work(void *number)
{
	for (int i = 0; i < ((long)number % 2 ? 3 : 500); i++) {
		trm_begin("place", i);
		trm_end("place");
	}
	return NULL;
}

static void threads_wide(long n)
{
	one_after_the_other(wide_work, n);
}

/* Eight at a time. */
static void threads_together(long n)
{
	for (long i = 0; i < n; i += 8) {
		pthread_t threads[8];

		for (int k = 0; k < 8; k++)
			if (pthread_create(&threads[k], NULL, thread_work, (void *)i))
				abort();
		for (int k = 0; k < 8; k++)
			pthread_join(threads[k], NULL);
	}
}

static pthread_key_t late_key;

static void late(void *value)
{
	TRM_REGION("late");
	if ((long)value > 1)
		pthread_setspecific(late_key, (void *)((long)value - 1));
}

static void *late_thread(void *unused)
{
	TRM_REGION("thread");
	pthread_setspecific(late_key, (void *)3);
	return unused;
}

/* Destructors of threads annotate, too. */
static void thread_destructors(long n)
{
	pthread_key_create(&late_key, late);
	for (long i = 0; i < n; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, late_thread, NULL);
		pthread_join(thread, NULL);
	}
}

static void child_of(pid_t child)
{
	if (child)
		return;
	{
		TRM_REGION("in child");
		trm_begin("new in child", 1);
		trm_end("new in child");
	}
	exit(3);
}

static void wait_for_children(void)
{
	int status, sum = 0;

	while (wait(&status) > 0)
		sum += WEXITSTATUS(status);
	printf("%d\n", sum);
}

/* Children go on in the context of their parent, which goes on itself before they speak.
 */
static void forks(long n)
{
	trm_begin("outer", "o");
	for (long i = 0; i < n; i++) {
		TRM_REGION("forking");
		fflush(stdout);
		pid_t child = fork();

		if (!child)
			usleep(20000);
		child_of(child);
	}
	/* More than the spool's first pieces: what the children find there is not theirs.
	 */
	for (int i = 0; i < 20000; i++) {
		char name[32];

		sprintf(name, "after %d", i);
		trm_begin("many", name);
		trm_end("many");
	}
	trm_end("outer");
	wait_for_children();
}

static void raw_fork(long n)
{
	(void)n;
	trm_begin("outer", "o");
	child_of((pid_t)syscall(SYS_fork));
	child_of((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	trm_end("outer");
	wait_for_children();
}

/* Without the library seeing it: such a child begins at the root. */
static void raw_fork_inline(long n)
{
	long result = SYS_fork;

	(void)n;
	trm_begin("outer", "o");
	__asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
	child_of((pid_t)result);
	trm_end("outer");
	wait_for_children();
}

/* A child of a child that said nothing; and children that end without a word. */
static void fork_deep(long n)
{
	trm_begin("outer", "o");
	if (!fork()) {
		if (!fork())
			child_of(0);
		wait_for_children();
		exit(4);
	}
	for (long i = 0; i < n; i++)
		if (!fork())
			_exit(5);
	trm_end("outer");
	wait_for_children();
}

static void vforks(long n)
{
	for (long i = 0; i < n; i++) {
		TRM_REGION("vforking");
		char *words[] = {self, "regions", "1", NULL};
		pid_t child = vfork();

		if (!child) {
			execv(self, words);
			_exit(9);
		}
	}
	wait_for_children();
}

static void execs(long n)
{
	char number[32], *words[] = {self, n > 1 ? "execs" : "regions", number, NULL};
	TRM_REGION("before exec");

	sprintf(number, "%ld", n - 1);
	if (n == 1)
		strcpy(number, "2");
	execv(self, words);
}

static void libraries(long n)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s-plugin.so", self);
	for (long i = 0; i < n; i++) {
		TRM_REGION("loading");
		void *library = dlopen(path, RTLD_NOW);
		void (*function)(void) =
			library ? (void (*)(void))(uintptr_t)dlsym(library, "plugin_work")
				: NULL;

		if (!function)
			abort();
		function();
		dlclose(library);
	}
}

/* Handlers annotate while their thread does, with names that are new each time. */
static volatile sig_atomic_t handled;

static void on_timer(int signal)
{
	char name[32];

	(void)signal;
	sprintf(name, "tick %d", (int)handled);
	trm_begin("handler", name);
	trm_end("handler");
	handled++;
}

static void handlers(long n)
{
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	long pairs = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < n) {
		char name[32];

		sprintf(name, "name %ld", pairs++ % 50000);
		trm_begin("main", name);
		trm_end("main");
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld %d\n", pairs, (int)handled);
}

/* A handler leaves by longjmp, also while the thread is inside the library. */
static sigjmp_buf out;

static void on_timer_jump(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

static void *other_thread(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		char name[32];

		sprintf(name, "other %d", i);
		trm_begin("thread", name);
		trm_end("thread");
	}
	return unused;
}

static void handler_jumps(long n)
{
	const struct itimerval soon = {{0, 0}, {0, 300}};
	struct sigaction action = {.sa_handler = on_timer_jump, .sa_flags = SA_NODEFER};
	volatile long jumps = 0;
	volatile long pairs = 0;
	pthread_t thread;

	sigaction(SIGALRM, &action, NULL);
	if (sigsetjmp(out, 1))
		jumps++;
	setitimer(ITIMER_REAL, &soon, NULL);
	while (jumps < n) {
		char name[32];

		sprintf(name, "name %ld", pairs++);
		trm_begin("main", name);
		trm_end("main");
	}
	signal(SIGALRM, SIG_IGN);
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	puts("through");
}

static void mismatches(long n)
{
	for (long i = 0; i < n; i++) {
		trm_begin("a", "one");
		trm_begin("b", "two");
		trm_end("a"); /* b is open */
		trm_end("b"); /* nothing is */
		trm_end("never");
	}
	TRM_REGION("goes on");
	trm_begin("number", 5);
	trm_begin("number", "text");
	trm_end("number");
	trm_end("number");
}

enum { KILLED_THREADS = 48 };
static pthread_barrier_t killed_together;

/* So many that what is said last is before and behind the end of a block of memory. */
static void *say_and_wait(void *number)
{
	for (long i = 0; i < (long)number; i++) {
		trm_begin("said", i % 2);
		if ((long)number % 3 == 0)
			trm_set("value", i);
		trm_end("said");
	}
	trm_begin("last", (long)number);
	pthread_barrier_wait(&killed_together);
	pause();
	return NULL;
}

/* All said all they have to say, and wait. */
static void killed_threads(long n)
{
	pthread_t thread;

	pthread_barrier_init(&killed_together, NULL, KILLED_THREADS + 1);
	for (long i = 0; i < KILLED_THREADS; i++)
		if (pthread_create(&thread, NULL, say_and_wait, (void *)(i + n)))
			abort();
	pthread_barrier_wait(&killed_together);
	kill(getpid(), SIGKILL);
}

/* Somebody kills it. */
static void endless(long n)
{
	(void)n;
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 100000; i++) {
		char name[32];
		TRM_LOOP("step", i)
		{
			sprintf(name, "name %d", i % 5000);
			trm_begin("inner", name);
			trm_set("value", i);
			trm_end("inner");
		}
	}
	pause();
}

/* The child outlives the first process, and says more by then. */
static void lives_on(long n)
{
	int null = open("/dev/null", O_RDWR);

	TRM_REGION("first");
	if (fork())
		return;
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	usleep(300000);
	for (long i = 0; i < n; i++) {
		TRM_REGION("later");
	}
	_exit(0);
}

/* Longer than an event has room for: 2^32 ticks of the time-stamp counter. */
static void waits(long n)
{
	TRM_REGION("around");
	for (long i = 0; i < n; i++) {
		{
			TRM_REGION("waiting");
			usleep(2600000);
		}
		trm_set("waited", i);
		TRM_REGION("behind");
	}
}

static void ends(long n)
{
	TRM_REGION("before the end");
	{
		TRM_REGION("done");
	}
	if (n == 1)
		_exit(4);
	if (n == 2)
		abort();
	if (n == 3)
		raise(SIGKILL);
	if (n == 4)
		exit(5);
	raise(SIGSEGV);
}

/* Values that other values are open in. */
static void changes(long n)
{
	trm_attribute rank = trm_attribute_create("rank", TRM_TYPE_INT, TRM_NESTED);
	trm_attribute mode = trm_attribute_create("mode", TRM_TYPE_STRING, 0);

	for (long i = 0; i < n; i++) {
		trm_set(rank, (int)i % 3);
		TRM_REGION("inside");
		trm_begin(mode, "fast");
		for (int depth = 0; depth < 100; depth++)
			trm_begin("deep", depth);
		trm_set(rank, 7);
		trm_end(mode); /* is not nested: may cross */
		for (int depth = 0; depth < 100; depth++)
			trm_end("deep");
		trm_set(rank, (int)i % 3);
	}
	trm_end(rank);
}

static void attributes(long n)
{
	for (int round = 0; round < 3; round++)
		for (long i = 0; i < n; i++) {
			char name[32];

			sprintf(name, "attribute %ld", i);
			trm_begin(name, 1);
			trm_end(name);
		}
}

static void contexts(long n)
{
	TRM_REGION("all");
	for (int round = 0; round < 2; round++)
		for (long i = 0; i < n; i++) {
			trm_begin("number", i);
			trm_end("number");
		}
}

/* Texts that change where they lie, and lie in several places. */
static void places(long n)
{
	char texts[3][32];

	for (long i = 0; i < 2 * n; i++) {
		char *text = texts[i % 3];

		snprintf(text, sizeof(texts[0]), "name %ld", i % n);
		trm_begin("text", text);
		trm_end("text");
		trm_begin("text", text);
		trm_begin("text", "inner");
		trm_end("text");
		trm_end("text");
	}
}

static void strings(long n)
{
	char *text = malloc(1000001);

	(void)n;
	trm_begin("text", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \"quoted\"\t\\");
	trm_end("text");
	trm_begin("\xc3\xb6\xe2\x86\x92", "");
	trm_end("\xc3\xb6\xe2\x86\x92");
	for (int size = 10; size <= 1000000; size *= 10) {
		memset(text, 'x', (size_t)size);
		text[size] = '\0';
		trm_begin("text", text);
		trm_end("text");
	}
	free(text);
	const double doubles[] = {0.1, 1e300, -5e-324, 3.141592653589793, 1.0 / 3};

	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
		trm_begin("double", doubles[i]);
		trm_end("double");
	}
	trm_begin("int", (long)-9223372036854775807 - 1);
	trm_end("int");
	trm_begin("uint", 18446744073709551615u);
	trm_end("uint");
	trm_begin("bool", (bool)true);
	trm_end("bool");
}

/* Names that the profile's own attributes have. */
static void collisions(long n)
{
	(void)n;
	trm_begin("image", "mine");
	trm_begin("thread", 5);
	trm_begin("count", 2.5);
	trm_begin("time.ns", 1u);
	trm_begin("event", 3);
	trm_set("image", 77);
	trm_end("event");
	trm_end("time.ns");
	trm_end("count");
	trm_end("thread");
	trm_end("image");
}

static void limit_files(long n)
{
	struct rlimit limit = {(rlim_t)n, (rlim_t)n};

	{
		TRM_REGION("before");
	}
	setrlimit(RLIMIT_FSIZE, &limit);
	fflush(stdout);
	child_of(fork());
	contexts(20000);
	wait_for_children();
}

static void limit_memory(long n)
{
	struct rlimit limit = {(rlim_t)n, (rlim_t)n};

	setrlimit(RLIMIT_AS, &limit);
	contexts(200000);
	threads(20);
	puts("through");
}

static void close_all(long n)
{
	{
		TRM_REGION("before");
	}
	closefrom((int)n);
	contexts(2000);
	if (!fork()) {
		TRM_REGION("in child");
		_exit(0);
	}
	wait(NULL);
}

static void change_root(long n)
{
	(void)n;
	{
		TRM_REGION("before");
	}
	if (chroot("/proc") || chdir("/"))
		exit(77);
	contexts(2000);
	fflush(stdout);
	if (!fork()) {
		TRM_REGION("in child");
		_exit(0);
	}
	wait(NULL);
	puts("through");
}

/* Kills what makes any system call but write and exit. */
static void filter(long n)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {5, code};

	{
		TRM_REGION("before");
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		abort();
	if (n ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
	      : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		abort();
	contexts(10000);
	if (write(1, "through\n", 8) != 8)
		abort();
	_exit(0);
}

/* Between two marks that strace sees, and that malloc is counted between: only contexts
 * that were there before. */
static void *steady_thread(void *unused)
{
	trm_attribute cells = trm_attribute_create("cells", TRM_TYPE_INT,
						   TRM_AS_VALUE | TRM_AGGREGATABLE);

	for (int round = 0; round < 3; round++) {
		if (round)
			syscall(SYS_getpgid, (long)-round);
		for (int i = 0; i < 20000; i++) {
			TRM_LOOP("steady", i)
			{
				TRM_REGION("region");
				trm_begin("level", i % 1000);
				trm_set(cells, i);
				trm_set("plain", i);
				trm_end("level");
				trm_begin("name", i % 2 ? "odd" : "even");
				trm_end("name");
			}
		}
	}
	syscall(SYS_getpgid, -3L);
	return unused;
}

static void steady(long n)
{
	(void)n;
	steady_thread(NULL);
}

/* Other threads are in regions while the process ends. */
static void *running_thread(void *unused)
{
	for (;;) {
		TRM_REGION("runs on");
		trm_begin("level", 1);
		trm_end("level");
	}
	return unused;
}

static void exit_running(long n)
{
	pthread_t thread;

	for (long i = 0; i < n; i++)
		pthread_create(&thread, NULL, running_thread, NULL);
	usleep(20000);
}

static void nothing(long n)
{
	(void)n;
}

static const struct {
	const char *word;
	void (*function)(long n);
} table[] = {
	{"regions", regions},
	{"threads", threads},
	{"threads-together", threads_together},
	{"threads-wide", threads_wide},
	{"thread-destructors", thread_destructors},
	{"forks", forks},
	{"raw-fork", raw_fork},
	{"raw-fork-inline", raw_fork_inline},
	{"fork-deep", fork_deep},
	{"vforks", vforks},
	{"execs", execs},
	{"libraries", libraries},
	{"handlers", handlers},
	{"handler-jumps", handler_jumps},
	{"mismatches", mismatches},
	{"killed-threads", killed_threads},
	{"endless", endless},
	{"lives-on", lives_on},
	{"waits", waits},
	{"ends", ends},
	{"changes", changes},
	{"attributes", attributes},
	{"contexts", contexts},
	{"places", places},
	{"strings", strings},
	{"collisions", collisions},
	{"limit-files", limit_files},
	{"limit-memory", limit_memory},
	{"close-all", close_all},
	{"change-root", change_root},
	{"filter", filter},
	{"steady", steady},
	{"exit-running", exit_running},
	{"nothing", nothing},
};

int main(int argc, char **argv)
{
	self = argv[0];
	for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(argv[1], table[i].word))
			continue;
		table[i].function(argc > 2 ? atol(argv[2]) : 10);
		return 0;
	}
	fprintf(stderr, "work: no such word\n");
	return 2;
}
