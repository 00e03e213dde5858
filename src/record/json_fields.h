/// The one list of keys that writing and reading share: `fields(archive, object)` names every key of a struct in order.
///
/// An archive is called as archive(key, value) for a required key, archive.optional(key, value) for one that is left
/// out when empty, archive.nullable(key, value) for one that is then null, and archive.word(key, value, words) for text
/// from a closed set. Internal to src/record.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "record/record.h"

namespace tally::record_json {

inline constexpr std::array<std::string_view, 3> kLanguages = {"python", "cpp", "command"};
inline constexpr std::array<std::string_view, 3> kAutograds = {"forward", "forward_backward", "explicit"};
inline constexpr std::array<std::string_view, 2> kIsolations = {"fork", "process"};

template <typename T, typename Struct>
concept is = std::same_as<std::remove_const_t<T>, Struct>;

void fields(auto& a, is<Tool> auto& t) {
  a("name", t.name);
  a("version", t.version);
  a("commit", t.commit);
}

void fields(auto& a, is<ServedBy> auto& s) {
  a("pid", s.pid);
  a("version", s.version);
}

void fields(auto& a, is<Part> auto& p) {
  a.optional("index", p.index);
  a("count", p.count);
  a("digest", p.digest);
  a("cases", p.cases);
  a.optional("places", p.places);
  a.optional("missing", p.missing);
}

void fields(auto& a, is<Source> auto& s) {
  a("repository", s.repository);
  a("commit", s.commit);
  a.optional("tree", s.tree);
  a("parents", s.parents);
  a("dirty", s.dirty);
}

void fields(auto& a, is<Machine> auto& m) {
  a("cpu", m.cpu);
  a("cpus", m.cpus);
  a("memory_bytes", m.memory_bytes);
  a("kernel", m.kernel);
  a("system", m.system);
  a("architecture", m.architecture);
  a.optional("name", m.name);
}

/// Taken apart into names, so that a setting that is not listed does not compile. `list_iterations` lists these, and
/// `recorded` what a record has besides, each at its place.
void list_settings(auto& a, is<Settings> auto& s, const auto& list_iterations, const auto& recorded) {
  auto& [counts, wall, iterations, replicates, max_replicates, cache_sim, branch_sim, call_context, isolation,
         noise_floor, min_run_time_s, max_run_time_s, precision, number_per_run, interleave, repeat, timeout_s,
         host_timeout_s, max_wait_s, memory_bytes, retries, entropy, time_of_day, kept_environment] = s;
  a("counts", counts);
  a("wall", wall);
  list_iterations(iterations);
  a("replicates", replicates);
  a("max_replicates", max_replicates);
  a("cache_sim", cache_sim);
  a("branch_sim", branch_sim);
  a("call_context", call_context);
  a.word("isolation", isolation, kIsolations);
  a("noise_floor", noise_floor);
  a("min_run_time_s", min_run_time_s);
  a("max_run_time_s", max_run_time_s);
  a("precision", precision);
  a.optional("number_per_run", number_per_run);
  a("interleave", interleave);
  a("repeat", repeat);
  a.optional("timeout_s", timeout_s);
  a.optional("host_timeout_s", host_timeout_s);
  a.optional("max_wait_s", max_wait_s);
  a.optional("memory_bytes", memory_bytes);
  a.optional("retries", retries);
  a.optional("entropy", entropy);
  a.optional("time_of_day", time_of_day);
  recorded();
  a("kept_environment", kept_environment);
}

void fields(auto& a, is<Settings> auto& s) {
  list_settings(a, s, [&](auto& iterations) { a.optional("iterations", iterations); }, [] {});
}

void fields(auto& a, is<RecordedSettings> auto& s) {
  constexpr bool kReads = !std::is_const_v<std::remove_reference_t<decltype(s)>>;
  using Given = std::conditional_t<kReads, Settings, const Settings>;
  // A record always has a number. Whether somebody requested the usual one has a key of its own.
  std::uint64_t number = s.iterations.value_or(kUsualIterations);
  std::optional<bool> exact;
  if (s.iterations == kUsualIterations) exact = true;
  list_settings(
      a, static_cast<Given&>(s), [&](auto&) { a("iterations", number); },
      [&] {
        a("valgrind_flags", s.valgrind_flags);
        a.optional("counted_with", s.counted_with);
        a.optional("counting", s.counting);
        a.optional("exact_iterations", exact);
        a.optional("host_start", s.host_start);
      });
  if constexpr (kReads) {
    s.iterations.reset();
    if (exact.value_or(false) || number != kUsualIterations) s.iterations = number;
  }
}

void fields(auto& a, is<Fingerprint> auto& f) {
  a("environment", f.environment);
  a("subject", f.subject);
}

void fields(auto& a, is<Environment> auto& e) {
  a("facts", e.facts);
  a("subject", e.subject);
  a.optional("machine", e.machine);
  a("fingerprint", e.fingerprint);
}

void fields(auto& a, is<Definition> auto& d) {
  a("stmt", d.stmt);
  a("setup", d.setup);
  a("global_setup", d.global_setup);
  a("digest", d.digest);
  a.optional("load", d.load);
}

void fields(auto& a, is<Attempt> auto& t) {
  a("outcome", t.outcome);
  a("seconds", t.seconds);
  a.optional("started_s", t.started_s);
  a.optional("cpus", t.cpus);
}

void fields(auto& a, is<Failure> auto& f) {
  a("stage", f.stage);
  a("message", f.message);
  a("reproduce", f.reproduce);
}

void fields(auto& a, is<NoiseFloor> auto& f) {
  a("low", f.low);
  a("high", f.high);
  a("samples", f.samples);
}

void fields(auto& a, is<Counts> auto& one) {
  a("per_iteration", one.per_iteration);
  a("replicates", one.replicates);
  a("baseline", one.baseline);
  a("baseline_replicates", one.baseline_replicates);
  a("iterations", one.iterations);
  a.optional("one_execution", one.one_execution);
  a("spread", one.spread);
  a.optional("proven", one.proven);
  a.optional("floor", one.floor);
  a.optional("denoised", one.denoised);
  a("events", one.events);
  a.optional("estimated_cycles", one.estimated_cycles);
  a.optional("string_repetitions", one.string_repetitions);
  a.optional("allocations", one.allocations);
  a.optional("allocated_bytes", one.allocated_bytes);
  a.optional("heap_peak", one.heap_peak);
  a.optional("per_thread", one.per_thread);
}

void fields(auto& a, is<WallWatch> auto& w) {
  a.optional("frequency_mhz_low", w.frequency_mhz_low);
  a.optional("frequency_mhz_high", w.frequency_mhz_high);
  a.optional("steal_share", w.steal_share);
  a("throttled", w.throttled);
}

void fields(auto& a, is<Wall> auto& w) {
  a("median_s", w.median_s);
  a("mean_s", w.mean_s);
  a("iqr_s", w.iqr_s);
  a("interval_s", w.interval_s);
  a("number_per_run", w.number_per_run);
  a("overhead_s", w.overhead_s);
  a("replicates_s", w.replicates_s);
  a("samples_per_child", w.samples_per_child);
  a.optional("watch", w.watch);
}

void fields(auto& a, is<DeviceTime> auto& t) {
  a("median_s", t.median_s);
  a("interval_s", t.interval_s);
  a("samples", t.samples);
}

void fields(auto& a, is<DeviceKernel> auto& k) {
  a("name", k.name);
  a("count", k.count);
  a("time_s", k.time_s);
}

void fields(auto& a, is<DeviceWork> auto& w) {
  a("executions", w.executions);
  a("kernels", w.kernels);
  a("kernel_time_s", w.kernel_time_s);
  a("kernel_time_interval_s", w.kernel_time_interval_s);
  a("copies", w.copies);
  a("launches", w.launches);
  a("idle_share", w.idle_share);
  a("by_name", w.by_name);
  a.optional("devices", w.devices);
  a.optional("cache", w.cache);
}

void fields(auto& a, is<CardState> auto& s) {
  a.optional("sm_mhz", s.sm_mhz);
  a.optional("memory_mhz", s.memory_mhz);
  a.optional("power_w", s.power_w);
  a.optional("power_limit_w", s.power_limit_w);
  a.optional("temperature_c", s.temperature_c);
  a("slowed_by", s.slowed_by);
}

void fields(auto& a, is<CardWatch> auto& w) {
  a("uuid", w.uuid);
  a.optional("number", w.number);
  a("before", w.before);
  a("after", w.after);
  a.optional("slowed_s", w.slowed_s);
}

void fields(auto& a, is<OnDevice> auto& d) {
  a("name", d.name);
  a.optional("wait_s", d.wait_s);
  a.optional("flush", d.flush);
  a.optional("settings", d.settings);
  a.optional("cards", d.cards);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(d)>>) {
    // Older records have the first one that the case could use.
    std::optional<CardWatch> first;
    a.optional("card", first);
    if (first && !d.cards) d.cards = {*std::move(first)};
  }
  a.optional("launch", d.launch);
  a.optional("time", d.time);
  a.optional("work", d.work);
}

