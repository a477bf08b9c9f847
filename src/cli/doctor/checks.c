/* What `trammel doctor` looks at, a function each. What can be tried is tried. */
#include "base/cleanup.h"
#include "base/page.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/trial.h"
#include "control/remote.h"
#include "session/cache/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

/* Linux, Documentation/arch/x86/x86_64/fsgs.rst */
#define HWCAP2_FSGSBASE 2

/* The number that a file of /proc/sys holds; false if there is no such file. */
static bool read_setting(const char *path, long *ret_value)
{
	scoped_file FILE *file = fopen(path, "re");

	return file && fscanf(file, "%ld", ret_value) == 1;
}

/* What a line "name : value" of /proc/cpuinfo has for this name. */
static bool read_cpuinfo(const char *name, struct text *text)
{
	scoped_file FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, name, strlen(name)) != 0 || !colon)
			continue;
		colon += strspn(colon, ": ");
		text_add_bytes(text, colon, strcspn(colon, "\n"));
		return true;
	}
	return false;
}

static void look_processor(struct finding *finding)
{
	struct utsname name;

	/* This program is x86-64 code, so the processor is, too, or is played well
	 * enough. */
	if (!uname(&name) && strcmp(name.machine, "x86_64") != 0) {
		finding->status = FINDING_WARN;
		text_format(&finding->value, "the system calls itself \"%s\"",
			    name.machine);
		text_add(&finding->remedy, "run it without setarch or an emulator");
		return;
	}
	text_add(&finding->value, "x86-64, ");
	if (!read_cpuinfo("model name", &finding->value))
		text_add(&finding->value, "model unknown");
}

static void look_kernel(struct finding *finding)
{
	uint32_t word = 0;
	struct futex_waitv wait = {
		.val = 1, .uaddr = (uintptr_t)&word, .flags = FUTEX_32};
	struct utsname name;

	if (!uname(&name))
		text_format(&finding->value, "%s %s: ", name.sysname, name.release);
	/* The value is another one: EAGAIN at once, where the call is known. */
	if (syscall(SYS_futex_waitv, &wait, 1, 0, NULL, 0) == -1 && errno == EAGAIN) {
		text_add(&finding->value, "futex_waitv works");
		return;
	}
	finding->status = FINDING_WARN;
	text_format(&finding->value,
		    "no futex_waitv (%s), so what a program asks for waits up to 4 ms",
		    strerror(errno));
	text_add(&finding->remedy, "Linux 5.16 or later has it; in a container, a system "
				   "call filter that lets it pass");
}

/* Fails the finding if the step of the trial did not succeed; whether it did. */
static bool use_trial(struct finding *finding, enum trial_step step)
{
	const struct trial *trial = trial_run();

	if (trial->steps[step].good)
		return true;
	finding->status = FINDING_FAIL;
	if (trial->steps[step].reached)
		text_add(&finding->value, trial->steps[step].reason);
	else if (step > TRIAL_STOP && !trial->steps[TRIAL_STOP].good)
		text_add(&finding->value, "not tried, since tracing does not work");
	else
		text_add(&finding->value, "no answer within some seconds");
	return false;
}

static uint64_t own_status(const char *field)
{
	uint64_t value = 0;

	return remote_status(getpid(), field, 10, &value) ? value : 0;
}

static void advise_ptrace(struct finding *finding, long scope)
{
	uint64_t tracer = own_status("TracerPid");

	if (tracer)
		text_format(
			&finding->remedy,
			"a process can have one tracer: run it outside of process %llu, "
			"which traces it",
			(unsigned long long)tracer);
	else if (scope == 3)
		text_add(&finding->remedy,
			 "put kernel.yama.ptrace_scope=1 into /etc/sysctl.d and "
			 "boot: 3 stays until then");
	else if (scope == 2)
		text_add(&finding->remedy, "sysctl kernel.yama.ptrace_scope=1 (as root), "
					   "or run trammel as root");
	else if (own_status("Seccomp"))
		text_add(&finding->remedy,
			 "in a container: start it with --cap-add=SYS_PTRACE "
			 "--security-opt seccomp=unconfined");
	else
		text_add(&finding->remedy,
			 "a security module may forbid it: see ptrace(2) and "
			 "the kernel's messages");
}

