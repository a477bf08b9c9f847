// build: gcc -O2
// build(static): gcc -O2 -static
// not-preloaded: the library that is loaded changes what is mapped
// not-spans: the library that is loaded changes what is mapped
// expect: function=leaf calls=10
/* What a process can see of itself, with addresses that are not drawn by chance: the
 * heap, what the kernel maps next, descriptors, what it has told the kernel, signals'
 * handlers. */
#include "lib/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

KEPT static int leaf(int n)
{
	return n + 1;
}

static void show_memory(void)
{
	printf("errno %d, heap %p, small %p, large %p, mapped %p\n", errno, sbrk(0),
	       malloc(10), malloc(1 << 20),
	       mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static void show_thread(void)
{
	unsigned long self;
	void *list = NULL;
	int *address = NULL;
	size_t size = 0;
	char name[32];

	__asm__("mov %%fs:0, %0" : "=r"(self));
	syscall(SYS_get_robust_list, 0, &list, &size);
	prctl(PR_GET_TID_ADDRESS, &address);
	prctl(PR_GET_NAME, name);
	printf("thread %lx, list %p %zu, address %p, name %s\n", self, list, size,
	       (void *)address, name);
}

static void show_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	printf("next %d, open", open("/dev/null", O_RDONLY));
	while (folder && (entry = readdir(folder)))
		printf(" %s", entry->d_name);
	printf("\n");
}

static void show_signals(void)
{
	struct sigaction action;
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < 65; i++)
		if (sigismember(&mask, i) == 1 ||
		    (!sigaction(i, NULL, &action) && action.sa_handler))
			printf("signal %d\n", i);
}

int main(int argc, char **argv)
{
	int n = 0;

	if (argc == 1) {
		char *again[] = {argv[0], (char *)"again", NULL};

		personality(ADDR_NO_RANDOMIZE);
		execv("/proc/self/exe", again);
		return 1;
	}
	errno = 0;
	show_memory();
	show_thread();
	show_files();
	show_signals();
	for (int i = 0; i < 10; i++)
		n = leaf(n);
	return n == 10 ? 0 : 2;
}
