#include "session/cache/plan_workers.h"

#include "control/processor.h"
#include "session/cache/cache_key.h"
#include "session/cache/file_plans.h"
#include "session/cache/module_file.h"
#include "session/cache/planning_note.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORKERS_MAX 4

/* Planning takes and frees arrays of many MiB. What the C library gives back it takes
 * again, page by page; so nothing is given back before there is nothing to plan. Larger
 * blocks than the C library can keep are mapped, and grow without being copied. */
#define KEPT_BLOCK_MAX (32 << 20)
#define KEPT_MAX       (1 << 30)

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct job {
	enum job_state state;
	int fd;
	struct stat status;
	char *path;
	bool bare, copies_calls, lazy;
	unsigned int variant;
	struct module_file *file; /* once done */
};

struct plan_workers {
	struct cache *cache;
	const struct session_options *options;
	pid_t tracer;    /* tid of the thread to wake */
	int planning_fd; /* -1: there is none */
	pthread_mutex_t lock;
	pthread_cond_t work;
	bool ending;
	unsigned int worker_count, worker_limit, idle;
	pthread_t workers[WORKERS_MAX];
	struct VECTOR(struct job *) jobs; /* not collected yet, oldest first */
};

/* The largest one, as the program waits until all are done: a large file that comes last
 * is planned while the other workers have nothing to do. With the lock held. */
static struct job *next_job(const struct plan_workers *workers, enum job_state state)
{
	struct job *largest = NULL;

	vector_for_each (&workers->jobs, job)
		if ((*job)->state == state &&
		    (!largest || (*job)->status.st_size > largest->status.st_size))
			largest = *job;
	return largest;
}

/* What is being planned. With the lock held. */
static void tell_progress(const struct plan_workers *workers)
{
	const struct job *largest = next_job(workers, JOB_RUNNING);
	unsigned int left = 0;

	if (workers->planning_fd < 0)
		return;
	vector_for_each (&workers->jobs, job)
		left += (*job)->state != JOB_DONE;
	if (!largest)
		largest = next_job(workers, JOB_WAITING);
	planning_note_send(workers->planning_fd, largest ? largest->path : "", left);
}

/* Plans what a job asks for, and wakes the tracer. With the lock held, which is let go of
 * meanwhile. */
static void run_job(struct plan_workers *workers, struct job *job)
{
	job->state = JOB_RUNNING;
	pthread_mutex_unlock(&workers->lock);
	job->file =
		module_file_open(workers->cache, job->fd, &job->status,
				 &(struct module_use){.path = job->path,
						      .bare = job->bare,
						      .copies_calls = job->copies_calls,
						      .lazy = job->lazy,
						      .variant = job->variant},
				 workers->options);
	close(job->fd);
	pthread_mutex_lock(&workers->lock);
	job->state = JOB_DONE;
	tell_progress(workers);
	syscall(SYS_tgkill, getpid(), workers->tracer, SIGUSR1);
}

static void *run_worker(void *argument)
{
	struct plan_workers *workers = argument;
	bool used = false;
	struct job *job;

	processor_leave();
	pthread_mutex_lock(&workers->lock);
	while (!workers->ending) {
		job = next_job(workers, JOB_WAITING);
		if (!job && used) {
			used = false;
			pthread_mutex_unlock(&workers->lock);
			malloc_trim(0);
			pthread_mutex_lock(&workers->lock);
			continue;
		}
		if (!job) {
			workers->idle++;
			pthread_cond_wait(&workers->work, &workers->lock);
			workers->idle--;
			continue;
		}
		used = true;
		run_job(workers, job);
	}
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

struct plan_workers *plan_workers_create(struct cache *cache,
					 const struct session_options *options,
					 int planning_fd)
{
	struct plan_workers *workers = memory_allocate_zeroed(1, sizeof(*workers));
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	workers->cache = cache;
	workers->options = options;
	workers->planning_fd = planning_fd;
	workers->tracer = (pid_t)syscall(SYS_gettid);
	workers->worker_limit = processors < 1             ? 1
				: processors > WORKERS_MAX ? WORKERS_MAX
							   : (unsigned int)processors;
	mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK_MAX);
	mallopt(M_TRIM_THRESHOLD, KEPT_MAX);
	/* The C library's allocator makes itself ready at its first use, and expects no
	 * other thread then. Under AddressSanitizer nothing else has used it yet. */
	malloc_trim(0);
	pthread_mutex_init(&workers->lock, NULL);
	pthread_cond_init(&workers->work, NULL);
	return workers;
}

