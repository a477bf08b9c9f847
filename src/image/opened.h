/* An image with what later questions need. Only for the files of src/image. */
#ifndef TRAMMEL_IMAGE_OPENED_H
#define TRAMMEL_IMAGE_OPENED_H

#include "image/aliases.h"
#include "image/image.h"
#include "image/read/symbol_table.h"

/* An image with the data that image_find_function needs later. */
struct opened {
	struct image image; /* first: image_open gives this out */
	struct symbol_table tables[2];
	size_t table_count;
	struct VECTOR(struct image_alias) aliases; /* by address; made when asked for */
	bool aliases_made;
	bool names_only, gives_back; /* while it is read: see struct reader */
	const struct image_wanted *wanted;
	bool mapped;        /* image.bytes is a mapping to be undone */
	bool more_warnings; /* the list of warnings is full */
};

#endif
