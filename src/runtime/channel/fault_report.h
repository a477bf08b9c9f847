/* Ends that did not fit, as messages. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_FAULT_REPORT_H
#define TRAMMEL_RUNTIME_CHANNEL_FAULT_REPORT_H

/* Says which ends did not fit, and what was lost, on standard error. */
void faults_say(void);

#endif
