/*
 * Annotations when the program has ended: by destructors of static objects, of the
 * program and (as a library, -DLIBRARY) of libraries that end before or behind
 * libtrammel. With a word, what was measured is flushed before.
 */
#include <trammel/annotate.h>
#ifndef LIBRARY
#include <trammel/channel.h>
#endif

namespace
{
class Late
{
      public:
	explicit Late(const char *name) : name_(name)
	{
	}
	Late(const Late &) = delete;
	Late &operator=(const Late &) = delete;
	~Late()
	{
		trm_begin("region", name_);
		trm_end("region");
	}

      private:
	const char *name_;
};

#ifdef LIBRARY
Late late("library");
#else
Late late("program");
#endif
} // namespace

#ifdef LIBRARY
extern "C" int library_word(void);

int library_word(void)
{
	return 0;
}
#else
extern "C" int library_word(void);

int main(int word_count, char **)
{
	struct trm_channels *own = trm_channels_create(
		"runtime-profile(region.count,output=late.json,output.format=json)");

	trm_channels_start(own);
	{
		TRM_REGION("main");
	}
	if (word_count + library_word() > 1)
		trm_channels_flush(own);
	return 0;
}
#endif
