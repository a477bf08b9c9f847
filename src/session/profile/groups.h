/*
 * Groups of rows that are saved together: what was counted of one module of an image, in
 * one interval and by one thread. A group may have nothing but residues: what was
 * executed then passed no counter.
 */
#ifndef TRAMMEL_SESSION_PROFILE_GROUPS_H
#define TRAMMEL_SESSION_PROFILE_GROUPS_H

#include "session/state/session.h"

/* All rows are the image's. */
struct group {
	struct group_key key;
	const struct image_count *counts;
	const struct image_arc *arcs;
	const struct image_residue *residues;
	size_t count_count, arc_count, residue_count;
};

/* In front of the first one of an image whose rows are sorted by groups (banks_merge,
 * residues_sort) and stay as they are. */
struct group groups_begin(const struct image_run *image);

/* Leads to the next one; false: there is none. */
bool groups_next(const struct image_run *image, struct group *group);

#endif
