/* A program that says itself what probes must find in it: lines that begin with "=", for
 * run-probes.py. Each scenario is a function, named by the first argument. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
#define PROBED __attribute__((noinline))
#else
#define PROBED __attribute__((noinline, noclone))
#endif
/* Also makes functions larger than the jump that is put at their entries. */
#define KEEP() __asm__ volatile(".nops 8" : : : "memory")

struct inner {
	uint16_t small;
	int8_t bytes[3];
};

struct request {
	int id;
	unsigned int kind : 3, length : 20;
	const char *name;
	struct request *next;
	struct inner inner;
};

enum { ROWS = 129 };

/* What hist() and the like must have. */
struct tally {
	uint64_t hits, rows[ROWS];
	int64_t sum, least, most;
};

static unsigned row_of(int64_t value)
{
	if (value < 0)
		return 65 + 63 - (unsigned)__builtin_clzll(-(uint64_t)value);
	return value ? 64 - (unsigned)__builtin_clzll((uint64_t)value) : 0;
}

static void note(struct tally *tally, int64_t value)
{
	if (!tally->hits || value < tally->least)
		tally->least = value;
	if (!tally->hits || value > tally->most)
		tally->most = value;
	tally->hits++;
	tally->sum += value;
	tally->rows[row_of(value)]++;
}

static void say_sums(const struct tally *tally)
{
	printf("= count hits %lu\n", tally->hits);
	printf("= sum sum %ld\n", tally->sum);
	printf("= least min %ld\n= most max %ld\n", tally->least, tally->most);
	printf("= hist hits %lu\n= hist sum %ld\n", tally->hits, tally->sum);
	for (unsigned i = 0; i < 65; i++)
		if (tally->rows[i])
			printf("= hist row %lu %lu\n", i ? 1ul << (i - 1) : 0ul,
			       tally->rows[i]);
	for (unsigned i = 65; i < ROWS; i++)
		if (tally->rows[i])
			printf("= hist row %ld %lu\n",
			       i == 128 ? INT64_MIN : -(int64_t)((2ull << (i - 65)) - 1),
			       tally->rows[i]);
}

/* A row of numbers that looks random, and is the same each time. */
static uint64_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 20;
}

PROBED long take_long(long value)
{
	KEEP();
	return value ^ 1;
}

static int numbers(void)
{
	struct tally tally = {0};
	uint64_t state = 1;
	volatile long sink = 0;

	for (int i = 0; i < 5000; i++) {
		int64_t value = (int64_t)next_number(&state) >> (i % 44);

		if (i % 3 == 0)
			value = -value;
		if (i == 17)
			value = INT64_MIN;
		note(&tally, value);
		sink += take_long(value);
	}
	say_sums(&tally);
	return 0;
}

PROBED int take_int(int first, unsigned char second, short third)
{
	KEEP();
	return first + second - third;
}

/* Arguments that are smaller than a register, whose upper bits are anything. */
static int small(void)
{
	long sums[4] = {0};
	volatile int sink = 0;

	for (int i = 0; i < 300; i++) {
		int first = i - 150;
		short third = (short)(i * 211);
		int result = take_int(first, (unsigned char)i, third);

		sums[0] += first;
		sums[1] += (unsigned char)i;
		sums[2] += third;
		sums[3] += result;
		sink += result;
	}
	printf("= first sum %ld\n= second sum %ld\n= third sum %ld\n= result sum %ld\n",
	       sums[0], sums[1], sums[2], sums[3]);
	return 0;
}

PROBED long take_request(const struct request *request)
{
	KEEP();
	return request->id;
}

/* Members, bit-fields, nested structs, arrays, pointers to pointers. */
static int members(void)
{
	long ids = 0, kinds = 0, lengths = 0, next = 0, smalls = 0, bytes = 0, named = 0;
	struct request other = {.id = -5};
	struct request request = {.next = &other};
	volatile long sink = 0;

	for (int i = 0; i < 400; i++) {
		request.id = i * 3 - 100;
		request.kind = (unsigned)i & 7;
		request.length = (unsigned)i * 1234 & 0xfffff;
		request.name = i % 4 ? "plain" : "special";
		request.inner.small = (uint16_t)(i * 500);
		request.inner.bytes[2] = (int8_t)i;
		other.id--;
		ids += request.id;
		kinds += request.kind;
		lengths += request.length;
		next += other.id;
		smalls += request.inner.small;
		bytes += request.inner.bytes[2];
		named += i % 4 == 0;
		sink += take_request(&request);
	}
	printf("= ids sum %ld\n= kinds sum %ld\n= lengths sum %ld\n= next sum %ld\n", ids,
	       kinds, lengths, next);
	printf("= smalls sum %ld\n= bytes sum %ld\n= named hits %ld\n", smalls, bytes,
	       named);
	printf("= name key special %ld\n= name key plain %ld\n", named, 400 - named);
	return 0;
}

