/* What the compatible interface is: see caliper/cali.h. */
#ifndef CALI_CALIPER_CONFIG_H
#define CALI_CALIPER_CONFIG_H

#define CALIPER_VERSION       "2.15.0"
#define CALIPER_MAJOR_VERSION 2
#define CALIPER_MINOR_VERSION 15
#define CALIPER_PATCH_VERSION 0

enum cali_interface { CALI_INTERFACE_VERSION = 21500 };

/* This is trammel's. */
#define CALIPER_IS_TRAMMEL 1

#endif
