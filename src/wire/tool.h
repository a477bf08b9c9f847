/*
 * What the tracer and trammel-tool-host agree on: the program that runs inside a measured
 * process, in a link namespace of its own, and loads tools there. Both are built
 * together.
 */
#ifndef TRAMMEL_WIRE_TOOL_H
#define TRAMMEL_WIRE_TOOL_H

#include <stdint.h>

/* The number of no system call: the host tells the tracer something. Its arguments are an
 * enum wire_tool_word, and what belongs to it. */
#define WIRE_TOOL_CALL 0x7472

enum wire_tool_word {
	WIRE_TOOL_NOTHING, /* whether the tracer is there */
	WIRE_TOOL_READY,   /* all is loaded: address of the struct wire_tool_table */
	WIRE_TOOL_REFUSED, /* a tool cannot be loaded: address of a text */
	WIRE_TOOL_THREAD,  /* a thread of the tools' library waits for its end */
	WIRE_TOOL_RECORDS, /* there is no more room in struct wire_tool_records */
	WIRE_TOOL_CODE,    /* an address of running code: the result is its original */
};

/* The version of include/trammel/tool.h: the first word of a tool's table. */
#define WIRE_TOOL_VERSION 1

/* Descriptor to which tools print: none of the program's, also when the tracer is dead.
 */
#define WIRE_TOOL_OUTPUT 0x3fffffff

/* Where, from the thread pointer on, 4 bytes of the tools' library say that a thread is
 * in a routine: the last word that glibc keeps for transactional memory in its thread
 * control block, in private memory, of which a child has a copy. */
#define WIRE_TOOL_INSIDE 104

#define WIRE_TOOLS_MAX 16

/* Records of tools that the tracer has not taken yet: each a struct wire_tool_record. */
enum { WIRE_TOOL_RECORDS_SIZE = 128 << 10 };
struct wire_tool_records {
	uint64_t used;   /* bytes that are whole records */
	uint64_t forked; /* not 0: in a process that was forked since the last record */
	uint8_t bytes[WIRE_TOOL_RECORDS_SIZE];
};

/* What an enum trammel_field_role and an enum trammel_field_type are here. */
enum wire_field_role {
	WIRE_FIELD_KEY,
	WIRE_FIELD_SUM,
	WIRE_FIELD_LEAST,
	WIRE_FIELD_MOST
};
enum wire_field_type {
	WIRE_FIELD_INT,
	WIRE_FIELD_FLOAT,
	WIRE_FIELD_TEXT,
	WIRE_FIELD_CODE,
	WIRE_FIELD_PC,
	WIRE_FIELD_REGION, /* as a text: a path as wire/probes.h encodes it */
	WIRE_FIELD_TYPES
};
enum { WIRE_FIELDS_MAX = 32, WIRE_FIELD_NAME_MAX = 63, WIRE_FIELD_TEXT_MAX = 1000 };

struct wire_tool_record {
	uint32_t size; /* bytes of all of it */
	uint16_t tool; /* index in wire_tool_table.tools */
	uint16_t fields;
	uint32_t shape_size; /* bytes of the first part of what follows */
	/* The shape: name of the table, 0; for each field its role, type, name, 0.
	 * The values: 8 bytes for each field; of a text its length, and then itself. */
	uint8_t bytes[];
};

/* A tool that is loaded. */
struct wire_tool {
	uint64_t handle;  /* of dlopen(3) */
	uint64_t bias;    /* run-time minus link-time address */
	uint64_t startup; /* _halt_startup; 0: it has none */
	uint64_t ends;    /* not 0: it may have something to do at the end by itself */
};

/* Addresses are run-time addresses in the program. */
struct wire_tool_table {
	/* Where routines return to, with the stack pointer at a struct wire_tool_back. */
	uint64_t back;
	uint64_t back_call;  /* behind its first system call, at which the tracer takes
				over */
	uint64_t new_thread; /* (back): makes a thread of the library; 0, or errno */
	uint64_t end;        /* (address of a struct wire_tool_back): runs termination
				handlers, writes files out, returns there */
	uint64_t find;       /* (handle, name): address of a symbol; 0: there is none */
	uint64_t records;    /* of the struct wire_tool_records */
	uint64_t count;
	struct wire_tool tools[WIRE_TOOLS_MAX];
};

/* With which the thread becomes the program's again by itself if the tracer is dead: its
 * thread pointer, and the frame of a signal. */
struct wire_tool_back {
	uint64_t thread_pointer;
	uint8_t frame[]; /* struct ucontext of the kernel, and its floating-point state */
};

#endif
