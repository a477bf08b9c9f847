/*
 * Groups of rows that are saved together: the counts of one module of an image, in one
 * interval and by one thread. A group may consist of residues alone: the code executed
 * then passed no counter.
 */
#ifndef TRAMMEL_SESSION_PROFILE_GROUPS_H
#define TRAMMEL_SESSION_PROFILE_GROUPS_H

#include "session/state/session.h"

/* One group; its rows belong to the image. */
struct group {
	struct group_key key;
	const struct image_count *counts;
	const struct image_arc *arcs;
	const struct image_residue *residues;
	size_t count_count, arc_count, residue_count;
};

/* Returns a position in front of the first group of an image whose rows are sorted by
 * groups (banks_merge, residues_sort) and do not change meanwhile. */
struct group groups_begin(const struct image_run *image);

/* Moves `group` to the next group; returns false at the end. */
bool groups_next(const struct image_run *image, struct group *group);

#endif
