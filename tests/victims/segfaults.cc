/// Writes to a page that it may not write to; says so on standard error first.
#include <sys/mman.h>

#include <cstdio>

int main() {
  std::fputs("about to write where I may not\n", stderr);
  auto* page = static_cast<volatile char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  *page = 1;
}
