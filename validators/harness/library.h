// A shared library that is found at run time: one build runs on nodes with and without it, and says what it did not
// find.
#pragma once
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

namespace clusterc::harness {

class Library {
 public:
  // The first of `names` that loads; nullopt with every loader's message in `why`.
  static std::optional<Library> open(std::initializer_list<const char*> names, std::string& why);

  const std::string& name() const { return name_; }  // the soname that was asked for
  std::string path() const;                          // the file that answered

  // nullptr when the library has no such symbol.
  template <class Function>
  Function* symbol(const char* symbol_name) const {
    return reinterpret_cast<Function*>(address(symbol_name));
  }

 private:
  Library(void* handle, std::string name);
  void* address(const char* symbol_name) const;
  std::shared_ptr<void> handle_;
  std::string name_;
};

}  // namespace clusterc::harness
