/// The iterator of a measured loop.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

#include "regions.h"

namespace tally::host {

/// `for _ in phase: statement`. Yields None as often as the engine says; everything else happens between two items.
struct PhaseIterator {
  PyObject_HEAD Regions* engine;
  std::uint64_t left;
  protocol::Phase phase;
  bool begun;
#ifdef TALLY_HOSTS_PROGRAMS
  PyObject* prepare;  ///< Called with a number before each region, not measured: a list of as many items; or null.
  PyObject* items;    ///< What it gave last, to be yielded in the place of None; or null.
#endif
};

}  // namespace tally::host
