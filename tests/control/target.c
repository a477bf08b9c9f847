/*
 * A program that is controlled: it does what lines of its standard input say, and answers
 * each with a line.
 *
 *     step N      calls step() N times
 *     thread N    the same in a thread
 *     fork N      the same in a child
 *     env NAME    prints the variable
 *     where       prints the folder that it works in
 *     out N       writes N bytes
 *     raise N     sends itself a signal, of which it has a handler if it is SIGUSR1
 *     load FILE   loads a library, calls loaded() of it, and unloads it
 *     region NAME begins and ends a region
 *     become      executes itself
 *     exit N      ends so
 */
#include <trammel/annotate.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile long steps;
long watched = 0x1234567;

__attribute__((noinline, noclone)) void step(void)
{
	steps++;
}

static void many(long count)
{
	for (long i = 0; i < count; i++)
		step();
}

static void *in_thread(void *count)
{
	many((long)count);
	return NULL;
}

static void write_out(long count)
{
	for (long i = 0; i < count; i++)
		putchar('x');
}

static void load_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*loaded)(void) = library ? (int (*)(void))dlsym(library, "loaded") : NULL;

	if (loaded)
		printf("%d ", loaded());
	if (library)
		dlclose(library);
}

static void do_program(const char *word, const char *rest)
{
	if (!strcmp(word, "raise")) {
		raise(atoi(rest));
	} else if (!strcmp(word, "load")) {
		load_library(rest);
	} else if (!strcmp(word, "region")) {
		trm_begin("region", rest);
		step();
		trm_end("region");
	} else if (!strcmp(word, "become")) {
		execl("/proc/self/exe", "target", (char *)NULL);
	}
}

static void do_line(const char *word, const char *rest)
{
	const long number = atol(rest);
	pthread_t thread;
	char here[4096];

	if (!strcmp(word, "step")) {
		many(number);
	} else if (!strcmp(word, "thread")) {
		if (!pthread_create(&thread, NULL, in_thread, (void *)number))
			pthread_join(thread, NULL);
	} else if (!strcmp(word, "fork")) {
		pid_t child = fork();

		if (!child) {
			many(number);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	} else if (!strcmp(word, "env")) {
		printf("%s ", getenv(rest) ? getenv(rest) : "(none)");
	} else if (!strcmp(word, "where")) {
		printf("%s ", getcwd(here, sizeof(here)));
	} else if (!strcmp(word, "out")) {
		write_out(number);
	} else if (!strcmp(word, "exit")) {
		exit((int)number);
	} else {
		do_program(word, rest);
	}
}

static void on_signal(int number)
{
	(void)number;
}

int main(void)
{
	char line[4096], word[64] = "", rest[4000];

	signal(SIGUSR1, on_signal);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		rest[0] = '\0';
		if (sscanf(line, "%63s %3999s", word, rest) < 1)
			continue;
		do_line(word, rest);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
