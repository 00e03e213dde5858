#include "trace/relay.h"

#include <algorithm>
#include <cstring>

namespace tally::trace {

namespace {

constexpr std::size_t least_room = 262144;

}  // namespace

Relay::Relay(EventSink& sink) : sink_(sink), thread_([this] { work(); }) {}

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
  batch.keys.clear();
  batch.bytes.resize(std::max({batch.bytes.size(), least_room, carried.size() * 2}));
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
  Found& found = batches_[fill_].found.emplace_back();
  found.text = slice.text;
  found.nested_count = slice.nested_count;
  found.key = -1;
  std::copy_n(slice.nested, slice.nested_count, found.nested);
}

void Relay::foreign(std::string_view key, std::string_view text) {
  Batch& batch = batches_[fill_];
  Found& found = batch.found.emplace_back();
  found.text = text;
  found.nested_count = 0;
  found.key = static_cast<int>(batch.keys.size());
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
        sink_.event({found.text, found.nested, found.nested_count});
      } else {
        sink_.foreign(batch.keys[static_cast<std::size_t>(found.key)], found.text);
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
