/*
 * libtrammel-report.so: what a program loads at its end to write its own profile, when
 * nobody runs it who would. The library that records stays small that way.
 */
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

/* Takes what a channel says. */
struct publish_sink {
	void *context;
	/* The attribute of this name; one that has another type gets that behind its
	 * name. */
	uint32_t (*attribute)(void *context, const char *name, uint32_t type,
			      uint32_t properties);
	/* The child of a node; 0 is the root. */
	uint32_t (*node)(void *context, uint32_t parent, uint32_t attribute,
			 struct publish_value value);
	void (*record)(void *context, uint32_t node, const struct publish_pair *pairs,
		       size_t count);
	void (*global)(void *context, uint32_t attribute, struct publish_value value);
	/* Of an attribute: that another one has this value for it. */
	void (*describe)(void *context, uint32_t attribute, uint32_t key,
			 struct publish_value value);
};

/* What a process has, to be put together with what others have. */
struct publish_sums {
	void *context;
	/* Takes in what another process packed. */
	void (*add)(void *context, const void *bytes, uint64_t size);
	/* All of it, to be free()d; NULL: there is nothing to be sent. */
	void *(*pack)(void *context, uint64_t *ret_size);
};

/* Puts together what all processes have, which all call this in the same order. Returns
 * whether this is the one that has it all. */
typedef bool publish_reduce(void *processes, const struct publish_sums *sums);

/* Gives all processes, which all call this, the bytes of the one that has what all have;
 * the others get theirs to be free()d. */
typedef void publish_spread(void *processes, void **bytes, uint64_t *size);

/* The report on loops: queries as LLNL's Caliper has them, each in two steps. The first
 * one makes a profile of the sums of each rank. */
struct publish_loops {
	const char *summary, *summary_across;
	/* Of one loop: {loop} stands for its name, {block} for the iterations of a row.
	 */
	const char *series, *series_across;
	uint64_t rows_max; /* of a loop, about; 0: any number */
	bool with_summary, with_series;
	/* Of regions, for a profile as SPOT reads it in place of tables; NULL: these. */
	const char *regions, *regions_across;
	const char *options; /* that were given, with commas; for that profile */
};

/* Where what a channel has goes to. */
struct publish_output {
	const char *query; /* NULL: the profile itself */
	/* A query over what `query` (NULL: all records) makes in each of the processes,
	 * one of which writes its result. NULL: there is none. */
	const char *across;
	const char *path; /* "stdout", "stderr", or a file's */
	bool append;
	bool caliper; /* the query is as LLNL's Caliper has them */
	/* In place of `query`: the report on loops, of all processes if there is an
	 * `across`. NULL: there is none. */
	const struct publish_loops *loops;
};

#define PUBLISH_CHANNEL "trammel_publish_channel"
struct publish_channel {
	uint32_t abi;
	const char *name; /* of the channel; for messages */
	/* Says what is not in the spool. */
	void (*fill)(void *context, const struct publish_sink *sink);
	void *context;
	const struct publish_output *outputs;
	size_t output_count;
	const char *records; /* a profile's path, in place of what is below; NULL: that */
	uint32_t lookups;    /* enum context_look_up */
	/* All of the process's spool (wire/context.h), and which channel it is there. */
	const void *spool;
	size_t spool_size;
	uint32_t number;
	uint32_t also; /* another one, whose records are beside its; 0: none */
	double ns_per_tick;
	publish_reduce *reduce; /* of outputs across processes; NULL: it is alone */
	publish_spread *spread; /* of the same */
	void *processes;        /* for both */
};

#define PUBLISH_QUERY "trammel_publish_query"
/* A query as LLNL's Caliper has them, over a profile of the program's. */
struct publish_query {
	uint32_t abi;
	const char *text;
	const char *profile; /* a path; NULL: the text is only looked at */
	const char *path;    /* of a file, to whose end the result goes */
	char *message;       /* gets what is wrong */
	size_t message_size;
	size_t place; /* gets where that is in the text, in bytes */
};
/* Returns whether nothing was wrong. */
typedef bool publish_query_function(struct publish_query *request);

/* Writes what a channel has; what goes wrong is said on standard error. */
typedef void publish_channel_function(const struct publish_channel *request);

/* Writes the profile; what goes wrong is said on standard error, in a line. */
typedef void publish_function(const struct publish_request *request);

#endif
