#include "fabric/partner.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/format.h"
#include "harness/loop.h"
#include "harness/outcome.h"

namespace clusterc::fabric {
using namespace harness;
namespace {

constexpr std::size_t kLongestLine = 65536;

// Until it is readable (or writable), in steps, so that a signal ends the wait. False: the time is over.
bool wait_on(int socket, short what, double until) {
  for (;;) {
    check_interrupted();
    pollfd one{socket, what, 0};
    if (::poll(&one, 1, 50) > 0) return true;
    if (now_seconds() >= until) return false;
  }
}

}  // namespace

Partner::Partner(Partner&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), name_(std::move(other.name_)), begun_(std::move(other.begun_)) {}
Partner::~Partner() {
  if (socket_ >= 0) ::close(socket_);
}

Partner Partner::listen(unsigned port, std::string name, double seconds) {
  const int socket = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool six = socket >= 0;
  const int ear = six ? socket : ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1, no = 0;
  if (ear >= 0) ::setsockopt(ear, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6, any6.sin6_port = htons(static_cast<std::uint16_t>(port));
  sockaddr_in any4{};
  any4.sin_family = AF_INET, any4.sin_port = any6.sin6_port;
  if (six) ::setsockopt(ear, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (ear < 0 ||
      ::bind(ear, six ? reinterpret_cast<const sockaddr*>(&any6) : reinterpret_cast<const sockaddr*>(&any4),
             six ? sizeof any6 : sizeof any4) != 0 ||
      ::listen(ear, 1) != 0) {
    const int why = errno;
    if (ear >= 0) ::close(ear);
    throw CouldNotRun(Cause::communication, format("port {} cannot be listened on: {}", port, std::strerror(why)));
  }
  Partner waiting(ear, name);  // closes it, whatever happens
  if (!wait_on(ear, POLLIN, now_seconds() + seconds))
    throw CouldNotRun(Cause::timeout, format("'{}' did not call on port {} within {} s", name, port, seconds));
  const int socket_of_peer = ::accept4(ear, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket_of_peer < 0)
    throw CouldNotRun(Cause::communication, format("'{}' called and was gone: {}", name, std::strerror(errno)));
  return {socket_of_peer, std::move(name)};
}

Partner Partner::connect(const std::string& host, unsigned port, double seconds) {
  const double until = now_seconds() + seconds;
  std::string why = "no answer";
  do {
    check_interrupted();
    addrinfo want{}, *found = nullptr;
    want.ai_socktype = SOCK_STREAM;
    if (const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &want, &found); failed != 0) {
      why = ::gai_strerror(failed);
    } else {
      for (const addrinfo* at = found; at; at = at->ai_next) {
        const int socket = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (socket < 0) continue;
        int error = ::connect(socket, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS) {
          error = ETIMEDOUT;
          socklen_t size = sizeof error;
          if (wait_on(socket, POLLOUT, std::min(until, now_seconds() + 2)))
            ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
        }
        if (error == 0) {
          ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) & ~O_NONBLOCK);
          ::freeaddrinfo(found);
          return {socket, host};
        }
        why = std::strerror(error);
        ::close(socket);
      }
      ::freeaddrinfo(found);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it starts a moment later than we do
  } while (now_seconds() < until);
  throw CouldNotRun(Cause::timeout,
                    format("'{}' does not answer on port {} within {} s: {}", host, port, seconds, why));
}

void Partner::say(std::string_view line) {
  std::string text(line);
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.resize(std::min(text.size(), kLongestLine - 1));
  text += '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t put = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw CouldNotRun(Cause::communication, format("'{}' has gone: {}", name_, std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string Partner::hear(double seconds) {
  const double until = now_seconds() + seconds;
  for (;;) {
    if (const auto end = begun_.find('\n'); end != begun_.npos) {
      std::string line = begun_.substr(0, end);
      begun_.erase(0, end + 1);
      return line;
    }
    if (begun_.size() > kLongestLine)
      throw CouldNotRun(Cause::communication, format("what answers as '{}' is no clusterc-fabric", name_));
    if (!wait_on(socket_, POLLIN, until))
      throw CouldNotRun(Cause::timeout, format("'{}' said nothing for {} s", name_, seconds));
    char buffer[4096];
    const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw CouldNotRun(Cause::communication, format("'{}' has gone", name_));
    begun_.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace clusterc::fabric
