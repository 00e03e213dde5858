/// What a user reads where each case starts a host of its own. Pure.
#pragma once

#include <cstddef>
#include <string>

namespace tally {

/// How long `left` cases take of which `at_once` run at a time, each for `each_s` seconds, and what can be done about
/// it.
std::string hosts_estimate(std::size_t left, std::size_t at_once, double each_s);

}  // namespace tally
