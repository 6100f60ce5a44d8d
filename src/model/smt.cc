#include "model/smt.h"

#include "spec/software.h"

namespace clusterc {
namespace {

template <class Is>
const Value<std::string>* argument(const Software& s, Is is) {
  for (const Value<std::string>& a : s.kernel_arguments)
    if (a && is(std::string_view(*a))) return &a;
  return nullptr;
}

}  // namespace

const Value<std::string>* nosmt_argument(const Software& s) {
  return argument(s, [](std::string_view a) { return a == "nosmt" || a.starts_with("nosmt="); });
}

const Value<std::string>* conditional_nosmt(const Software& s) {
  return argument(s, [](std::string_view a) {
    return (a.find('=') != a.npos && a.ends_with(",nosmt")) || a == "l1tf=full" || a == "l1tf=full,force";
  });
}

void apply_smt(NodeGroupModel& g) {
  Software& s = *g.software;
  if (!s.smt)
    if (const Value<std::string>* a = nosmt_argument(s))
      s.smt = Value<Smt>::derived(Smt::nosmt, "kernel argument `" + **a + "`", a->span);
  ServerModel& server = g.server;
  // What a virtual machine's processors are is its host's to say. Where they are threads, two of them make a core.
  if (server.virtual_machine && s.smt && *s.smt != Smt::off) {
    server.cores = (server.cores + 1) / 2;
    server.threads_per_core = 2;
  }
  if (smt_is_off(s)) server.threads_per_core = 1;
}

}  // namespace clusterc
