#include "serve/case_profiles.h"

#include <fmt/format.h>

#include <vector>

#include "base/digest.h"
#include "profile/annotated.h"
#include "profile/call_tree.h"
#include "profile/export.h"
#include "profile/names.h"
#include "profile/outer_frames.h"
#include "profile/store.h"

namespace tally::serve {

namespace {

json::Array table_of(const Profile& profile, Inclusion inclusion) {
  json::Array table;
  for (auto& [count, name] : annotated(profile, event_index(profile, "Ir"), inclusion))
    table.push_back(json::Array{count, std::move(name)});
  return table;
}

/// What a flame graph on a screen can show.
constexpr TreeLimits kShown = {.least_share = 0.002, .most_nodes = 2000};

/// Nodes [parent, self, total, name], numbered from 1; of the statement's own frame where that is known, for what is
/// beside it is a host's.
json::Object tree_of(const Profile& profile) {
  const std::size_t event = event_index(profile, "Ir");
  const Statement statement = without_outer_frames(profile, event);
  const CallTree tree = call_tree(statement.profile, event, kShown);
  json::Array nodes;
  std::vector<std::size_t> number(tree.nodes.size());
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    const TreeNode& node = tree.nodes[n];
    const bool is_root = node.parent == 0;
    if (is_root ? statement.root && node.function != *statement.root : number[node.parent] == 0) continue;
    nodes.push_back(json::Array{number[node.parent], node.self, node.total,
                                readable_name(profile.name_of(profile.functions[node.function]))});
    number[n] = nodes.size();
  }
  return {{"approximate", tree.approximate}, {"nodes", std::move(nodes)}};
}

}  // namespace

Result<CaseProfiles> CaseProfiles::make(const std::filesystem::path& scratch, bool calls) {
  auto folder = TemporaryFolder::make_in(scratch);
  if (!folder) return std::unexpected(folder.error());
  return CaseProfiles(*std::move(folder), calls);
}

ProfileRequest CaseProfiles::request() const {
  ProfileRequest request{.folder = folder_.path().string(), .name = {}, .probes = {}, .baselines = true};
  request.probes.set(probes::kCalls, calls_);
  return request;
}

void CaseProfiles::add(const CaseRecord& record) {
  if (record.counts) counts_[record.id] = *record.counts;
}

Result<json::Object> CaseProfiles::side(const std::string& file, const std::vector<std::uint64_t>& totals,
                                        bool callgrind) const {
  const auto path = folder_.path() / file;
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  const auto stored = profile_from_json(*text, path.string());
  if (!stored) return std::unexpected(stored.error());
  const Profile& profile = stored->profile;
  if (event_index(profile, "Ir") == profile.events.size())
    return fail(ErrorKind::failed, "the profile counts no instructions", path.string());
  json::Object counts{{"replicate_totals", totals}, {"exclusive", table_of(profile, Inclusion::exclusive)}};
  if (calls_) {
    if (profile.calls.empty())
      return fail(ErrorKind::failed, "who calls whom is not known: the case's warnings say why", path.string());
    counts["inclusive"] = table_of(profile, Inclusion::inclusive);
    counts["tree"] = tree_of(profile);
  }
  if (callgrind) counts["callgrind"] = to_callgrind(profile);
  return counts;
}

Result<json::Object> CaseProfiles::of(const std::string& case_id, bool callgrind) const {
  const auto counts = counts_.find(case_id);
  if (counts == counts_.end()) {
    return fail(ErrorKind::input, "that run has counted no such case", case_id,
                "give the id of one of its cases that has counts");
  }
  auto statement = side(digest(case_id) + ".json", counts->second.replicates, callgrind);
  if (!statement) return std::unexpected(statement.error());
  auto baseline = side(digest(case_id) + ".baseline.json", counts->second.baseline_replicates, false);
  if (!baseline) return std::unexpected(baseline.error());
  return json::Object{{"case", case_id},
                      {"iterations", counts->second.iterations},
                      {"replicate_totals", counts->second.replicates},
                      {"statement", *std::move(statement)},
                      {"baseline", *std::move(baseline)}};
}

}  // namespace tally::serve
