/*
 * Worker threads that open and plan module files, which may take a second for a large
 * one: signals and clones of other threads do not wait for that, and two files are
 * planned at once.
 */
#ifndef TRAMMEL_SESSION_CACHE_PLAN_WORKERS_H
#define TRAMMEL_SESSION_CACHE_PLAN_WORKERS_H

#include "session/cache/file_plans.h"
#include "session/cache/module_file.h"

struct plan_workers;

/* Starts the workers. The calling thread gets SIGUSR1 when a file is done. `cache` and
 * `options` must outlive the workers. `planning_fd`: see
 * session/run/planning_notice.h; -1: not used. */
struct plan_workers *plan_workers_create(struct cache *cache,
					 const struct session_options *options,
					 int planning_fd);

/* Waits for files that are being planned and frees the workers. NULL is allowed. */
void plan_workers_destroy(struct plan_workers *workers);

/* Requests the module of an open file, whose descriptor is duplicated; does nothing if
 * it was requested already and not collected. */
void plan_workers_request(struct plan_workers *workers, int fd, const struct stat *status,
			  const struct module_use *use);

/* Returns whether a file, identified by its inode, was requested and not collected;
 * use->path does not matter. */
bool plan_workers_is_asked(struct plan_workers *workers, uint64_t inode,
			   const struct module_use *use);

/* Returns a finished module, which the caller owns; NULL if none is ready. */
struct module_file *plan_workers_collect(struct plan_workers *workers);

#endif
