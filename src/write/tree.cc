// How a tree is replaced.
//
//   site/out           the tree as it was written last, with its manifest.json
//   site/.out.new      the next one, made beside it: files that stay are hard links, changed ones are written
//   then one renameat2(RENAME_EXCHANGE) swaps the two names, and the old tree, now called .out.new, is removed.
//
// Killed before the swap, `out` is the old tree; after it, the new one. What is left of .out.new goes away with the next run.
// Large files that are made one at a time (Bundle::add_made) are written to .out.new as they are made; what proves to be as it was, or was edited,
// is then replaced there by a link to the file that stays.
//
// A lock on the folder around it keeps two runs apart; it ends with its process. Where a file system cannot swap two names, the
// old tree is moved to .out.old first: a kill between the two renames leaves no `out`, and the next run moves .out.old back.
//
// What somebody changed since is known by the manifest: a file that has neither the bytes to be written nor those that were
// written last is not ours any more. It is kept and told; the manifest goes on naming the digest of what we would have written.
#include "write/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "write/manifest.h"

namespace clusterc {
namespace {

constexpr std::uint64_t kMaxManifest = std::uint64_t{1} << 30;

struct Failed {  // ends a write; caught in write_tree
  std::string message;
};

[[noreturn]] void fail(std::string_view path, std::string_view what, int number) {
  throw Failed{"'" + std::string(path) + "' " + std::string(what) + ": " + std::generic_category().message(number)};
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& o) noexcept { std::swap(fd_, o.fd_); return *this; }
  ~Descriptor() { if (fd_ >= 0) ::close(fd_); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

bool within(std::string_view path, std::string_view folder) {   // or the folder itself
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Reads up to `limit` bytes of an open file into a buffer that is used again and again.
std::string_view read_into(std::string& buffer, int fd, std::size_t limit, std::string_view path) {
  if (buffer.size() < limit) buffer.resize(limit);
  std::size_t have = 0;
  while (have < limit) {
    const ssize_t got = ::read(fd, buffer.data() + have, limit - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read", errno);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return std::string_view(buffer).substr(0, have);
}

void write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(path, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

// Removes a tree; what another process removes at the same time is no error. False when something is left.
bool remove_tree(int at, const char* name) {
  const int fd = ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || ::unlinkat(at, name, 0) == 0 || errno == ENOENT;
  DIR* directory = ::fdopendir(fd);
  if (!directory) {
    ::close(fd);
    return false;
  }
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view child = entry->d_name;
    if (child == "." || child == "..") continue;
    if (entry->d_type == DT_DIR || ::unlinkat(fd, entry->d_name, 0) != 0) remove_tree(fd, entry->d_name);
  }
  ::closedir(directory);
  return ::unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

enum class State : std::uint8_t { absent, same, differs, edited };

// The tree that is there, held against the bundle and the manifest. The bundle is sorted, so what it has below a folder is one
// range of it, and the names in that folder are looked for within that range.
class Survey {
 public:
  Survey(const Bundle& bundle, const std::vector<ManifestEntry>& entries, const ManifestDigests& before)
      : bundle_(bundle), entries_(entries), before_(before), states_(bundle.files().size(), State::absent) {
    const std::vector<Bundle::File>& files = bundle.files();
    std::string_view last;   // the folder of the file before
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string_view path = files[i].path;
      if (i > 0 && path == files[i - 1].path) throw std::logic_error("Bundle: '" + files[i].path + "' stands twice");
      for (std::string_view folder = folder_of(path); !folder.empty() && !within(last, folder); folder = folder_of(folder))
        if (const std::size_t at = first_from(folder, {0, i}); at < i && files[at].path == folder)
          throw std::logic_error("Bundle: '" + files[at].path + "' is a file and a folder");
      last = folder_of(path);
    }
    for (const auto& [path, digest] : before)
      for (std::string_view folder = folder_of(path); !folder.empty() && folders_before_.insert(folder).second;) folder = folder_of(folder);
  }

  void walk(int root);

  const std::vector<State>& states() const { return states_; }
  std::vector<std::string> kept;          // files that are not in the bundle and stay: edited or never ours
  std::vector<std::string> kept_folders;  // folders that nobody generated
  std::vector<std::string> foreign;       // to report: files and whole folders ("notes/") that nobody generated
  std::vector<std::string> hand_edited;   // to report
  std::vector<std::string> removed;       // generated last time, not this time, unchanged
  std::string manifest;                   // its text; empty: none

 private:
  template <class Visit>
  void each_entry(int fd, std::size_t depth, const std::string& prefix, const Visit& visit);
  struct Range { std::size_t begin, end; };
  // The first file of the range whose path is not below `path` in the order of the bundle.
  std::size_t first_from(std::string_view path, Range range) const {
    const auto begin = bundle_.files().begin();
    return static_cast<std::size_t>(std::lower_bound(begin + static_cast<std::ptrdiff_t>(range.begin), begin + static_cast<std::ptrdiff_t>(range.end), path,
                                                     [](const Bundle::File& file, std::string_view wanted) { return file.path < wanted; }) - begin);
  }
  Range below(std::string& path, Range range) const {   // what the bundle has in the folder `path`; '0' follows '/'
    path += '/';
    const std::size_t begin = first_from(path, range);
    path.back() = '0';
    const std::size_t end = first_from(path, {begin, range.end});
    path.pop_back();
    return {begin, end};
  }

  void walk(int fd, std::size_t depth, const std::string& prefix, Range, bool foreign);
  void file(int folder, const char* name, std::string path, Range, bool foreign);
  bool edited_since(std::string_view path, const Digest&);
  Digest digest_of(int fd, std::string_view path);

  const Bundle& bundle_;
  const std::vector<ManifestEntry>& entries_;    // by file of the bundle
  const ManifestDigests& before_;
  std::unordered_set<std::string_view> folders_before_;
  std::vector<State> states_;
  std::string buffer_;
  std::vector<std::unique_ptr<char[]>> buffers_;   // entries of the folders on the way down, one for each level
  Sha256 sha_;
};

// Folders are read with getdents64 itself: readdir would ask for two more system calls on each, and outputs with a folder for each node
// have as many folders as nodes. Stops when `visit` has seen all entries but "." and "..".
template <class Visit>
void Survey::each_entry(int fd, std::size_t depth, const std::string& prefix, const Visit& visit) {
  constexpr std::size_t kSize = 32768;   // what glibc's readdir takes, too
  if (buffers_.size() <= depth) buffers_.push_back(std::make_unique<char[]>(kSize));
  char* const buffer = buffers_[depth].get();
  for (;;) {
    const ssize_t got = ::getdents64(fd, buffer, kSize);
    if (got < 0) fail(prefix, "cannot be read", errno);
    if (got == 0) return;
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") visit(*entry);
    }
  }
}

// `fd` is read to its end.
void Survey::walk(int fd, std::size_t depth, const std::string& prefix, Range range, bool foreign_folder) {
  each_entry(fd, depth, prefix, [&](const dirent64& entry) {
    std::string path = prefix + entry.d_name;
    bool is_folder = entry.d_type == DT_DIR;
    if (entry.d_type == DT_UNKNOWN) {
      struct stat status{};
      is_folder = ::fstatat(fd, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    }
    if (is_folder) {
      const Range inside = below(path, range);
      const bool unknown = inside.begin == inside.end && !folders_before_.contains(path);
      if (unknown) {
        kept_folders.push_back(path);
        if (!foreign_folder) foreign.push_back(path + "/");
      }
      const Descriptor folder(::openat(fd, entry.d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (folder.get() < 0) fail(path, "cannot be read", errno);
      const std::size_t stay = kept.size() + kept_folders.size();
      walk(folder.get(), depth + 1, path + "/", inside, foreign_folder || unknown);
      const std::size_t at = first_from(path, range);
      const bool wanted = at < range.end && bundle_.files()[at].path == path;
      if (wanted && (unknown || kept.size() + kept_folders.size() > stay))
        throw Failed{"'" + path + "' is a folder where a file is to be written; move it away"};
    } else {
      file(fd, entry.d_name, std::move(path), range, foreign_folder);
    }
  });
}

void Survey::walk(int root) {
  const Descriptor copy(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (copy.get() < 0) fail(".", "cannot be read", errno);
  walk(copy.get(), 0, "", {0, bundle_.files().size()}, false);
}

bool Survey::edited_since(std::string_view path, const Digest& digest) {
  const auto then = before_.find(std::string(path));
  return then == before_.end() || to_hex(digest) != then->second;
}

// Of a file that may be too large to hold.
Digest Survey::digest_of(int fd, std::string_view path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (;;) {
    const std::string_view piece = read_into(buffer_, fd, kPiece, path);
    sha_.update(piece);
    if (piece.size() < kPiece) return sha_.finish();
  }
}

void Survey::file(int folder, const char* name, std::string path, Range range, bool foreign_folder) {
  if (path == kManifestName) return;
  const auto keep = [&] {
    if (const Range inside = below(path, range); inside.begin != inside.end) throw Failed{"'" + path + "' is a file where a folder is to be written; move it away"};
    kept.push_back(std::move(path));
  };
  const std::size_t wish = first_from(path, range);
  const bool wanted = wish < range.end && bundle_.files()[wish].path == path;
  if (!wanted && !before_.contains(path)) {
    if (!foreign_folder) foreign.push_back(path);
    keep();
    return;
  }
  const Descriptor fd(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  const bool regular = fd.get() >= 0 && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (fd.get() < 0 && errno != ELOOP && errno != ENXIO) fail(path, "cannot be read", errno);
  if (!wanted) {  // generated last time only
    if (regular && !edited_since(path, digest_of(fd.get(), path))) {
      removed.push_back(std::move(path));
    } else {
      hand_edited.push_back(path);
      keep();
    }
    return;
  }
  const Bundle::File& file = bundle_.files()[wish];
  State& state = states_[wish];
  if (!regular) {
    state = State::edited;
  } else if (file.maker >= 0) {
    const Digest digest = digest_of(fd.get(), path);
    if (digest == entries_[wish].sha256) state = (status.st_mode & 0777u) == file.mode ? State::same : State::differs;
    else state = edited_since(path, digest) ? State::edited : State::differs;
  } else {
    const std::string_view bytes = read_into(buffer_, fd.get(), static_cast<std::size_t>(status.st_size), path);
    if (bytes == bundle_.bytes(file)) state = (status.st_mode & 0777u) == file.mode ? State::same : State::differs;
    else state = edited_since(path, sha_(bytes)) ? State::edited : State::differs;
  }
  if (state == State::edited) hand_edited.push_back(std::move(path));
}

// Makes files below one root, folders as they are needed. Files come sorted, so the folder above that of the last one is at hand: it stays
// open, and the folder itself is named with the file. Outputs with a folder for each node would open as many as there are nodes.
class Builder {
 public:
  Builder(int root, mode_t mask) : root_(root), mask_(mask) {}

  void write(std::string_view path, std::string_view bytes, std::uint32_t mode) {
    const std::string name = enter(path);
    Descriptor file(::openat(folder(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (file.get() < 0) fail(path, "cannot be written", errno);
    write_all(file.get(), bytes, path);
    if ((mode & mask_) != 0 && ::fchmod(file.get(), mode) != 0) fail(path, "cannot be given its mode", errno);
    if (::close(file.release()) != 0) fail(path, "cannot be written", errno);  // a full disk on NFS
  }

  // The same file under the new root; a copy where the file system has no hard links.
  void carry(int from, const std::string& path) {
    const std::string name = enter(path);
    if (::linkat(from, path.c_str(), folder(), name.c_str(), 0) == 0) return;
    const int number = errno;
    struct stat status{};
    if (number == EXDEV || ::fstatat(from, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode))
      fail(path, "cannot be carried over", number);
    const Descriptor old(::openat(from, path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (old.get() < 0) fail(path, "cannot be read", errno);
    std::string buffer;
    write(path, read_into(buffer, old.get(), static_cast<std::size_t>(status.st_size), path), status.st_mode & 0777u);
  }

  void make_folder(const std::string& path) { enter(path + "/x"); }

  void drop(const std::string& path) {
    const std::string name = enter(path);
    if (::unlinkat(folder(), name.c_str(), 0) != 0) fail(path, "cannot be replaced", errno);
  }

 private:
  int folder() const { return above_.get() < 0 ? root_ : above_.get(); }
  // Makes the folder of `path` and those above it, and opens the one above it; gives the name from there.
  std::string enter(std::string_view path) {
    const std::string_view wanted = folder_of(path), above = folder_of(wanted);
    if (wanted != current_) {
      for (std::size_t at = wanted.empty() ? std::string_view::npos : wanted.find('/');; at = wanted.find('/', at + 1)) {
        const std::string_view part = wanted.substr(0, at);
        if (part == wanted) break;
        if (!within(current_, part)) make(root_, part, part);
        if (at == std::string_view::npos) break;
      }
      if (above != current_above_) {
        above_ = Descriptor();
        if (!above.empty()) above_ = Descriptor(::openat(root_, std::string(above).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!above.empty() && above_.get() < 0) fail(above, "cannot be opened", errno);
        current_above_ = above;
      }
      if (!wanted.empty() && !within(current_, wanted)) make(folder(), wanted.substr(above.empty() ? 0 : above.size() + 1), wanted);
      current_ = wanted;
    }
    return std::string(path.substr(above.empty() ? 0 : above.size() + 1));
  }
  static void make(int from, std::string_view name, std::string_view whole) {
    if (::mkdirat(from, std::string(name).c_str(), 0777) != 0 && errno != EEXIST) fail(whole, "cannot be made", errno);
  }

  int root_;
  mode_t mask_;
  Descriptor above_;
  std::string current_, current_above_;   // the folder of the last file, and the one above it
};

mode_t current_umask() {
  const mode_t mask = ::umask(022);
  ::umask(mask);
  return mask;
}

// The folder to write, split into the one around it and its own name; links are followed.
struct Place {
  std::string parent, name;
};
Place place_of(const std::string& directory) {
  const auto real = [](const std::string& path) -> std::optional<std::string> {
    char* text = ::realpath(path.c_str(), nullptr);
    if (!text) return std::nullopt;
    std::string out = text;
    std::free(text);
    return out;
  };
  std::string path = directory;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.empty()) throw Failed{"no folder was named to write to"};
  if (const auto whole = real(path)) path = *whole;
  else {
    const std::size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const auto around = real(parent);
    if (!around) fail(parent, "cannot be opened", errno);
    path = *around + "/" + path.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  const std::size_t slash = path.rfind('/');
  Place place{slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
  if (place.name.empty() || place.name == "." || place.name == "..") throw Failed{"'" + directory + "' cannot be replaced; name a folder of its own"};
  return place;
}

// A shell that stands inside would find itself in a folder that is gone.
bool holds_working_folder(const std::string& folder) {
  char buffer[PATH_MAX];
  if (!::getcwd(buffer, sizeof buffer)) return false;
  const std::string here = buffer;
  return here == folder || here.starts_with(folder + "/");
}

void swap_in(int parent, const std::string& fresh, const std::string& old, const std::string& name, const std::string& directory, bool exists) {
  if (!exists) {
    if (::renameat(parent, fresh.c_str(), parent, name.c_str()) != 0) fail(directory, "cannot be put in place", errno);
    return;
  }
  if (::renameat2(parent, fresh.c_str(), parent, name.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno == EBUSY || errno == EXDEV) throw Failed{"'" + directory + "' is a mount point and cannot be swapped; name a folder inside it"};
  if (errno != EINVAL && errno != ENOSYS) fail(directory, "cannot be put in place", errno);
  if (::renameat(parent, name.c_str(), parent, old.c_str()) != 0) fail(directory, "cannot be put in place", errno);
  if (::renameat(parent, fresh.c_str(), parent, name.c_str()) != 0) {
    const int number = errno;
    ::renameat(parent, old.c_str(), parent, name.c_str());
    fail(directory, "cannot be put in place", number);
  }
  remove_tree(parent, old.c_str());
}

// The tree beside the one that is there: made when the first file goes into it, gone again unless it is swapped in.
class Fresh {
 public:
  Fresh(int parent, const Place& place, std::string name, int old_root) : parent_(parent), place_(place), name_(std::move(name)), old_root_(old_root) {}
  ~Fresh() {
    if (builder_) remove_tree(parent_, name_.c_str());     // after the swap this is the old tree; what is left of it goes with the next run
  }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;

  Builder& builder() {
    if (builder_) return *builder_;
    const std::string path = place_.parent + "/" + name_;
    if (::mkdirat(parent_, name_.c_str(), 0777) != 0) fail(path, "cannot be made (a tree is put in place whole, from beside it: the folder above has to be writable)", errno);
    root_ = Descriptor(::openat(parent_, name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    builder_.emplace(root_.get(), current_umask());
    if (root_.get() < 0) fail(path, "cannot be opened", errno);
    struct stat status{};
    if (old_root_ >= 0 && ::fstat(old_root_, &status) == 0 && ::fchmod(root_.get(), status.st_mode & 07777u) != 0) fail(place_.name, "cannot be given its mode", errno);
    return *builder_;
  }

 private:
  int parent_;
  const Place& place_;
  std::string name_;
  int old_root_;
  Descriptor root_;
  std::optional<Builder> builder_;
};

void write_checked(Bundle& bundle, const std::string& directory, const WriteOptions& options, WriteResult& result) {
  bundle.sort();
  const Place place = place_of(directory);
  const std::string fresh = "." + place.name + ".clusterc-new", old = "." + place.name + ".clusterc-old";
  const Descriptor parent(::open(place.parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() < 0) fail(place.parent, "cannot be opened", errno);
  const bool locked = !options.check && ::flock(parent.get(), LOCK_EX) == 0;  // some network file systems have none
  if (locked) {
    struct stat status{};
    if (::fstatat(parent.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      ::renameat(parent.get(), old.c_str(), parent.get(), place.name.c_str());  // killed between the two renames
    remove_tree(parent.get(), fresh.c_str());
    remove_tree(parent.get(), old.c_str());
  }

  const Descriptor root(::openat(parent.get(), place.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool exists = root.get() >= 0;
  if (!exists && errno == ENOTDIR) throw Failed{"'" + directory + "' is a file, not a folder"};
  if (!exists && errno != ENOENT) fail(directory, "cannot be opened", errno);

  const auto refuse_inside = [&] {
    if (exists && holds_working_folder(place.parent == "/" ? "/" + place.name : place.parent + "/" + place.name))
      throw Failed{"'" + directory + "' holds the folder that you are in, and is replaced as a whole; go elsewhere, or name a folder of its own"};
  };
  if (bundle.has_made() && !options.check) refuse_inside();     // before an hour's text is made for nothing
  Fresh tree(parent.get(), place, fresh, root.get());
  std::vector<ManifestEntry> entries;
  entries.reserve(bundle.files().size());
  Sha256 sha;
  for (const Bundle::File& file : bundle.files()) {
    if (file.path == kManifestName) throw std::logic_error("Bundle: manifest.json is the writer's");
    if (file.maker < 0) {
      entries.push_back({file.path, file.mode, sha(bundle.bytes(file)), file.origin});
      continue;
    }
    const std::string text = bundle.made(file);
    entries.push_back({file.path, file.mode, sha(text), file.origin});
    if (!options.check) tree.builder().write(file.path, text, file.mode);
  }
  const std::string manifest = manifest_text(entries, options.spec_digest, options.tool_version);

  ManifestDigests before;
  std::string manifest_before;
  if (exists) {
    FileError error;
    if (auto text = read_file(place.parent + "/" + place.name + "/" + std::string(kManifestName), kMaxManifest, error)) {
      manifest_before = std::move(*text);
      std::string why;
      // The manifest that would be written: then what was written last is the bundle, and whatever differs from that was edited since
      // or is not ours. So an empty `before` gives the same answers, and saves the reading of tens of thousands of lines.
      if (manifest_before == manifest) {
      } else if (auto digests = read_manifest(manifest_before, why)) before = std::move(*digests);
      else if (!options.force)
        throw Failed{"'" + directory + "/manifest.json' " + why + ", so what was changed by hand cannot be told; restore it, or force"};
    } else if (error.kind != FileError::Kind::missing) {
      throw Failed{error.message};
    }
  }
  Survey survey(bundle, entries, before);
  if (exists) survey.walk(root.get());

  std::sort(survey.hand_edited.begin(), survey.hand_edited.end());
  std::sort(survey.foreign.begin(), survey.foreign.end());
  std::sort(survey.kept.begin(), survey.kept.end());
  std::sort(survey.kept_folders.begin(), survey.kept_folders.end());
  result.hand_edited = survey.hand_edited;
  result.foreign = survey.foreign;
  // By force, what was edited is ours again; edited files that are generated no more go with the rest.
  std::unordered_set<std::string_view> dropped;
  if (options.force)
    for (const std::string& path : survey.hand_edited) dropped.insert(path);

  std::vector<bool> carried(bundle.files().size());
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const State state = survey.states()[i];
    carried[i] = state == State::same || (state == State::edited && !options.force);
    if (state == State::same) ++result.unchanged;
    else if (!carried[i]) {
      ++result.written;
      if (options.check) result.differing.push_back(bundle.files()[i].path);
    }
  }
  result.removed = survey.removed.size();
  for (const std::string& path : survey.kept) result.removed += dropped.contains(path);
  if (options.check) {
    result.differing.insert(result.differing.end(), survey.removed.begin(), survey.removed.end());
    if (manifest != manifest_before) result.differing.emplace_back(kManifestName);
    std::sort(result.differing.begin(), result.differing.end());
    return;
  }
  if (exists && result.written == 0 && result.removed == 0 && manifest == manifest_before) return;
  refuse_inside();

  Builder& builder = tree.builder();
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Bundle::File& file = bundle.files()[i];
    if (carried[i]) {
      if (file.maker >= 0) builder.drop(file.path);
      builder.carry(root.get(), file.path);
    } else if (file.maker < 0) {
      builder.write(file.path, bundle.bytes(file), file.mode);
    }
  }
  for (const std::string& path : survey.kept_folders) builder.make_folder(path);
  for (const std::string& path : survey.kept)
    if (!dropped.contains(path)) builder.carry(root.get(), path);
  builder.write(kManifestName, manifest, 0644);
  swap_in(parent.get(), fresh, old, place.name, directory, exists);
}

}  // namespace

WriteResult write_tree(Bundle& bundle, const std::string& directory, const WriteOptions& options) {
  WriteResult result;
  try {
    write_checked(bundle, directory, options, result);
    result.ok = true;
  } catch (const Failed& failed) {
    result = WriteResult{};
    result.error = failed.message;
  }
  return result;
}

}  // namespace clusterc
