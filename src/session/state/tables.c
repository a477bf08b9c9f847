#include "session/state/tables.h"

#include "base/clock.h"
#include "session/state/session.h"
#include "session/state/space.h"

#include <stdio.h>

struct thread *session_find_thread(const struct session *session, pid_t tid)
{
	uint64_t value = 0;

	table_find(&session->threads, (uint64_t)tid, &value);
	return (struct thread *)(uintptr_t)value;
}

struct process *session_find_process(const struct session *session, pid_t pid)
{
	uint64_t value = 0;

	table_find(&session->processes, (uint64_t)pid, &value);
	return (struct process *)(uintptr_t)value;
}

struct thread *session_add_thread(struct session *session, pid_t tid)
{
	struct thread *thread = memory_allocate_zeroed(1, sizeof(*thread));

	thread->tid = tid;
	*table_insert(&session->threads, (uint64_t)tid, NULL) = (uintptr_t)thread;
	vector_push(&session->all_threads, thread);
	session->thread_count++;
	return thread;
}

struct image_run *session_add_image(struct session *session, pid_t pid, pid_t parent,
				    const char *program)
{
	struct image_run *image = memory_allocate_zeroed(1, sizeof(*image));

	image->number = (uint32_t)session->images.count + 1;
	image->pid = pid;
	image->parent = parent;
	image->program = memory_copy_string(program);
	image->start_ns = clock_now_ns();
	snprintf(image->state, sizeof(image->state), "running");
	image->slice = session_slice(session);
	vector_push(&session->images, image);
	session_note_change(session);
	return image;
}

struct process *session_add_process(struct session *session, pid_t pid, pid_t parent,
				    const char *program)
{
	struct process *process = memory_allocate_zeroed(1, sizeof(*process));

	process->pid = pid;
	process->image = session_add_image(session, pid, parent, program);
	*table_insert(&session->processes, (uint64_t)pid, NULL) = (uintptr_t)process;
	vector_push(&session->all_processes, process);
	return process;
}

void session_remove_process(struct session *session, struct process *process)
{
	*table_insert(&session->processes, (uint64_t)process->pid, NULL) = 0;
	for (size_t i = 0; i < session->all_processes.count; i++) {
		if (session->all_processes.items[i] == process) {
			vector_remove_swap(&session->all_processes, i);
			break;
		}
	}
	space_release(session, process->space);
	free(process);
}
