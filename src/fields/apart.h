// Members on the heap, whose type may be incomplete where the record that has them is declared: a header then names a
// section without including it. Copies are deep. Making, copying and destroying one needs the type; a record with such
// members therefore defines its special members where the type is known, if others are to do without it.
#pragma once
#include <memory>
#include <utility>

namespace clusterc {

// Always there, except after it was moved from.
template <class T>
class Apart {
 public:
  Apart() : held_(std::make_unique<T>()) {}
  Apart(T value) : held_(std::make_unique<T>(std::move(value))) {}
  Apart(const Apart& other) : held_(std::make_unique<T>(*other)) {}
  Apart(Apart&&) noexcept = default;
  Apart& operator=(const Apart& other) { return *this = Apart(other); }
  Apart& operator=(Apart&&) noexcept = default;
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }
  operator T&() { return *held_; }
  operator const T&() const { return *held_; }

 private:
  std::unique_ptr<T> held_;
};

// There or not, as std::optional.
template <class T>
class MaybeApart {
 public:
  MaybeApart() = default;
  MaybeApart(T value) : held_(std::make_unique<T>(std::move(value))) {}
  MaybeApart(const MaybeApart& other) : held_(other ? std::make_unique<T>(*other) : nullptr) {}
  MaybeApart(MaybeApart&&) noexcept = default;
  MaybeApart& operator=(const MaybeApart& other) { return *this = MaybeApart(other); }
  MaybeApart& operator=(MaybeApart&&) noexcept = default;
  T& emplace() { return *(held_ = std::make_unique<T>()); }
  void reset() { held_.reset(); }
  bool has_value() const { return held_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }

 private:
  std::unique_ptr<T> held_;
};

}  // namespace clusterc
