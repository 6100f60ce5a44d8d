// Parts of launch.sh, for the outputs that start jobs: how a script finds the processes that train, tells them to save,
// and waits for them.
#pragma once
#include <string>
#include <string_view>

namespace clusterc {

// torchrun and deepspeed start the processes that train, and do not hand signals on; an ignored signal stays ignored
// in a program that they start, until its script asks for it (signal(7)).
inline constexpr std::string_view kWatchProcesses = R"sh(run=$!
# children PID
children() {
  local stat line
  for stat in /proc/[0-9]*/stat; do
    { read -r line < "$stat"; } 2> /dev/null || continue
    line=${line##*) }        # state, parent, …: the name in front of it can hold anything
    line=${line#* }
    if [ "${line%% *}" = "$1" ]; then stat=${stat#/proc/}; echo "${stat%%/*}"; fi
  done
}
)sh";
inline constexpr std::string_view kWaitForProcesses = R"sh(wait "$run"
status=$?
while kill -0 "$run" 2> /dev/null; do
  wait "$run"
  status=$?
done
exit "$status"
)sh";
// `signal`: what the processes get; `deep`: they are children of children; `trapped`: what the script itself gets;
// empty: the caller traps it.
std::string tell_processes(std::string_view signal, bool deep, std::string_view trapped = "USR1");

}  // namespace clusterc
