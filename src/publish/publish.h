/* libtrammel-report.so: loaded by a program at its end to write its own profile,
 * unless another process does so. This keeps the recording library small. */
#ifndef TRAMMEL_PUBLISH_PUBLISH_H
#define TRAMMEL_PUBLISH_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUBLISH_ABI = 7 };
#define PUBLISH_LIBRARY  "libtrammel-report.so.0"
#define PUBLISH_FUNCTION "trammel_publish"

struct publish_request {
	uint32_t abi;
	bool print;          /* the short report, on standard error */
	const char *folder;  /* of the spools */
	const char *output;  /* path of the profile */
	const char *measure; /* as -m has it */
	const char *command; /* as a shell would need it */
	int64_t start;       /* seconds since 1970 */
	uint64_t wall_ns;
	uint32_t pid;
};

/* A value, its type as enum trm_type of trammel/annotate.h. */
struct publish_value {
	uint32_t type;
	uint32_t size; /* STRING, BLOB: bytes */
	union {
		uint64_t u; /* bits */
		const char *bytes;
	};
};

struct publish_pair {
	uint32_t attribute;
	struct publish_value value;
};

/* Receives the data of a channel. */
struct publish_sink {
	void *context;
	/* Returns the attribute of this name; if that has another type, the attribute
	 * of the name with the type appended. */
	uint32_t (*attribute)(void *context, const char *name, uint32_t type,
			      uint32_t properties);
	/* The child of a node; 0 is the root. */
	uint32_t (*node)(void *context, uint32_t parent, uint32_t attribute,
			 struct publish_value value);
	void (*record)(void *context, uint32_t node, const struct publish_pair *pairs,
		       size_t count);
	void (*global)(void *context, uint32_t attribute, struct publish_value value);
	/* Describes an attribute by a value of another attribute `key`. */
	void (*describe)(void *context, uint32_t attribute, uint32_t key,
			 struct publish_value value);
};

/* Sums of a process, to be combined with the sums of other processes. */
struct publish_sums {
	void *context;
	/* Adds the packed sums of another process. */
	void (*add)(void *context, const void *bytes, uint64_t size);
	/* Returns all sums packed; the caller frees them. NULL: nothing to send. */
	void *(*pack)(void *context, uint64_t *ret_size);
};

/* Combines the sums of all processes; all must call it in the same order. Returns true
 * in the one process that has the result. */
typedef bool publish_reduce(void *processes, const struct publish_sums *sums);

/* Sends the bytes of the process that has the result to all processes, which all call
 * this; the others get a copy to be freed. */
typedef void publish_spread(void *processes, void **bytes, uint64_t *size);

/* The report on loops: queries as LLNL's Caliper has them, each in two steps. The first
 * one makes a profile of the sums of each rank. */
struct publish_loops {
	const char *summary, *summary_across;
	/* Queries on one loop: {loop} stands for its name, {block} for the iterations
	 * of a row. */
	const char *series, *series_across;
	uint64_t rows_max; /* of a loop, about; 0: any number */
	bool with_summary, with_series;
	/* Queries on regions for a profile in SPOT's form; NULL: tables are written
	 * instead. */
	const char *regions, *regions_across;
	const char *options; /* that were given, with commas; for that profile */
};

/* Destination of a channel's data. */
struct publish_output {
	const char *query; /* NULL: the profile itself */
	/* A query over the results of `query` (NULL: all records) of all processes,
	 * one of which writes the final result. NULL: no such query. */
	const char *across;
	const char *path; /* "stdout", "stderr", or a file's */
	bool append;
	bool caliper; /* the query is as LLNL's Caliper has them */
	/* Instead of `query`: the report on loops; of all processes if `across` is
	 * set. NULL: no such report. */
	const struct publish_loops *loops;
};

#define PUBLISH_CHANNEL "trammel_publish_channel"
struct publish_channel {
	uint32_t abi;
	const char *name; /* of the channel; for messages */
	/* Passes the data that is not in the spool to the sink. */
	void (*fill)(void *context, const struct publish_sink *sink);
	void *context;
	const struct publish_output *outputs;
	size_t output_count;
	const char *records; /* path of a profile to use instead of the fields below;
				NULL: use them */
	uint32_t lookups;    /* enum context_look_up */
	/* The whole spool of the process (wire/context.h), and the number of the
	 * channel there. */
	const void *spool;
	size_t spool_size;
	uint32_t number;
	uint32_t also; /* another channel whose records are included; 0: none */
	double ns_per_tick;
	publish_reduce *reduce; /* sums up over processes; NULL: this process is alone */
	publish_spread *spread; /* gives the result to all processes */
	void *processes;        /* argument of reduce and spread */
};

#define PUBLISH_QUERY "trammel_publish_query"
/* A query as LLNL's Caliper has them, over a profile of the program's. */
struct publish_query {
	uint32_t abi;
	const char *text;
	const char *profile; /* a path; NULL: the text is only looked at */
	const char *path;    /* path of a file, to which the result is appended */
	char *message;       /* receives the error text */
	size_t message_size;
	size_t place; /* gets where that is in the text, in bytes */
};
/* Returns whether nothing was wrong. */
typedef bool publish_query_function(struct publish_query *request);

/* Writes the data of a channel; errors are reported on standard error. */
typedef void publish_channel_function(const struct publish_channel *request);

/* Writes the profile; errors are reported on standard error, in one line. */
typedef void publish_function(const struct publish_request *request);

#endif
