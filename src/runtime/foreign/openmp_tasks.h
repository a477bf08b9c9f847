/*
 * Explicit tasks of OpenMP. A task that begins while its thread waits in another task is
 * nested in that one. A task that leaves its thread before it is complete (as untied
 * tasks do) takes its open regions to the thread where it goes on.
 */
#ifndef TRAMMEL_RUNTIME_FOREIGN_OPENMP_TASKS_H
#define TRAMMEL_RUNTIME_FOREIGN_OPENMP_TASKS_H

#include <stdbool.h>
#include <stdint.h>

struct context_thread;

/* The word that the run-time library keeps of a task for a tool. */
union openmp_data {
	uint64_t value;
	void *pointer;
};

/* Notes a new task. */
void openmp_task_create(union openmp_data *task, bool is_explicit);
/* Switches the thread, which is inside the library, from the task `prior` to `next`
 * (NULL: no task); `over`: `prior` is complete. `attribute`: of the nodes of tasks. */
void openmp_task_switch(struct context_thread *thread, uint32_t attribute,
			union openmp_data *prior, bool over, union openmp_data *next);
/* Forgets the tasks of the thread, which leaves a team: none of them goes on. */
void openmp_tasks_forget(void);

#endif
