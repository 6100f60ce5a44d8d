#include "lsp/analysis.h"

namespace clusterc::lsp {

std::shared_ptr<const Analysis> analyse(std::shared_ptr<const TextDocument> text, const std::string& path,
                                        std::optional<Date> today) {
  auto analysis = std::make_shared<Analysis>();
  RunOptions options;
  options.from_stdin = true;
  options.stdin_text = std::string(text->text());
  options.today = today;
  analysis->run = run_pipeline(path, Stage::checked, options);
  analysis->run->plan.reset();  // of 16,384 nodes it takes most of the memory
  analysis->run->expected.reset();
  analysis->run->findings.sort(analysis->run->sources);
  analysis->text = std::move(text);
  analysis->today = today;
  return analysis;
}

// RFC 8089: file:///path, file://localhost/path, file:/path.
std::optional<std::string> path_of_uri(std::string_view uri) {
  if (!uri.starts_with("file:")) return std::nullopt;
  uri.remove_prefix(5);
  if (uri.starts_with("//")) {
    uri.remove_prefix(2);
    if (uri.starts_with("localhost/")) uri.remove_prefix(9);
  }
  if (!uri.starts_with('/')) return std::nullopt;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '?' || uri[i] == '#') break;
    if (uri[i] != '%') {
      path += uri[i];
      continue;
    }
    if (i + 2 >= uri.size() || digit(uri[i + 1]) < 0 || digit(uri[i + 2]) < 0) return std::nullopt;
    path += static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2]));
    i += 2;
  }
  if (path.find('\0') != path.npos) return std::nullopt;
  return path;
}

std::string uri_of_path(std::string_view path) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      (out += '%') += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

}  // namespace clusterc::lsp
