/*
 * The commands of trammel. Adding one: its file, and a row in main.c.
 */
#ifndef TRAMMEL_CLI_COMMANDS_H
#define TRAMMEL_CLI_COMMANDS_H

/* Exit statuses of all commands but `run`, which gives the program's own. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FINDING = 1, /* a negative answer */
	EXIT_USAGE = 2,
	EXIT_FAILED = 4,
};

/* argv[0] is the command's name. */
int cmd_run(int argc, const char **argv);
int cmd_attach(int argc, const char **argv);
int cmd_report(int argc, const char **argv);
int cmd_annotate(int argc, const char **argv);
int cmd_coverage(int argc, const char **argv);
int cmd_diff(int argc, const char **argv);
int cmd_graph(int argc, const char **argv);
int cmd_merge(int argc, const char **argv);
int cmd_recover(int argc, const char **argv);
int cmd_channel(int argc, const char **argv);
int cmd_top(int argc, const char **argv);
int cmd_loops(int argc, const char **argv);
int cmd_mix(int argc, const char **argv);
int cmd_pbo(int argc, const char **argv);
int cmd_query(int argc, const char **argv);
int cmd_bbv(int argc, const char **argv);
int cmd_doctor(int argc, const char **argv);

#endif
