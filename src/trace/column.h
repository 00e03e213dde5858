/// A growing array of plain values that never holds two copies of itself.
///
/// Owns: anonymous mapped pages, grown with mremap. A std::vector copies when it grows, so that its peak is three times
/// its content; the memory promise of a trace (32 bytes an event) leaves no room for that.
/// Never runs constructors or destructors. Out of memory throws std::bad_alloc, as a vector does.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tally::trace {

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  Column(Column&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  Column& operator=(Column&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      room_ = std::exchange(other.room_, 0);
    }
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  ~Column() { release(); }

  void push_back(const T& value) {
    if (size_ == room_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void resize(std::size_t size) {  ///< New values are zero bytes only when the column has never been longer.
    if (size > room_) grow(size);
    size_ = size;
  }
  /// Gives the pages back.
  void release() {
    if (data_ != nullptr) ::munmap(data_, room_ * sizeof(T));
    data_ = nullptr;
    size_ = room_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const { return {data_, size_}; }

 private:
  void grow(std::size_t least) {
    std::size_t room = room_ == 0 ? 65536 / sizeof(T) : room_ * 2;
    if (room < least) room = least;
    void* pages = data_ == nullptr
                      ? ::mmap(nullptr, room * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : ::mremap(data_, room_ * sizeof(T), room * sizeof(T), MREMAP_MAYMOVE);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(pages);
    room_ = room;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

}  // namespace tally::trace
