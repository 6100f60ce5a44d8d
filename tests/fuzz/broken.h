// How a fuzz target ends when something that always holds does not.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string_view>

[[noreturn]] inline void broken(const char* what, std::string_view text) {
  std::fprintf(stderr, "broken: %s: '%.*s'\n", what, static_cast<int>(text.size()), text.data());
  std::abort();
}
