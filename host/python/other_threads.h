/// The interpreter's lock, for those of its threads that the case's imports or its setup have started.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tally::host {

/// RegionHooks::let_others_run. The calling thread gives the lock away, and takes it back.
inline void let_others_run(bool they_may) {
  static PyThreadState* own = nullptr;
  if (they_may) {
    own = PyEval_SaveThread();
  } else {
    PyEval_RestoreThread(own);
  }
}

}  // namespace tally::host
