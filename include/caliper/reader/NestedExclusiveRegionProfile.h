/* One of the profiles of caliper/reader/RegionProfiles.h. */
#ifndef CALI_READER_NESTEDEXCLUSIVEREGIONPROFILE_H
#define CALI_READER_NESTEDEXCLUSIVEREGIONPROFILE_H

#include "RegionProfiles.h"

#endif
