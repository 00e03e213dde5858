/// The bytes that a measured process reads where it asks the system for randomness, and the requests by which a host
/// names to the counter the process that they are for.
///
/// The counter and the hosts' library answer by this one definition, so that a count and a profile of a case compute
/// with the same numbers. Needs no C library.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace tally::host {

/// One process's. It says the same in every run: no secret may be made of it.
struct EntropyStream {
  uint64_t seed = 0x7461'6c6c'796d'6172;
  uint64_t given = 0;  ///< Words of eight bytes.
  uint64_t forks = 0;

  uint64_t next() {  // splitmix64
    uint64_t word = seed + ++given * 0x9e37'79b9'7f4a'7c15;
    word = (word ^ (word >> 30U)) * 0xbf58'476d'1ce4'e5b9;
    word = (word ^ (word >> 27U)) * 0x94d0'49bb'1331'11eb;
    return word ^ (word >> 31U);
  }

  /// Each request begins with a new word, so what comes later depends on the lengths of earlier requests, and not on
  /// how somebody cut them.
  void fill(unsigned char* to, size_t size) {
    for (size_t i = 0; i < size;) {
      uint64_t word = next();
      for (int byte = 0; byte < 8 && i < size; ++byte, word >>= 8U) to[i++] = static_cast<unsigned char>(word);
    }
  }

  /// Of the child of this process's latest fork: another one than its parent's and than its siblings'.
  [[nodiscard]] EntropyStream of_child() const {
    EntropyStream mixed{.seed = seed ^ (forks << 32U), .given = given, .forks = 0};
    return {.seed = mixed.next(), .given = 0, .forks = 0};
  }
};

/// What asks in passing (GRND_NONBLOCK) reads from a stream of its own: the C library does so as a process starts,
/// where only the counter sees it.
struct Entropy {
  EntropyStream usual;
  EntropyStream in_passing{.seed = 0x696e'2070'6173'7369};

  void on_fork() {
    ++usual.forks;
    ++in_passing.forks;
  }
  [[nodiscard]] Entropy of_child() const { return {.usual = usual.of_child(), .in_passing = in_passing.of_child()}; }
};

/// Client requests to the counter, and to nobody else.
enum EntropyRequest : unsigned {
  kBeginEntropy = 0x5459'0000,  ///< ('T','Y'). A case begins, with the first bytes. Its argument: 1 answers, 0 lets the
                                ///< system answer. Its result: 1, where the counter is there.
  kKeepEntropy,                 ///< The next forked process continues with its parent's bytes: it is the same state.
};

}  // namespace tally::host
