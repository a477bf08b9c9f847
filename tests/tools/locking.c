/* Mutexes and conditions. Argument: what is wrong, none for nothing: order, owner,
 * destroyed, wait, mutexes. Threads run one after the other, so nothing hangs. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER,
		       second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *forwards(void *unused)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&first);
		pthread_mutex_lock(&second);
		pthread_mutex_unlock(&second);
		pthread_mutex_unlock(&first);
	}
	return unused;
}

static void *backwards(void *unused)
{
	pthread_mutex_lock(&second);
	pthread_mutex_lock(&first);
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
	return unused;
}

static void *take(void *lock)
{
	pthread_mutex_lock(lock);
	return NULL;
}

/* Waits for a little time. */
static void *wait_with(void *lock)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 200000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(lock);
	pthread_cond_timedwait(&condition, lock, &until);
	pthread_mutex_unlock(lock);
	return NULL;
}

static void in_thread(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, argument);
	pthread_join(thread, NULL);
}

static void wait_alone(void)
{
	struct timespec past = {1, 0};

	pthread_cond_timedwait(&condition, &first, &past);
}

static void wait_twice(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_with, &first);
	pthread_create(&threads[1], NULL, wait_with, &second);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int count, char **words)
{
	const char *wrong = count > 1 ? words[1] : "";

	in_thread(forwards, NULL);
	in_thread(forwards, NULL);
	if (!strcmp(wrong, "order"))
		in_thread(backwards, NULL);
	if (!strcmp(wrong, "owner")) {
		in_thread(take, &first);
		pthread_mutex_unlock(&first);
	}
	if (!strcmp(wrong, "destroyed")) {
		pthread_mutex_lock(&first);
		pthread_mutex_destroy(&first);
	}
	if (!strcmp(wrong, "wait"))
		wait_alone();
	if (!strcmp(wrong, "mutexes"))
		wait_twice();
	else
		wait_with(&second);
	return 0;
}
