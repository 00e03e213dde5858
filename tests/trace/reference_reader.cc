#include "reference_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace tally::trace::reference {
namespace {

using Json = nlohmann::json;

/// Numbers stay text: a SAX handler that keeps the source of every number would do the same, but traces made by the
/// tests write theirs with at most three decimals, for which a rounded product is exact below 2^53 / 1000.
std::int64_t ns(const Json& value) {
  if (value.is_string()) return std::llround(std::stold(value.get<std::string>()) * 1000.0L);
  if (value.is_number_integer()) return value.get<std::int64_t>() * 1000;
  return static_cast<std::int64_t>(std::llround(static_cast<long double>(value.get<double>()) * 1000.0L));
}

struct Span {
  std::int64_t start, end;
  int kind;  // 0 compute, 1 communication, 2 memory
};

bool covered(const std::vector<Span>& spans, int kind, std::int64_t from, std::int64_t to) {
  return std::ranges::any_of(spans, [&](const Span& s) { return s.kind == kind && s.start <= from && to <= s.end; });
}

Figures figures_of(const std::vector<Span>& spans) {
  Figures f;
  std::set<std::int64_t> cuts;
  for (const Span& s : spans) {
    cuts.insert(s.start);
    cuts.insert(s.end);
    if (s.kind == 2) {
      ++f.memory_events;
    } else {
      ++f.kernels;
      f.kernel_time += s.end - s.start;
    }
  }
  f.window = *cuts.rbegin() - *cuts.begin();
  for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
    const std::int64_t from = *at, to = *std::next(at), length = to - from;
    const bool c = covered(spans, 0, from, to), n = covered(spans, 1, from, to), m = covered(spans, 2, from, to);
    if (c) f.compute += length;
    if (n) f.comm += length;
    if (m) f.memory += length;
    if (c || n || m) f.busy += length;
    if (n && !c) f.exposed_comm += length;
    if (m && !c && !n) f.exposed_memory += length;
    if (!c && !n && !m) f.idle += length;
  }
  return f;
}

bool holds(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace

std::optional<Trace> read(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return std::nullopt;
  const Json& events = document.is_object() ? document.at("traceEvents") : document;
  Trace out;
  out.events = events.size();
  std::map<std::string, std::vector<Span>> devices;
  std::vector<Json> gpu_pids;
  for (const Json& e : events)
    if (e.value("name", "") == "process_labels" && e.at("args").value("labels", "").find("GPU") != std::string::npos)
      gpu_pids.push_back(e.at("pid"));
  std::vector<Span> seed, seed_matmul;
  for (const Json& e : events) {
    if (e.value("ph", "") != "X") continue;
    const std::string cat = e.value("cat", ""), name = e.value("name", "");
    const std::int64_t start = ns(e.at("ts")), end = start + (e.contains("dur") ? ns(e.at("dur")) : 0);
    if (std::ranges::find(gpu_pids, e.value("pid", Json())) != gpu_pids.end()) {
      seed.push_back({start, end, 0});
      if (holds(name, {"gemm", "conv", "cutlass", "wgrad"})) seed_matmul.push_back({start, end, 0});
    }
    const bool kernel = cat == "kernel" || cat == "Kernel";
    if (!kernel && !std::set<std::string>{"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"}.contains(cat)) continue;
    Json device = e.value("pid", Json());
    if (e.contains("args") && e.at("args").contains("device")) device = e.at("args").at("device");
    std::string low = name;
    std::ranges::transform(low, low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const int kind = !kernel ? 2 : holds(low, {"nccl", "rccl"}) ? 1 : 0;
    devices[device.is_string() ? device.get<std::string>() : device.dump()].push_back({start, end, kind});
  }
  for (const auto& [label, spans] : devices) out.devices[label] = figures_of(spans);
  if (!seed.empty()) out.seed_busy = figures_of(seed).busy;
  if (!seed_matmul.empty()) out.seed_matmul = figures_of(seed_matmul).busy;
  return out;
}

}  // namespace tally::trace::reference
