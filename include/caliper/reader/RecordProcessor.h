/* Functions that take what a file has, in C++11: see caliper/reader/CaliReader.h. */
#ifndef CALI_READER_RECORDPROCESSOR_H
#define CALI_READER_RECORDPROCESSOR_H

#include "../cali.h"

#ifdef __cplusplus

#include "../common/CaliperMetadataAccessInterface.h"

#include <functional>
#include <vector>

namespace cali
{

typedef std::vector<Entry> EntryList;
typedef std::function<void(CaliperMetadataAccessInterface &, const Node *)> NodeProcessFn;
typedef std::function<void(CaliperMetadataAccessInterface &, const Node *, NodeProcessFn)>
	NodeFilterFn;
typedef std::function<void(CaliperMetadataAccessInterface &, const EntryList &)>
	SnapshotProcessFn;
typedef std::function<void(CaliperMetadataAccessInterface &, const EntryList &,
			   SnapshotProcessFn)>
	SnapshotFilterFn;

} // namespace cali

#endif

#endif
