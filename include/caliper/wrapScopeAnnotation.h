/* Regions as handles, under the name of LLNL's Caliper: see caliper/wrapAnnotation.h. */
#ifndef CALI_WRAPSCOPEANNOTATION_H
#define CALI_WRAPSCOPEANNOTATION_H

#include "wrapAnnotation.h"

#endif
