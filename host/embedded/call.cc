#include "call.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace tally::detail {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{32} << 20;
constexpr std::size_t kMostInChunk = 4096;

}  // namespace

void open(Call* call, Empty empty, unsigned long long step) { call->open(empty, step); }
unsigned long long wait(Call* call) { return call->wait(); }
void start(Call* call) { call->start(); }
void pause(Call* call) { call->pause(); }
void resume(Call* call) { call->resume(); }

unsigned long long next(Call* call) {
  const unsigned long long iterations = call->wait();
  if (iterations > 0) call->start();
  return iterations;
}

std::size_t chunk_of(Call* call, std::size_t bytes) {
  // Threads of a team ask at once, and all go by the first answer.
  const std::atomic_ref<std::size_t> chunk(call->facts().chunk);
  std::size_t known = chunk.load(std::memory_order_relaxed);
  if (known != 0) return known;
  const std::size_t own = std::clamp(kChunkBytes / std::max<std::size_t>(bytes, 1), std::size_t{1}, kMostInChunk);
  return chunk.compare_exchange_strong(known, own, std::memory_order_relaxed) ? own : known;
}

std::size_t heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

void* make_room(std::size_t bytes, std::size_t alignment) { return ::operator new(bytes, std::align_val_t(alignment)); }

void drop_room(void* room, std::size_t alignment) noexcept { ::operator delete(room, std::align_val_t(alignment)); }

Objects::Chunk Objects::next_chunk() {
  Chunk chunk;
  if (left_ == 0) {
    left_ = call_->wait();
    drop();
    if (left_ > 0) chunk = make(left_);
    left_ -= chunk.objects;
    if (chunk.objects > 0) call_->start();
  } else {
    call_->pause();
    drop();
    chunk = make(left_);
    left_ -= chunk.objects;
    call_->resume();
  }
  return chunk;
}

void Call::skip(const std::string& why, bool is_error) {
  if (!notes_.skipped.empty()) return;
  notes_.skipped = why.empty() ? "skipped without a reason" : why;
  notes_.is_error = is_error;
}

void CountedCall::open(Empty empty, std::uint64_t step) {
  if (opened_) over_ = true;
  opened_ = true;
  facts().empty = empty;
  facts().step = step;
}

std::uint64_t CountedCall::wait() {
  if (running_) {
    running_ = false;
    over_ = true;
    if (meter_ != nullptr) meter_->finish();
  }
  if (over_ || !notes().skipped.empty()) return 0;
  running_ = true;
  iterations_ = in_steps(iterations_);
  done_ += iterations_;
  return iterations_;
}

void CountedCall::start() {
  if (meter_ != nullptr) meter_->start();
}

void CountedCall::pause() {
  if (meter_ != nullptr) meter_->pause();
  ++pauses_;
}

void CountedCall::resume() {
  if (meter_ != nullptr) meter_->resume();
}

void CountedCall::executed(std::uint64_t iterations) {
  done_ = done_ - iterations_ + iterations;
  iterations_ = iterations;
  if (meter_ != nullptr) meter_->executed(iterations);
}

void CountedCall::add_manual_time(double seconds) {
  if (meter_ != nullptr) meter_->add_manual_time(seconds);
  Call::add_manual_time(seconds);
}

}  // namespace tally::detail
