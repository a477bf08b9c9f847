/*
 * A tool that counts calls of work_once by thread, in memory and thread-local storage of
 * its own, and tells in the end: for transparency/attach_tools.py. With a word it fails
 * in its routine, from the 1000th call on: fault, abort, exit, loop, wait.
 */
#include <trammel/tool.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long calls, threads, mine, ended, blocks;
static const char *how = "";
static __thread unsigned long own;
static __thread char *block;
static pthread_key_t key;

TRAMMEL_ROUTINE void attached_start(const char *way)
{
	how = way;
	pthread_key_create(&key, free);
	printf("started %s\n", how);
	fflush(stdout);
}

TRAMMEL_ROUTINE void attached_thread(void)
{
	pthread_mutex_lock(&lock);
	threads++;
	mine += gettid() > 0 && own == 0;
	pthread_mutex_unlock(&lock);
}

TRAMMEL_ROUTINE void attached_thread_end(void)
{
	pthread_mutex_lock(&lock);
	ended++;
	pthread_mutex_unlock(&lock);
}

static void fail(void)
{
	if (!strcmp(how, "fault"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exit"))
		exit(3);
	while (!strcmp(how, "loop"))
		__asm__ volatile("");
	if (!strcmp(how, "wait"))
		sleep(1000);
}

TRAMMEL_ROUTINE void attached_call(void)
{
	pthread_mutex_lock(&lock);
	calls++;
	pthread_mutex_unlock(&lock);
	if (!own++) {
		block = malloc(100);
		pthread_setspecific(key, block);
		__atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
	}
	if (calls >= 1000)
		fail();
}

TRAMMEL_ROUTINE void attached_end(void)
{
	printf("calls %lu threads %lu %lu ended %lu blocks %lu\n", calls, threads, mine,
	       ended, blocks);
}

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	api->prototype("attached_start(const char *)");
	api->prototype("attached_thread()");
	api->prototype("attached_thread_end()");
	api->prototype("attached_call()");
	api->prototype("attached_end()");
	trammel_add_call(api, trammel_program_start(), "attached_start",
			 trammel_text(argc > 1 ? argv[1] : ""));
	trammel_add_call(api, trammel_thread_start(), "attached_thread");
	trammel_add_call(api, trammel_thread_end(), "attached_thread_end");
	trammel_add_call(api, trammel_program_end(), "attached_end");
	return 0;
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	if (!strcmp(function->name, "work_once"))
		trammel_add_call(api, trammel_entry(function), "attached_call");
}

TRAMMEL_TOOL = {
	TRAMMEL_TOOL_HEAD, "attached", "counts calls of work_once", start_tool, NULL,
	see_function,      NULL};
