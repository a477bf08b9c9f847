/*
 * Eight threads that do what lines on standard input say, each answered by a line:
 *     calls N     each thread makes N calls of work_once
 *     spin, still the threads begin to make calls on and on, and stop that
 *     mark        the calls that the threads made so far
 *     thread N    a new thread makes N calls and ends
 *     child N     a forked process makes N calls and ends
 *     exec        a process executes /bin/true
 *     vfork       so does one made by vfork, which takes its time before that
 *     leave N     two forked processes begin to make N calls, 100 each 5 ms
 *     reap        waits until they have ended, which must be well
 *     load FILE   FILE is loaded, its `plugin_work` called 7 times, and unloaded
 *     filter      a system call filter is installed that allows everything
 *     gs CODE     arch_prctl(CODE) is called
 *     dispatch N  system calls from outside all addresses come back as signals, if N
 *     forget      a forked process unmaps a page that it did not map, if there is one,
 * and ends a second later crowd N     N times 64 MiB of addresses are taken, below the
 * libraries
 */
#include "test.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static unsigned long quota[THREADS], made[THREADS * 8];
static volatile int spinning;
static int busy;
static unsigned round_number; /* a thread that comes late must not miss one */

KEPT unsigned long work_once(unsigned long value)
{
	return value * 2862933555777941757u + 3037000493u;
}

/*
 * Makes `count` calls of work_once, each with the result of the last one, the first with
 * 1, and returns the last result. It interprets code, by a switch whose table stays in a
 * register from its beginning to its end, also in calls: for each call it takes four ways
 * of the switch, and one more at the end.
 */
unsigned long work(unsigned long count);
__asm__(".text\n"
	".globl work\n"
	".type work, @function\n"
	".balign 16\n"
	"work:\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	sub $8, %rsp\n"
	"	lea work_table(%rip), %rbx\n"
	"	lea work_code(%rip), %r12\n"
	"	mov %rdi, %r13\n"
	"	mov $1, %r14d\n"
	".Lnext:\n"
	"	movzbl (%r12), %eax\n"
	"	inc %r12\n"
	"	movslq (%rbx,%rax,4), %rax\n"
	"	add %rbx, %rax\n"
	"	jmp *%rax\n"
	".Ltest:\n"
	"	test %r13, %r13\n"
	"	je .Lend\n"
	"	jmp .Lnext\n"
	".Lcall:\n"
	"	mov %r14, %rdi\n"
	"	call work_once\n"
	"	mov %rax, %r14\n"
	"	jmp .Lnext\n"
	".Lless:\n"
	"	dec %r13\n"
	"	jmp .Lnext\n"
	".Lloop:\n"
	"	lea work_code(%rip), %r12\n"
	"	jmp .Lnext\n"
	".Lend:\n"
	"	mov %r14, %rax\n"
	"	add $8, %rsp\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	ret\n"
	".size work, . - work\n"
	".section .rodata\n"
	".balign 4\n"
	"work_table:\n"
	"	.long .Ltest - work_table, .Lcall - work_table\n"
	"	.long .Lless - work_table, .Lloop - work_table\n"
	"work_code:\n"
	"	.byte 0, 1, 2, 3\n"
	".previous\n");

static void spin(unsigned long *counter)
{
	while (spinning) {
		for (int i = 0; i < 1000 && spinning; i++) {
			work(1);
			__atomic_store_n(counter, *counter + 1, __ATOMIC_RELEASE);
		}
		usleep(500);
	}
}

static void *serve(void *argument)
{
	unsigned long number = (unsigned long)argument;
	unsigned seen = 0;

	pthread_mutex_lock(&lock);
	for (;;) {
		while (seen == round_number)
			pthread_cond_wait(&wanted, &lock);
		seen = round_number;
		pthread_mutex_unlock(&lock);
		work(quota[number]);
		made[number * 8] += quota[number];
		quota[number] = 0;
		spin(&made[number * 8]);
		pthread_mutex_lock(&lock);
		if (!--busy)
			pthread_cond_signal(&done);
	}
	return NULL;
}

static void begin(unsigned long count, int spins)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < THREADS; i++)
		quota[i] = count;
	busy = THREADS;
	round_number++;
	spinning = spins;
	pthread_cond_broadcast(&wanted);
	pthread_mutex_unlock(&lock);
}