static void look_ptrace(struct finding *finding)
{
	long scope = -1;
	bool good = use_trial(finding, TRIAL_SEIZE) && use_trial(finding, TRIAL_STOP);

	read_setting("/proc/sys/kernel/yama/ptrace_scope", &scope);
	if (good)
		text_add(&finding->value, "tracing works");
	if (scope >= 0)
		text_format(&finding->value, "; kernel.yama.ptrace_scope is %ld", scope);
	else
		text_add(&finding->value, "; no kernel.yama.ptrace_scope");
	if (!good)
		advise_ptrace(finding, scope);
}

static void look_memory(struct finding *finding)
{
	if (use_trial(finding, TRIAL_MEMORY))
		text_add(&finding->value,
			 "/proc/PID/mem writes to a traced program's text");
	else if (trial_run()->steps[TRIAL_MEMORY].reached)
		text_add(&finding->remedy, "mount /proc; and boot without "
					   "proc_mem.force_override=never if it is set");
}

/*
 * With FSGSBASE a program can set its GS base by an instruction that no tracer sees;
 * without, only by a system call. The tracer sets it with ptrace either way.
 */
static void look_gs(struct finding *finding)
{
	bool instructions = (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0;

	if (use_trial(finding, TRIAL_GS))
		text_format(&finding->value,
			    "the base can be set; FSGSBASE instructions: %s",
			    instructions ? "yes" : "no, and counting needs none");
	else if (trial_run()->steps[TRIAL_GS].reached)
		text_add(&finding->remedy,
			 "boot without nofsgsbase, or outside of this emulator "
			 "or sandbox");
}

static void look_kcmp(struct finding *finding)
{
	if (use_trial(finding, TRIAL_KCMP)) {
		text_add(&finding->value, "processes that share memory are told apart");
		return;
	}
	if (!trial_run()->steps[TRIAL_KCMP].reached)
		return;
	finding->status = FINDING_WARN;
	text_add(&finding->value, "; children of vfork are taken for ones with memory of "
				  "their own");
	text_add(&finding->remedy,
		 "a kernel with CONFIG_KCMP, and in a container a system call "
		 "filter that lets kcmp pass");
}

/* A page of a memfd with a function that returns 42, as a program maps the resident. */
static struct trm_error *map_code(void **ret_page)
{
	static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3};
	scoped_fd int fd = memfd_create("trammel", MFD_CLOEXEC | MFD_EXEC);

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create("trammel", MFD_CLOEXEC);
	if (fd < 0)
		return trm_error_system(errno, "memfd_create");
	if (write(fd, code, sizeof(code)) != sizeof(code) || ftruncate(fd, PAGE))
		return trm_error_system(errno, "cannot write to a memfd");
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return trm_error_system(errno, "cannot map a memfd for execution");
	*ret_page = page;
	return NULL;
}

static bool page_answers(void *page)
{
	int (*function)(void);

	memcpy(&function, &page, sizeof(function));
	return function() == 42;
}

static void look_memfd(struct finding *finding)
{
	void *page;
	long setting = -1;
	struct trm_error *error = map_code(&page);
	bool good = !error && page_answers(page);

	if (!error)
		munmap(page, PAGE);
	if (good) {
		text_add(&finding->value, "code in a memfd can be executed");
	} else {
		finding->status = FINDING_FAIL;
		text_add(&finding->value,
			 error ? error->message : "code in a memfd goes wrong");
		text_add(&finding->remedy, "sysctl vm.memfd_noexec=1 (as root) if it is "
					   "2; else a security module "
					   "forbids it: see the kernel's messages");
	}
	if (read_setting("/proc/sys/vm/memfd_noexec", &setting))
		text_format(&finding->value, "; vm.memfd_noexec is %ld", setting);
	trm_error_destroy(error);
}

