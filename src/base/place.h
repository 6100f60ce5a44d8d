// Where files are written: the folder, open, and a name in it. Other users of the machine must not lead us elsewhere.
//
// Symbolic links among the folders of a path are followed where they belong to the caller or to root and lie in a
// folder that nobody else changes; a link at the end of the path is never written through. A folder that is written
// into belongs to the caller or to root. With the folder open, everything goes by names in it: nobody can put another
// folder in its place meanwhile.
#pragma once
#include <sys/stat.h>

#include <csignal>
#include <string>

#include "base/descriptor.h"

namespace clusterc {

struct WritePlace {
  Descriptor folder;  // opened for reading
  std::string path;   // of the folder, links resolved
  std::string name;   // of the file or folder in it: no '/', not "." or ".."
};

// `last` says what happens to a symbolic link at the end of `path`: it stays (the name is the link's own), or is
// followed as those before it. Throws PlaceError.
enum class LastLink { stays, followed };
WritePlace find_place(const std::string& path, LastLink last);

struct PlaceError {
  int number;           // errno; EPERM for what is refused here
  std::string message;  // stands alone
};

// The caller or root.
bool is_ours(const struct stat&);
// Mode bits that let other users write, or create and rename in a folder. The write bit of a group counts unless the
// group is the caller's own: it has the caller's name and no other member.
bool others_may_write(const struct stat&);
// As above, and no sticky bit, which keeps names of one user in a shared folder from the others.
bool others_may_rename(const struct stat&);

// Why nothing is written into this folder; empty: it is ours. `path` is for the text. `shared`: others may write to it,
// too; what we put there is safe from links, and can be replaced by them.
std::string why_not_into(const struct stat& folder, const std::string& path, bool shared);

// Signals that end the program are held back from here to the end of the scope: what is begun is finished or removed.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace clusterc
