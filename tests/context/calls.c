/* Calls of the C library that services see: see calls.py. `calls WORD`. */
#include <trammel/annotate.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

#define CHECK(what)                                                                      \
	do {                                                                             \
		if (!(what)) {                                                           \
			fprintf(stderr, "line %d: %s\n", __LINE__, strerror(errno));     \
			exit(1);                                                         \
		}                                                                        \
	} while (0)

/* As SQLite has its system calls. */
static ssize_t (*volatile writing)(int fd, const void *bytes, size_t size) = write;

static void files(void)
{
	/* As large as the compiler does not know: read is __read_chk where that is asked
	 * for. */
	volatile size_t size = 100;
	char bytes[100] = "";
	FILE *stream;

	TRM_REGION("files");
	for (int i = 0; i < 5; i++) {
		int fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);

		CHECK(fd >= 0 && writing(fd, bytes, size) == 100 &&
		      !lseek(fd, 0, SEEK_SET) && read(fd, bytes, size) == 100 &&
		      pread(fd, bytes, size, 50) == 50);
		close(fd);
	}
	CHECK(open("not there", O_RDONLY) < 0 && errno == ENOENT);
	stream = fopen("data", "r");
	CHECK(stream && fread(bytes, 1, size, stream) == 100);
	fclose(stream);
}

static void sockets(void)
{
	int ends[2];
	char bytes[10] = "";

	TRM_REGION("sockets");
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	for (int i = 0; i < 3; i++)
		CHECK(sendto(ends[0], bytes, 10, 0, NULL, 0) == 10 &&
		      recvfrom(ends[1], bytes, 10, 0, NULL, NULL) == 10);
	close(ends[0]);
	close(ends[1]);
}

static void pass(long milliseconds)
{
	nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

static void *work(void *unused)
{
	TRM_REGION("worker");
	CHECK(!pthread_mutex_lock(&mutex));
	pass(300);
	ready = 1;
	pthread_cond_signal(&condition);
	CHECK(!pthread_mutex_unlock(&mutex));
	return unused;
}

/* It holds the mutex for some 10 ms, and waits for the condition for 300. */
static void holding(void)
{
	pthread_t thread;

	TRM_REGION("holding");
	CHECK(!pthread_mutex_lock(&mutex));
	CHECK(!pthread_create(&thread, NULL, work, NULL));
	while (!ready)
		CHECK(!pthread_cond_wait(&condition, &mutex));
	pass(10);
	CHECK(!pthread_mutex_unlock(&mutex));
	CHECK(!pthread_join(thread, NULL));
}

static void give_back(void *lock)
{
	CHECK(!pthread_mutex_unlock(lock));
}

static void *wait_for_ever(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(give_back, &mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
	pthread_cleanup_pop(1);
	return unused;
}

/* Through the wrappers' frames. */
static void cancelled(void)
{
	pthread_t thread;
	void *result;

	TRM_REGION("cancelled");
	CHECK(!pthread_create(&thread, NULL, wait_for_ever, NULL));
	pass(5);
	CHECK(!pthread_cancel(thread) && !pthread_join(thread, &result));
	CHECK(result == PTHREAD_CANCELED && !pthread_mutex_trylock(&mutex));
	CHECK(!pthread_mutex_unlock(&mutex));
}

static void kinds(void)
{
	pthread_mutexattr_t attributes;
	struct timespec soon;
	pthread_mutex_t own;

	TRM_REGION("kinds");
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	CHECK(!pthread_mutexattr_init(&attributes) &&
	      !pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) &&
	      !pthread_mutex_init(&own, &attributes));
	CHECK(!pthread_mutex_lock(&own) && !pthread_mutex_trylock(&own) &&
	      !pthread_mutex_timedlock(&own, &soon));
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_mutex_unlock(&own));
	CHECK(pthread_mutex_unlock(&own) == EPERM);
	CHECK(!pthread_rwlock_rdlock(&rwlock) && !pthread_rwlock_tryrdlock(&rwlock));
	CHECK(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
	CHECK(!pthread_rwlock_unlock(&rwlock) && !pthread_rwlock_unlock(&rwlock));
	CHECK(!pthread_rwlock_timedwrlock(&rwlock, &soon));
	CHECK(!pthread_rwlock_unlock(&rwlock));
}

static void system_calls(void)
{
	int status;
	pid_t child;

	TRM_REGION("system");
	for (int i = 0; i < 1000; i++)
		getppid();
	CHECK(getcwd((char[4096]){0}, 4096));
	errno = 77;
	getppid();
	CHECK(errno == 77);
	CHECK(dup(-1) < 0 && errno == EBADF);
	child = fork();
	if (!child)
		_exit(getppid() == 1);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} rows[] = {
		{"files", files},         {"sockets", sockets}, {"holding", holding},
		{"cancelled", cancelled}, {"kinds", kinds},     {"system", system_calls},
	};

	for (int word = 1; word < count; word++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (!strcmp(rows[i].name, words[word]))
				rows[i].run();
	return 0;
}
