/* The screen of `trammel browse`, by ncurses. */
#ifndef TRAMMEL_CLI_BROWSE_SCREEN_H
#define TRAMMEL_CLI_BROWSE_SCREEN_H

#include "cli/browse/browser.h"

/* Shows a browser on the terminal, and gives it keys until it is done. Error
 * (TRM_ERROR_UNSUPPORTED): the terminal is none on which one can write anywhere. */
struct trm_error *browse_screen_run(struct browser *browser);

#endif
