/* Records of tools, on their way to the tracer. */
#ifndef TRAMMEL_TOOLHOST_RECORDS_H
#define TRAMMEL_TOOLHOST_RECORDS_H

#include "wire/tool.h"

/* What is to be taken. */
extern struct wire_tool_records records;

/* Has the tool at `index`, an object of dlopen(3), record from now on. */
void records_begin(void *handle, uint32_t index);

#endif
