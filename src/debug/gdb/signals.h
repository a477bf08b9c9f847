/* GDB's numbers of signals. */
#ifndef TRAMMEL_DEBUG_GDB_SIGNALS_H
#define TRAMMEL_DEBUG_GDB_SIGNALS_H

/* Returns GDB's number of a signal of this system; 143: it has none. */
int gdb_signal(int signal);

/* Returns the signal that has this number; 0: none has. */
int gdb_signal_here(int number);

#endif
