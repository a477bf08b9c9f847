/* Ends that do not fit what is open: kept in the spool, each once. */
#ifndef TRAMMEL_RUNTIME_STORE_FAULTS_H
#define TRAMMEL_RUNTIME_STORE_FAULTS_H

struct context_fault;

/* Notes an end that does not fit what is open. */
void faults_note(const struct context_fault *fault);

/* Frees the lock in a child of fork: another thread may have held it. */
void faults_resume(void);

#endif
