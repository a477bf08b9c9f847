/*
 * Times of regions, for the program that has them measured: see caliper/RegionProfile.h
 * for C++. In C:
 *
 *     cali_BufferedRegionProfile profile;
 *
 *     cali_BufferedRegionProfile_new(&profile);
 *     cali_BufferedRegionProfile_start(&profile);
 *     ...
 *     cali_BufferedRegionProfile_fetch_inclusive_region_times(&profile);
 *     printf("%g s\n", cali_BufferedRegionProfile_region_time(&profile, "solve"));
 *
 * All times are seconds, of all threads together.
 */
#ifndef CALI_CALI_PROFILE_H
#define CALI_CALI_PROFILE_H

#include "cali.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the time of a region: a name may come several times, and its time is their sum.
 * What it annotates is not recorded. */
typedef void (*cali_region_time_fn)(void *context, const char *name, double seconds);

/* What a channel with the services aggregate and timer has measured so far. `inclusive`:
 * the time of regions further in, too. `type`: the attribute of the regions that count;
 * NULL or "": all that are nested. `ret_regions`: the time in any of these, `ret_total`:
 * all that was measured. */
void cali_channel_region_times(cali_id_t channel, int inclusive, const char *type,
			       cali_region_time_fn function, void *context,
			       double *ret_regions, double *ret_total);

typedef struct s_cali_BufferedRegionProfile {
	void *addr; /* the profile */
	int idtor;
} cali_BufferedRegionProfile;

cali_BufferedRegionProfile *
cali_BufferedRegionProfile_new(cali_BufferedRegionProfile *profile);
void cali_BufferedRegionProfile_delete(cali_BufferedRegionProfile *profile);
void cali_BufferedRegionProfile_start(cali_BufferedRegionProfile *profile);
void cali_BufferedRegionProfile_stop(cali_BufferedRegionProfile *profile);
/* Forgets what was measured and fetched. */
void cali_BufferedRegionProfile_clear(cali_BufferedRegionProfile *profile);
/* What was measured so far is what the functions below tell. */
void cali_BufferedRegionProfile_fetch_exclusive_region_times(
	cali_BufferedRegionProfile *profile);
void cali_BufferedRegionProfile_fetch_inclusive_region_times(
	cali_BufferedRegionProfile *profile);
double cali_BufferedRegionProfile_total_profiling_time(
	const cali_BufferedRegionProfile *profile);
double
cali_BufferedRegionProfile_total_region_time(const cali_BufferedRegionProfile *profile);
/* 0: it was not fetched. */
double cali_BufferedRegionProfile_region_time(cali_BufferedRegionProfile *profile,
					      const char *region);

#ifdef __cplusplus
}
#endif

#endif