PROBED long recurse(long depth)
{
	long below = depth ? recurse(depth - 1) : 0;

	KEEP();
	return below + depth;
}

/* Each return must have its own call's argument. */
static int recursion(void)
{
	long sums = 0, calls = 0, results = 0;

	for (long deep = 0; deep < 60; deep++) {
		recurse(deep);
		for (long i = 0; i <= deep; i++) {
			sums += i * 1000;
			results += i * (i + 1) / 2;
			calls++;
		}
	}
	printf("= kept sum %ld\n= results sum %ld\n= kept hits %ld\n= kept lost 0\n",
	       sums, results, calls);
	return 0;
}

static jmp_buf back;

PROBED long leave(long value, int jumps)
{
	KEEP();
	if (jumps)
		longjmp(back, 1);
	KEEP();
	return value;
}

PROBED long around(long value, int jumps)
{
	long result = leave(value + 1, jumps);

	KEEP();
	return result + 1;
}

/* Frames that are left without a return must not be taken for others. */
static int jumps(void)
{
	volatile long kept = 0, hits = 0, entries = 0;

	for (volatile long i = 0; i < 200; i++) {
		entries++;
		if (setjmp(back))
			continue;
		around(i, i % 3 == 0);
		kept += i;
		hits++;
	}
	printf("= entries hits %ld\n= kept hits %ld\n= kept sum %ld\n= kept lost 0\n",
	       entries, hits, kept);
	return 0;
}

/* Memory that is not there, and strings that end with a page. */
static int bad(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + 4096 - 6;
	volatile long sink = 0;

	if (pages == MAP_FAILED || munmap(pages + 4096, 4096))
		return 77;
	strcpy(end, "abcde");
	for (int i = 0; i < 100; i++) {
		sink += take_long(0);
		sink += take_long((long)(pages + 4096));
		sink += take_long(-8);
		sink += take_long(0x5555000000000000);
		sink += take_long((long)end);
	}
	printf("= read hits 100\n= read errors 400\n= text hits 100\n= text errors "
	       "400\n");
	printf("= keyed key abcde 100\n= keyed errors 400\n");
	return 0;
}

static char *forbidden; /* a page that cannot be read */
static sigjmp_buf tried;

/* Looks at memory that is not there, and says what becomes of SIGSEGV. */
static void look(const char *when)
{
	struct sigaction action;
	sigset_t mask;
	const long sink = take_long((long)forbidden);

	(void)sink;
	sigaction(SIGSEGV, NULL, &action);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("%s: %s, flags %x, %d\n", when,
	       action.sa_handler == SIG_DFL   ? "default"
	       : action.sa_handler == SIG_IGN ? "ignored"
					      : "handled",
	       (unsigned)action.sa_flags & 0xf, sigismember(&mask, SIGSEGV));
}

static void on_fault(int signal)
{
	(void)signal;
	look("in the handler");
	siglongjmp(tried, 1);
}

/* Faults of probes while the program blocks SIGSEGV, ignores it, or handles it, after
 * which the kernel would forget that. */
static int blocked(void)
{
	struct sigaction action = {.sa_handler = on_fault};
	sigset_t all, before, one;

	forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	look("blocked");
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGSEGV, SIG_IGN);
	look("ignored");
	sigaction(SIGSEGV, &action, NULL);
	for (volatile int i = 0; i < 3; i++)
		if (!sigsetjmp(tried, 1))
			*forbidden = 1;
	sigemptyset(&one);
	sigaddset(&one, SIGSEGV);
	sigprocmask(SIG_BLOCK, &one, NULL);
	raise(SIGSEGV);
	look("pending");
	if (!sigsetjmp(tried, 1))
		sigprocmask(SIG_UNBLOCK, &one, NULL);
	action.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(tried, 1))
		*forbidden = 1;
	look("handled once");
	printf("= read errors 9\n");
	return 0;
}

