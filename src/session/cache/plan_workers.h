/*
 * Threads that open module files, which may take a second for a large one: signals and
 * clones of other threads do not wait for that, and two files are planned at once.
 */
#ifndef TRAMMEL_SESSION_CACHE_PLAN_WORKERS_H
#define TRAMMEL_SESSION_CACHE_PLAN_WORKERS_H

#include "session/cache/file_plans.h"
#include "session/cache/module_file.h"

struct plan_workers;

/* The calling thread gets SIGUSR1 when a file is done. Both outlive the planner.
 * `planning_fd`: see session/run/planning_notice.h; -1: there is none. */
struct plan_workers *plan_workers_create(struct cache *cache,
					 const struct session_options *options,
					 int planning_fd);

/* Waits for what is being planned. NULL is allowed. */
void plan_workers_destroy(struct plan_workers *workers);

/* Asks for the module of an open file, which is duplicated; nothing happens if it was
 * asked for already and not collected. */
void plan_workers_request(struct plan_workers *workers, int fd, const struct stat *status,
			  const struct module_use *use);

/* Whether a file was asked for, by its inode, and not collected; use->path does not
 * matter. */
bool plan_workers_is_asked(struct plan_workers *workers, uint64_t inode,
			   const struct module_use *use);

/* A module that is done, which the caller owns; NULL if there is none now. */
struct module_file *plan_workers_collect(struct plan_workers *workers);

#endif
