/* One of the profiles of caliper/reader/RegionProfiles.h. */
#ifndef CALI_READER_NESTEDINCLUSIVEREGIONPROFILE_H
#define CALI_READER_NESTEDINCLUSIVEREGIONPROFILE_H

#include "RegionProfiles.h"

#endif
