/*
 * cali::ConfigManager, under the name that programs annotated for LLNL's Caliper may
 * include it by: see caliper/cali-manager.h.
 */
#ifndef CALI_CONFIGMANAGER_H
#define CALI_CONFIGMANAGER_H

#include "cali-manager.h"

#endif
