/*
 * Why the paths of a function are not counted, only its edges, or only its calls.
 */
#ifndef TRAMMEL_CODE_PLAN_PATH_BAR_H
#define TRAMMEL_CODE_PLAN_PATH_BAR_H

enum path_bar {
	PATH_BAR_NONE, /* they are counted, or nobody asked */
	PATH_BAR_TWICE,
	PATH_BAR_THREAD,
	PATH_BAR_FLAGS,
	PATH_BAR_STACK,
	PATH_BAR_PLACE,
	PATH_BAR_STUB,
	PATH_BAR_TABLE,
	PATH_BAR_EDGES,
	PATH_BAR_POINTS,
	PATH_BAR_ENTRY,
	PATH_BAR_CODE,
	PATH_BAR_COUNT
};

/* Returns the reason in words, for reports; "" for PATH_BAR_NONE. */
const char *path_bar_text(enum path_bar bar);

#endif