enum { THREADS = 8, TURNS = 20000 };

static void *work(void *argument)
{
	long number = (long)argument;
	volatile long sink = 0;

	for (long i = 0; i < TURNS; i++)
		sink += take_long(number * TURNS + i);
	return NULL;
}

static int threads(void)
{
	pthread_t all[THREADS];
	struct tally tally = {0};

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&all[i], NULL, work, (void *)i))
			return 1;
	for (long i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	for (long i = 0; i < (long)THREADS * TURNS; i++)
		note(&tally, i);
	say_sums(&tally);
	for (int i = 0; i < 4; i++)
		printf("= keyed key %d %d\n", i, THREADS * TURNS / 4);
	return 0;
}

static int forks(void)
{
	long sum = 0;

	fflush(stdout);
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();

		if (!child) {
			for (int k = 0; k < 100; k++)
				take_long(k * (i + 1));
			_exit(0);
		}
		waitpid(child, NULL, 0);
		for (int k = 0; k < 100; k++)
			sum += k * (i + 1);
	}
	printf("= sum sum %ld\n= count hits 500\n", sum);
	return 0;
}

PROBED long swap_text(const char *first, const char *second)
{
	KEEP();
	return strcmp(first, second);
}

/* More keys than one: and counts, sums, least and largest values of each. */
static int keys(void)
{
	static const char *const words[] = {"one", "two", "three", ""};
	long counts[4] = {0}, sums[4] = {0};
	volatile long sink = 0;

	for (int i = 0; i < 1000; i++) {
		int at = (i * 7 + i / 10) % 4;

		sink += swap_text(words[at], "x");
		sink += take_long(i % 10 * 100 + at);
		counts[at]++;
		sums[at] += i % 10 * 100 + at;
	}
	for (int i = 0; i < 4; i++) {
		printf("= words key %s %ld\n", words[i], counts[i]);
		printf("= sums key %d %ld\n", i, sums[i]);
		printf("= most key %d %d\n", i, 900 + i);
		printf("= least key %d %d\n", i, i);
	}
	return 0;
}

PROBED long loaded(const long *numbers, long *to, int count)
{
	long sum = 0;

	for (int i = 0; i < count; i++) {
		sum += numbers[i];
		KEEP();
	}
	*to = sum;
	KEEP();
	return sum;
}

static int accesses(void)
{
	long numbers_[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, to;

	for (int i = 0; i < 50; i++)
		loaded(numbers_, &to, 10);
	printf("= loads hits 500\n= values sum %d\n= stores hits 50\n= stored sum %d\n",
	       45 * 50, 45 * 50);
	return 0;
}

static int calls(void)
{
	volatile long sink = 0;

	for (int i = 0; i < 250; i++)
		sink += (long)strlen(i % 2 ? "odd" : "even") + take_long(i);
	printf("= calls hits 250\n= calls sum %d\n", 249 * 250 / 2);
	return 0;
}

/* A function that also ends by a jump to another one, where that is optimised. */
PROBED long leaving(long value)
{
	KEEP();
	return value > 5 ? take_long(value) : 7;
}

static int leaves(void)
{
	volatile long sink = 0;

	for (long i = 0; i < 10; i++)
		sink += leaving(i);
	printf("= kept sum 45\n= times hits 10\n= returned hits 6\n= returned errors 4\n"
	       "= returned sum 42\n");
	return 0;
}

static volatile long handled;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	handled++;
}

/* Signals find the thread at the points, and in the middle of their code. */
static int signals(void)
{
	const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_sigaction = handle,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct tally tally = {0};
	volatile long sink = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 3000000; i++)
		sink += take_long(i);
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 3000000; i++)
		note(&tally, i);
	say_sums(&tally);
	return !handled;
}

static const struct {
	const char *name;
	int (*run)(void);
} scenarios[] = {
	{"numbers", numbers},     {"small", small},     {"members", members},
	{"recursion", recursion}, {"jumps", jumps},     {"bad", bad},
	{"threads", threads},     {"forks", forks},     {"keys", keys},
	{"accesses", accesses},   {"calls", calls},     {"signals", signals},
	{"leaves", leaves},       {"blocked", blocked},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(argv[1], scenarios[i].name))
			return scenarios[i].run();
	return 2;
}
