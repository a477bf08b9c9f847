/*
 * Programs for the tests of channels: the first word says what to do. `channels.py`
 * knows what each must have said.
 */
#include <caliper/cali.h>
#include <trammel/channel.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

static void steps(int count)
{
	cali_begin_region("main");
	for (int i = 0; i < count; i++) {
		cali_begin_region("step");
		cali_begin_region(i % 2 ? "odd" : "even");
		cali_end_region(i % 2 ? "odd" : "even");
		cali_end_region("step");
	}
	cali_end_region("main");
}

static void plain(int count)
{
	steps(count);
}

/* Names against their order. */
static void several_orders(int count)
{
	for (int i = 0; i < count; i++) {
		cali_begin_region("zebra");
		cali_begin_region("yak");
		cali_end_region("yak");
		cali_begin_region("ape");
		cali_end_region("ape");
		cali_end_region("zebra");
		cali_begin_region("aardvark");
		cali_end_region("aardvark");
	}
}

/* Two channels that are there at different times, and one that is cleared. */
static void several(int count)
{
	struct trm_channels *first =
		trm_channels_create("runtime-profile(region.count,output=first.json,"
				    "output.format=json)");
	struct trm_channels *second =
		trm_channels_create("runtime-profile(region.count,output=second.json,"
				    "output.format=json)");

	steps(count);
	trm_channels_start(first);
	steps(count);
	trm_channels_start(second);
	steps(count);
	trm_channels_stop(first);
	steps(count);
	trm_channels_start(first);
	trm_channels_clear(second);
	steps(count);
	trm_channels_flush(first);
	trm_channels_flush(second);
	trm_channels_destroy(first);
	trm_channels_destroy(second);
}

static void *in_thread(void *count)
{
	steps(*(int *)count);
	return NULL;
}

/* Contexts for several blocks of memory, and for one. */
static void *in_wide_thread(void *count)
{
	char name[32];

	for (int i = 0; i < *(int *)count; i++) {
		snprintf(name, sizeof(name), "place %d", i);
		cali_begin_region(name);
		cali_end_region(name);
	}
	return NULL;
}

/* One after the other, each with twice as many contexts. */
static void threads_wide(int count)
{
	for (int i = 1; i <= count; i *= 2) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, in_wide_thread, &i))
			abort();
		pthread_join(thread, NULL);
	}
}

/* Threads at once, and threads one after the other. */
static void threads(int count)
{
	pthread_t all[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&all[i], NULL, in_thread, &count);
	for (int i = 0; i < 8; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < 200; i++) {
		pthread_create(&all[0], NULL, in_thread, &count);
		pthread_join(all[0], NULL);
	}
}

static void heap(int count)
{
	cali_begin_region("taking");
	for (int i = 0; i < count; i++) {
		kept = malloc(100000);
		free(kept);
	}
	kept = calloc(10, 100000);
	kept = realloc(kept, 2000000);
	cali_end_region("taking");
	cali_begin_region("giving");
	free(kept);
	cali_end_region("giving");
}

