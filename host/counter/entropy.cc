#include "entropy.h"

#include "protocol/entropy_stream.h"

extern "C" {
// Of Valgrind's core: the auxiliary vector that the kernel gave the program, in pairs.
extern UWord* VG_(client_auxv);
}

namespace tally::counter {

namespace {

using host::Entropy;

Entropy g_entropy;
Bool g_answers = True;
Bool g_keeps = False;  ///< The next child continues with our bytes.

constexpr UInt kRead = 0;
constexpr UInt kPread = 17;
constexpr UInt kReadv = 19;
constexpr UInt kPreadv = 295;
constexpr UInt kGetrandom = 318;
constexpr UInt kPreadv2 = 327;

constexpr UWord kNonBlocking = 1;

void fill(UWord at, SizeT size) { g_entropy.usual.fill(reinterpret_cast<UChar*>(at), size); }  // NOLINT

bool gives_randomness(UWord descriptor) {
  vg_stat about{};
  if (VG_(fstat)(static_cast<Int>(descriptor), &about) != 0) return false;
  constexpr UInt kKind = 0170000;
  constexpr UInt kCharacterDevice = 0020000;
  constexpr ULong kRandom = (1U << 8U) | 8U;
  constexpr ULong kUrandom = (1U << 8U) | 9U;
  return (about.mode & kKind) == kCharacterDevice && (about.rdev == kRandom || about.rdev == kUrandom);
}

struct Piece {
  UWord at;
  SizeT size;
};

void fill_pieces(const Piece* pieces, SizeT left) {
  for (; left > 0; ++pieces) {
    const SizeT size = pieces->size < left ? pieces->size : left;
    fill(pieces->at, size);
    left -= size;
  }
}

/// As Valgrind's helpers for both instructions return it: 32 bits, and above them that there were some.
ULong random_word() {
  constexpr ULong kThere = 1ULL << 32U;
  if (g_answers) return kThere | (g_entropy.usual.next() & 0xffff'ffffU);
  UInt word = 0;
  UChar is_there = 0;
  asm volatile("rdrand %0; setc %1" : "=r"(word), "=q"(is_there) : : "cc");
  return is_there != 0 ? kThere | word : 0;
}

}  // namespace

void begin_entropy(ULong seed, bool answers) {
  g_entropy = Entropy{};
  g_entropy.usual.seed ^= seed;
  g_entropy.in_passing.seed ^= seed;
  g_answers = answers ? True : False;
}

void fix_start_bytes() {
  constexpr UWord kRandomBytes = 25;  // AT_RANDOM
  if (!g_answers || VG_(client_auxv) == nullptr) return;
  for (const UWord* entry = VG_(client_auxv); entry[0] != 0; entry += 2) {
    if (entry[0] == kRandomBytes) fill(entry[1], 16);
  }
}

void write_over_randomness(UInt number, const UWord* arguments, SysRes result) {
  if (!g_answers || sr_isError(result) || sr_Res(result) == 0) return;
  const SizeT given = sr_Res(result);
  switch (number) {
    case kGetrandom:
      if ((arguments[2] & kNonBlocking) != 0) {
        g_entropy.in_passing.fill(reinterpret_cast<UChar*>(arguments[0]), given);  // NOLINT
      } else {
        fill(arguments[0], given);
      }
      return;
    case kRead:
    case kPread:
      if (gives_randomness(arguments[0])) fill(arguments[1], given);
      return;
    case kReadv:
    case kPreadv:
    case kPreadv2:
      if (gives_randomness(arguments[0])) fill_pieces(reinterpret_cast<const Piece*>(arguments[1]), given);  // NOLINT
      return;
    default:
      return;
  }
}

void entropy_before_fork_ends(ThreadId /*thread*/) {
  if (!g_keeps) g_entropy.on_fork();
  g_keeps = False;
}

void entropy_in_child(ThreadId /*thread*/) {
  if (!g_keeps) {
    g_entropy.on_fork();
    g_entropy = g_entropy.of_child();
  }
  g_keeps = False;
}

Bool handle_entropy_request(const UWord* request, UWord* result) {
  switch (request[0]) {
    case host::kBeginEntropy:
      g_entropy = Entropy{};
      g_answers = request[1] != 0;
      *result = 1;
      return True;
    case host::kKeepEntropy:
      g_keeps = True;
      *result = 1;
      return True;
    default:
      return False;
  }
}

IRCallee* randomness_helper(const HChar* helper) {
  if (VG_(strcmp)(helper, "amd64g_dirtyhelper_RDRAND") != 0 && VG_(strcmp)(helper, "amd64g_dirtyhelper_RDSEED") != 0)
    return nullptr;
  return mkIRCallee(0, "random_word", VG_(fnptr_to_fnentry)(reinterpret_cast<void*>(&random_word)));
}

}  // namespace tally::counter
