#include "session/follow/foreign_translators.h"

#include "control/remote.h"
#include "image/kind.h"

/* What Valgrind's launcher tells its tools, and these do not tell the programs that they
 * run (coregrind/launcher-linux.c). */
#define LAUNCHER "VALGRIND_LAUNCHER="

bool foreign_translators_have(pid_t pid, int exe)
{
	return image_is_static(exe) && remote_has_variable(pid, LAUNCHER);
}
