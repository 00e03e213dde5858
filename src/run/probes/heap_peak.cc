/// The most bytes of the heap that a case holds at once, of what it asks for itself: a recorder that is preloaded into
/// native hosts of its own (host/heap_peak) adds up blocks as requested.
#include <algorithm>
#include <charconv>

#include "build/resolve.h"
#include "run/probes/table.h"

namespace tally::probes {

namespace {

constexpr ProbeHost kHeapHost{
    .description = "with heap peaks",
    .add =
        [](HostSpec& spec, const HostSurroundings& around) {
          spec.environment =
              with_first(std::move(spec.environment), "LD_PRELOAD", around.libexec + "/tally_heap_peak.so");
        },
    .folder_variable = "TALLY_HEAP_PEAK",
};

Status keep_heap_peak(const ProbeSample& found, ProbeContext& context) {
  constexpr std::string_view kPeak = "peak ";
  const std::string_view text = found.statement.front().left;
  if (text.contains("lost ")) return fail(ErrorKind::failed, "it holds more blocks at once than can be followed");
  std::uint64_t bytes = 0;
  if (!text.starts_with(kPeak) ||
      std::from_chars(text.data() + kPeak.size(), text.data() + text.size(), bytes).ec != std::errc())
    return fail(ErrorKind::failed, "the recorder of heap peaks left nothing");
  if (context.record.counts) context.record.counts->heap_peak = static_cast<double>(bytes);
  return {};
}

}  // namespace

constinit const KeptProbe kHeapPeak = {
    .probe = {.name = "heap",
              .activity = "finding the heap peak of",
              .unknown = "how much of the heap it holds at once is not known",
              .is_counted = false,
              .host = &kHeapHost,
              .file_ending = "",
              .next = statement_once},
    .asked = KeptProbe::Asked::by_option,
    .field = "heap_peak",
    .option = "--heap-peak",
    .help = "Record the most bytes of the heap that each case holds at once (--profiles)",
    .keep = keep_heap_peak,
};

}  // namespace tally::probes
