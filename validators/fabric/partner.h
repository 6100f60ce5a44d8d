// The word between the two hosts of a pair: lines over one TCP connection, so that both do the same test at the same
// time and each hears at once when the other is gone.
#pragma once
#include <netinet/in.h>

#include <string>
#include <string_view>

namespace clusterc::fabric {

class Partner {
 public:
  // The first of a pair listens on `port`; the second connects to `host`, again and again until `seconds` have passed.
  // Throws CouldNotRun (timeout, communication).
  static Partner listen(unsigned port, std::string name, double seconds);
  static Partner connect(const std::string& host, unsigned port, double seconds);
  Partner(Partner&& other) noexcept;
  Partner& operator=(Partner&&) = delete;
  ~Partner();

  const std::string& name() const { return name_; }
  void say(std::string_view line);   // without its end
  std::string hear(double seconds);  // the next line; throws where none comes, or the other has gone

 private:
  Partner(int socket, std::string name) : socket_(socket), name_(std::move(name)) {}
  int socket_;
  std::string name_, begun_;
};

}  // namespace clusterc::fabric
