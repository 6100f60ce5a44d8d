// The server on two file descriptors, with the analysis of documents on a thread beside the conversation.
#pragma once
#include "lsp/server.h"

namespace clusterc::lsp {

// Until `exit`, the end of the input, or an output that nobody reads. The exit status of the program: 0 after
// `shutdown` and `exit`.
int serve(int in, int out, ServerOptions);

// Keeps built-in parts and pages of rules below the user's cache folder ($XDG_CACHE_HOME, else ~/.cache, else a fresh
// folder for temporary files), in a folder named by the digest of the text: what another release of the program wrote
// there stays as it is. Read-only files.
KeepFile keep_in_cache();

}  // namespace clusterc::lsp
