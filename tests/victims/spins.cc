/// Spins for ever.
int main() {
  for (volatile unsigned long turns = 0;;) turns = turns + 1;
}
