/*
 * A program that does what lines of its input say, and tells when it has: what others do
 * to its channels in between is known to the event. `outside.py` writes the lines.
 */
#include <trammel/annotate.h>
#include <trammel/channel.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct trm_channels *own;

static void steps(const char *count)
{
	TRM_REGION("main");
	for (int i = atoi(count); i > 0; i--) {
		TRM_REGION("step");
	}
}

static void begin(const char *name)
{
	trm_begin("region", name);
}

static void end(const char *name)
{
	(void)name;
	trm_end("region");
}

static void rest(const char *ms)
{
	usleep(1000 * (useconds_t)atoi(ms));
}

static int asked[2], done[2];

/* One that lives on, with a region that is open: steps when it is asked. */
static void *live(void *unused)
{
	char byte;

	trm_begin("region", "thread");
	while (write(done[1], "", 1) == 1 && read(asked[0], &byte, 1) == 1)
		steps("1");
	return unused;
}

static void thread(const char *unused)
{
	static pthread_t made;
	char byte;

	(void)unused;
	if (!made) {
		if (pipe(asked) || pipe(done) || pthread_create(&made, NULL, live, NULL))
			abort();
	} else if (write(asked[1], "", 1) != 1) {
		abort();
	}
	if (read(done[0], &byte, 1) != 1)
		abort();
}

static void make(const char *configuration)
{
	own = trm_channels_create(configuration);
	trm_channels_start(own);
}

static void stop(const char *unused)
{
	(void)unused;
	trm_channels_stop(own);
}

static void start(const char *unused)
{
	(void)unused;
	trm_channels_start(own);
}

/* The child does what further lines say, until its end. */
static void divide(const char *unused)
{
	(void)unused;
	pid_t child = fork();

	if (child)
		waitpid(child, NULL, 0);
}

static void finish(const char *unused)
{
	(void)unused;
	exit(0);
}

static void die(const char *unused)
{
	(void)unused;
	raise(SIGKILL);
}

int main(void)
{
	static const struct {
		const char *word;
		void (*run)(const char *value);
	} rows[] = {
		{"steps", steps},   {"begin", begin}, {"end", end},   {"rest", rest},
		{"thread", thread}, {"make", make},   {"stop", stop}, {"start", start},
		{"fork", divide},   {"exit", finish}, {"die", die},
	};
	char line[256];

	setvbuf(stdin, NULL, _IONBF, 0);
	for (;;) {
		printf("%d\n", (int)getpid());
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		line[strcspn(line, "\n")] = '\0';
		char *value = line + strcspn(line, " ");

		if (*value)
			*value++ = '\0';
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (!strcmp(rows[i].word, line))
				rows[i].run(value);
	}
}
