// How a tree is replaced.
//
//   site/out           the tree as it was written last, with its manifest.json
//   site/.out.new      the next one, made beside it: files that stay are hard links, changed ones are written
//   then one renameat2(RENAME_EXCHANGE) swaps the two names, and the old tree, now called .out.new, is removed.
//
// Killed before the swap, `out` is the old tree; after it, the new one. What is left of .out.new goes away with the
// next run. Files come one at a time and are let go: one that differs from what is there goes to .out.new at once, the
// others are linked at the end.
//
// A lock on the folder around it keeps two runs apart; it ends with its process. Where a file system cannot swap two
// names, the old tree is moved to .out.old first: a kill between the two renames leaves no `out`, and the next run
// moves .out.old back.
//
// What somebody changed since is known by the manifest: a file that has neither the bytes to be written nor those that
// were written last is not ours any more. It is kept and told; the manifest goes on naming the digest of what we would
// have written.
#include "write/tree.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <unordered_set>

#include "base/digest.h"
#include "base/file.h"
#include "write/manifest.h"
#include "write/survey.h"

namespace clusterc {
namespace {

constexpr std::uint64_t kMaxManifest = std::uint64_t{1} << 30;

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
  if (path.empty()) throw WriteError("no folder was named to write to");
  if (const auto whole = real(path))
    path = *whole;
  else {
    const std::size_t slash = path.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const auto around = real(parent);
    if (!around) fail_write(parent, "cannot be opened", errno);
    path = *around + "/" + path.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  const std::size_t slash = path.rfind('/');
  Place place{slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
  if (place.name.empty() || place.name == "." || place.name == "..")
    throw WriteError("'" + directory + "' cannot be replaced; name a folder of its own");
  return place;
}

// A shell that stands inside would find itself in a folder that is gone.
bool holds_working_folder(const std::string& folder) {
  char buffer[PATH_MAX];
  if (!::getcwd(buffer, sizeof buffer)) return false;
  const std::string here = buffer;
  return here == folder || here.starts_with(folder + "/");
}

// The path in the tree that a link names; it climbs no further than the tree (Bundle::link).
std::string target_of(std::string_view link, std::string_view target) {
  std::string_view folder = folder_of(link);
  for (; target.starts_with("../"); target.remove_prefix(3)) folder = folder_of(folder);
  return folder.empty() ? std::string(target) : std::string(folder) + "/" + std::string(target);
}

void swap_in(int parent, const std::string& fresh, const std::string& old, const std::string& name,
             const std::string& directory, bool exists) {
  if (!exists) {
    if (::renameat(parent, fresh.c_str(), parent, name.c_str()) != 0)
      fail_write(directory, "cannot be put in place", errno);
    return;
  }
  if (::renameat2(parent, fresh.c_str(), parent, name.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno == EBUSY || errno == EXDEV)
    throw WriteError("'" + directory + "' is a mount point and cannot be swapped; name a folder inside it");
  if (errno != EINVAL && errno != ENOSYS) fail_write(directory, "cannot be put in place", errno);
  if (::renameat(parent, name.c_str(), parent, old.c_str()) != 0)
    fail_write(directory, "cannot be put in place", errno);
  if (::renameat(parent, fresh.c_str(), parent, name.c_str()) != 0) {
    const int number = errno;
    ::renameat(parent, old.c_str(), parent, name.c_str());
    fail_write(directory, "cannot be put in place", number);
  }
  remove_tree(parent, old.c_str());
}

}  // namespace

struct Tree::State {
  State(const std::string& directory, const WriteOptions& wish);
  ~State() {
    if (builder)
      remove_tree(parent.get(),
                  fresh.c_str());  // after the swap this is the old tree; what is left of it goes with the next run
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::uint16_t number_of(std::string_view origin);
  FileState state_of(const TreeFile&, std::string_view bytes);
  const ManifestDigests& before();
  bool stays(const TreeFile& f) const {
    return f.state == FileState::same || (f.state == FileState::edited && !options.force);
  }
  Builder& next();
  void go_on() const {
    if (options.interrupted && options.interrupted->load(std::memory_order_relaxed))
      throw WriteError("interrupted: '" + directory + "' is as it was");
  }
  WriteResult finish();

  std::string directory;
  WriteOptions options;
  Place place;
  std::string fresh, old;
  Descriptor parent, root, next_root;
  bool exists = false;
  std::optional<FolderAbove> there;  // the folder of the tree that is there in which the last file was looked for
  std::optional<Builder>
      builder;  // of the tree beside it: made when the first file goes into it, gone again unless it is swapped in
  std::vector<TreeFile> files;
  std::vector<std::string> origins;
  std::optional<std::string> manifest_before;
  std::optional<ManifestDigests> digests_before;
  std::string buffer;
  Sha256 sha;
};

Tree::State::State(const std::string& wanted, const WriteOptions& wish)
    : directory(wanted), options(wish), place(place_of(wanted)) {
  fresh = "." + place.name + ".clusterc-new";
  old = "." + place.name + ".clusterc-old";
  parent = Descriptor(::open(place.parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() < 0) fail_write(place.parent, "cannot be opened", errno);
  const bool locked = !options.check && ::flock(parent.get(), LOCK_EX) == 0;  // some network file systems have none
  if (locked) {
    struct stat status {};
    if (::fstatat(parent.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      ::renameat(parent.get(), old.c_str(), parent.get(), place.name.c_str());  // killed between the two renames
    remove_tree(parent.get(), fresh.c_str());
    remove_tree(parent.get(), old.c_str());
  }
  root = Descriptor(::openat(parent.get(), place.name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  exists = root.get() >= 0;
  if (!exists && errno == ENOTDIR) throw WriteError("'" + directory + "' is a file, not a folder");
  if (!exists && errno != ENOENT) fail_write(directory, "cannot be opened", errno);
  if (!exists) return;
  there.emplace(root.get());
  FileError error;
  if (auto text = read_file(place.parent + "/" + place.name + "/" + std::string(kManifestName), kMaxManifest, error))
    manifest_before = std::move(*text);
  else if (error.kind != FileError::Kind::missing)
    throw WriteError(error.message);
}

std::uint16_t Tree::State::number_of(std::string_view origin) {
  const auto found = std::find(origins.rbegin(), origins.rend(), origin);
  if (found != origins.rend()) return static_cast<std::uint16_t>(origins.rend() - found - 1);
  origins.emplace_back(origin);
  return static_cast<std::uint16_t>(origins.size() - 1);
}

// What was written last is asked for where something differs only: tens of thousands of lines.
const ManifestDigests& Tree::State::before() {
  if (!digests_before) {
    digests_before.emplace();
    std::string why;
    if (manifest_before) {
      if (auto digests = read_manifest(*manifest_before, why))
        digests_before = std::move(*digests);
      else if (!options.force)
        throw WriteError("'" + directory + "/manifest.json' " + why +
                         ", so what was changed by hand cannot be told; restore it, or force");
    }
  }
  return *digests_before;
}

FileState Tree::State::state_of(const TreeFile& file, std::string_view bytes) {
  if (!exists) return FileState::absent;
  const bool missing = !there->enter(folder_of(folder_of(file.path)));
  std::string copied;
  const auto unlike = [&](const Digest& is) {
    return edited_since(before(), file.path, is) && to_hex(is) != copied ? FileState::edited : FileState::differs;
  };
  const auto linked = [&](bool wanted) -> std::optional<FileState> {  // none: no link is there
    const auto target = missing ? std::nullopt : read_link(buffer, there->get(), file.path.c_str() + there->skip());
    if (!target) return std::nullopt;
    return wanted && *target == bytes ? FileState::same : unlike(sha(*target));
  };
  if (file.mode == kLink) {
    if (const auto state = linked(true)) return *state;
    // A copy of the tree that followed its links (cp -L, scp -r) has the target's bytes there: nobody edited them.
    if (const auto target = before().find(target_of(file.path, bytes)); target != before().end())
      copied = target->second;
  }
  constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const auto open_with = [&](int flags) {
    return Descriptor(missing ? -1 : ::openat(there->get(), file.path.c_str() + there->skip(), flags));
  };
  Descriptor fd =
      open_with(kFlags | O_NOATIME);  // a time stamp for each file is a twentieth of a run that changes nothing
  if (fd.get() < 0 && errno == EPERM) fd = open_with(kFlags);  // only the file's owner may leave it
  if (fd.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return FileState::absent;  // what stands in the way is told by the survey
    if (errno == ELOOP) return linked(false).value_or(FileState::edited);
    if (errno == ENXIO) return FileState::edited;
    fail_write(file.path, "cannot be read", errno);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_write(file.path, "cannot be read", errno);
  if (S_ISDIR(status.st_mode)) return FileState::absent;
  if (!S_ISREG(status.st_mode)) return FileState::edited;
  const auto size = static_cast<std::size_t>(status.st_size);
  // What a copy in git keeps of a mode is whether the file is a program: where trees are only compared, no more counts.
  const auto by_mode = [&] {
    return ((status.st_mode ^ file.mode) & (options.check ? 0100u : 0777u)) == 0 ? FileState::same : FileState::differs;
  };
  constexpr std::size_t kHeld = std::size_t{1} << 20;
  Digest digest;
  if (size <= kHeld) {
    const std::string_view is = read_into(buffer, fd.get(), size, file.path);
    if (is == bytes && file.mode != kLink) return by_mode();
    digest = sha(is);
  } else {
    digest = digest_of(fd.get(), buffer, sha, file.path);
    if (digest == file.sha256 && file.mode != kLink) return by_mode();
  }
  return unlike(digest);
}

Builder& Tree::State::next() {
  if (builder) return *builder;
  const std::string path = place.parent + "/" + fresh;
  if (exists && holds_working_folder(place.parent == "/" ? "/" + place.name : place.parent + "/" + place.name))
    throw WriteError(
        "'" + directory +
        "' holds the folder that you are in, and is replaced as a whole; go elsewhere, or name a folder of its own");
  if (::mkdirat(parent.get(), fresh.c_str(), 0777) != 0)
    fail_write(path,
               "cannot be made (a tree is put in place whole, from beside it: the folder above has to be writable)",
               errno);
  next_root = Descriptor(::openat(parent.get(), fresh.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  builder.emplace(next_root.get(), current_umask());
  if (next_root.get() < 0) fail_write(path, "cannot be opened", errno);
  struct stat status {};
  if (exists && ::fstat(root.get(), &status) == 0) keep_rights(parent.get(), fresh.c_str(), status, directory);
  return *builder;
}

WriteResult Tree::State::finish() {
  WriteResult result;
  std::sort(files.begin(), files.end(), [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  std::vector<ManifestEntry> entries;
  entries.reserve(files.size());
  for (const TreeFile& file : files) entries.push_back({file.path, file.mode, file.sha256, origins[file.origin]});
  const std::string manifest = manifest_text(entries, options.spec_digest, options.tool_version);
  entries = {};
  // The manifest that would be written: then what was written last is these files, and whatever differs from them was
  // edited since or is not ours. So none gives the same answers.
  const bool as_before = manifest_before == manifest;
  const ManifestDigests none;
  Survey survey(files, as_before ? none : before());
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
  for (const TreeFile& file : files) {
    if (file.state == FileState::same)
      ++result.unchanged;
    else if (!stays(file)) {
      ++result.written;
      if (options.check) result.differing.push_back(file.path);
    }
  }
  result.removed = survey.removed.size();
  for (const std::string& path : survey.kept) result.removed += dropped.contains(path);
  result.ok = true;
  if (options.check) {
    result.differing.insert(result.differing.end(), survey.removed.begin(), survey.removed.end());
    if (!as_before) result.differing.emplace_back(kManifestName);
    std::sort(result.differing.begin(), result.differing.end());
    return result;
  }
  if (exists && result.written == 0 && result.removed == 0 && as_before) return result;

  Builder& into = next();
  for (const TreeFile& file : files) {
    go_on();
    if (stays(file)) into.carry(root.get(), file.path);
  }
  for (const std::string& path : survey.kept_folders) into.carry_folder(root.get(), path);
  for (const std::string& path : survey.kept)
    if (!dropped.contains(path)) into.carry(root.get(), path);
  into.write(kManifestName, manifest, 0644);
  swap_in(parent.get(), fresh, old, place.name, directory, exists);
  return result;
}

Tree::Tree(const std::string& directory, const WriteOptions& options)
    : state_(std::make_unique<State>(directory, options)) {}
Tree::~Tree() = default;

void Tree::put(std::string_view path, std::string_view origin, std::string_view bytes, std::uint32_t mode) {
  if (path == kManifestName) throw std::logic_error("Bundle: manifest.json is the writer's");
  State& s = *state_;
  s.go_on();
  TreeFile& file = s.files.emplace_back(TreeFile{std::string(path), s.sha(bytes), mode, s.number_of(origin)});
  file.state = s.state_of(file, bytes);
  if (!s.options.check && !s.stays(file)) s.next().write(path, bytes, mode);
}

WriteResult Tree::finish() { return state_->finish(); }

WriteResult write_tree(const Bundle& bundle, const std::string& directory, const WriteOptions& options) {
  try {
    Tree tree(directory, options);
    for (const Bundle::File& file : bundle.files()) tree.put(file.path, file.origin, bundle.bytes(file), file.mode);
    return tree.finish();
  } catch (const WriteError& failed) {
    WriteResult result;
    result.error = failed.what();
    return result;
  }
}

}  // namespace clusterc
