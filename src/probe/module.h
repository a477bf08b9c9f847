/*
 * The probes of one module: which of its functions, addresses and lines they name, with
 * all that is needed to write their code.
 */
#ifndef TRAMMEL_PROBE_MODULE_H
#define TRAMMEL_PROBE_MODULE_H

#include "base/table.h"
#include "base/text.h"
#include "code/points/points.h"
#include "image/types.h"
#include "probe/program.h"

#include <pthread.h>

/* A point of a program that a function has. */
struct probe_match {
	uint64_t function; /* its address; 0: of none that is known */
	uint16_t probe, point;
	uint64_t address; /* of PROBE_ADDRESS and PROBE_LINE; else 0 */
	/* Its function was planned; and has a point for it, or is told why it has none:
	 * under the module's lock. */
	bool seen, found;
	char *name; /* of the function, as far as it may have to be told; NULL */
};

/* A value that is kept from a function's entry for its return. */
struct probe_kept {
	uint64_t function; /* address */
	const struct probe_term *term;
	uint32_t cell;
};

/* A function that a probe which asks for results sees left by jumps to others. */
struct probe_tail {
	uint64_t function; /* address */
	uint32_t probe;
	char *name;
};

struct probe_module {
	struct probe_program *program;
	const struct image *image;
	const char *path;
	uint32_t area; /* displacement of struct wire_probes in a bank */
	uint32_t word; /* of the routine, see struct recipe_routine */
	struct image_types types;
	bool has_types;
	char *lack;                                /* why not; NULL: it has */
	struct VECTOR(struct probe_match) matches; /* by function */
	struct VECTOR(struct probe_kept) kept;
	bool calls; /* some are F@call */
	pthread_mutex_t lock;
	struct table callees; /* by target or word: the points F@call that it is a call
				 for, a bit each, plus 1. Under `lock` */
	struct VECTOR(struct probe_tail) tails; /* under `lock` */
	struct text trouble; /* a line for each probe that a function cannot have */
	size_t place;        /* of the first trouble: offset in its text */
	uint32_t source;     /* and index in program.texts */
};

/* Finds what a program's probes name in a module (path). `area` and `word` are where code
 * finds a thread's state and the routine. Of what is wrong a line each is in
 * ret_module->trouble: such probes are left out. The program and image must outlive it.
 */
void probe_module_init(struct probe_module *ret_module, struct probe_program *program,
		       const struct image *image, const char *path, uint32_t area,
		       uint32_t word);
void probe_module_deinit(struct probe_module *module);

/* Returns whether any point of a program may be in a module (path). */
bool probe_program_concerns(const struct probe_program *program, const char *path);

/* Returns whether a point is in a module (path), by its pattern. */
bool probe_point_concerns(const struct probe_point *point, const char *path);

/* Returns whether a name of a function (demangled, or linked) is that of a point. */
bool probe_point_names(const struct probe_point *point, const char *name);

/* Returns whether any name of a function is; `name` is the one of the profile. */
bool probe_point_has(const struct probe_point *point, const struct image *image,
		     const struct image_function *function, const char *name);

/* Returns the name of a function as profiles have it: free() it. */
char *probe_function_name(const struct image *image,
			  const struct image_function *function);

/* Returns the name in the image that is nearest to a point's; NULL: none is near. free()
 * it. */
char *probe_nearest_function(const struct image *image, const char *name);

/* Adds a line for each probe whose results are not known where a function is left by a
 * jump to another one. */
void probe_module_describe_tails(struct probe_module *module, struct text *text);

/* Returns the cell in which a value is kept for a function's return; -1: none. */
int probe_module_cell(const struct probe_module *module, uint64_t function,
		      const struct probe_term *term);

/* As probe_module_cell; `context` is a struct probe_module. For struct probe_site. */
int probe_module_keep(void *context, uint64_t function, const struct probe_term *term);

#endif
