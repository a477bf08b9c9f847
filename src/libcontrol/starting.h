/* How a program is to be started, and what of it measured. */
#ifndef TRAMMEL_LIBCONTROL_STARTING_H
#define TRAMMEL_LIBCONTROL_STARTING_H

#include "libcontrol/process.h"

/* Starts the program, or the measurement of the process. */
struct trm_error *starting_run(struct control_process *process);

#endif
