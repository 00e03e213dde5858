// Prints what it reads where it asks for randomness, a line for each way to ask.

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include <cstdio>
#include <cstring>
#include <random>

#include "protocol/entropy_stream.h"

namespace {

using tally::host::kBeginEntropy;
using tally::host::kKeepEntropy;

struct Bytes {
  unsigned char of[20] = {};
};

void print(const char* what, const Bytes& bytes) {
  std::printf("%s", what);
  for (const unsigned char byte : bytes.of) std::printf(" %02x", byte);
  std::printf("\n");
  std::fflush(stdout);
}

Bytes asked() {
  Bytes bytes;
  if (::getrandom(bytes.of, sizeof bytes.of, 0) != sizeof bytes.of) std::printf("too few\n");
  return bytes;
}

Bytes read_from(const char* path, bool in_pieces) {
  Bytes bytes;
  const int file = ::open(path, O_RDONLY);
  iovec pieces[] = {{bytes.of, 7}, {bytes.of + 7, sizeof bytes.of - 7}};
  if ((in_pieces ? ::readv(file, pieces, 2) : ::read(file, bytes.of, sizeof bytes.of)) < 7) std::printf("too few\n");
  ::close(file);
  return bytes;
}

void print_child(const char* what) {
  if (::fork() == 0) {
    print(what, asked());
    ::_exit(0);
  }
  ::wait(nullptr);
}

void request(unsigned which, unsigned argument) { VALGRIND_DO_CLIENT_REQUEST_STMT(which, argument, 0, 0, 0, 0); }

}  // namespace

int main() {
  Bytes start;
  std::memcpy(start.of, reinterpret_cast<const void*>(::getauxval(AT_RANDOM)), 16);  // NOLINT
  print("start", start);
  request(kBeginEntropy, 1);
  print("first", asked());
  print("second", asked());
  print("urandom", read_from("/dev/urandom", false));
  print("random", read_from("/dev/random", true));
  print("zero", read_from("/dev/zero", true));
  std::random_device device;
  Bytes drawn;
  for (unsigned char& byte : drawn.of) byte = static_cast<unsigned char>(device());
  print("device", drawn);
  print_child("child");
  print_child("child");
  request(kBeginEntropy, 1);
  print("begun", asked());
  request(kKeepEntropy, 0);
  print_child("kept");
  print("after", asked());
  request(kBeginEntropy, 0);
  print("system", asked());
}
