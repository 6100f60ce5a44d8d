// What follows from a frozen cluster as a whole and is asked for again and again, once for each group: worked out at
// the first question. Without it what asks "does anybody need this?" for each group takes time with the square of the
// groups.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace clusterc {

class Memo {
 public:
  Memo() = default;
  // A copy may be changed before it is asked.
  Memo(const Memo&) {}
  Memo& operator=(const Memo&) {
    answers_.clear();
    return *this;
  }

  // `question` names what is worked out, and has one type of answer. The answer lives as long as the memo.
  template <class Compute>
  const auto& get(const std::string& question, const Compute& compute) const {
    using Answer = std::decay_t<decltype(compute())>;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const auto known = answers_.find(question); known != answers_.end())
        return *static_cast<const Answer*>(known->second.get());
    }
    // Without the lock: one question leads to others. Whoever comes first is kept.
    std::shared_ptr<const void> answer = std::make_shared<const Answer>(compute());
    const std::lock_guard<std::mutex> lock(mutex_);
    return *static_cast<const Answer*>(answers_.emplace(question, std::move(answer)).first->second.get());
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const void>> answers_;
};

}  // namespace clusterc
