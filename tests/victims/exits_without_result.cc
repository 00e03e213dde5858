/// Exits 0 and has said nothing.
int main() {}