void fields(auto& a, is<ProcessCount> auto& p) {
  a("place", p.place);
  a("program", p.program);
  a("arguments", p.arguments);
  a.optional("digest", p.digest);
  a("start", p.start);
  a("instructions", p.instructions);
}

void fields(auto& a, is<ResourceUse> auto& u) {
  a("user_s", u.user_s);
  a("system_s", u.system_s);
  a("peak_bytes", u.peak_bytes);
  a.optional("exit_codes", u.exit_codes);
}

void fields(auto& a, is<Reported> auto& r) {
  a("value", r.value);
  a("unit", r.unit);
}

void fields(auto& a, is<CaseRecord> auto& one) {
  a("id", one.id);
  a("label", one.label);
  a.word("language", one.language, kLanguages);
  a("runtime", one.runtime);
  a.word("autograd", one.autograd, kAutograds);
  a.optional("device", one.device);
  a("threads", one.threads);
  a("params", one.params);
  a("tags", one.tags);
  a("toolchain", one.toolchain);
  a("machine", one.machine);
  a.optional("environment", one.environment);
  a("definition", one.definition);
  a("attempts", one.attempts);
  a("status", one.status);
  a("flags", one.flags);
  a("warnings", one.warnings);
  a.optional("artifact", one.artifact);
  a.optional("counters", one.counters);
  a.optional("note", one.note);
  a.optional("reported", one.reported);
  a.optional("entropy", one.entropy);
  a.optional("inputs", one.inputs);
  a.optional("reused", one.reused);
  a.nullable("counts", one.counts);
  a.optional("own", one.own);
  a.optional("processes", one.processes);
  a.nullable("wall", one.wall);
  a.optional("used", one.used);
  a.optional("on_device", one.on_device);
  a.nullable("profile", one.profile);
  a.nullable("failure", one.failure);
}

/// Everything but the cases, which are written one to a line and so apart.
void fields(auto& a, is<Record> auto& r) {
  a("tool", r.tool);
  a.optional("part", r.part);
  a.optional("server", r.server);
  a.optional("source", r.source);
  a.optional("suite", r.suite);
  a("started", r.started);
  a("finished", r.finished);
  a("command", r.command);
  a("seconds", r.seconds);
  a("machines", r.machines);
  a("settings", r.settings);
  a("environments", r.environments);
  a("fingerprint", r.fingerprint);
}

}  // namespace tally::record_json
