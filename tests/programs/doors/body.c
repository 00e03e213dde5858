#include "body.h"

long sorted_median(long count) {
  long numbers[64];
  for (long i = 0; i < count; ++i) numbers[i] = (i * 37 + 11) % 64;
  for (long i = 1; i < count; ++i) {
    const long number = numbers[i];
    long at = i;
    for (; at > 0 && numbers[at - 1] > number; --at) numbers[at] = numbers[at - 1];
    numbers[at] = number;
  }
  return numbers[count / 2];
}
