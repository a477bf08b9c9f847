/* Numbers of the compatible interface: see caliper/cali.h. */
#ifndef CALI_CALI_DEFINITIONS_H
#define CALI_CALI_DEFINITIONS_H

enum cali_channel_flags {
	CALI_CHANNEL_LEAVE_INACTIVE = 1,
	CALI_CHANNEL_ALLOW_READ_ENV = 2
};

enum cali_flush_opt { CALI_FLUSH_CLEAR_BUFFERS = 1 };

#endif
