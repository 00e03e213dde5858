/// Exits 0 and has reported nothing.
int main() {}
