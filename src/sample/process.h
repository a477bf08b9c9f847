/* Processes by what records say of them: which programs they executed, and what code was
 * mapped where. */
#ifndef TRAMMEL_SAMPLE_PROCESS_H
#define TRAMMEL_SAMPLE_PROCESS_H

#include "base/table.h"
#include "base/vector.h"
#include "sample/module.h"

/* Code of a module in a process. Addresses of it and `delta` make link-time ones. */
struct sample_map {
	uint64_t start, end, delta;
	uint32_t module;
};
struct sample_maps VECTOR(struct sample_map); /* by start, disjoint */

/* A program in a process, from exec or fork to exec or exit. */
struct sample_image {
	uint32_t pid, parent;
	uint64_t begin_ns; /* time of the record that told of it */
	uint32_t threads;  /* how many there were */
	uint32_t owner;    /* its number with who knows processes better; 0: by order */
	char *program;     /* path; NULL: not known */
	bool ended, executed; /* by exit; by exec of another program */
	uint64_t kind; /* of sample_processes_kind, once it has ended; 0: not yet */
	struct sample_maps maps;
	struct jit_dump *dump; /* what the process tells of code it generates, or NULL */
	uint32_t dump_module;
};

/* Who knows better what is mapped in a process: NULL: nobody. */
struct sample_owner {
	void *context;
	/* Returns the path of the file that the code at an address is of; NULL: not
	 * known. `ret_delta`: as in struct sample_map. */
	const char *(*find_module)(void *context, uint32_t pid, uint64_t address,
				   uint64_t *ret_delta);
};

struct sample_processes {
	struct sample_modules modules;
	struct sample_owner owner;
	struct VECTOR(struct sample_image) images; /* in the order in which they began */
	struct table by_pid;                       /* index of the last + 1 */
	uint64_t now_ns;      /* time of the record that is looked at */
	struct table threads; /* that were counted: tids of images */
};

/* Returns the index of the image that a process has now; it is added if it is new. */
uint32_t sample_processes_find(struct sample_processes *processes, uint32_t pid);

/* Note what happened. */
void sample_processes_execute(struct sample_processes *processes, uint32_t pid);
void sample_processes_fork(struct sample_processes *processes, uint32_t pid,
			   uint32_t parent);
void sample_processes_thread(struct sample_processes *processes, uint32_t pid,
			     uint32_t tid);
void sample_processes_end(struct sample_processes *processes, uint32_t pid);

/* Code that was mapped, from a file or (a name of none) to be generated. */
struct sample_mapping {
	uint64_t start, size, file_offset, inode;
	const char *name;
};
void sample_processes_map(struct sample_processes *processes, uint32_t pid,
			  const struct sample_mapping *mapping);

/* Returns a number that two images share if they are of the same program, and have the
 * same files mapped at the same paths. */
uint64_t sample_processes_kind(const struct sample_processes *processes, uint32_t image);

/* Reads what processes have written of code that they generate. */
void sample_processes_read_dumps(struct sample_processes *processes);

/* Reads what a running process has mapped, and its program. */
void sample_processes_read(struct sample_processes *processes, uint32_t pid);

/* Finds the code at a run-time address of an image; false: nothing is known to be
 * there. */
bool sample_processes_place(struct sample_processes *processes, uint32_t image,
			    uint64_t address, struct sample_map *ret_map);

void sample_processes_deinit(struct sample_processes *processes);

#endif
