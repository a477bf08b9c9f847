/*
 * Annotations with the interface of LLNL's Caliper: programs that were annotated for it
 * build and run unchanged, with its variables CALI_CONFIG and CALI_*.
 *
 *     gcc app.c -ltrammel-cali
 *     CALI_CONFIG=runtime-report ./a.out
 *
 * Differences: an end that does not fit what is open is mended, and recording goes on;
 * a name keeps all its bytes; while nothing measures a pair of begin and end costs some
 * nanoseconds, and what is open can be asked for (cali_get) nevertheless.
 *
 * Memory that has a name (cali_datatracker_*) is seen by channels with the services alloc
 * and event. Values of a snapshot that a program takes are set one after the other, which
 * are events, too.
 *
 * Functions may be called from any thread, those that begin, end, set and get from signal
 * handlers, too; there an event that came in the middle of another one is lost.
 */
#ifndef CALI_CALI_H
#define CALI_CALI_H

#include "cali_definitions.h"
#include "caliper-config.h"
#include "common/cali_types.h"
#include "common/cali_variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Attributes that are there from cali_init() on; CALI_INV_ID before. */
extern cali_id_t cali_region_attr_id, cali_phase_attr_id, cali_comm_region_attr_id,
	cali_loop_attr_id, cali_class_iteration_attr_id, cali_class_aggregatable_attr_id,
	cali_class_memoryaddress_attr_id, cali_class_symboladdress_attr_id;

/* Makes the library ready, and the channels that the environment asks for; else the
 * first other call does so. */
void cali_init(void);
int cali_is_initialized(void);
/* The version of the interface. */
const char *cali_caliper_version(void);

/* Attributes: the first one of a name counts, whatever type a later one asks for.
 * `properties`: cali_attr_properties, or-ed. */
cali_id_t cali_create_attribute(const char *name, cali_attr_type type, int properties);
/* With `n` values of other attributes, that say something of it. */
cali_id_t cali_create_attribute_with_metadata(const char *name, cali_attr_type type,
					      int properties, int n,
					      const cali_id_t attributes[],
					      const cali_variant_t values[]);
/* What another attribute says of it; empty: nothing. Texts stay. */
cali_variant_t cali_attribute_metadata(cali_id_t attribute, cali_id_t key);
/* All that is said of it. */
typedef void (*cali_metadata_fn)(void *context, cali_id_t key, cali_variant_t value);
void cali_attribute_each_metadata(cali_id_t attribute, cali_metadata_fn function,
				  void *context);
/* CALI_INV_ID: there is none. */
cali_id_t cali_find_attribute(const char *name);
/* NULL, CALI_TYPE_INV and 0 for what is no attribute. */
const char *cali_attribute_name(cali_id_t attribute);
cali_attr_type cali_attribute_type(cali_id_t attribute);
int cali_attribute_properties(cali_id_t attribute);
/* The attribute iteration#NAME of a loop. */
cali_id_t cali_make_loop_iteration_attribute(const char *name);

/* Regions, phases, regions that communicate: begin and end by name. */
void cali_begin_region(const char *name);
void cali_end_region(const char *name);
void cali_begin_phase(const char *name);
void cali_end_phase(const char *name);
void cali_begin_comm_region(const char *name);
void cali_end_comm_region(const char *name);

/* Begins a value of an attribute, further in than what is open; cali_begin: true. */
void cali_begin(cali_id_t attribute);
void cali_begin_int(cali_id_t attribute, int value);
void cali_begin_double(cali_id_t attribute, double value);
void cali_begin_string(cali_id_t attribute, const char *value);
/* Ends the innermost one. */
void cali_end(cali_id_t attribute);
/* The same; `value` should be what is open. */
void cali_safe_end_string(cali_id_t attribute, const char *value);
/* Puts a value in the place of the innermost one. `size`: bytes at `value`. */
void cali_set(cali_id_t attribute, const void *value, size_t size);
void cali_set_int(cali_id_t attribute, int value);
void cali_set_double(cali_id_t attribute, double value);
void cali_set_string(cali_id_t attribute, const char *value);

/* Of any type. */
void cali_begin_variant(cali_id_t attribute, cali_variant_t value);
void cali_set_variant(cali_id_t attribute, cali_variant_t value);

