/*
 * Times of regions, for the program that has them measured: see caliper/cali.h.
 *
 *     cali::RegionProfile profile;
 *     std::map<std::string, double> seconds;
 *
 *     profile.start();
 *     ...
 *     std::tie(seconds, std::ignore, std::ignore) = profile.inclusive_region_times();
 */
#ifndef CALI_REGIONPROFILE_H
#define CALI_REGIONPROFILE_H

#include "ChannelController.h"
#include "cali-profile.h"

#ifdef __cplusplus

#include <tuple>

namespace cali
{

class RegionProfile : public ChannelController
{
      public:
	/* Seconds by region; in regions of the type that was asked for; of all that was
	 * measured. Regions of one name are one, wherever they are. */
	typedef std::tuple<std::map<std::string, double>, double, double>
		region_profile_t;

	RegionProfile()
	    : ChannelController("region-profile", 0,
				{{"CALI_SERVICES_ENABLE", "event,timer,aggregate"},
				 {"CALI_CHANNEL_FLUSH_ON_EXIT", "false"}})
	{
	}

	/* `type`: the attribute of the regions that count; "": all that are nested. */
	region_profile_t exclusive_region_times(const std::string &type = "")
	{
		return times(false, type);
	}
	region_profile_t inclusive_region_times(const std::string &type = "")
	{
		return times(true, type);
	}
	void clear()
	{
		if (is_instantiated())
			cali_channel_clear(channel().id());
	}

      private:
	static void add(void *context, const char *name, double seconds)
	{
		(*static_cast<std::map<std::string, double> *>(context))[name] += seconds;
	}
	region_profile_t times(bool inclusive, const std::string &type)
	{
		region_profile_t result;

		cali_channel_region_times(channel().id(), inclusive, type.c_str(), add,
					  &std::get<0>(result), &std::get<1>(result),
					  &std::get<2>(result));
		return result;
	}
};

} // namespace cali

#endif

#endif
