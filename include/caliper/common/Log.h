/*
 * A stream for messages, in C++11: see caliper/cali.h. CALI_LOG_VERBOSITY says which are
 * written, and CALI_LOG_LOGFILE where: stderr (the usual), stdout, none or a file.
 */
#ifndef CALI_COMMON_LOG_H
#define CALI_COMMON_LOG_H

#include "cali_types.h"

#ifdef __cplusplus

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

namespace cali
{

class Log
{
	int level_;

	struct State {
		int verbosity;
		std::string prefix;
		std::ofstream file, none;
		std::ostream *stream;

		State() : verbosity(0), prefix("== CALIPER: "), stream(&std::cerr)
		{
			const char *level = std::getenv("CALI_LOG_VERBOSITY");
			const char *place = std::getenv("CALI_LOG_LOGFILE");
			const std::string name = place ? place : "stderr";

			if (level)
				verbosity = std::atoi(level);
			none.setstate(std::ios::badbit);
			if (name == "stdout")
				stream = &std::cout;
			else if (name == "none")
				stream = &none;
			else if (name != "stderr")
				file.open(name, std::ios::app);
			if (file.is_open())
				stream = &file;
		}
	};
	/* It stays: destructors may write. */
	static State &state()
	{
		static State *made = new State;

		return *made;
	}

      public:
	Log(int level = 1) : level_(level)
	{
	}
	static int verbosity()
	{
		return state().verbosity;
	}
	static void set_verbosity(int verbosity)
	{
		state().verbosity = verbosity;
	}
	/* In front of all messages from now on, behind what there is. */
	static void add_prefix(const std::string &prefix)
	{
		state().prefix += prefix;
	}
	static void init();
	static void fini();
	static bool is_initialized();
	std::ostream &stream();
	/* What an error of the system's is, without an end of the line. */
	std::ostream &perror(int error, const char *message = "");
};

} // namespace cali

namespace cali
{

inline void Log::init()
{
	state();
}

inline void Log::fini()
{
	state().stream->flush();
}

inline bool Log::is_initialized()
{
	return true;
}

/* Of a message that is not wanted, nothing is written. */
inline std::ostream &Log::stream()
{
	if (verbosity() < level_)
		return state().none;
	return *state().stream << state().prefix;
}

inline std::ostream &Log::perror(int error, const char *message)
{
	return stream() << message << std::strerror(error);
}

} // namespace cali

#endif

#endif
