#include "libcxx.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace tally::preload::libcxx {
namespace {

/// What a tree's node begins with; its entry follows behind the colour.
struct Links {
  const char* left;
  const char* right;
};
constexpr std::size_t kEntry = 32;

struct Tree {
  const char* first;
  const char* root;  ///< The left one of the node behind the last entry, which is this member.
  std::size_t size;
};

Tree tree_of(const void* map) {
  Tree tree{};
  std::memcpy(&tree, map, sizeof tree);
  return tree;
}

Links links_of(const char* node) {
  Links links{};
  std::memcpy(&links, node, sizeof links);
  return links;
}

}  // namespace

std::string text_of(const void* string) {
  const auto* const bytes = static_cast<const unsigned char*>(string);
  std::size_t words[3];
  std::memcpy(words, bytes, sizeof words);
  const bool is_long = (bytes[0] & 1U) != 0;
  if (!is_long) return {reinterpret_cast<const char*>(bytes + 1), static_cast<std::size_t>(bytes[0] >> 1U)};
  const char* begin = nullptr;
  std::memcpy(static_cast<void*>(&begin), &words[2], sizeof begin);
  return {begin, words[1]};
}

bool looks_like_a_map(const void* map, std::size_t most) {
  const Tree tree = tree_of(map);
  const char* const end = static_cast<const char*>(map) + offsetof(Tree, root);
  if (tree.size == 0) return tree.root == nullptr && tree.first == end;
  return tree.root != nullptr && tree.first != nullptr && tree.first != end && tree.size <= most;
}

void for_each_entry(const void* map, const std::function<void(const char* entry)>& each) {
  std::vector<const char*> above;
  const char* node = tree_of(map).root;
  while (node != nullptr || !above.empty()) {
    for (; node != nullptr; node = links_of(node).left) above.push_back(node);
    node = above.back();
    above.pop_back();
    each(node + kEntry);
    node = links_of(node).right;
  }
}

}  // namespace tally::preload::libcxx