/* The same by name: an attribute that is new is made. */
void cali_begin_byname(const char *name);
void cali_begin_int_byname(const char *name, int value);
void cali_begin_double_byname(const char *name, double value);
void cali_begin_string_byname(const char *name, const char *value);
void cali_end_byname(const char *name);
void cali_set_int_byname(const char *name, int value);
void cali_set_double_byname(const char *name, double value);
void cali_set_string_byname(const char *name, const char *value);

/* Metadata of the run. */
void cali_set_global_int_byname(const char *name, int value);
void cali_set_global_uint_byname(const char *name, uint64_t value);
void cali_set_global_double_byname(const char *name, double value);
void cali_set_global_string_byname(const char *name, const char *value);

/* The innermost value; empty: there is none. Texts stay. */
cali_variant_t cali_get(cali_id_t attribute);
/* That of a channel alone: caliper/cali-channel.h. */
cali_variant_t cali_channel_get(cali_id_t channel, cali_id_t attribute);
/* The innermost region, phase or loop; `otherwise` if none is open. */
const char *cali_get_current_region_or(const char *otherwise);

/* A snapshot in all active channels, with `n` values (at most 64) for its moment; `scope`
 * has no meaning. */
void cali_push_snapshot(int scope, int n, const cali_id_t attributes[],
			const cali_variant_t values[]);
void cali_channel_push_snapshot(cali_id_t channel, int scope, int n,
				const cali_id_t attributes[],
				const cali_variant_t values[]);
/* What is open and set now, packed; the bytes that are needed, which may be more than
 * `size`. Valid in this process. 0: the thread was in the middle of an event. */
size_t cali_channel_pull_snapshot(cali_id_t channel, int scope, size_t size,
				  unsigned char *bytes);
size_t cali_pull_snapshot(int scope, size_t size, unsigned char *bytes);

/* Takes an entry of a snapshot; 0 to stop. */
typedef int (*cali_entry_proc_fn)(void *context, cali_id_t attribute,
				  cali_variant_t value);
/* Entries, innermost first. `read` (may be NULL): gets the bytes of the snapshot. */
void cali_unpack_snapshot(const unsigned char *bytes, size_t *read,
			  cali_entry_proc_fn function, void *context);
cali_variant_t cali_find_first_in_snapshot(const unsigned char *bytes,
					   cali_id_t attribute, size_t *read);
void cali_find_all_in_snapshot(const unsigned char *bytes, cali_id_t attribute,
			       size_t *read, cali_entry_proc_fn function, void *context);

/* Settings of the channels to come: before cali_init(). A preset gives way to variables
 * of the environment, a set one does not. */
void cali_config_preset(const char *key, const char *value);
void cali_config_set(const char *key, const char *value);
/* Whether the environment is looked at. */
void cali_config_allow_read_env(int allow);

/* A set of settings: `pairs` of key and value, with {NULL, NULL} at the end. */
typedef struct _cali_configset_t *cali_configset_t;
cali_configset_t cali_create_configset(const char *pairs[][2]);
void cali_configset_set(cali_configset_t set, const char *key, const char *value);
void cali_delete_configset(cali_configset_t set);

/* A channel of settings; `flags`: cali_channel_opt. CALI_INV_ID: it could not be
 * made. */
cali_id_t cali_create_channel(const char *name, int flags, cali_configset_t set);
void cali_delete_channel(cali_id_t channel);
void cali_activate_channel(cali_id_t channel);
void cali_deactivate_channel(cali_id_t channel);
int cali_channel_is_active(cali_id_t channel);
/* Writes what was measured; `options`: cali_flush_opt. */
void cali_flush(int options);
void cali_channel_flush(cali_id_t channel, int options);
/* Forgets what it measured so far. */
void cali_channel_clear(cali_id_t channel);

/* Of programs of several ranks: nothing happens. */
void cali_mpi_init(void);

/* Memory that the program names, from now on; `element_size` bytes for each combination
 * of the dimensions. Nothing happens while no channel with the service alloc is active.
 */
void cali_datatracker_track(const void *place, const char *label, size_t size);
void cali_datatracker_track_dimensional(const void *place, const char *label,
					size_t element_size, const size_t *dimensions,
					size_t dimension_count);
void cali_datatracker_untrack(const void *place);

#ifdef __cplusplus
}
#include "Annotation.h"
#include "cali-channel.h"
#endif

#include "cali_macros.h"

#endif
