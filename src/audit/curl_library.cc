#include "audit/curl_library.h"

#include <dlfcn.h>

namespace clusterc {

bool load_curl(CurlLibrary& curl, std::string& error) {
  void* const library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    error = "libcurl 7.66 or later is not installed (Debian and Ubuntu: apt-get install libcurl4)";
    return false;
  }
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  const bool all = find(curl.global_init, "curl_global_init") && find(curl.easy_init, "curl_easy_init") &&
                   find(curl.easy_cleanup, "curl_easy_cleanup") && find(curl.easy_reset, "curl_easy_reset") &&
                   find(curl.easy_setopt, "curl_easy_setopt") && find(curl.easy_getinfo, "curl_easy_getinfo") &&
                   find(curl.easy_strerror, "curl_easy_strerror") && find(curl.slist_append, "curl_slist_append") &&
                   find(curl.slist_free_all, "curl_slist_free_all") && find(curl.multi_init, "curl_multi_init") &&
                   find(curl.multi_cleanup, "curl_multi_cleanup") && find(curl.multi_setopt, "curl_multi_setopt") &&
                   find(curl.multi_add_handle, "curl_multi_add_handle") &&
                   find(curl.multi_remove_handle, "curl_multi_remove_handle") &&
                   find(curl.multi_perform, "curl_multi_perform") &&
                   find(curl.multi_info_read, "curl_multi_info_read") && find(curl.multi_poll, "curl_multi_poll");
  if (!all || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    error = "the installed libcurl is older than 7.66, or cannot be started";
    return false;
  }
  return true;
}

}  // namespace clusterc
