/*
 * Threads that open module files, which may take a second for a large one: signals and
 * clones of other threads do not wait for that, and two files are planned at once.
 */
#ifndef TRAMMEL_SESSION_CACHE_PLANNER_H
#define TRAMMEL_SESSION_CACHE_PLANNER_H

#include "session/cache/file_plans.h"
#include "session/cache/module_file.h"

struct planner;

/* The calling thread gets SIGUSR1 when a file is done. Both outlive the planner.
 * `planning_fd`: see session/run/planning.h; -1: there is none. */
struct planner *planner_create(struct cache *cache, const struct session_options *options,
			       int planning_fd);

/* Waits for what is being planned. NULL is allowed. */
void planner_destroy(struct planner *planner);

/* Asks for the module of an open file, which is duplicated; nothing happens if it was
 * asked for already and not collected. */
void planner_request(struct planner *planner, int fd, const struct stat *status,
		     const struct module_use *use);

/* Whether a file was asked for, by its inode, and not collected; use->path does not
 * matter. */
bool planner_is_asked(struct planner *planner, uint64_t inode,
		      const struct module_use *use);

/* A module that is done, which the caller owns; NULL if there is none now. */
struct module_file *planner_collect(struct planner *planner);

#endif
