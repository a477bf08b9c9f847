// build: gcc -O2 -pthread
// output: 20 children
// expect: function=child calls=20
// expect: function=in_thread calls=1
/*
 * A process that had a thread forks: a child goes on with the counters that its parent
 * has by then, also where these were given more room after the start.
 */
#include "lib/test.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

KEPT void *in_thread(void *argument)
{
	return argument;
}

KEPT int child(int number)
{
	char text[32];

	return snprintf(text, sizeof(text), "%.3f %d", number * 1.5, number) > 0 ? 3 : 4;
}

int main(void)
{
	int right = 0, status;
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
		return 1;
	for (int i = 0; i < 20; i++) {
		const pid_t pid = fork();

		if (!pid)
			_exit(child(i));
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		    WEXITSTATUS(status) == 3)
			right++;
	}
	printf("%d children\n", right);
	return 0;
}
