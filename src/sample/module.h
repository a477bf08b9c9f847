/* Files whose code was seen in samples, and code that programs generate: what is needed
 * to walk stacks through it, and to name it at the end. */
#ifndef TRAMMEL_SAMPLE_MODULE_H
#define TRAMMEL_SAMPLE_MODULE_H

#include "base/table.h"
#include "base/vector.h"
#include "image/headers.h"
#include "image/open.h"
#include "wire/unwind.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct image;

/* A function of generated code. */
struct sample_generated {
	uint64_t start, size;
	char *name;
	uint32_t number; /* in the order in which they were added */
};

/* Code whose name was looked up. */
struct sample_range {
	uint64_t start, end;
	uint64_t offset; /* of the function */
	char *name;      /* NULL: it has none */
};

struct sample_module {
	char *path;           /* as it was mapped; "[vdso]", "[generated]", "[trammel]" */
	const uint8_t *bytes; /* of the file; NULL: it could not be read */
	size_t size;
	bool is_file; /* the bytes are a mapping of ours */
	bool has_unwind;
	struct image_unwind unwind;
	const uint8_t *indexed; /* its bytes, if they are a copy */
	struct table rules;     /* by link-time address: index in `kept` + 1, 0: none */
	struct VECTOR(struct unwind_rule) kept;
	bool opened;
	struct image *image; /* NULL: not opened, or not to be had */
	/* Sorted addresses that are going to be named: with a count of 0, any may be.
	 * What is in `image` then is for these. Until sample_module_release. */
	struct image_wanted wanted;
	/* Of generated code: by start once it is sorted. */
	struct VECTOR(struct sample_generated) functions;
	bool is_sorted;
	bool is_listed;    /* names are in `functions`: it is no file */
	uint32_t owner;    /* the process image that generates it, plus 1; 0: none */
	uint32_t pid;      /* of it */
	uint64_t key;      /* in by_file */
	uint64_t serial;   /* tells it apart from all that ever were */
	uint64_t identity; /* of the file: path, inode, size, time of change */
	bool is_other;     /* another file had this path before */
	uint64_t base; /* of the kernel, which lies elsewhere after each boot: where its
			  text begins; 0: not known, or a file */
	/* What the file was found to be, also when it is not open any more. */
	char build[65]; /* hexadecimal; "": none */
	uint64_t function_count;
	struct VECTOR(struct sample_range) ranges; /* by start, disjoint */
};

struct sample_modules {
	struct VECTOR(struct sample_module *) items;
	struct table by_file; /* index + 1, by a hash of path and inode */
	struct table first;   /* identity of the first file of a path, by its hash */
	uint64_t serials;
};

/* The name of the code at an address. */
struct sample_name {
	char *function;  /* "[module+0x12]": none; owned */
	uint64_t offset; /* where the function begins; without one, the address itself */
};

/* Finds a file by its path, as the process `pid` mapped it, or adds it. `inode`: of the
 * mapping, 0: not known. */
uint32_t sample_modules_find(struct sample_modules *modules, pid_t pid, const char *path,
			     uint64_t inode);

/* Finds the module of the code that a process image generates, or adds it. `path`: of its
 * jitdump file; NULL: of code that no such file tells of. */
uint32_t sample_modules_generated(struct sample_modules *modules, uint32_t image,
				  const char *path);

/* Returns the key in by_file of the module of the code that an image generates, told by
 * a jitdump file or not. */
uint64_t sample_module_key(uint32_t image, bool by_dump);

/* Finds the kernel's module, or adds it. */
uint32_t sample_modules_kernel(struct sample_modules *modules);

/* The module of the code that trammel itself puts into programs: one function. */
#define SAMPLE_TRAMMEL "[trammel]"

/* Finds the module SAMPLE_TRAMMEL, or adds it. */
uint32_t sample_modules_trammel(struct sample_modules *modules);

/* Gives back what naming needed; it is had again when it is needed. */
void sample_module_release(struct sample_module *module);

/* Frees a module. */
void sample_module_destroy(struct sample_module *module);

/* Forgets the functions of generated code. */
void sample_module_clear(struct sample_module *module);

void sample_modules_deinit(struct sample_modules *modules);

/* Returns what must be added to a run-time address of a mapping to get the link-time
 * address. */
uint64_t sample_module_delta(const struct sample_module *module, uint64_t start,
			     uint64_t size, uint64_t file_offset);

/* Finds the rule for a link-time address, by which its frame is left. */
bool sample_module_rule(struct sample_module *module, uint64_t address,
			struct unwind_rule *ret_rule);

/* Adds a function of generated code; of several at one start the last one counts. */
void sample_module_add(struct sample_module *module, uint64_t start, uint64_t size,
		       const char *name);

/* Names the code at an address: link-time, or of generated code as it is. The caller
 * frees the name. */
struct sample_name sample_module_name(struct sample_module *module, uint64_t address);

#endif
