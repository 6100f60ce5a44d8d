// A tree of generated files in memory, and how it reaches the disk: whole or not at all.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clusterc {

// The mode of a symbolic link, as git has it: its bytes are the path that it points to.
constexpr std::uint32_t kLink = 0120000;

// Throws std::logic_error for what is no path of a file inside a tree: absolute, with "..", "." or an empty part.
void demand_inside(std::string_view path);

// Files share chunks of memory, so that tens of thousands of small ones are cheap and nothing is copied as their number
// grows.
class Bundle {
 public:
  struct File {
    std::string path;
    std::uint32_t mode = 0644 /* or kLink */;
    std::size_t chunk = 0, begin = 0, size = 0;
    std::string origin;
  };
  // Takes the files as they come, some at a time; the bundle forgets them. Memory is used again for the next ones.
  using Sink = std::function<void(const File&, std::string_view bytes)>;
  Bundle() = default;
  explicit Bundle(Sink sink) : sink_(std::move(sink)) {}

  // Appends to one file: `text()` is what to append to, between open() and close() only.
  void open(std::string path, std::string_view origin,
            std::uint32_t mode = 0644);  // path relative, '/' separated, no "..", not twice
  std::string& text() { return chunks_.back(); }
  void close();
  void add(std::string path, std::string_view origin, std::string_view bytes, std::uint32_t mode = 0644);
  // A symbolic link to a file of the tree; `target` relative to the link's folder. For what many folders have alike: a
  // consumer reads it in each.
  void link(std::string path, std::string_view origin, std::string_view target);
  void flush();                                              // the rest, to the sink
  const std::vector<File>& files() const { return files_; }  // without a sink: all
  std::string_view bytes(const File& f) const { return std::string_view(chunks_[f.chunk]).substr(f.begin, f.size); }
  void sort();  // by path
 private:
  std::vector<File> files_;
  std::vector<std::string> chunks_{1};
  Sink sink_;
  bool open_ = false;
};

struct WriteOptions {
  std::string spec_digest;  // into manifest.json
  std::string tool_version;
  bool force = false;                              // overwrite files that were changed by hand
  bool check = false;                              // compare only, write nothing
  const std::atomic<bool>* interrupted = nullptr;  // becomes true: WriteError, and what was begun is removed
  std::function<void(const std::string&)> progress = nullptr;  // what is waited for
};

struct WriteResult {
  bool ok = false;  // false: nothing was changed; `error` says why
  std::string error;
  std::size_t written = 0, unchanged = 0, removed = 0;
  std::vector<std::string> hand_edited;  // kept as they are (unless force)
  std::vector<std::string> foreign;      // not ours: kept
  std::vector<std::string> differing;    // check: would be written or removed
};

// What a folder, a file or the system does not allow; nothing was changed.
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Writes files and manifest.json (format, version, digest, and for each file path, mode, sha256, origin) to a folder,
// one file at a time, none of them kept in memory. A reader, or a kill at any moment, sees the old tree or the new one,
// never a mixture. Unchanged: nothing is written. Without finish(), or when anything throws WriteError, all stays as it
// was. The tree is on the disk before it takes the place of the old one.
// WriteError, too: a symbolic link at the end of `directory`; a folder above, a tree or what a killed run left that
// does not belong to the caller or to root, or that other users can change (base/place.h); a lock that another program
// holds for more than some seconds.
class Tree {
 public:
  Tree(const std::string& directory, const WriteOptions&);
  ~Tree();
  void put(std::string_view path, std::string_view origin, std::string_view bytes,
           std::uint32_t mode = 0644 /* or kLink */);  // a path as in Bundle::open
  WriteResult finish();                                // ok
  // From another thread, where the one that makes the tree is busy with something else: removes what was begun, and
  // lets nothing be written any more, so the program has to end. False: the new tree is in place.
  bool abandon();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All of a bundle; errors in the result.
WriteResult write_tree(const Bundle&, const std::string& directory, const WriteOptions&);

}  // namespace clusterc