/* Linux, mremap(2): an old size of 0 makes a second mapping of the same shared pages. */
static void look_mremap(struct finding *finding)
{
	void *page, *second;
	struct trm_error *error = map_code(&page);

	if (error) {
		trm_error_destroy(error);
		finding->status = FINDING_FAIL;
		text_add(&finding->value, "not tried, since memfds cannot be executed");
		return;
	}
	second = mremap(page, 0, PAGE, MREMAP_MAYMOVE);
	if (second != MAP_FAILED && page_answers(second)) {
		text_add(&finding->value, "shared code can be mapped a second time");
	} else {
		finding->status = FINDING_FAIL;
		text_format(&finding->value, "mremap with old size 0: %s",
			    second == MAP_FAILED ? strerror(errno)
						 : "not the same pages");
		text_add(&finding->remedy,
			 "outside of this emulator or sandbox it works");
	}
	if (second != MAP_FAILED)
		munmap(second, PAGE);
	munmap(page, PAGE);
}

/* Nothing is injected into a thread under a filter, which may kill it for that: see
 * may_inject in session/thread/threads.c. What every program gets at its exec is all it
 * has then. */
static void look_seccomp(struct finding *finding)
{
	uint64_t mode = own_status("Seccomp");

	if (!mode) {
		text_add(&finding->value, "no system call filter on this process");
		return;
	}
	finding->status = FINDING_WARN;
	text_format(
		&finding->value,
		"a system call filter is on (mode %llu): programs get memory for 4 "
		"threads "
		"and some 31,000 functions; what is more shares counters or is left out",
		(unsigned long long)mode);
	text_add(&finding->remedy,
		 "in a container: start it with --security-opt seccomp=unconfined");
}

/* Bytes of all files in the folder. */
static uint64_t folder_size(const char *path, unsigned int *ret_count)
{
	uint64_t size = 0;
	DIR *folder = opendir(path);
	const struct dirent *entry;
	struct stat status;

	*ret_count = 0;
	while (folder && (entry = readdir(folder))) {
		if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode))
			continue;
		size += (uint64_t)status.st_size;
		++*ret_count;
	}
	if (folder)
		closedir(folder);
	return size;
}

/* Opens the cache as a run does; what that prints on standard error goes to `said`. */
static struct cache *open_cache(struct text *said)
{
	scoped_fd int stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	scoped_fd int fd = memfd_create("said", MFD_CLOEXEC);
	char bytes[1024];
	struct cache *cache;
	ssize_t n;

	if (stderr_fd < 0 || fd < 0)
		return cache_create(true);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	cache = cache_create(false);
	fflush(stderr);
	dup2(stderr_fd, STDERR_FILENO);
	n = pread(fd, bytes, sizeof(bytes), 0);
	if (n > 0)
		text_add_bytes(said, bytes,
			       strcspn(bytes, "\n") < (size_t)n ? strcspn(bytes, "\n")
								: (size_t)n);
	return cache;
}

static void describe_cache(struct finding *finding, const char *folder)
{
	unsigned int count;
	double mib = (double)folder_size(folder, &count) / (1 << 20);
	struct statvfs status;

	text_format(&finding->value, "\"%s\", %u files, %.1f MiB", folder, count, mib);
	if (statvfs(folder, &status) || !(status.f_flag & ST_NOEXEC))
		return;
	finding->status = FINDING_WARN;
	text_add(&finding->value,
		 "; it is mounted noexec, so texts are written to instead of "
		 "mapped: starting takes longer");
	text_add(&finding->remedy,
		 "set TRAMMEL_CACHE_DIR to a folder on another file system");
}

