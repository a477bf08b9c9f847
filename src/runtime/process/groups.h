/*
 * Groups of channels, as a program has them: include/trammel/channel.h, and what
 * libtrammel-cali needs beside it.
 */
#ifndef TRAMMEL_RUNTIME_PROCESS_GROUPS_H
#define TRAMMEL_RUNTIME_PROCESS_GROUPS_H

#include "runtime/events/caliper_host_api.h"

/* The same with a query over what that makes in all ranks, one of which writes. */
void channels_report_across(struct trm_channels *group, const char *query,
			    const char *across, const void *communicator,
			    const char *path);

/* A query over what a group has, to the end of a file, and no output of its services. */
void channels_report(struct trm_channels *group, const char *query, const char *path);

/* Writes what their services would, of the records in a file in place of their own. */
void channels_flush_of(struct trm_channels *group, const char *path);

/* Whether all of a group have the service. */
bool channels_have(const struct trm_channels *group, const char *service);

/* Whether a setting of all of them is true. */
bool channels_are_true(const struct trm_channels *group, const char *key, bool otherwise);

/* One channel of a group, by number, as a group that must not outlive it, and its name.
 * NULL: there are no more, or no room. */
struct trm_channels *channels_one_of(const struct trm_channels *group, size_t number,
				     const char **ret_name);

/* Snapshots of this thread with values, in those of the group that measure. */
void channels_push_to(struct trm_channels *group, const trm_attribute *attributes,
		      const struct trm_value *values, size_t count);

/* Values for the snapshots of this thread that they took last, each once. */
void channels_add_to(struct trm_channels *group, const trm_attribute *attributes,
		     const struct trm_value *values, size_t count);

/* Begins, sets or ends a value that the channels of the group alone have. */
void channels_hold_in(struct trm_channels *group, enum trm_runtime_holding how,
		      trm_attribute attribute, const struct trm_value *value);

/* The innermost of the first channel; false: there is none. */
bool channels_held(const struct trm_channels *group, trm_attribute attribute,
		   struct trm_value *ret_value);

/* A setting of the first channel; NULL: it is not set. */
const char *channels_setting(const struct trm_channels *group, const char *key);

/* Sums of a metric so far, of those that aggregate it. */
void channels_sums(struct trm_channels *group, const char *metric,
		   const struct trm_runtime_sums *sums);

#endif
