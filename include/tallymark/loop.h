/// What measured loops are made of, for <tallymark/bench.h> and <benchmark/benchmark.h>. Nothing here is for users.
///
/// A loop asks its call for work and runs so many executions each time, until it gets 0. All of it is inlined, also
/// where nothing else is, and each translation unit has the same loops with an empty body, compiled as the user's own
/// are: their cost is subtracted.
#ifndef TALLYMARK_LOOP_H
#define TALLYMARK_LOOP_H

#include <cstddef>
#include <iterator>
#include <new>
#include <utility>

#include "tally/snippet.h"

namespace tally {
namespace detail {

/// One call of a benchmark's function. Made by the library.
class Call;

/// An empty loop in the form of the one that runs, with so many pauses in each execution.
using Empty = void (*)(Call* call, unsigned pauses);

/// A loop begins. `step`: it goes in steps of so many executions.
void open(Call* call, Empty empty, unsigned long long step);
/// What ran is over; how many executions come next, 0: none. They begin with start().
unsigned long long wait(Call* call);
void start(Call* call);
/// Both.
unsigned long long next(Call* call);
void pause(Call* call);
void resume(Call* call);

/// How many objects are made ready at a time that take so many bytes each. The first answer holds for the whole case.
std::size_t chunk_of(Call* call, std::size_t bytes);
/// What malloc has given away so far, in bytes.
std::size_t heap_bytes();
/// Room for objects of any alignment. Not in this header: with -fno-aligned-new there is no std::align_val_t.
void* make_room(std::size_t bytes, std::size_t alignment);
void drop_room(void* room, std::size_t alignment) noexcept;

/// What `auto _` is: nothing, and nobody is warned that it is not used.
struct [[maybe_unused]] Tick {};
struct End {};

/// for (auto _ : state)
class Rounds {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Tick;
  using reference = Tick;
  using pointer = Tick;
  using difference_type = std::ptrdiff_t;

  __attribute__((always_inline)) explicit Rounds(Call* call) : call_(call) {}
  __attribute__((always_inline)) Rounds begin() const { return *this; }
  __attribute__((always_inline)) End end() const { return {}; }
  __attribute__((always_inline)) bool operator!=(End) {
    if (__builtin_expect(left_ != 0, 1)) return true;
    left_ = next(call_);
    return left_ != 0;
  }
  __attribute__((always_inline)) void operator++() {
    barrier();
    --left_;
  }
  __attribute__((always_inline)) Tick operator*() const { return {}; }

 private:
  Call* call_;
  unsigned long long left_ = 0;
};

/// In each translation unit, compiled as that is. `State` pauses; the loop has it as a benchmark's function does, by a
/// reference to an object that lies elsewhere.
template <typename State>
__attribute__((noinline)) static void empty_rounds_in(State& state, Call* call, unsigned pauses) {
  if (pauses == 0) {
    for (auto _ : Rounds(call)) static_cast<void>(_);
  } else if (pauses == 1) {
    for (auto _ : Rounds(call)) {
      state.pause();
      state.resume();
    }
  } else {
    for (auto _ : Rounds(call)) {
      for (unsigned i = 0; i < pauses; ++i) {
        state.pause();
        state.resume();
      }
    }
  }
}

template <typename State>
static void empty_rounds(Call* call, unsigned pauses) {
  State state(call);
  empty_rounds_in(state, call, pauses);
}

/// Objects that a loop goes over, which were made before. They are made and freed in chunks, never while anything is
/// measured; what is measured of that, once a chunk, is the same code for all.
class Objects {
 public:
  struct Chunk {
    void* at = nullptr;
    void* end = nullptr;
    std::size_t objects = 0;
  };

  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  Chunk next_chunk();

 protected:
  explicit Objects(Call* call) : call_(call) {}
  virtual ~Objects() = default;
  virtual void drop() = 0;
  /// As many as there is room for, `most` at the most.
  virtual Chunk make(unsigned long long most) = 0;
  [[nodiscard]] Call* call() const { return call_; }

 private:
  Call* call_;
  unsigned long long left_ = 0;  ///< Of the block, those not made yet.
};

/// `Make` returns a T for each execution.
template <typename T, typename Make>
class Each final : Objects {
 public:
  /// `open` as above was called.
  Each(Call* call, Make make) : Objects(call), make_(std::move(make)) {}
  Each(const Each&) = delete;
  Each& operator=(const Each&) = delete;
  ~Each() override {
    Each::drop();
    drop_room(room_, alignof(T));
  }

  class Iterator {
   public:
    __attribute__((always_inline)) explicit Iterator(Objects* objects) : objects_(objects) {}
    __attribute__((always_inline)) bool operator!=(End) {
      if (__builtin_expect(at_ != end_, 1)) return true;
      const Chunk chunk = objects_->next_chunk();
      at_ = static_cast<T*>(chunk.at);
      end_ = static_cast<T*>(chunk.end);
      return at_ != end_;
    }
    __attribute__((always_inline)) void operator++() {
      barrier();
      ++at_;
    }
    __attribute__((always_inline)) T& operator*() const { return *at_; }

   private:
    Objects* objects_;
    T* at_ = nullptr;
    T* end_ = nullptr;
  };

  __attribute__((always_inline)) Iterator begin() { return Iterator(this); }
  __attribute__((always_inline)) End end() const { return {}; }

 private:
  void drop() override {
    while (made_ > 0) room_[--made_].~T();
  }

  Chunk make(unsigned long long most) override {
    if (room_ == nullptr) {
      const std::size_t before = heap_bytes();
      T first = make_();
      const std::size_t after = heap_bytes();
      size_ = chunk_of(call(), sizeof(T) + (after > before ? after - before : 0));
      room_ = static_cast<T*>(make_room(size_ * sizeof(T), alignof(T)));
      ::new (static_cast<void*>(room_)) T(std::move(first));
      made_ = 1;
    }
    const std::size_t wanted = most < size_ ? static_cast<std::size_t>(most) : size_;
    while (made_ < wanted) {
      ::new (static_cast<void*>(room_ + made_)) T(make_());
      ++made_;
    }
    return {room_, room_ + made_, made_};
  }

  Make make_;
  T* room_ = nullptr;
  std::size_t size_ = 0;  ///< Of the room, in objects.
  std::size_t made_ = 0;
};

/// What an empty loop is given in the place of a T: as large, and nothing is made.
template <std::size_t kSize, std::size_t kAlignment>
struct alignas(kAlignment) Nothing {
  Nothing() noexcept {}
  Nothing(const Nothing& /*other*/) noexcept {}
  unsigned char bytes[kSize];
};

template <typename T>
struct NothingMade {
  Nothing<sizeof(T), alignof(T)> operator()() const { return Nothing<sizeof(T), alignof(T)>(); }
};

template <typename State, typename T>
__attribute__((noinline)) static void empty_each(Call* call, unsigned pauses) {
  State state(call);
  using Hollow = Nothing<sizeof(T), alignof(T)>;
  Each<Hollow, NothingMade<T>> each(call, NothingMade<T>());
  if (pauses == 0) {
    for (auto& value : each) asm volatile("" : : "r"(&value));
    return;
  }
  for (auto& value : each) {
    asm volatile("" : : "r"(&value));
    for (unsigned i = 0; i < pauses; ++i) {
      state.pause();
      state.resume();
    }
  }
}

}  // namespace detail
}  // namespace tally

#endif
