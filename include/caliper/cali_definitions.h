/* Numbers of the compatible interface: see caliper/cali.h. */
#ifndef CALI_CALI_DEFINITIONS_H
#define CALI_CALI_DEFINITIONS_H

typedef enum {
	CALI_CHANNEL_LEAVE_INACTIVE = 1,
	CALI_CHANNEL_ALLOW_READ_ENV = 2
} cali_channel_opt;

typedef enum { CALI_FLUSH_CLEAR_BUFFERS = 1 } cali_flush_opt;

#endif
