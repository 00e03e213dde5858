/// Where one case allocates, and its form as it is kept beside a record: compact JSON with its own version. Pure.
///
/// { "allocations": 1, "iterations": 100, "lost": 0, "strings": [..], "frames": [[object, function], ..],
///   "python": [[file, function, line], ..],
///   "sites": [[source, count, bytes, python, frame, ..], ..] }
///
/// Numbers index the lists before them; a source is 0 for the C library's allocator and 1 for CPython's, and `python`
/// is one more than an index, 0 where no Python code ran. Counts and bytes are of all iterations together, so that what
/// is divided stays exact. What CPython's allocator passes on to the C library's is in both.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace tally {

inline constexpr int kAllocationsSchema = 1;

enum class AllocationSource { c, python };
/// "malloc", "python"
std::string_view to_string(AllocationSource source);

/// The Python code that ran; without a function: none did.
struct PythonPlace {
  std::string file;
  std::string function;
  std::uint64_t line = 0;
  auto operator<=>(const PythonPlace&) const = default;
};

struct AllocationFrame {
  std::string object;    ///< Base name.
  std::string function;  ///< Its symbol, or its address in the object: "0x1f30".
  auto operator<=>(const AllocationFrame&) const = default;
};

/// One chain of calls that allocates.
struct AllocationSite {
  AllocationSource source = AllocationSource::c;
  std::vector<AllocationFrame> frames;  ///< Innermost first; the allocators' own and the host's are left out.
  PythonPlace python;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< As requested.
  friend bool operator==(const AllocationSite&, const AllocationSite&) = default;
};

struct AllocationSites {
  std::uint64_t iterations = 1;
  std::vector<AllocationSite> sites;
  std::uint64_t lost = 0;  ///< Requests that are in no site: there were too many sites.
  friend bool operator==(const AllocationSites&, const AllocationSites&) = default;
};

/// Sites with one chain of names added up; most bytes first, then by name.
std::vector<AllocationSite> merged(std::vector<AllocationSite> sites);

std::string to_json(const AllocationSites& kept);
Result<AllocationSites> allocation_sites_from_json(std::string_view text, const std::string& where);

/// "at::empty", "total (ledger.py:12)": where it is allocated, and from where; empty: that is not known.
std::string place_of(const AllocationSite& site);
std::string origin_of(const AllocationSite& site);

}  // namespace tally
