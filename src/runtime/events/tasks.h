/* Tasks that threads switch between. */
#ifndef TRAMMEL_RUNTIME_EVENTS_TASKS_H
#define TRAMMEL_RUNTIME_EVENTS_TASKS_H

struct trm_task;

/* Create, switch to and destroy a task: see trm_task_create() in trammel/annotate.h. */
struct trm_task *tasks_create(void);

struct trm_task *tasks_switch(struct trm_task *task);

void tasks_destroy(struct trm_task *task);

/* Frees the task that stands for the thread itself, at its end. */
void tasks_end_thread(void);

/* Frees the lock in a child of fork. */
void tasks_resume(void);

#endif
