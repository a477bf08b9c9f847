/*
 * Tools that are loaded into measured processes, and what threads have for them: see
 * session/tool/.
 */
#ifndef TRAMMEL_SESSION_STATE_TOOL_STATE_H
#define TRAMMEL_SESSION_STATE_TOOL_STATE_H

#include "base/vector.h"
#include "wire/tool.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

/* File that tools have open: a descriptor of the tracer's. */
struct tool_file {
	int fd;
	unsigned int references; /* address spaces whose tools have it */
};

enum tool_phase {
	TOOL_LOADING,
	TOOL_LOADED,
	TOOL_ENDED, /* its termination handlers ran */
	TOOL_OFF,   /* a routine failed */
};

/* What a thread of the program is for the tools' C library. */
struct tool_thread {
	uint64_t thread_pointer; /* 0: nothing */
	uint64_t stack;          /* stack pointer of routines, aligned to 16 bytes */
	uint64_t tid_address;    /* where the library keeps the thread's number */
	bool leads;              /* it loaded the tools: it has no end of its own */
	struct user_regs_struct waiting; /* else: where it waits for its end */
};

/* Addresses, `end` excluded. */
struct tool_range {
	uint64_t start, end;
};

/* A module that tools know to be there. */
struct tool_told {
	const char *path; /* of one of session.files */
	uint64_t bias;
};

/* The tools of an address space. */
struct tool_space {
	enum tool_phase phase;
	uint64_t pool, pool_end; /* addresses of all that belongs to the tools */
	uint64_t next;           /* in it; what is mapped next comes here */
	/* Memory that is mapped already, for tools in a process with a filter of system
	 * calls: it may forbid to map more. */
	uint64_t reserve, reserve_end;
	bool filtered; /* the process has such a filter */
	bool scratch;  /* they are in a scratch process still: session/tool/tool_scratch.h
			*/
	pid_t acting;  /* thread for which another one runs routines; 0: none */
	bool called;   /* system calls of its threads are to be seen */
	bool ending;   /* what runs now is the end of the tools */
	struct wire_tool_table table;
	struct VECTOR(struct tool_range) unmapped; /* below `next`: free again */
	struct tool_thread service;                /* makes further threads */
	struct tool_thread *making;                /* that is being made; NULL: none is */
	struct VECTOR(uint64_t) routines; /* addresses of the uses of all tools, in their
					     order: see struct tool_use */
	uint64_t texts;                   /* address of the texts of their arguments */
	uint64_t data;      /* address of the data of points; 0: not mapped */
	uint32_t data_size; /* bytes of it that have been written */
	uint32_t data_room; /* bytes that are mapped */
	struct VECTOR(struct tool_file *) files; /* by number; NULL: closed */
	struct VECTOR(struct tool_told) told;    /* modules, if tools want to know */
};

/* What comes behind a system call of a tool that has been entered. */
struct tool_pending {
	bool entered;
	bool program; /* it is the program's own: nothing is answered */
	bool made;    /* it has been entered again, for the kernel to make it */
	bool given;   /* the call is not made: `result` is its result */
	int64_t result;
	struct user_regs_struct before; /* as at its entry */
	struct tool_file *mapped;       /* mmap: this file is read there; NULL: none */
	uint64_t offset, size;          /* in the file; bytes */
};

/* The same tools in a copy of the address space. */
struct tool_space *tool_space_fork(const struct tool_space *tools);

/* Frees all; NULL is allowed. */
void tool_space_destroy(struct tool_space *tools);

/* Drops a reference to a file; NULL is allowed. */
void tool_file_release(struct tool_file *file);

/* Returns whether an address belongs to the tools. */
static inline bool tool_space_has(const struct tool_space *tools, uint64_t address)
{
	return tools && address - tools->pool < tools->pool_end - tools->pool;
}

#endif