static void look_cache(struct finding *finding)
{
	struct text said = {0};
	struct cache *cache = open_cache(&said);
	static const char prefix[] = "trammel: ";
	const char *message = said.length ? said.data : "";

	if (cache_folder(cache)) {
		describe_cache(finding, cache_folder(cache));
	} else {
		finding->status = FINDING_WARN;
		if (!strncmp(message, prefix, strlen(prefix)))
			message += strlen(prefix);
		const char *remedy = strrchr(message, ';');
		size_t length = remedy ? (size_t)(remedy - message) : strlen(message);

		text_add_bytes(&finding->value, message, length);
		if (!finding->value.length)
			text_add(&finding->value,
				 "no folder: TRAMMEL_CACHE_DIR, XDG_CACHE_HOME "
				 "and HOME are not set");
		text_add(&finding->value, "; every run plans all modules anew");
		text_add(&finding->remedy,
			 "set TRAMMEL_CACHE_DIR to a folder of your own");
	}
	cache_destroy(cache);
	text_deinit(&said);
}

static void look_names(struct finding *finding)
{
	glob_t found = {0};

	finding->status = FINDING_INFO;
	if (!glob("/usr/lib/debug/.build-id/*/*.debug", GLOB_NOSORT, NULL, &found)) {
		text_format(&finding->value, "%zu separate debug files in /usr/lib/debug",
			    found.gl_pathc);
		globfree(&found);
		return;
	}
	text_add(&finding->value,
		 "no separate debug files: functions that are not exported are "
		 "shown as sub_ and their address in stripped modules");
	text_add(&finding->remedy,
		 "install the -dbgsym or -dbg packages of what you measure, "
		 "libc6-dbg to begin with");
}

static void look_cpus(struct finding *finding)
{
	cpu_set_t set;

	finding->status = FINDING_INFO;
	if (sched_getaffinity(0, sizeof(set), &set))
		text_format(&finding->value, "%ld processors",
			    sysconf(_SC_NPROCESSORS_ONLN));
	else
		text_format(&finding->value, "%d of %ld processors may be used",
			    CPU_COUNT(&set), sysconf(_SC_NPROCESSORS_ONLN));
}

/* 0, or the errno of opening this event for this process, the kernel left out. */
static int try_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = type,
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

static void look_perf(struct finding *finding)
{
	int error = try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	long paranoid;

	if (error) {
		finding->status = FINDING_INFO;
		text_format(&finding->value, "perf events cannot be opened: %s",
			    strerror(error));
	} else {
		text_add(&finding->value, "software events can be opened");
	}
	if (read_setting("/proc/sys/kernel/perf_event_paranoid", &paranoid))
		text_format(&finding->value, "; kernel.perf_event_paranoid is %ld",
			    paranoid);
	if (error == EACCES || error == EPERM)
		text_add(&finding->remedy,
			 "sysctl kernel.perf_event_paranoid=2 (as root), and in a "
			 "container a "
			 "system call filter that lets perf_event_open pass");
}

static void look_pmu(struct finding *finding)
{
	int error = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	if (!error) {
		text_add(&finding->value, "the processor's cycles can be counted");
		return;
	}
	finding->status = FINDING_INFO;
	if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
		text_add(&finding->value, "no hardware events: samples by timer only");
		text_add(&finding->remedy, "in a virtual machine: let it have the "
					   "processor's PMU, if you can");
		return;
	}
	text_format(&finding->value,
		    "hardware events cannot be opened: %s; samples by timer only",
		    strerror(error));
	if (error == EACCES || error == EPERM)
		text_add(&finding->remedy, "as for perf");
}

const struct check checks[] = {
	{"processor", NEED_COUNTS, look_processor},
	{"kernel", NEED_COUNTS, look_kernel},
	{"ptrace", NEED_COUNTS, look_ptrace},
	{"memory", NEED_COUNTS, look_memory},
	{"gs", NEED_COUNTS, look_gs},
	{"memfd", NEED_COUNTS, look_memfd},
	{"mremap", NEED_COUNTS, look_mremap},
	{"kcmp", NEED_COUNTS, look_kcmp},
	{"seccomp", NEED_COUNTS, look_seccomp},
	{"cache", NEED_COUNTS, look_cache},
	{"names", NEED_COUNTS, look_names},
	{"cpus", NEED_COUNTS, look_cpus},
	{"perf", NEED_SAMPLES, look_perf},
	{"pmu", NEED_SAMPLES, look_pmu},
	{.name = NULL},
};
