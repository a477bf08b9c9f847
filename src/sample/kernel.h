/* The kernel's functions, by /proc/kallsyms. */
#ifndef TRAMMEL_SAMPLE_KERNEL_H
#define TRAMMEL_SAMPLE_KERNEL_H

#include "sample/module.h"

#include <stdio.h>

/* The name of the module that the kernel's code is in, that of its modules, too. */
#define SAMPLE_KERNEL "[kernel]"

/* Adds the functions of a list in the form of /proc/kallsyms, and finds the base. None
 * where addresses are hidden from the user (kernel.kptr_restrict): they are 0 there. */
void kernel_read(struct sample_module *module, FILE *file);

/* Reads the running kernel's functions, base and build id. */
void kernel_load(struct sample_module *module);

#endif
