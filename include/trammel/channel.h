/*
 * Channels: measurement configurations that a program makes, starts, stops and flushes by
 * itself; any number at once. Link with -ltrammel (or -ltrammel-cali).
 *
 *     struct trm_channels *report =
 *             trm_channels_create("runtime-report(output=stdout,region.count)");
 *
 *     if (*trm_channels_message(report))
 *             fprintf(stderr, "%s\n", trm_channels_message(report));
 *     trm_channels_start(report);
 *     ...
 *     trm_channels_flush(report);
 *
 * Without a word of the program, the variable TRAMMEL_CONFIG has the same form, and
 * TRAMMEL_SERVICES_ENABLE chooses services one by one; both need the library to be
 * preloaded, or linked (behind -Wl,--no-as-needed, where the program calls none of
 * these). man/trammel-channels.7.md describes configurations, options and services.
 *
 * All functions may be called from any thread, but not from signal handlers. A channel
 * that was not destroyed is flushed when the program ends. What goes wrong at a flush is
 * said on standard error.
 */
#ifndef TRAMMEL_CHANNEL_H
#define TRAMMEL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The channels of one configuration text. */
struct trm_channels;

/* Makes channels of the one-line form, "configuration(option=value,...),...". They do not
 * measure yet. What is wrong in the text is left out, and is told by
 * trm_channels_message(). NULL: there is no memory, or 64 groups are there already. */
struct trm_channels *trm_channels_create(const char *configuration);

/*
 * Configurations and options of the program's own, beside the built-in ones: JSON texts,
 * as the page describes them and LLNL's Caliper takes them.
 */
struct trm_specs;
/* NULL: there is no memory. */
struct trm_specs *trm_specs_create(void);
/* Channels that were made with them stay. */
void trm_specs_destroy(struct trm_specs *specs);
/* Adds what a text, or a file, has. Returns lines that say what was wrong, each with its
 * place, until the next call; "": nothing. */
const char *trm_specs_add(struct trm_specs *specs, const char *json);
const char *trm_specs_load(struct trm_specs *specs, const char *path);
/* trm_channels_create with these, and with what load(FILE) in the text adds to them. */
struct trm_channels *trm_channels_create_with(struct trm_specs *specs,
					      const char *configuration);
/* The configurations that there are then, and the options that one takes, as those of
 * trm_channels_configuration and trm_channels_option. */
const char *trm_specs_configuration(const struct trm_specs *specs, size_t number,
				    const char **ret_about);
const char *trm_specs_option(const struct trm_specs *specs, const char *configuration,
			     size_t number, const char **ret_about);

/* Makes one channel of settings. `pairs`: key and value, as {"CALI_SERVICES_ENABLE",
 * "event,timer,aggregate,report"}, with {NULL, NULL} at the end; keys begin with
 * TRAMMEL_, CALI_, or neither. `reads_environment`: variables go before these. What is
 * wrong is said on standard error. */
struct trm_channels *trm_channels_create_of(const char *name,
					    const char *const (*pairs)[2],
					    bool reads_environment);

/* Nothing is written. NULL is allowed, here and below. */
void trm_channels_destroy(struct trm_channels *channels);

/* Lines that say what was wrong with the configuration; "": nothing. Valid until the
 * channels are destroyed. */
const char *trm_channels_message(const struct trm_channels *channels);

/* The configurations that there are, by number from 0 on, and a line about each; NULL
 * behind the last one. */
const char *trm_channels_configuration(size_t number, const char **ret_about);
/* The same of the options that a configuration takes. */
const char *trm_channels_option(const char *configuration, size_t number,
				const char **ret_about);

/* The services that there are, in the same way; `ret_settings`: the variables that a
 * service reads, with spaces between. */
const char *trm_channels_service(size_t number, const char **ret_about,
				 const char **ret_settings);

/* How many channels the configuration made. */
size_t trm_channels_count(const struct trm_channels *channels);

/* Measures from now on; what is open counts from here. */
void trm_channels_start(struct trm_channels *channels);
/* Measures no more. What was measured stays, and a start goes on with it. */
void trm_channels_stop(struct trm_channels *channels);
/* The same for the calling thread: others are measured once they start them, too, or
 * anybody starts them for all. */
void trm_channels_start_thread(struct trm_channels *channels);
void trm_channels_stop_thread(struct trm_channels *channels);
bool trm_channels_are_active(const struct trm_channels *channels);

/* Writes what was measured so far to where the configuration says. Other threads may go
 * on; their time since their last event is not in it. */
void trm_channels_flush(struct trm_channels *channels);

/* Whether there is one that ranks of a parallel program write together. */
bool trm_channels_are_across(const struct trm_channels *channels);
/* A flush by all ranks of a communicator, the first of which writes what all have.
 * `communicator`: the address of an MPI_Comm; NULL: this process writes what it has.
 * `path`: a file, to which it is added; NULL: where the configuration says. */
void trm_channels_flush_across(struct trm_channels *channels, const void *communicator,
			       const char *path);

/* Forgets what was measured so far. */
void trm_channels_clear(struct trm_channels *channels);

/* Takes a snapshot of the calling thread now. */
void trm_channels_snapshot(struct trm_channels *channels);

#ifdef __cplusplus
}
#endif

#endif
