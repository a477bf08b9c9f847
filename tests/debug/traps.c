/* What a program sees of SIGTRAP, with here() called between: its own handler or none,
 * its own break instructions and signals, and a thread that blocks all signals; then once
 * more, as a program that is executed while it ignores it. Prints a line each, ends with
 * 0. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t got, code;

__attribute__((noinline)) void here(void)
{
	__asm__ volatile("nop");
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)context;
	got += signal == SIGTRAP;
	code = info->si_code;
}

static void on_trap_plainly(int signal)
{
	got += signal == SIGTRAP;
}

static const char *name_action(void)
{
	struct sigaction action;

	here();
	memset(&action, 1, sizeof(action));
	if (sigaction(SIGTRAP, NULL, &action))
		return "an error";
	return action.sa_flags & SA_SIGINFO && action.sa_sigaction == on_trap ? "full"
	       : action.sa_handler == on_trap_plainly                         ? "plain"
	       : action.sa_handler == SIG_DFL                                 ? "default"
	       : action.sa_handler == SIG_IGN                                 ? "ignored"
									      : "foreign";
}

static void *block_all(void *argument)
{
	sigset_t all, now;
	int same = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < 20; i++) {
		here();
		pthread_sigmask(SIG_BLOCK, NULL, &now);
		same += sigismember(&now, SIGTRAP) == 1;
	}
	printf("blocked %d\n", same);
	return argument;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO}, old;
	pthread_t thread;

	setvbuf(stdout, NULL, _IONBF, 0);
	printf("%s: at first %s\n", argc > 1 ? argv[1] : "traps", name_action());
	here();
	sigaction(SIGTRAP, &action, &old);
	printf("before %d\n", old.sa_handler == SIG_DFL);
	printf("then %s\n", name_action());
	for (int i = 0; i < 3; i++) {
		here();
		__asm__ volatile("int3");
		here();
		__asm__ volatile(".byte 0xcd, 3");
	}
	printf("got %d, code %d\n", got, code);
	here();
	raise(SIGTRAP);
	printf("got %d, code %d\n", got, code);
	pthread_create(&thread, NULL, block_all, NULL);
	pthread_join(thread, NULL);
	printf("still %s\n", name_action());
	here();
	__asm__ volatile("int3");
	here();
	printf("got %d\n", got);
	printf("was full %d\n", signal(SIGTRAP, on_trap_plainly) != SIG_DFL);
	printf("now %s\n", name_action());
	raise(SIGTRAP);
	here();
	printf("got %d\n", got);
	signal(SIGTRAP, SIG_IGN);
	printf("at last %s\n", name_action());
	raise(SIGTRAP);
	here();
	if (argc == 1) {
		execl("/proc/self/exe", "traps", "again", NULL);
		return 1;
	}
	signal(SIGTRAP, SIG_DFL);
	printf("in the end %s\n", name_action());
	return 0;
}
