#include "session/follow/translator.h"

#include "control/remote.h"
#include "image/image.h"

/* What Valgrind's launcher tells its tools, and these do not tell the programs that they
 * run (coregrind/launcher-linux.c). */
#define LAUNCHER "VALGRIND_LAUNCHER="

bool translator_is(pid_t pid, int exe)
{
	return image_is_static(exe) && remote_has_variable(pid, LAUNCHER);
}
