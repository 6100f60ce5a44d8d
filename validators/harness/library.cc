#include "harness/library.h"

#include <dlfcn.h>
#include <link.h>

namespace clusterc::harness {

// Never unloaded: libraries with threads of their own (OpenBLAS, cuBLAS) do not survive it.
Library::Library(void* handle, std::string name) : handle_(handle, [](void*) {}), name_(std::move(name)) {}

std::optional<Library> Library::open(std::initializer_list<const char*> names, std::string& why) {
  why.clear();
  for (const char* name : names) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return Library(handle, name);
    const char* message = dlerror();
    if (!why.empty()) why += "; ";
    why += message ? message : name;
  }
  return std::nullopt;
}

std::string Library::path() const {
  link_map* map = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return name_;
  return map->l_name;
}

void* Library::address(const char* symbol_name) const { return dlsym(handle_.get(), symbol_name); }

}  // namespace clusterc::harness
