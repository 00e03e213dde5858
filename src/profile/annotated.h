/// A profile as Valgrind's callgrind_annotate shows it: "file:function [object]", whatever else is called so.
///
/// For readers who expect that program's table, torch.utils.benchmark's users above all. A function is its file and
/// name, and the object is only shown: the last one that has such a function. Inlined code has the file that it comes
/// from, and no object. What has no file has "???". Inclusive is what calls cost, those to itself too: recursive
/// functions count twice. Follows callgrind_annotate of Valgrind 3.19; callgrind_real_test.cc holds the two against
/// each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/function_counts.h"
#include "profile/profile.h"

namespace tally {

/// A function's name as Callgrind writes it where nobody keeps it from demangling: "???" where there is none, and
/// sixteen digits of an address.
std::string callgrind_name(std::string_view name);

/// Largest count first, then by name; without zeros.
std::vector<std::pair<std::uint64_t, std::string>> annotated(const Profile& profile, std::size_t event,
                                                             Inclusion inclusion);

}  // namespace tally
