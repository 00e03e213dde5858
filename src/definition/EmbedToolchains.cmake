# Puts toolchains/*.toml into a C++ file, in the order in which they build on each other. Raw strings hold the text as it
# is; compilers limit one literal to 65,536 bytes, of which the longest has a tenth.
set(embedded "#include \"definition/builtin_toolchains.h\"\n\nnamespace tally {\n\n")
string(APPEND embedded "std::vector<ToolchainText> builtin_toolchain_texts() {\n  return {\n")
foreach(name cpp python torch)
  set(file ${PROJECT_SOURCE_DIR}/toolchains/${name}.toml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} content)
  string(APPEND embedded "{\"${name}\", R\"tallytoml(${content})tallytoml\"},\n")
endforeach()
string(APPEND embedded "};\n}\n\n}  // namespace tally\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.new "${embedded}")
configure_file(${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.new ${CMAKE_CURRENT_BINARY_DIR}/builtin_texts.cc COPYONLY)
