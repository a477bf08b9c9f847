// build: gcc -O2 -pthread
// args: start
// output: after exec, same process
// expect: function=before calls=8
// expect: function=after calls=1
// expect-process: program=exec_thread state=exec count=1
// expect-process: program=exec_thread state="exited 0" count=1
/* exec by a thread that is not the leader, while others run. */
#include "lib/test.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static char *program;
static pthread_barrier_t barrier;

KEPT static void before(void)
{
	__asm__ volatile("" ::: "memory");
}

KEPT static void after(const char *process)
{
	puts(atoi(process) == getpid() ? "after exec, same process" : "another process");
}

static void *thread(void *argument)
{
	char process[16];

	before();
	pthread_barrier_wait(&barrier);
	if (!argument) {
		for (;;)
			__asm__ volatile("" ::: "memory");
	}
	snprintf(process, sizeof(process), "%d", getpid());
	execl(program, program, "after", process, (char *)NULL);
	return NULL;
}

int main(int count, char **arguments)
{
	pthread_t threads[8];

	program = arguments[0];
	if (!strcmp(arguments[1], "after")) {
		CHECK(count == 3);
		after(arguments[2]);
		return 0;
	}
	pthread_barrier_init(&barrier, NULL, 8);
	for (int i = 0; i < 8; i++)
		CHECK(pthread_create(&threads[i], NULL, thread,
				     i == 5 ? program : NULL) == 0);
	pthread_join(threads[0], NULL);
	return 1;
}
