/*
 * What exports are made of: one form for all that a profile has. Each number stands at a
 * node of a tree: the place where it was counted, inside of the calls or regions that led
 * there, as far as they are known.
 */
#ifndef TRAMMEL_EXPORT_VIEW_H
#define TRAMMEL_EXPORT_VIEW_H

#include "base/table.h"
#include "base/vector.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXPORT_NONE = UINT32_MAX };

/* The types that numbers can have, but for events. */
enum export_kind {
	EXPORT_CALLS,
	EXPORT_INSTRUCTIONS,
	EXPORT_TIME, /* in a function and nothing further in, of call graphs */
	EXPORT_LOADS,
	EXPORT_STORES,
	EXPORT_BYTES_LOADED,
	EXPORT_BYTES_STORED,
	EXPORT_ENTRIES,     /* of regions */
	EXPORT_REGION_TIME, /* in a region and nothing further in */
	EXPORT_SAMPLES,     /* of an event */
	EXPORT_EVENTS,      /* that they stand for */
};

/* A type that the profile has numbers of. */
struct export_type {
	enum export_kind kind;
	const char *name;
	const char *unit; /* "count", "nanoseconds" or "bytes" */
	uint64_t total;   /* of all numbers; UINT64_MAX: that, or more */
};

/* A function, or a region of the program's. */
struct export_frame {
	const char *name;
	const char *linked; /* linked name, if it is another one and known; else NULL */
	uint32_t module;    /* in profile.modules; EXPORT_NONE: a region */
	uint64_t offset;    /* link-time address; 0: not known */
	const char *file;   /* in which it is declared; NULL: not known */
	uint32_t line;      /* likewise; 0 */
};

/* Code of a frame, inside of that of another one. Parents stand before their own. */
struct export_node {
	uint32_t parent; /* EXPORT_NONE: it is outermost, or nothing around it is known */
	uint32_t frame;
	uint64_t address; /* of an instruction, or of a call; 0: not known */
};

/* A number at a node. Those of one node, image and thread stand together. */
struct export_count {
	uint32_t node, type;
	uint32_t image;  /* in profile.images */
	uint32_t thread; /* in profile.threads; EXPORT_NONE: not told apart */
	uint64_t value;
};

struct export_view {
	struct report_profile *profile;
	struct VECTOR(struct export_type) types;
	struct VECTOR(struct export_frame) frames;
	struct VECTOR(struct export_node) nodes;
	struct VECTOR(struct export_count) counts;
	struct export_places *places;   /* see export/places.h */
	struct table by_frame, by_node; /* indices by hashes */
};

/* Makes the view of what is selected in a profile, which must outlive it; without
 * instructions, but with the frames of their functions. */
void export_view_init(struct export_view *view, struct report_profile *profile);

/* Adds the instructions, by line where places are open (see export_places_open), or with
 * `each` one by one. */
void export_view_add_blocks(struct export_view *view, bool each);
void export_view_deinit(struct export_view *view);

/* Returns the index of the type of this kind, or EXPORT_NONE: the first of several. */
uint32_t export_type_find(const struct export_view *view, enum export_kind kind);

/* Returns the type that formats with one type show unless another is asked for: the most
 * telling one. EXPORT_NONE: there is none. */
uint32_t export_type_main(const struct export_view *view);

/* Returns the frame of a function of the profile, by its index; it is made if it is new.
 */
uint32_t export_frame_of(struct export_view *view, uint32_t function);

/* Adds two counts; UINT64_MAX if that is too large. */
static inline uint64_t export_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Computes the count for readers of 63 bits: at most INT64_MAX. */
static inline uint64_t export_signed(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : count;
}

/* Returns the name of a frame's module, "" for a region. */
const char *export_module_name(const struct export_view *view,
			       const struct export_frame *frame);

/* Returns the path of a frame's module, "" for a region. */
const char *export_module_path(const struct export_view *view,
			       const struct export_frame *frame);

enum { EXPORT_DEPTH_MAX = REPORT_REGION_DEPTH + 8 };

/* Lists the nodes of a stack, the innermost first, at most EXPORT_DEPTH_MAX; returns how
 * many. */
size_t export_stack(const struct export_view *view, uint32_t node, uint32_t *ret_nodes);

#endif
