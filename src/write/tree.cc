// How a tree is replaced.
//
//   site/out                the tree as it was written last, with its manifest.json
//   site/.out.clusterc-new  the next one, made beside it: files that stay are hard links, changed ones are written
//   then all of it goes to the disk, one renameat2(RENAME_EXCHANGE) swaps the two names, and the old tree, now called
//   .out.clusterc-new, is removed.
//
// Killed before the swap, `out` is the old tree; after it, the new one. What is left of .out.clusterc-new goes away
// with the next run. Files come one at a time and are let go: one that differs from what is there goes to
// .out.clusterc-new at once, the others are linked at the end.
//
// A lock on the folder around it keeps two runs apart; it ends with its process. Where a file system cannot swap two
// names, the old tree is moved to .out.clusterc-old first: a kill between the two renames leaves no `out`, and the next
// run moves .out.clusterc-old back.
//
// Other users: the folder around the tree is open from the first moment on, and everything goes by names in it. It
// belongs to us or to root, as do the tree and what a killed run left, and nobody else may rename in it: so the names
// above need not be secret, they mean what we made, or are refused.
//
// What somebody changed since is known by the manifest: a file that has neither the bytes to be written nor those that
// were written last is not ours any more. It is kept and told; the manifest goes on naming the digest of what we would
// have written.
#include "write/tree.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>

#include "base/digest.h"
#include "base/file.h"
#include "base/place.h"
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

// Another clusterc that writes beside this tree ends within seconds: the largest trees take two. Whoever holds the lock
// longer may be another user, who needs no right but to read the folder.
constexpr std::chrono::milliseconds kLongestWait{5000}, kBetweenTries{20}, kWaitUntold{200};
constexpr std::chrono::milliseconds kLongestRemoval{500};  // after a signal

WritePlace place_of(const std::string& directory, bool check) {
  std::string path = directory;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.empty()) throw WriteError("no folder was named to write to");
  try {
    return find_place(path, check ? LastLink::followed : LastLink::stays);
  } catch (const PlaceError& e) {
    throw WriteError(e.message);
  }
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

bool is_link(const WritePlace& place) {
  struct stat status {};
  return ::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(status.st_mode);
}

}  // namespace