static void end(void)
{
	pthread_mutex_lock(&lock);
	spinning = 0;
	while (busy)
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}

static unsigned long sum(void)
{
	unsigned long total = 0;

	for (int i = 0; i < THREADS; i++)
		total += __atomic_load_n(&made[i * 8], __ATOMIC_ACQUIRE);
	return total;
}

static void *work_in_thread(void *argument)
{
	return (void *)work((unsigned long)argument);
}

static void in_thread(unsigned long count)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work_in_thread, (void *)count);
	pthread_join(thread, NULL);
}

static void in_child(unsigned long count, int execute)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (execute)
			execl("/bin/true", "true", (char *)NULL);
		_exit(work(count) == 1);
	}
	waitpid(pid, NULL, 0);
}

static void in_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		usleep(300000);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void leave(unsigned long count)
{
	for (int i = 0; i < 2; i++) {
		if (fork())
			continue;
		for (unsigned long k = 0; k < count; k += 100) {
			work(100);
			usleep(5000);
		}
		_exit(0);
	}
}

static void reap(void)
{
	int status;

	while (wait(&status) > 0)
		CHECK(status == 0);
}

static void load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*plugin)(int) = library ? (int (*)(int))dlsym(library, "plugin_work") : NULL;

	for (int i = 0; plugin && i < 7; i++)
		plugin(i);
	if (library)
		dlclose(library);
}

static void filter(void)
{
	struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void dispatch(unsigned long on)
{
	prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, on, 0ul, on ? ~0ul : 0ul, 0ul);
}

/* The first page that is written and shared with a file in memory: not the server's. (The
 * usual name would have the program taken for one that looks its own text up.) */
static void unmap_foreign(void)
{
	unsigned long start;
	char line[512];

	snprintf(line, sizeof(line), "/proc/%d/maps", getpid());
	FILE *maps = fopen(line, "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, " rw-s ") && strstr(line, "/memfd:") &&
		    sscanf(line, "%lx", &start) == 1) {
			munmap((void *)start,
			       4096); /* NOLINT(performance-no-int-to-ptr) */
			break;
		}
}

static void forget(void)
{
	int ends[2];
	char byte;

	CHECK(!pipe(ends));
	if (!fork()) {
		unmap_foreign();
		CHECK(write(ends[1], "", 1) == 1);
		sleep(1);
		_exit(0);
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	close(ends[0]);
	close(ends[1]);
}

static void crowd(unsigned long count)
{
	while (count--)
		CHECK(mmap(NULL, 64ul << 20, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			   0) != MAP_FAILED);
}

static void obey(const char *word, const char *argument)
{
	unsigned long count = strtoul(argument, NULL, 10);

	if (!strcmp(word, "calls")) {
		begin(count, 0);
		end();
	} else if (!strcmp(word, "spin")) {
		begin(0, 1);
	} else if (!strcmp(word, "still")) {
		end();
	} else if (!strcmp(word, "thread")) {
		in_thread(count);
	} else if (!strcmp(word, "child") || !strcmp(word, "exec")) {
		in_child(count, word[0] == 'e');
	} else if (!strcmp(word, "vfork")) {
		in_vfork();
	} else if (!strcmp(word, "leave")) {
		leave(count);
	} else if (!strcmp(word, "reap")) {
		reap();
	} else if (!strcmp(word, "load")) {
		load(argument);
	} else if (!strcmp(word, "filter")) {
		filter();
	} else if (!strcmp(word, "gs")) {
		syscall(SYS_arch_prctl, count, made);
	} else if (!strcmp(word, "dispatch")) {
		dispatch(count);
	} else if (!strcmp(word, "forget")) {
		forget();
	} else if (!strcmp(word, "crowd")) {
		crowd(count);
	}
	if (!strcmp(word, "mark"))
		printf("%lu\n", sum());
	else
		printf("%s done\n", word);
	fflush(stdout);
}

int main(void)
{
	char line[512];

	for (unsigned long i = 0; i < THREADS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, serve, (void *)i);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		char *argument = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		if (argument)
			*argument++ = '\0';
		obey(line, argument ? argument : "");
	}
	return 0;
}
