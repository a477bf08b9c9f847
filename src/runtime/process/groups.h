/*
 * Groups of channels, as a program has them: include/trammel/channel.h, and what
 * libtrammel-cali needs beside it.
 */
#ifndef TRAMMEL_RUNTIME_PROCESS_GROUPS_H
#define TRAMMEL_RUNTIME_PROCESS_GROUPS_H

#include "runtime/events/caliper_host_api.h"

/* Writes a query over the results of `query` in all ranks of a communicator (its
 * address; NULL: of all) to the end of a file; one rank writes. */
void channels_report_across(struct trm_channels *group, const char *query,
			    const char *across, const void *communicator,
			    const char *path);

/* Writes a query over the records of a group to the end of a file, without the output of
 * its services. */
void channels_report(struct trm_channels *group, const char *query, const char *path);

/* Writes the output of the group's services, made from the records in the file `path` in
 * place of their own. */
void channels_flush_of(struct trm_channels *group, const char *path);

/* Tells whether all channels of a group have the service. */
bool channels_have(const struct trm_channels *group, const char *service);

/* Tells whether a setting of all channels is true; `otherwise`: its value where it is
 * not set. */
bool channels_are_true(const struct trm_channels *group, const char *key, bool otherwise);

/* Returns one channel of a group, by number, as a group that must not outlive it, and
 * its name. NULL: no more channels, or no room. */
struct trm_channels *channels_one_of(const struct trm_channels *group, size_t number,
				     const char **ret_name);

/* Takes a snapshot of this thread with `count` values in each channel of the group that
 * measures. */
void channels_push_to(struct trm_channels *group, const trm_attribute *attributes,
		      const struct trm_value *values, size_t count);

/* Adds values to the last snapshots that the channels took of this thread; each snapshot
 * gets them once. */
void channels_add_to(struct trm_channels *group, const trm_attribute *attributes,
		     const struct trm_value *values, size_t count);

/* Begins, sets or ends a value that the channels of the group alone have. */
void channels_hold_in(struct trm_channels *group, enum trm_runtime_holding how,
		      trm_attribute attribute, const struct trm_value *value);

/* Gets the innermost value that the first channel alone has; returns false if it has
 * none. */
bool channels_held(const struct trm_channels *group, trm_attribute attribute,
		   struct trm_value *ret_value);

/* Returns a setting of the first channel; NULL if it is not set. */
const char *channels_setting(const struct trm_channels *group, const char *key);

/* Passes the sums of a metric so far to `sums`, from the channels that aggregate it. */
void channels_sums(struct trm_channels *group, const char *metric,
		   const struct trm_runtime_sums *sums);

#endif