static void files(int count)
{
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char bytes[100] = "";

	cali_begin_region("writing");
	for (int i = 0; i < count; i++)
		if (write(fd, bytes, sizeof(bytes)) < 0)
			abort();
	cali_end_region("writing");
	cali_begin_region("reading");
	while (pread(fd, bytes, sizeof(bytes), 100l * (count - 1)) && --count)
		continue;
	cali_end_region("reading");
	close(fd);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *unused)
{
	(void)unused;
	usleep(100000);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* The main thread takes it for the other one, which lets it go: a plain mutex. */
static void locks(int count)
{
	pthread_t thread;

	cali_begin_region("locking");
	for (int i = 0; i < count; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex);
	pthread_create(&thread, NULL, holder, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	cali_end_region("locking");
}

static void libraries(int count)
{
	cali_begin_region("loading");
	for (int i = 0; i < count; i++)
		dlclose(dlopen("libutil.so.1", RTLD_NOW));
	cali_end_region("loading");
}

/* What a library that is opened later takes from the heap; it needs another one. */
static void later(int count)
{
	void *library = dlopen("./later.so", RTLD_NOW);
	void (*take)(int) = NULL;

	*(void **)&take = library ? dlsym(library, "take") : NULL;
	cali_begin_region("later");
	if (take)
		take(count);
	cali_end_region("later");
	if (library)
		dlclose(library);
}

static void loops(int count)
{
	CALI_MARK_LOOP_BEGIN(loop, "outer");
	for (int i = 0; i < count; i++) {
		CALI_MARK_ITERATION_BEGIN(loop, i);
		CALI_MARK_LOOP_BEGIN(inner, "inner");
		for (int j = 0; j < 3; j++) {
			CALI_MARK_ITERATION_BEGIN(inner, j);
			CALI_MARK_ITERATION_END(inner);
		}
		CALI_MARK_LOOP_END(inner);
		CALI_MARK_ITERATION_END(loop);
	}
	CALI_MARK_LOOP_END(loop);
}

static void forks(int count)
{
	steps(count);
	if (!fork()) {
		steps(2 * count);
		exit(0);
	}
	wait(NULL);
	if (!fork())
		exit(0); /* says nothing, and writes nothing */
	wait(NULL);
}

static void metrics(int count)
{
	cali_id_t cells = cali_create_attribute(
		"cells", CALI_TYPE_INT, CALI_ATTR_ASVALUE | CALI_ATTR_AGGREGATABLE);

	cali_begin_region("main");
	for (int i = 1; i <= count; i++)
		cali_set_int(cells, i);
	cali_end_region("main");
}

/* Events between two marks, when all contexts are known: count.c and strace look on. */
static void steady(int count)
{
	metrics(2);
	steps(2);
	syscall(SYS_getpgid, -1L);
	metrics(count);
	steps(count);
	syscall(SYS_getpgid, -3L);
}

static volatile sig_atomic_t handled;

static void handler(int signal)
{
	(void)signal;
	cali_begin_region("handler");
	cali_end_region("handler");
	handled++;
}

/* A handler annotates, be its thread in the middle of an event or not. */
static void handlers(int count)
{
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};

	cali_init();
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < count)
		steps(100);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d\n", (int)handled);
}

/* Ends that do not fit. */
static void mismatches(int count)
{
	for (int i = 0; i < count; i++) {
		cali_begin_region("outer");
		cali_begin_region("inner");
		cali_end_region("never begun");
		cali_end_region("outer");
	}
	steps(count);
}

static void levels(int count)
{
	cali_begin_phase("phase");
	steps(count);
	cali_end_phase("phase");
}

/* Settings in code: a preset gives way to the environment, what is set does not. */
static void settings(int count)
{
	cali_config_preset("CALI_SERVICES_ENABLE", "event,aggregate,timer,recorder");
	cali_config_preset("CALI_RECORDER_FILENAME", "preset.json");
	cali_config_set("CALI_RECORDER_DIRECTORY", "set");
	steps(count);
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* A region that takes so much processor time, and says how much; `annotates`: all of it
 * in annotations. */
static void *burn(void *word)
{
	const char *name = word;
	bool annotates = !strcmp(name, "annotating");
	double begin;

	cali_begin_region(name);
	for (begin = cpu_ms(); cpu_ms() < begin + 200;)
		for (int i = 0; annotates && i < 1000; i++) {
			cali_begin_region("inner");
			cali_end_region("inner");
		}
	cali_end_region(name);
	printf("%s %.3f\n", name, cpu_ms() - begin);
	return NULL;
}

static void samples(int count)
{
	static char names[3][16] = {"computing", "annotating", "thread"};
	pthread_t thread;

	for (int i = 0; i < count; i++) {
		burn(names[0]);
		usleep(100000);
		burn(names[1]);
		pthread_create(&thread, NULL, burn, names[2]);
		pthread_join(thread, NULL);
	}
}

static void touch(size_t pages)
{
	char *memory = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, pages * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * 4096] = 1;
	munmap(memory, pages * 4096);
}

static void *faulting(void *pages)
{
	cali_begin_region("faulting");
	touch((size_t)(uintptr_t)pages);
	cali_end_region("faulting");
	return NULL;
}

/* Page faults, switches and processor time in regions of their own, of threads, too; and
 * which descriptors the program gets. */
