#include "lsp/framing.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace clusterc::lsp {
namespace {

constexpr std::size_t kMostHeaderBytes = 8192;                    // two short lines are usual
constexpr std::uint64_t kMostAnnounced = std::uint64_t{1} << 53;  // a whole number that every JSON program can hold

}  // namespace

void FrameReader::feed(std::string_view bytes) {
  if (lost_) return;
  if (skip_ > 0 && at_ == buffer_.size()) {
    const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes.size()));
    skip_ -= passed;
    bytes.remove_prefix(passed);
  }
  if (at_ > 0 && at_ >= buffer_.size() / 2) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Frame> FrameReader::lose(std::string why) {
  lost_ = true;
  buffer_.clear();
  at_ = 0;
  return Frame{Frame::Kind::lost, std::move(why)};
}

std::optional<Frame> FrameReader::header() {
  std::optional<std::uint64_t> length;
  for (std::size_t line = at_;;) {
    const std::size_t end = buffer_.find('\n', line);
    if (end == std::string::npos || end - at_ > kMostHeaderBytes) {
      if (buffer_.size() - at_ > kMostHeaderBytes)
        return lose(format("a header of more than {} bytes", kMostHeaderBytes));
      return std::nullopt;
    }
    std::string_view text(buffer_.data() + line, end - line);
    if (text.ends_with('\r')) text.remove_suffix(1);
    line = end + 1;
    if (text.empty()) {
      if (!length) return lose("a header without Content-Length");
      at_ = line;
      in_body_ = true;
      wanted_ = *length;
      return std::nullopt;
    }
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return lose("a header line without a colon");
    if (to_lower(trim(text.substr(0, colon))) != "content-length") continue;
    length = parse_uint(trim(text.substr(colon + 1)));
    if (!length || *length > kMostAnnounced) return lose("a Content-Length that is no number of bytes");
  }
}

std::optional<Frame> FrameReader::next() {
  if (lost_) return std::nullopt;
  if (skip_ > 0) {
    const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, buffer_.size() - at_));
    skip_ -= passed;
    at_ += passed;
    if (skip_ > 0) return std::nullopt;
  }
  if (!in_body_) {
    if (auto lost = header()) return lost;
    if (!in_body_) return std::nullopt;
  }
  if (wanted_ > most_) {
    in_body_ = false;
    skip_ = wanted_;
    return Frame{Frame::Kind::too_large, format("a message of {} bytes, the most is {}", wanted_, most_)};
  }
  if (buffer_.size() - at_ < wanted_) return std::nullopt;
  Frame frame{Frame::Kind::body, buffer_.substr(at_, wanted_)};
  at_ += wanted_;
  in_body_ = false;
  return frame;
}

}  // namespace clusterc::lsp
