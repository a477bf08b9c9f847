/*
 * Explicit tasks of OpenMP. A task that begins while its thread waits in another one is
 * inside of that; one that leaves its thread before it is complete (untied ones do) takes
 * what is open in it to where it goes on.
 */
#ifndef TRAMMEL_RUNTIME_FOREIGN_OPENMP_TASKS_H
#define TRAMMEL_RUNTIME_FOREIGN_OPENMP_TASKS_H

#include <stdbool.h>
#include <stdint.h>

struct context_thread;

/* What the run-time library keeps of a task for a tool. */
union openmp_data {
	uint64_t value;
	void *pointer;
};

/* A new task. */
void openmp_task_create(union openmp_data *task, bool is_explicit);
/* The thread, which is inside, leaves one task and goes on with another (NULL: none);
 * `over`: the first one is complete. `attribute`: what tasks are nodes of. */
void openmp_task_switch(struct context_thread *thread, uint32_t attribute,
			union openmp_data *prior, bool over, union openmp_data *next);
/* The thread leaves a team: no task of it goes on. */
void openmp_tasks_forget(void);

#endif
