#include "trace/relay.h"

#include <algorithm>
#include <cstring>

namespace tally::trace {

namespace {

constexpr std::size_t kLeastRoom = 262144;

}  // namespace

Relay::Relay(Collector& collector) : collector_(collector), thread_([this] { work(); }) {}

Relay::~Relay() {
  if (thread_.joinable()) finish();
}

std::vector<char>& Relay::next(std::string_view carried) {
  Batch& batch = batches_[fill_];
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !batch.full; });
  }
  batch.found.clear();
  batch.nested.clear();
  batch.keys.clear();
  batch.bytes.resize(std::max({batch.bytes.size(), kLeastRoom, carried.size() * 2}));
  if (!carried.empty()) std::memcpy(batch.bytes.data(), carried.data(), carried.size());
  return batch.bytes;
}

void Relay::pass() {
  {
    const std::lock_guard lock(mutex_);
    batches_[fill_].full = true;
  }
  changed_.notify_all();
  fill_ = (fill_ + 1) % batches_.size();
}

void Relay::finish() {
  {
    const std::lock_guard lock(mutex_);
    last_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Relay::event(const Slice& slice) {
  const Head head = collector_.look(slice.text);
  if (head.irrelevant) return;
  Batch& batch = batches_[fill_];
  batch.found.push_back({.text = slice.text,
                         .after_category = head.after_category,
                         .nested = static_cast<std::uint32_t>(batch.nested.size()),
                         .key = -1,
                         .nested_count = static_cast<std::uint8_t>(slice.nested_count),
                         .category = head.category});
  batch.nested.insert(batch.nested.end(), slice.nested, slice.nested + slice.nested_count);
}

void Relay::foreign(std::string_view key, std::string_view text) {
  Batch& batch = batches_[fill_];
  batch.found.push_back({.text = text,
                         .after_category = nullptr,
                         .nested = 0,
                         .key = static_cast<std::int32_t>(batch.keys.size()),
                         .nested_count = 0,
                         .category = {}});
  batch.keys.emplace_back(key);
}

void Relay::work() {
  for (std::size_t take = 0;; take = (take + 1) % batches_.size()) {
    Batch& batch = batches_[take];
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return batch.full || last_; });
      if (!batch.full) return;
    }
    for (const Found& found : batch.found) {
      if (found.key < 0) {
        collector_.take({found.text, batch.nested.data() + found.nested, found.nested_count},
                        {.irrelevant = false, .after_category = found.after_category, .category = found.category});
      } else {
        collector_.foreign(batch.keys[static_cast<std::size_t>(found.key)], found.text);
      }
    }
    {
      const std::lock_guard lock(mutex_);
      batch.full = false;
    }
    changed_.notify_all();
  }
}

}  // namespace tally::trace
