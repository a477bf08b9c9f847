/* A tool whose routine at the entry of work() fails as $HOW says. */
#include <trammel/tool.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int deeper(volatile char *above)
{
	volatile char room[1000];

	room[0] = above ? above[0] : 0;
	return above == room ? 0 : deeper(room) + room[0];
}

static void hold_lock(void)
{
	pthread_mutex_lock(&lock);
	usleep(200);
	pthread_mutex_unlock(&lock);
}

TRAMMEL_ROUTINE void on_work(long number)
{
	const char *how = getenv("HOW");

	if (!how)
		return;
	if (!strcmp(how, "lock"))
		hold_lock();
	if (number < 40)
		return;
	if (!strcmp(how, "fault"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "overflow"))
		deeper(NULL);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "loop"))
		for (;;)
			__asm__ volatile("");
	if (!strcmp(how, "fault with lock")) {
		pthread_mutex_lock(&lock);
		*(volatile int *)8 = 1;
	}
}

/* So simple that it is called without a change of stacks. */
TRAMMEL_ROUTINE void touch(long *place)
{
	*place += 1;
}

static int begin(const struct trammel_api *api, int argc, const char *const *argv)
{
	word = argc > 1 ? argv[1] : "";
	api->prototype("on_work(long)");
	api->prototype("touch(long *)");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	if (!strcmp(function->name, "work") && !strcmp(word, "touch"))
		trammel_add_call(api, trammel_entry(function), "touch", trammel_int(8));
	else if (!strcmp(function->name, "work"))
		trammel_add_call(api, trammel_entry(function), "on_work",
				 trammel_argument_of(0));
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "points", "fails at points", begin, NULL,
		see_function,      NULL};
