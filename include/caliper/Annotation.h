/* Classes for annotations, in C++11, of the compatible interface: see caliper/cali.h. */
#ifndef CALI_ANNOTATION_H
#define CALI_ANNOTATION_H

#include "cali.h"
#include "common/Variant.h"

#ifdef __cplusplus

#include <map>
#include <string>
#include <vector>

namespace cali
{

/* A region with this name, until the scope ends. */
class ScopeAnnotation
{
	std::string name_;

      public:
	explicit ScopeAnnotation(const char *name) : name_(name)
	{
		cali_begin_region(name);
	}
	~ScopeAnnotation()
	{
		cali_end_region(name_.c_str());
	}
	ScopeAnnotation(const ScopeAnnotation &) = delete;
	ScopeAnnotation &operator=(const ScopeAnnotation &) = delete;
};

/* The same for a function; the name must live as long. */
class Function
{
	const char *name_;

      public:
	explicit Function(const char *name) : name_(name)
	{
		cali_begin_region(name);
	}
	~Function()
	{
		cali_end_region(name_);
	}
	Function(const Function &) = delete;
	Function &operator=(const Function &) = delete;
};

/* A loop, and its iterations. Copies are the same loop; end() ends it, or the end of the
 * one that began it. */
class Loop
{
	cali_id_t iteration_;
	bool open_;

      public:
	class Iteration
	{
		cali_id_t attribute_;
		bool open_;

	      public:
		Iteration(cali_id_t attribute, int number)
		    : attribute_(attribute), open_(true)
		{
			cali_begin_int(attribute, number);
		}
		Iteration(Iteration &&other)
		    : attribute_(other.attribute_), open_(other.open_)
		{
			other.open_ = false;
		}
		~Iteration()
		{
			if (open_)
				cali_end(attribute_);
		}
		Iteration(const Iteration &) = delete;
		Iteration &operator=(const Iteration &) = delete;
	};

	explicit Loop(const char *name) : open_(true)
	{
		cali_init();
		cali_begin_string(cali_loop_attr_id, name);
		iteration_ = cali_make_loop_iteration_attribute(name);
	}
	Loop(const Loop &other) : iteration_(other.iteration_), open_(false)
	{
	}
	~Loop()
	{
		end();
	}
	Loop &operator=(const Loop &) = delete;

	Iteration iteration(int number) const
	{
		return Iteration(iteration_, number);
	}

	void end()
	{
		if (open_)
			cali_end(cali_loop_attr_id);
		open_ = false;
	}
};

/* An attribute by its name, made when it is first used; `properties`:
 * cali_attr_properties, or-ed. */
class Annotation
{
	std::string name_;
	int properties_;
	cali_id_t attribute_;
	std::map<std::string, Variant> about_;

	cali_id_t attribute(cali_attr_type type);

      public:
	typedef std::map<const char *, Variant> MetadataListType;

	explicit Annotation(const char *name, int properties = 0)
	    : name_(name), properties_(properties), attribute_(CALI_INV_ID)
	{
	}
	/* What is said of the attribute if it is new; texts must live until then. */
	Annotation(const char *name, const MetadataListType &about, int properties = 0)
	    : name_(name), properties_(properties), attribute_(CALI_INV_ID),
	      about_(about.begin(), about.end())
	{
	}

	/* Ends the innermost value at the end of the scope. */
	class Guard
	{
		Annotation &annotation_;

	      public:
		explicit Guard(Annotation &annotation) : annotation_(annotation)
		{
		}
		~Guard()
		{
			annotation_.end();
		}
		Guard(const Guard &) = delete;
		Guard &operator=(const Guard &) = delete;
	};
	typedef Guard AutoScope;

	Annotation &begin()
	{
		cali_begin(attribute(CALI_TYPE_BOOL));
		return *this;
	}
	Annotation &begin(const Variant &value)
	{
		cali_begin_variant(attribute(value.type()), value.c_variant());
		return *this;
	}
	template <class T> Annotation &begin(const T &value)
	{
		return begin(Variant(value));
	}
	Annotation &begin(cali_attr_type type, const void *data, uint64_t size)
	{
		return begin(Variant(type, data, size));
	}
	Annotation &set(const Variant &value)
	{
		cali_set_variant(attribute(value.type()), value.c_variant());
		return *this;
	}
	template <class T> Annotation &set(const T &value)
	{
		return set(Variant(value));
	}
	Annotation &set(cali_attr_type type, const void *data, uint64_t size)
	{
		return set(Variant(type, data, size));
	}
	void end()
	{
		cali_end(attribute(CALI_TYPE_INV));
	}
};

inline cali_id_t Annotation::attribute(cali_attr_type type)
{
	std::vector<cali_id_t> keys;
	std::vector<cali_variant_t> values;

	if (attribute_ != CALI_INV_ID)
		return attribute_;
	for (const auto &pair : about_) {
		keys.push_back(cali_create_attribute(
			pair.first.c_str(), pair.second.type(), CALI_ATTR_DEFAULT));
		values.push_back(pair.second.c_variant());
	}
	attribute_ = cali_create_attribute_with_metadata(name_.c_str(), type, properties_,
							 static_cast<int>(keys.size()),
							 keys.data(), values.data());
	return attribute_;
}

} // namespace cali

#endif

#endif
