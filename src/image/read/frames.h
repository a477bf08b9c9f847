/* Call-frame information: .eh_frame and .eh_frame_hdr. */
#ifndef TRAMMEL_IMAGE_READ_FRAMES_H
#define TRAMMEL_IMAGE_READ_FRAMES_H

#include "image/read/reader.h"

/* Reads the call-frame information into reader.frames, and the data it refers to. */
void image_read_frames(struct reader *reader);

#endif
