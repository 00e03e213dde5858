/// The environment variables of measured processes: few, in a fixed order, with values that make counts repeat.
///
/// More environment moves the stack: 3 KB more of it changed the count of a string sort by 1.5 % before hosts fixed
/// their stack; what is left out cannot do harm. Never reads our own environment: the caller gives it.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/error.h"
#include "process/process.h"

namespace tally {

struct CapturedEnvironment {
  EnvironmentVariables variables;  ///< All that bash exported, by name.
  std::string working_folder;
};

/// What the user's bash text (`source venv/bin/activate`) makes of `environment` and `working_folder`. Runs it once, in
/// bash without start-up files and arguments; what it leaves running is killed. An error (input) has its last lines
/// when its last command fails, it exits, or it takes longer than `deadline`.
Result<CapturedEnvironment> capture_environment(ProcessRunner& runner, const std::string& text,
                                                EnvironmentVariables environment, std::string working_folder,
                                                Milliseconds deadline = std::chrono::minutes(5));

/// What a measured process is for.
enum class MeasuredFor { counts, times, commands };

/// What of `environment` a measured process gets: PATH, LD_LIBRARY_PATH, PYTHONPATH, PYTHONSAFEPATH, VIRTUAL_ENV,
/// CONDA_PREFIX, OMP_*, GOMP_*, KMP_*, MKL_*, OPENBLAS_* and `keep_names` (names or patterns, `--keep-env`), and these
/// settings, which only an exact name in `keep_names` overrides (commands get the first and the hash seed alone):
///   LC_ALL=C.UTF-8, TZ=UTC       the same texts and times on every machine
///   OMP_WAIT_POLICY=passive      a spinning team is counted while it waits; for times `active`, see below
///   OPENBLAS_NUM_THREADS=1       it starts threads when it is loaded, and a host that has threads cannot fork
///   PYTHONHASHSEED=0             0 to 1 moves a dict-and-sort statement by 1.16 %
/// and these where `environment` has none of its own:
///   OMP_DYNAMIC=false, MKL_DYNAMIC=FALSE   a team is as large as the case says, whatever the machine's load
///   KMP_BLOCKTIME=0                        Intel's and LLVM's OpenMP spins for 200 ms after a region otherwise
///   GOMP_SPINCOUNT=300000, KMP_BLOCKTIME=200   for times, with OMP_WAIT_POLICY=active: teams spin for a while and then
///                                              sleep, as both libraries have it by default. libgomp would not: a host
///                                              is started on one CPU, where its default is 100 rounds, and a short
///                                              region of two threads takes three times as long; with LLVM's and 0 ms,
///                                              ten times
/// MKL_CBWR is left alone: it makes results repeat by choosing other code than users run.
/// HOME is not among them: programs find it in the user database, and its length differs from user to user.
/// Sorted by name, each name once (the last value wins).
EnvironmentVariables filter_environment(const EnvironmentVariables& environment,
                                        std::span<const std::string> keep_names, MeasuredFor use = MeasuredFor::counts);

/// What of `environment` a host of cases on a device gets besides: which devices it may use and how they, their
/// libraries and PyTorch are set up (CUDA_*, CUBLAS_*, CUDNN_*, NVIDIA_*, NCCL_*, HIP_*, ROCR_*, HSA_*, MIOPEN_*, ZE_*,
/// SYCL_*, ONEAPI_*, TORCH_*, TORCHINDUCTOR_*, PYTORCH_*, KINETO_*, TRITON_*).
std::map<std::string, std::string> device_environment(const EnvironmentVariables& environment);

/// "NAME=value" strings, as `environ` has them; those without '=' are left out.
EnvironmentVariables parse_environment(std::span<const std::string> entries);

}  // namespace tally
