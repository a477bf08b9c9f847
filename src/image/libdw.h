/*
 * elfutils' libdw, loaded when debug information is first read: a run of a program needs
 * none, and mapping libdw and what it needs takes half a millisecond.
 */
#ifndef TRAMMEL_IMAGE_LIBDW_H
#define TRAMMEL_IMAGE_LIBDW_H

#include "base/error.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>

/* clang-format off */
#define LIBDW_FUNCTIONS(each) \
	each(dwarf_attr) \
	each(dwarf_attr_integrate) \
	each(dwarf_begin) \
	each(dwarf_child) \
	each(dwarf_cu_die) \
	each(dwarf_decl_file) \
	each(dwarf_decl_line) \
	each(dwarf_end) \
	each(dwarf_entrypc) \
	each(dwarf_filesrc) \
	each(dwarf_formstring) \
	each(dwarf_formudata) \
	each(dwarf_get_units) \
	each(dwarf_getelf) \
	each(dwarf_getfuncs) \
	each(dwarf_getsrcfiles) \
	each(dwarf_getsrclines) \
	each(dwarf_lineaddr) \
	each(dwarf_linediscriminator) \
	each(dwarf_lineendsequence) \
	each(dwarf_lineno) \
	each(dwarf_linesrc) \
	each(dwarf_onesrcline) \
	each(dwarf_ranges) \
	each(dwarf_siblingof) \
	each(dwarf_tag) \
	each(dwelf_elf_gnu_build_id)
/* clang-format on */

#define LIBDW_POINTER(name) __typeof__(name) *name;

/* Valid after libdw_load. */
struct libdw {
	LIBDW_FUNCTIONS(LIBDW_POINTER)
};
extern struct libdw libdw;

/* Loads it, once. TRM_ERROR_UNSUPPORTED if it is not there. */
struct trm_error *libdw_load(void);

#endif
