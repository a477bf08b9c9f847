/* Reports of ends that did not fit. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_FAULT_REPORT_H
#define TRAMMEL_RUNTIME_CHANNEL_FAULT_REPORT_H

/* Reports on standard error which ends did not fit, and what was lost. */
void faults_say(void);

#endif
