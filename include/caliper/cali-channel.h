/*
 * Events of a channel, for the program that made it: see cali::Channel::events() in
 * caliper/Caliper.h for C++.
 */
#ifndef CALI_CALI_CHANNEL_H
#define CALI_CALI_CHANNEL_H

#include "cali.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cali_event_kind {
	CALI_EVENT_BEGIN, /* it is not open yet */
	CALI_EVENT_SET,   /* it has its old value */
	CALI_EVENT_END,   /* it is open still */
	CALI_EVENT_BEGAN, /* it is open now */
	/* Without a value, active or not: */
	CALI_EVENT_ATTRIBUTE,  /* it was made, by caliper/cali.h */
	CALI_EVENT_THREAD,     /* the thread's first event comes; no attribute */
	CALI_EVENT_THREAD_END, /* a thread with events ends; no attribute */
};

/* Takes an event of the calling thread. What it annotates is recorded, and comes here,
 * too: it must end what it begins. Texts stay. */
typedef void (*cali_event_fn)(void *context, enum cali_event_kind kind,
			      cali_id_t attribute, cali_variant_t value);

/* Events come to `function` while the channel is active, whatever its services are; one
 * function a channel. Returns whether there is room: for 15 channels. */
bool cali_channel_watch(cali_id_t channel, cali_event_fn function, void *context);

/* What else there is to be seen, as the program asks for it; NULL: is not wanted. */
struct cali_watcher {
	cali_event_fn event;
	/* A snapshot with values for its moment; they may be none. */
	void (*snapshot)(void *context, int n, const cali_id_t attributes[],
			 const cali_variant_t values[]);
	/* Memory that has a name, and has it no more: cali_datatracker_*. */
	void (*track)(void *context, const void *place, const char *label,
		      size_t element_size, const size_t *dimensions,
		      size_t dimension_count);
	void (*untrack)(void *context, const void *place);
};

/* The same for all of this; the struct is copied. */
bool cali_channel_watch_all(cali_id_t channel, const struct cali_watcher *watcher,
			    void *context);

/* Values for the snapshot that the channel took last in this thread, if nothing was added
 * to it before: for watchers. They go to its traces and, where they can be summed up, its
 * sums. */
void cali_channel_add_to_snapshot(cali_id_t channel, int n, const cali_id_t attributes[],
				  const cali_variant_t values[]);

/* Their numbers go from 1 on. */
enum { CALI_CHANNELS_MAX = 64 };

/*
 * Values that a channel alone has: no thread has them, nor have snapshots but for those
 * that their own events make in the channel. Globals among them are in what it writes.
 */
void cali_channel_begin_variant(cali_id_t channel, cali_id_t attribute,
				cali_variant_t value);
void cali_channel_set_variant(cali_id_t channel, cali_id_t attribute,
			      cali_variant_t value);
void cali_channel_end(cali_id_t channel, cali_id_t attribute);

/* A setting of the channel, as SERVICES_ENABLE; NULL: it is not set. Valid as long. */
const char *cali_channel_setting(cali_id_t channel, const char *key);

/* NULL: there is no such channel. Valid until it is deleted. */
const char *cali_channel_name(cali_id_t channel);

/* Whether the channel has a service, by its name. */
bool cali_channel_has(cali_id_t channel, const char *service);
/* Whether what it has is written at the program's end. */
bool cali_channel_ends_written(cali_id_t channel);
/* Writes what its services would write, of the records of a profile in place of its own.
 */
void cali_channel_flush_of(cali_id_t channel, const char *path);

/* Whether ranks of a parallel program write what it has together. */
bool cali_channel_is_across(cali_id_t channel);
/* As cali_manager_flush_across. */
void cali_channel_flush_across(cali_id_t channel, const void *communicator,
			       const char *path);
/* Writes a query over what it has to the end of a file, and no output of its own;
 * `options`: cali_flush_opt. */
void cali_channel_report(cali_id_t channel, const char *query, int options,
			 const char *path);

/* The same by all ranks of a communicator (its address; NULL: all that there are), the
 * first of which writes: a query over what `query` makes in each of them. */
void cali_channel_report_across(cali_id_t channel, const char *query, const char *across,
				const void *communicator, const char *path);

/* Whether a query makes sense; what is wrong with it, and where in it (bytes). */
bool cali_query_check(const char *query, char *message, size_t size, size_t *ret_place);
/* Writes a query over a profile to the end of a file; says what is wrong on standard
 * error. Returns whether nothing was. */
bool cali_query_run(const char *query, const char *profile, const char *path);

#ifdef __cplusplus
}

#include <cstdio>
#include <iostream>
#include <map>
#include <string>

namespace cali
{

typedef std::map<std::string, std::string> config_map_t;

/* As cali_create_channel. */
inline cali_id_t create_channel(const char *name, int flags, const config_map_t &settings)
{
	cali_configset_t set = cali_create_configset(nullptr);
	cali_id_t channel;

	for (const auto &pair : settings)
		cali_configset_set(set, pair.first.c_str(), pair.second.c_str());
	channel = cali_create_channel(name, flags, set);
	cali_delete_configset(set);
	return channel;
}

/* What `function` writes to the file of the path that it is given; fails where there is
 * no room for one. Returns whether it could be called. */
template <class Function> bool write_by_file_(std::ostream &stream, Function function)
{
	FILE *file = std::tmpfile(); /* which goes when it is closed */
	char part[4096];
	size_t length;

	if (!file) {
		stream.setstate(std::ios::failbit);
		return false;
	}
	function(("/proc/self/fd/" + std::to_string(fileno(file))).c_str());
	std::rewind(file);
	while ((length = std::fread(part, 1, sizeof(part), file)) > 0)
		stream.write(part, static_cast<std::streamsize>(length));
	std::fclose(file);
	return true;
}

/* Calls a function with the path of a file that has the text. Returns whether it could be
 * called. */
template <class Function> bool read_by_file_(const std::string &text, Function function)
{
	FILE *file = std::tmpfile(); /* which goes when it is closed */

	if (!file)
		return false;
	std::fwrite(text.data(), 1, text.size(), file);
	std::rewind(file);
	function(("/proc/self/fd/" + std::to_string(fileno(file))).c_str());
	std::fclose(file);
	return true;
}

/* A query over what a channel has; `options`: cali_flush_opt. */
inline void write_report_for_query(cali_id_t channel, const char *query, int options,
				   std::ostream &stream)
{
	write_by_file_(stream, [=](const char *path) {
		cali_channel_report(channel, query, options, path);
	});
}

} // namespace cali
#endif

#endif
