/* Functions that are called one after the other, in C++11: see caliper/cali.h. */
#ifndef UTIL_CALLBACK_HPP
#define UTIL_CALLBACK_HPP

#include <functional>
#include <vector>

namespace cali
{
namespace util
{

template <class F> class callback
{
	std::vector<std::function<F>> functions_;

      public:
	void connect(std::function<F> function)
	{
		functions_.push_back(function);
	}
	bool empty() const
	{
		return functions_.empty();
	}
	template <class... A> void operator()(A &&...arguments)
	{
		for (auto &function : functions_)
			function(arguments...);
	}
};

} // namespace util
} // namespace cali

#endif
