/*
 * Tasks with stacks of their own that move between threads: `tasks.py` knows what they
 * must have said.
 */
#include <trammel/annotate.h>
#include <trammel/channel.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 64 << 10, TASKS = 20 };

struct task {
	ucontext_t context;
	struct trm_task *said;
	int number, rounds;
	pthread_t last; /* that it ran on */
	bool over;
};

static struct {
	pthread_mutex_t mutex;
	struct task *queue[TASKS];
	int first, count, over;
} ready = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct task all[TASKS];
static __thread ucontext_t scheduler;
static trm_attribute number_of;

/* Not inlined: the thread may be another one behind the switch. */
static __attribute__((noinline)) ucontext_t *here(void)
{
	__asm__ volatile("");
	return &scheduler;
}

static void yield(struct task *task)
{
	swapcontext(&task->context, here());
}

static void body(int index)
{
	struct task *task = &all[index];

	trm_begin("task", "body");
	trm_set(number_of, task->number);
	for (int i = 0; i < task->rounds; i++) {
		trm_begin("region", i % 2 ? "odd" : "even");
		yield(task);
		trm_begin("region", "inner");
		yield(task);
		trm_end("region");
		trm_end("region");
	}
	trm_end("task");
	task->over = true;
	for (;;)
		yield(task);
}

static struct task *next(void)
{
	struct task *task = NULL;

	pthread_mutex_lock(&ready.mutex);
	if (ready.count) {
		task = ready.queue[ready.first];
		ready.first = (ready.first + 1) % TASKS;
		ready.count--;
	}
	pthread_mutex_unlock(&ready.mutex);
	return task;
}

static void put_back(struct task *task)
{
	pthread_mutex_lock(&ready.mutex);
	if (task->over)
		ready.over++;
	else
		ready.queue[(ready.first + ready.count++) % TASKS] = task;
	pthread_mutex_unlock(&ready.mutex);
}

static void *schedule(void *unused)
{
	(void)unused;
	trm_begin("region", "worker");
	while (__atomic_load_n(&ready.over, __ATOMIC_ACQUIRE) < TASKS) {
		struct task *task = next();

		if (!task) {
			usleep(100);
			continue;
		}
		if (task->last == pthread_self()) { /* each time on another one */
			put_back(task);
			sched_yield();
			continue;
		}
		task->last = pthread_self();
		trm_task_switch(task->said);
		swapcontext(here(), &task->context);
		trm_task_switch(NULL);
		put_back(task);
	}
	trm_end("region");
	return NULL;
}

static void make(struct task *task, int number, int rounds)
{
	task->number = number;
	task->rounds = rounds;
	task->said = trm_task_create();
	getcontext(&task->context);
	task->context.uc_stack.ss_sp = malloc(STACK);
	task->context.uc_stack.ss_size = STACK;
	makecontext(&task->context, (void (*)(void))body, 1, number);
	ready.queue[ready.count++] = task;
}

static void migrate(int rounds)
{
	pthread_t threads[3];

	trm_begin("region", "making");
	for (int i = 0; i < TASKS; i++)
		make(&all[i], i, rounds);
	trm_end("region");
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, schedule, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < TASKS; i++) {
		trm_task_destroy(all[i].said);
		free(all[i].context.uc_stack.ss_sp);
	}
}

/* The time that a task waits is its thread's. */
static void wait_for(int ms)
{
	struct trm_task *task = trm_task_create();

	trm_begin("region", "own");
	trm_task_switch(task);
	trm_begin("region", "waiting");
	trm_task_switch(NULL);
	usleep((useconds_t)ms * 1000);
	if (trm_task_switch(task))
		abort();
	trm_end("region");
	trm_task_destroy(task); /* the thread is on its own again */
	trm_end("region");
}

/* Deeper than a task has room at first, and so many that memory would show it. */
static void deep(int count)
{
	for (int i = 0; i < count; i++) {
		struct trm_task *task = trm_task_create();

		trm_task_switch(task);
		for (int j = 0; j < 300; j++)
			trm_begin("level", j);
		trm_task_switch(NULL);
		trm_task_switch(task);
		for (int j = 0; j < 300; j++)
			trm_end("level");
		trm_task_destroy(task);
	}
}

int main(int word_count, char **words)
{
	int number = word_count > 2 ? atoi(words[2]) : 0;

	number_of = trm_attribute_create("task.number", TRM_TYPE_INT,
					 TRM_AS_VALUE | TRM_SCOPE_TASK);
	if (number && !strcmp(words[1], "migrate"))
		migrate(number);
	else if (number && !strcmp(words[1], "wait"))
		wait_for(number);
	else if (number && !strcmp(words[1], "deep"))
		deep(number);
	else
		return 2;
	puts("done");
	return 0;
}
