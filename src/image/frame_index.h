/* A search table over the call-frame information of files that have none: static
 * programs. */
#ifndef TRAMMEL_IMAGE_FRAME_INDEX_H
#define TRAMMEL_IMAGE_FRAME_INDEX_H

#include "image/headers.h"

/* Makes a copy of the section .eh_frame of a mapped file, with a table as that of
 * .eh_frame_hdr behind it, which `ret_unwind` then describes. False if the file has no
 * such section, or nothing in it is understood. The caller frees ret_unwind->bytes. */
bool image_index_frames(const void *bytes, size_t size, struct image_unwind *ret_unwind);

#endif
