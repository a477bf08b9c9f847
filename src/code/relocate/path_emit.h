/*
 * Writing the probes of paths into a function that is relocated whole. A *stretch* is the
 * part of a block from its first to its last call: there the function is away.
 */
#ifndef TRAMMEL_CODE_RELOCATE_PATH_EMIT_H
#define TRAMMEL_CODE_RELOCATE_PATH_EMIT_H

#include "code/emit/path_probe.h"
#include "code/plan/path_bar.h"
#include "code/relocate/live_registers.h"
#include "code/relocate/whole.h"
#include "flow/paths.h"

/* The paths of a function. Edges of cfg.edges are the ways of `paths`, and blocks its
 * nodes. */
struct whole_paths {
	const struct paths *paths;
	struct path_words words;
	bool calls; /* a block has a stretch */
	const struct live_registers *live;
};

/* Finds the stretches of all blocks, and what leads to them; or why paths cannot be
 * counted: it is not known what becomes of rsp in a stretch, or flags are alive behind
 * one. */
enum path_bar path_emit_prepare(struct whole *whole);

/* Whether an edge has a probe in a place of its own; else its increment, if any, is that
 * of the block to which it leads. */
bool path_emit_has_edge(const struct whole *whole, const struct paths *paths,
			uint32_t edge);

/* Bytes at most of all probes of a function; 0 if its paths are not counted, as what
 * follows does nothing then. */
size_t path_emit_size_max(const struct whole *whole);

/* Write probes, with their rows of the address map: at the entry; in front of an
 * instruction of a block, which may be one that leaves the function; and behind all
 * blocks where other code enters them, and the parts of probes that seldom run. */
void path_emit_entry(struct whole *whole, struct emitter *emitter);
void path_emit_before(struct whole *whole, struct emitter *emitter, uint32_t block,
		      uint32_t instruction);
void path_emit_leave(struct whole *whole, struct emitter *emitter, uint32_t block,
		     uint32_t instruction);
void path_emit_ends(struct whole *whole, struct emitter *emitter);

/* Writes the probe of an edge, if it has one; `row`: with its row. Returns whether paths
 * are counted. */
bool path_emit_edge(struct whole *whole, struct emitter *emitter, uint32_t edge,
		    bool row);

#endif
