/* The parts of a configuration with its options, for a program that makes the channel
 * itself. */
#ifndef TRAMMEL_RUNTIME_CONFIG_ANSWERS_H
#define TRAMMEL_RUNTIME_CONFIG_ANSWERS_H

struct item;
struct items;
struct request;
struct trm_runtime_answers;

/* Passes the parts of a configuration to `answers`. `item`: the configuration in the
 * text; `all`: all items of the text. Called with specs_lock held. */
void answers_give(const struct request *request, const struct item *item,
		  const struct items *all, const struct trm_runtime_answers *answers);

#endif
