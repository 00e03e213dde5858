# Builds build/own/libown.so of the commit that is checked out; see suite.toml. A text for --build, so no first line.
mkdir -p build/own
cat > build/own/Makefile <<'MAKE'
SOURCES := $(filter-out %_test.cc %_fuzz.cc,$(wildcard src/base/*.cc src/json/*.cc src/measurement/*.cc src/profile/*.cc src/trace/*.cc))
OBJECTS := $(SOURCES:src/%.cc=build/own/%.o)
build/own/libown.so: $(OBJECTS) $(SOURCES)
	clang++-19 -shared -o $@ $(OBJECTS) -lfmt -lxxhash -lz -ldw
build/own/%.o: src/%.cc
	@mkdir -p $(@D)
	clang++-19 -O2 -std=c++23 -fPIC -Isrc -MMD -MP -c -o $@ $<
-include $(OBJECTS:.o=.d)
MAKE
# Objects of sources that a commit does not have yet, or no longer, go.
find build/own -name '*.o' | while read -r object; do
  source=src/${object#build/own/}
  [ -e "${source%.o}.cc" ] || rm -f "$object" "${object%.o}.d"
done
make -f build/own/Makefile -j "$(nproc)"
