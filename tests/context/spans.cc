// Functions that are regions though nobody annotated them: each word is a way to leave
// one.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <trammel/annotate.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT extern "C" __attribute__((noinline, used))
#else
#define KEPT extern "C" __attribute__((noinline, noclone, used))
#endif

static volatile long sink;
static jmp_buf back;

KEPT int leaf(int number)
{
	sink += number;
	return number + 1;
}

// Neither inlined nor a jump at its end.
KEPT int middle(int number)
{
	int result = leaf(number);

	sink += result;
	return result;
}

KEPT int recursive(int depth)
{
	int result = depth ? recursive(depth - 1) : leaf(0);

	sink += result;
	return result;
}

// Its end is a jump to a function that is no region: it goes on there.
KEPT int unnamed(int number)
{
	int result = leaf(number) + leaf(number);

	sink += result;
	return result;
}

KEPT int wrapper(int number)
{
	return unnamed(number + 1);
}

static int (*volatile pointer)(int) = middle;

// Nobody knows where it jumps to, so it ends there.
KEPT int indirect(int number)
{
	return pointer(number);
}

KEPT int thrower(int number)
{
	leaf(number);
	if (number % 2)
		throw std::runtime_error("thrown");
	return number;
}

KEPT int catcher(int number)
{
	try {
		int result = thrower(number);

		sink += result;
		return result;
	} catch (const std::runtime_error &) {
		return leaf(number);
	}
}

KEPT void jumper(int number)
{
	leaf(number);
	longjmp(back, 1);
}

KEPT double vectors(double a, float b, long double c, double d)
{
	double sum = 0;

	for (int i = 0; i < 8; i++)
		sum += a * i + b / (i + 1) + static_cast<double>(c) - d;
	return sum;
}

// What it begins goes on when it is over.
KEPT void opens()
{
	trm_begin("phase", "long");
	sink++;
}

KEPT void closes()
{
	sink++;
	trm_end("phase");
	sink++;
}

KEPT void changes(int level)
{
	sink++;
	trm_set(trm_attribute_create("state", TRM_TYPE_INT, 0), level);
	leaf(level);
	sink++;
}

KEPT void *work(void *number)
{
	for (int i = 0; i < 100; i++)
		middle(i);
	return number;
}

static void annotated(int rounds)
{
	TRM_REGION("annotated");
	for (int i = 0; i < rounds; i++) {
		TRM_LOOP("step", i)
		{
			middle(i);
			TRM_REGION("inner");
			leaf(i);
		}
	}
}

static void left(int rounds)
{
	volatile int i;

	for (i = 0; i < rounds; i++)
		catcher(i);
	for (i = 0; i < rounds; i++)
		if (!setjmp(back))
			jumper(i);
	// The jumper is over although nothing has told yet.
	TRM_REGION("behind");
	leaf(0);
}

static void crossing(int rounds)
{
	trm_attribute state = trm_attribute_create("state", TRM_TYPE_INT, 0);

	for (int i = 0; i < rounds; i++) {
		opens();
		middle(i);
		closes();
	}
	trm_begin(state, 1);
	changes(2);
	leaf(1);
	trm_end(state);
}

static void threads(int count)
{
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, work, nullptr);
		pthread_join(thread, nullptr);
	}
}

KEPT void forks(int count)
{
	for (int i = 0; i < count; i++) {
		fflush(stdout);
		pid_t child = fork();

		if (!child) {
			middle(i);
			_exit(0);
		}
		waitpid(child, nullptr, 0);
	}
	leaf(count);
}

KEPT void ends(int status)
{
	leaf(status);
	exit(status);
}

static void handle(int number)
{
	leaf(number);
}

static void signals(int rounds)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle;
	sigaction(SIGUSR1, &action, nullptr);
	for (int i = 0; i < rounds; i++) {
		raise(SIGUSR1);
		middle(i);
	}
}

// What a window begins and ends with; no regions.
KEPT void opening(int number)
{
	sink += number;
}

KEPT void closing(int number)
{
	sink -= number;
}

static void *middles(void *barrier)
{
	for (int i = 0; i < 4; i++) {
		pthread_barrier_wait(static_cast<pthread_barrier_t *>(barrier));
		middle(i);
		pthread_barrier_wait(static_cast<pthread_barrier_t *>(barrier));
	}
	return nullptr;
}

// While nobody else does anything.
static void have_middle(pthread_barrier_t *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
}

static void *once(void *)
{
	leaf(1);
	return nullptr;
}

static void run_once()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, once, nullptr);
	pthread_join(thread, nullptr);
}

// Another thread calls middle before the window, twice in it, and behind it; some live in
// one of these alone.
KEPT int work_in_parts(int rounds)
{
	pthread_barrier_t barrier;
	pthread_t other;

	pthread_barrier_init(&barrier, nullptr, 2);
	pthread_create(&other, nullptr, middles, &barrier);
	run_once();
	leaf(rounds);
	have_middle(&barrier);
	opening(rounds);
	have_middle(&barrier);
	for (int i = 0; i < rounds; i++)
		sink += middle(i) + recursive(1);
	run_once();
	have_middle(&barrier);
	closing(rounds);
	run_once();
	leaf(rounds);
	have_middle(&barrier);
	pthread_join(other, nullptr);
	return rounds + 1;
}

static bool is_traced()
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int tracer = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return tracer;
}

// Calls regions while a window is over, until nobody traces the program any more, and
// then.
KEPT int work_until_free(int rounds)
{
	const int pauses = 2000;
	int i;

	for (i = 0; i < rounds; i++)
		sink += middle(i);
	closing(rounds);
	for (i = 0; i < pauses && is_traced(); i++) {
		usleep(5000);
		middle(i);
	}
	printf(i < pauses ? "free\n" : "traced\n");
	sink = middle(rounds) + recursive(rounds);
	return rounds + 1;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	int rounds = argc > 2 ? atoi(argv[2]) : 1;

	if (!strcmp(word, "calls")) {
		for (int i = 0; i < rounds; i++)
			sink += middle(i) + recursive(2) + wrapper(i) + indirect(i);
		printf("%.6f\n", vectors(1.5, 2.5f, 3.25L, rounds));
	} else if (!strcmp(word, "annotated")) {
		annotated(rounds);
	} else if (!strcmp(word, "left")) {
		left(rounds);
	} else if (!strcmp(word, "crossing")) {
		crossing(rounds);
	} else if (!strcmp(word, "threads")) {
		threads(rounds);
	} else if (!strcmp(word, "forks")) {
		forks(rounds);
	} else if (!strcmp(word, "signals")) {
		signals(rounds);
	} else if (!strcmp(word, "parts")) {
		sink += work_in_parts(rounds);
	} else if (!strcmp(word, "free")) {
		sink = work_until_free(rounds);
		run_once();
		sink = work_until_free(rounds);
	} else if (!strcmp(word, "ends")) {
		ends(rounds);
	}
	printf("%ld\n", sink);
	return 0;
}
