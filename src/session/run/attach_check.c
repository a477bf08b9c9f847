#include "session/run/attach_check.h"

#include "base/cleanup.h"
#include "control/maps.h"
#include "control/remote.h"
#include "image/kind.h"
#include "session/follow/foreign_translators.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* linux/sched.h; proc(5), field 9 of stat */
#define PF_EXITING   0x00000004u
#define PF_IO_WORKER 0x00000010u
#define PF_KTHREAD   0x00200000u

bool attach_is_kernel_thread(pid_t tid)
{
	unsigned int flags;

	return remote_state(tid, &flags) && (flags & (PF_KTHREAD | PF_IO_WORKER));
}

static void read_name(pid_t pid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	scoped_file FILE *file = fopen(path, "re");

	if (!file || !fgets(name, (int)size, file))
		snprintf(name, size, "?");
	name[strcspn(name, "\n")] = '\0';
}

/* The setting of Yama, a security module; -1 where it is not there. */
static int ptrace_scope(void)
{
	scoped_file FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = -1;

	return file && fscanf(file, "%d", &scope) == 1 ? scope : -1;
}

/* The kernel allows nothing more then. */
static bool is_ending(pid_t pid)
{
	unsigned int flags;
	char state = remote_state(pid, &flags);

	return !state || state == 'Z' || state == 'X' || (flags & PF_EXITING);
}

struct trm_error *attach_explain(pid_t pid, int why)
{
	struct stat status;
	char path[64];

	if (why == ESRCH || is_ending(pid))
		return trm_error_create(TRM_ERROR_GONE, "process %d ended", pid);
	if (why != EPERM && why != EACCES)
		return trm_error_system(why, "cannot attach to process %d", pid);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (geteuid() && !stat(path, &status) && status.st_uid != geteuid())
		return trm_error_create(TRM_ERROR_SYSTEM,
					"cannot attach to process %d: it belongs to user "
					"%u; run trammel as that user or as root",
					pid, status.st_uid);
	if (geteuid() && ptrace_scope() > 0)
		return trm_error_create(
			TRM_ERROR_SYSTEM,
			"cannot attach to process %d: ptrace_scope is %d; "
			"run trammel as root, or set "
			"kernel.yama.ptrace_scope to 0",
			pid, ptrace_scope());
	return trm_error_create(TRM_ERROR_SYSTEM,
				"cannot attach to process %d: tracing it is forbidden; "
				"see 'trammel doctor'%s",
				pid, geteuid() ? ", or run trammel as root" : "");
}

static bool has_ended(pid_t tid)
{
	unsigned int flags;
	char state = remote_state(tid, &flags);

	return !state || state == 'Z' || state == 'X';
}

/* Whether threads live on of a process whose first one has ended. */
static bool lives_on(pid_t pid)
{
	struct dirent *entry;
	bool lives = false;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *folder = opendir(path);

	while (folder && !lives && (entry = readdir(folder)))
		lives = entry->d_name[0] != '.' && !has_ended((pid_t)atoi(entry->d_name));
	if (folder)
		closedir(folder);
	return lives;
}

struct trm_error *attach_check_looking(pid_t pid)
{
	unsigned int flags;
	char state = remote_state(pid, &flags);
	uint64_t group = (uint64_t)pid;

	if (!state)
		return trm_error_create(TRM_ERROR_USAGE,
					"there is no process %d: 'ps -e' lists them",
					pid);
	if (flags & PF_KTHREAD)
		return trm_error_create(TRM_ERROR_USAGE,
					"process %d is a thread of the kernel, which has "
					"no program to measure",
					pid);
	if (remote_status(pid, "Tgid", 10, &group) && group != (uint64_t)pid)
		return trm_error_create(TRM_ERROR_USAGE,
					"%d is a thread of process %d: attach to that",
					pid, (int)group);
	if (has_ended(pid) && !lives_on(pid))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"process %d has ended already, and its parent has "
			"not noticed yet",
			pid);
	return NULL;
}

static struct trm_error *check_kind(pid_t pid)
{
	TRM_TRY(attach_check_looking(pid));
	if (!has_ended(pid))
		return NULL;
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"the first thread of process %d has ended, and with it "
				"what the kernel tells of the process: -m samples and "
				"-m stacks look at the others",
				pid);
}

static struct trm_error *check_tracer(pid_t pid)
{
	uint64_t tracer = 0;
	char name[64];

	if (!remote_status(pid, "TracerPid", 10, &tracer) || !tracer)
		return NULL;
	read_name((pid_t)tracer, name, sizeof(name));
	if (!strcmp(name, "trammel"))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"process %d is being measured already, by "
					"trammel (process %d)",
					pid, (int)tracer);
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"process %d is traced already, by '%s' (process %d), "
				"and can have one tracer only",
				pid, name, (int)tracer);
}

static struct trm_error *check_program(pid_t pid)
{
	scoped_fd int exe = -1;
	struct trm_error *error = remote_open(pid, "exe", O_RDONLY, &exe);

	if (error) {
		int why = error->system_code;

		if (!why)
			return error;
		trm_error_destroy(error);
		return attach_explain(pid, why);
	}
	if (image_probe(exe) != IMAGE_KIND_NATIVE)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"process %d runs no x86-64 program", pid);
	if (foreign_translators_have(pid, exe))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"process %d cannot be measured: %s", pid,
					FOREIGN_TRANSLATOR_REASON);
	return NULL;
}

static struct trm_error *check_filters(pid_t pid)
{
	char path[64];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *folder = opendir(path);
	bool filtered = false;

	while (folder && (entry = readdir(folder))) {
		uint64_t mode = 0;

		filtered |=
			remote_status((pid_t)atoi(entry->d_name), "Seccomp", 10, &mode) &&
			mode;
	}
	if (folder)
		closedir(folder);
	if (!filtered)
		return NULL;
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"process %d is under a system call filter (seccomp), "
				"which might kill it for what trammel does; start it "
				"with 'trammel run' instead",
				pid);
}

/* What a trammel that was killed left behind. */
static struct trm_error *check_leftovers(pid_t pid)
{
	struct trm_error *error = NULL;
	struct maps maps = {0};

	error = maps_read(pid, &maps);
	vector_for_each (&maps.mappings, mapping) {
		if (error || strncmp(maps_path(&maps, mapping), "/memfd:trammel", 14))
			continue;
		error = trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"process %d still has the counters of a trammel that was killed; "
			"restart it to measure it again",
			pid);
	}
	maps_deinit(&maps);
	return error;
}

struct trm_error *attach_check_tracing(pid_t pid)
{
	if (pid == getpid())
		return trm_error_create(TRM_ERROR_USAGE, "process %d is trammel itself",
					pid);
	TRM_TRY(check_kind(pid));
	TRM_TRY(check_tracer(pid));
	return check_program(pid);
}

struct trm_error *attach_check(pid_t pid)
{
	TRM_TRY(attach_check_tracing(pid));
	TRM_TRY(check_filters(pid));
	return check_leftovers(pid);
}