void plan_workers_destroy(struct plan_workers *workers)
{
	if (!workers)
		return;
	pthread_mutex_lock(&workers->lock);
	workers->ending = true;
	pthread_cond_broadcast(&workers->work);
	pthread_mutex_unlock(&workers->lock);
	for (unsigned int i = 0; i < workers->worker_count; i++)
		pthread_join(workers->workers[i], NULL);
	vector_for_each (&workers->jobs, job) {
		module_file_destroy((*job)->file);
		free((*job)->path);
		free(*job);
	}
	vector_deinit(&workers->jobs);
	pthread_cond_destroy(&workers->work);
	pthread_mutex_destroy(&workers->lock);
	free(workers);
}

static bool is_for(const struct job *job, const struct module_use *use)
{
	return job->bare == use->bare && job->copies_calls == use->copies_calls &&
	       job->variant == use->variant && job->lazy == use->lazy;
}

static bool is_asked_for(const struct plan_workers *workers, const struct stat *status,
			 const struct module_use *use)
{
	struct file_identity wanted = file_identity_of(status);

	vector_for_each (&workers->jobs, job) {
		struct file_identity known = file_identity_of(&(*job)->status);

		if (is_for(*job, use) && !memcmp(&known, &wanted, sizeof(known)))
			return true;
	}
	return false;
}

bool plan_workers_is_asked(struct plan_workers *workers, uint64_t inode,
			   const struct module_use *use)
{
	bool asked = false;

	pthread_mutex_lock(&workers->lock);
	vector_for_each (&workers->jobs, job)
		asked |= is_for(*job, use) && (*job)->status.st_ino == inode;
	pthread_mutex_unlock(&workers->lock);
	return asked;
}

void plan_workers_request(struct plan_workers *workers, int fd, const struct stat *status,
			  const struct module_use *use)
{
	pthread_mutex_lock(&workers->lock);
	if (!is_asked_for(workers, status, use)) {
		struct job *job = memory_allocate_zeroed(1, sizeof(*job));

		*job = (struct job){.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
				    .status = *status,
				    .path = memory_copy_string(use->path),
				    .bare = use->bare,
				    .copies_calls = use->copies_calls,
				    .lazy = use->lazy,
				    .variant = use->variant};
		vector_push(&workers->jobs, job);
		tell_progress(workers);
		if (!workers->idle && workers->worker_count < workers->worker_limit &&
		    !pthread_create(&workers->workers[workers->worker_count], NULL,
				    run_worker, workers))
			workers->worker_count++;
		/* Under a limit (RLIMIT_NPROC, RLIMIT_AS) there may be no thread to do
		 * it. */
		if (!workers->worker_count)
			run_job(workers, job);
		pthread_cond_signal(&workers->work);
	}
	pthread_mutex_unlock(&workers->lock);
}

struct module_file *plan_workers_collect(struct plan_workers *workers)
{
	struct module_file *file = NULL;

	pthread_mutex_lock(&workers->lock);
	struct job *job = next_job(workers, JOB_DONE);

	if (job) {
		file = job->file;
		for (size_t i = 0; i < workers->jobs.count; i++) {
			if (workers->jobs.items[i] == job) {
				vector_remove_swap(&workers->jobs, i);
				break;
			}
		}
		free(job->path);
		free(job);
	}
	pthread_mutex_unlock(&workers->lock);
	return file;
}
