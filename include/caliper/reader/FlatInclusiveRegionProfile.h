/* One of the profiles of caliper/reader/RegionProfiles.h. */
#ifndef CALI_READER_FLATINCLUSIVEREGIONPROFILE_H
#define CALI_READER_FLATINCLUSIVEREGIONPROFILE_H

#include "RegionProfiles.h"

#endif