struct Tree::State {
  State(const std::string& directory, const WriteOptions& wish);
  ~State() {
    if (builder) remove_fresh();  // after the swap this is the old tree; what is left of it goes with the next run
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
  bool lock();
  void refuse_others() const;
  void remove_leftovers();
  void sync();
  bool interrupted() const { return options.interrupted && options.interrupted->load(std::memory_order_relaxed); }
  void go_on() const {
    if (interrupted()) throw WriteError("interrupted: '" + directory + "' is as it was");
  }
  // Tens of thousands of files take a busy disk many seconds, and who sends a signal waits for us.
  void remove_fresh() const {
    const auto begin = std::chrono::steady_clock::now();
    const auto stop = [&] { return interrupted() && std::chrono::steady_clock::now() - begin >= kLongestRemoval; };
    if (!remove_tree(place.folder.get(), fresh.c_str(), stop) && stop())
      remove_tree_behind(place.folder.get(), fresh.c_str());
  }
  WriteResult finish();

  std::mutex busy;  // whoever touches the disk has it
  bool in_place = false;
  std::string directory;
  WriteOptions options;
  WritePlace place;
  std::string fresh, old;
  Descriptor root, next_root;
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
    : directory(wanted), options(wish), place(place_of(wanted, wish.check)) {
  fresh = "." + place.name + ".clusterc-new";
  old = "." + place.name + ".clusterc-old";
  if (!options.check) {
    refuse_others();
    if (lock()) remove_leftovers();
  }
  root = Descriptor(::openat(place.folder.get(), place.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  exists = static_cast<bool>(root);
  if (!exists && (errno == ENOTDIR || errno == ELOOP))
    throw WriteError("'" + directory + "' is " +
                     (is_link(place) ? "a symbolic link, through which nothing is written: name the folder itself"
                                     : "a file, not a folder"));
  if (!exists && errno != ENOENT) fail_write(directory, "cannot be opened", errno);
  if (!exists) return;
  if (!options.check) refuse_folder_of_others(root.get(), directory);
  there.emplace(root.get());
  const Descriptor manifest(
      ::openat(root.get(), std::string(kManifestName).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const std::string path = directory + "/" + std::string(kManifestName);
  if (!manifest && errno == ENOENT) return;
  struct stat status {};
  if (!manifest && errno != ELOOP) fail_write(path, "cannot be read", errno);
  if (!manifest || ::fstat(manifest.get(), &status) != 0 || !S_ISREG(status.st_mode))
    throw WriteError("'" + path + "' is no file; move it away");
  FileError error;
  auto text = read_file(manifest.get(), path, kMaxManifest, error);
  if (!text) throw WriteError(error.message);
  manifest_before = std::move(*text);
}

// What other users can change is not written: they could replace it before it is used.
void Tree::State::refuse_others() const {
  struct stat status {};
  if (::fstat(place.folder.get(), &status) != 0) fail_write(place.path, "cannot be looked at", errno);
  if (const std::string why = why_not_into(status, place.path, false); !why.empty()) throw WriteError(why);
}

// False: there is none on this file system.
bool Tree::State::lock() {
  const int folder = place.folder.get();
  bool told = false;
  for (const auto begin = std::chrono::steady_clock::now();; std::this_thread::sleep_for(kBetweenTries)) {
    if (::flock(folder, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    go_on();
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= kLongestWait)
      throw WriteError("'" + place.path + "' is locked by another program, which did not end within " +
                       std::to_string(std::chrono::duration_cast<std::chrono::seconds>(kLongestWait).count()) +
                       " s: '" + directory + "' is as it was");
    if (!told && waited >= kWaitUntold && options.progress) {
      options.progress("waiting for the lock on '" + place.path + "', which another program holds");
      told = true;
    }
  }
}

// Of a run that was killed. What another user put there is neither taken for ours nor removed.
void Tree::State::remove_leftovers() {
  const int parent = place.folder.get();
  struct stat status {};
  for (const std::string& name : {fresh, old}) {
    if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const std::string path = (place.path == "/" ? "" : place.path) + "/" + name;
    if (!S_ISDIR(status.st_mode)) throw WriteError("'" + path + "' is no folder: remove it");
    if (!is_ours(status) || others_may_write(status))
      throw WriteError("'" + path + "', where clusterc leaves a tree when it is killed, " +
                       (is_ours(status) ? "can be changed by other users" : "belongs to another user") +
                       ": remove it, or name another folder");
  }
  if (::fstatat(parent, place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    ::renameat(parent, old.c_str(), parent, place.name.c_str());  // killed between the two renames
  for (const std::string& name : {fresh, old}) {
    remove_tree(parent, name.c_str(), [&] { return interrupted(); });
    go_on();
  }
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
    // A file of another user is written anew: its owner could change it later.
    if (!options.check && !is_ours(status)) return FileState::differs;
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
  const int parent = place.folder.get();
  const std::string above = place.path == "/" ? "" : place.path;
  const std::string path = above + "/" + fresh;
  if (exists && holds_working_folder(above + "/" + place.name))
    throw WriteError(
        "'" + directory +
        "' holds the folder that you are in, and is replaced as a whole; go elsewhere, or name a folder of its own");
  if (::mkdirat(parent, fresh.c_str(), 0755) != 0)
    fail_write(path,
               "cannot be made (a tree is put in place whole, from beside it: the folder above has to be writable)",
               errno);
  next_root = Descriptor(::openat(parent, fresh.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  builder.emplace(next_root.get(), current_umask());
  if (next_root.get() < 0) fail_write(path, "cannot be opened", errno);
  struct stat status {};
  if (exists && ::fstat(root.get(), &status) == 0) keep_rights(parent, fresh.c_str(), status, directory);
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
  if (exists) survey.walk(root.get(), !options.check, [&] { go_on(); });

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
  for (const std::string& path : survey.kept) {
    go_on();
    if (!dropped.contains(path)) into.carry(root.get(), path);
  }
  into.write(kManifestName, manifest, 0644);
  sync();
  go_on();
  swap_in(place.folder.get(), fresh, old, place.name, directory, exists);
  in_place = true;
  ::fsync(place.folder.get());  // after a loss of power the old tree may stand there, never a mixture
  return result;
}

// All of the new tree to the disk, before anything points to it. One call for its file system: one for each file takes
// ten times as long (5,000 files on ext4: 0.05 s and 0.7 s). It cannot be interrupted, so a child makes it: a signal
// ends us at once, and the tree is not put in place.
void Tree::State::sync() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_write(directory, "cannot be brought to the disk", errno);
  Descriptor read_end(ends[0]), write_end(ends[1]);
  const int folder = next_root.get();
  const pid_t child = ::fork();
  if (child == 0) {  // async-signal-safe calls only
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Neither the lock nor a pipe that somebody reads to its end stays open when we are gone.
    for (int fd = 0; fd < 1024; ++fd)
      if (fd != folder && fd != write_end.get()) ::close(fd);
    ::_exit(::syncfs(folder) == 0 ? 0 : errno == 0 ? 1 : errno);
  }
  if (child < 0) {
    if (::syncfs(folder) != 0) fail_write(directory, "cannot be brought to the disk", errno);
    return;
  }
  write_end = Descriptor();
  try {
    pollfd end{read_end.get(), POLLIN, 0};
    while (::poll(&end, 1, 20) <= 0) go_on();
  } catch (...) {
    ::kill(child, SIGKILL);
    throw;  // it ends when its call does, and nobody waits for it
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail_write(directory, "cannot be brought to the disk", WIFEXITED(status) ? WEXITSTATUS(status) : EIO);
}

Tree::Tree(const std::string& directory, const WriteOptions& options)
    : state_(std::make_unique<State>(directory, options)) {}
Tree::~Tree() = default;

void Tree::put(std::string_view path, std::string_view origin, std::string_view bytes, std::uint32_t mode) {
  if (path == kManifestName) throw std::logic_error("Bundle: manifest.json is the writer's");
  demand_inside(path);
  State& s = *state_;
  const std::lock_guard<std::mutex> lock(s.busy);
  s.go_on();
  TreeFile& file = s.files.emplace_back(TreeFile{std::string(path), s.sha(bytes), mode, s.number_of(origin)});
  file.state = s.state_of(file, bytes);
  if (!s.options.check && !s.stays(file)) s.next().write(path, bytes, mode);
}

WriteResult Tree::finish() {
  const std::lock_guard<std::mutex> lock(state_->busy);
  return state_->finish();
}

bool Tree::abandon() {
  State& s = *state_;
  std::unique_lock<std::mutex> lock(s.busy);
  if (s.in_place) return false;
  if (s.builder) s.remove_fresh();
  static_cast<void>(lock.release());  // nobody writes after this
  return true;
}

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
