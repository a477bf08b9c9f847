/* Profiles of regions as handles, under the name of LLNL's Caliper: see
 * caliper/cali-profile.h. */
#ifndef CALI_WRAPBUFFEREDREGIONPROFILE_H
#define CALI_WRAPBUFFEREDREGIONPROFILE_H

#include "cali-profile.h"

#endif
