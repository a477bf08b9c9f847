// Scopes in C++ that exceptions leave, threads, constructors and destructors of statics.
#include <trammel/annotate.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>

struct Static {
	Static()
	{
		TRM_REGION("constructor");
	}
	~Static()
	{
		TRM_REGION("destructor");
	}
};
static Static object;

static void thrower(int depth)
{
	TRM_FUNCTION();
	if (!depth)
		throw std::runtime_error("out");
	TRM_REGION("deeper");
	thrower(depth - 1);
}

template <typename Number> static void level(Number number)
{
	trm_begin("level", number);
	trm_set("value", number);
	trm_end("level");
}

int main()
{
	TRM_FUNCTION();
	for (int i = 0; i < 100; i++) {
		TRM_LOOP("step", i)
		{
			try {
				thrower(3);
			} catch (const std::runtime_error &) {
				TRM_REGION("caught");
			}
		}
	}
	std::string text = "text";
	trm_begin("string", text.c_str());
	trm_end("string");
	trm_begin("true", true);
	trm_end("true");
	level(1);
	level(2L);
	level(3LL);
	trm_attribute weight = trm_attribute_create("weight", TRM_TYPE_DOUBLE,
						    TRM_AS_VALUE | TRM_AGGREGATABLE);
	trm_set(weight, 1.5);
	trm_set(weight, 2);
	std::thread([] { TRM_REGION("in lambda"); }).join();
	std::puts("through");
	return 0;
}