static void counters(int count)
{
	pthread_t thread;
	void *pages = (void *)(uintptr_t)count;
	pid_t child;
	int fd;

	faulting(pages);
	pthread_create(&thread, NULL, faulting, pages);
	pthread_join(thread, NULL);
	cali_begin_region("waiting");
	for (int i = 0; i < 10; i++)
		usleep(1000);
	cali_end_region("waiting");
	burn((char[]){"computing"});
	fd = open("/dev/null", O_RDONLY);
	printf("descriptor %d\n", fd);
	close(fd);
	fflush(stdout);
	child = fork();
	if (!child) {
		faulting(pages);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

/* What memory the process has when it has traced. */
static void resident(int count)
{
	char line[128];
	FILE *file;

	steps(count);
	file = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmRSS:", 6))
			fputs(line, stdout);
	fclose(file);
}

static struct trm_channels *scoped;

static void *measured_thread(void *count)
{
	steps(*(int *)count);
	trm_channels_start_thread(scoped);
	steps(*(int *)count);
	trm_channels_stop_thread(scoped);
	steps(*(int *)count);
	return NULL;
}

/* One thread of three asks to be measured, and for a while. */
static void scopes(int count)
{
	pthread_t all[3];

	scoped = trm_channels_create(
		"runtime-profile(region.count,output=p.json,output.format=json)");
	for (int i = 0; i < 3; i++)
		pthread_create(&all[i], NULL, i == 1 ? measured_thread : in_thread,
			       &count);
	for (int i = 0; i < 3; i++)
		pthread_join(all[i], NULL);
	steps(count);
	trm_channels_start_thread(scoped);
	steps(count);
}

static void kill_self(int count)
{
	steps(count);
	cali_begin_region("last");
	raise(SIGKILL);
}

/* Threads that ended, and one that runs, when the process is killed. */
static void killed(int count)
{
	cali_id_t cells = cali_create_attribute(
		"cells", CALI_TYPE_INT, CALI_ATTR_ASVALUE | CALI_ATTR_AGGREGATABLE);
	pthread_t thread;

	cali_set_int(cells, 42);
	cali_set_global_int_byname("grid", 7);
	cali_set_global_string_byname("case", "first");
	cali_set_global_string_byname("case", "\xc3\xa4 b");
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, in_thread, &count);
		pthread_join(thread, NULL);
	}
	kill_self(count);
}

/* The parent goes on, and ends in order. */
static void killed_child(int count)
{
	cali_set_global_double_byname("step width", 0.125);
	steps(count);
	if (!fork())
		kill_self(2 * count);
	wait(NULL);
	steps(count);
}

/* Channels are there, and nothing was said. */
static void killed_silent(int count)
{
	(void)count;
	cali_init();
	raise(SIGKILL);
}

/* In a thread that was there before the channels were. */
static void killed_late(int count)
{
	steps(count);
	trm_channels_start(trm_channels_create("runtime-report,event-trace"));
	trm_channels_start(trm_channels_create(NULL)); /* of nothing */
	kill_self(count);
}

/* Between two looks from outside. */
static void waits(int count)
{
	steps(count);
	puts("waiting");
	fflush(stdout);
	getchar();
	steps(count);
}

static void exits(int count)
{
	steps(count);
	_exit(0);
}

int main(int word_count, char **words)
{
	static const struct {
		const char *name;
		void (*run)(int count);
	} rows[] = {
		{"plain", plain},
		{"threads-wide", threads_wide},
		{"several", several},
		{"several-orders", several_orders},
		{"threads", threads},
		{"heap", heap},
		{"files", files},
		{"locks", locks},
		{"loops", loops},
		{"forks", forks},
		{"libraries", libraries},
		{"steady", steady},
		{"later", later},
		{"metrics", metrics},
		{"levels", levels},
		{"settings", settings},
		{"handlers", handlers},
		{"mismatches", mismatches},
		{"samples", samples},
		{"counters", counters},
		{"killed", killed},
		{"killed-child", killed_child},
		{"killed-late", killed_late},
		{"killed-silent", killed_silent},
		{"exits", exits},
		{"waits", waits},
		{"scopes", scopes},
		{"resident", resident},
	};

	for (size_t i = 0; word_count > 2 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, words[1]) != 0)
			continue;
		rows[i].run(atoi(words[2]));
		return 0;
	}
	return 2;
}
