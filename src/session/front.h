/*
 * What the front does in every run, with a tracer or without.
 */
#ifndef TRAMMEL_SESSION_FRONT_H
#define TRAMMEL_SESSION_FRONT_H

#include "session/planning.h"
#include "session/run.h"

#include <signal.h>

#endif
