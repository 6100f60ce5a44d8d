#include "audit/redfish_client.h"

#include <strings.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "audit/curl_library.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"

namespace clusterc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr long kRedirects = 3;
constexpr milliseconds kLogoutTimeout{5'000};

enum class Step : std::uint8_t { root, login, walk, logout, done };

// One BMC while it is read.
struct Visit {
  Visit(std::size_t bmc, RedfishParser& parser, const RedfishLimits& limits)
      : number(bmc), walk(parser, limits), began(Clock::now()) {}
  std::size_t number;  // of the BMC
  RedfishWalk walk;
  Step step = Step::root;
  Clock::time_point began;
  std::string token, session;  // X-Auth-Token, and the path to delete
  bool basic = false;
  bool fresh = false;  // nothing was read since the login
  int tries = 0, redirects = 0;
  std::string redirected;  // in place of the path of the walk
  std::string failure;
};

// One request on its way.
struct Transfer {
  CURL* easy = nullptr;
  std::unique_ptr<Visit> visit;
  curl_slist* headers = nullptr;
  std::string sent, body, token, location;
  std::size_t most = 0;
  bool too_large = false;
  char error[CURL_ERROR_SIZE] = {};
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* to) {
  Transfer& t = *static_cast<Transfer*>(to);
  if (t.body.size() + size * count > t.most) {
    t.too_large = true;
    return 0;
  }
  t.body.append(data, size * count);
  return size * count;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* to) {
  Transfer& t = *static_cast<Transfer*>(to);
  const std::string_view line(data, size * count);
  const std::size_t colon = line.find(':');
  if (line.size() <= 4096 && colon != std::string_view::npos) {
    const std::string name = to_lower(line.substr(0, colon));
    if (name == "x-auth-token") t.token = trim(line.substr(colon + 1));
    if (name == "location") t.location = trim(line.substr(colon + 1));
  }
  return size * count;
}

class Client {
 public:
  Client(const CurlLibrary& curl, const std::vector<Bmc>& bmcs, const RedfishAccess& access,
         const std::atomic<bool>& stop, std::vector<BmcAnswer>& answers, RedfishTotals& totals)
      : curl_(curl),
        bmcs_(bmcs),
        access_(access),
        stop_(stop),
        answers_(answers),
        totals_(totals),
        parser_(access.limits),
        room_(static_cast<std::size_t>(std::max<std::int64_t>(1, access.connections))) {
    multi_ = curl_.multi_init();
    curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(room_));
    curl_.multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(room_));
  }
  ~Client() {
    for (auto& t : transfers_) {
      curl_.multi_remove_handle(multi_, t->easy);
      release(*t);
    }
    for (CURL* easy : idle_) curl_.easy_cleanup(easy);
    curl_.multi_cleanup(multi_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void run() {
    const Clock::time_point began = Clock::now();
    while (next_ < bmcs_.size() || !transfers_.empty() || !ready_.empty() || !waiting_.empty()) {
      if (stop_.load() && !stopping_) interrupt();
      start();
      int running = 0;
      curl_.multi_perform(multi_, &running);
      collect();
      if (ready_.empty() || transfers_.size() >= room_) curl_.multi_poll(multi_, nullptr, 0, patience(), nullptr);
    }
    totals_.wall_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  }

 private:
  int patience() const {
    auto longest = milliseconds(200);  // how long an interrupt may go unseen
    if (!waiting_.empty())
      longest = std::clamp(std::chrono::duration_cast<milliseconds>(waiting_.begin()->first - Clock::now()),
                           milliseconds(0), longest);
    if (!transfers_.empty() || !waiting_.empty()) return static_cast<int>(longest.count()) + 1;
    return 0;
  }

  void start() {
    const Clock::time_point now = Clock::now();
    while (!waiting_.empty() && waiting_.begin()->first <= now) {
      ready_.push_back(std::move(waiting_.begin()->second));
      waiting_.erase(waiting_.begin());
    }
    while (transfers_.size() < room_) {
      if (!ready_.empty()) {
        std::unique_ptr<Visit> visit = std::move(ready_.front());
        ready_.pop_front();
        send(std::move(visit));
      } else if (next_ < bmcs_.size() && !stopping_) {
        const std::size_t number = next_++;
        send(std::make_unique<Visit>(number, parser_, access_.limits));
      } else {
        return;
      }
    }
  }

  // The path of the request that the visit makes now.
  std::string path_of(const Visit& v) const {
    if (!v.redirected.empty()) return v.redirected;
    if (v.step == Step::login) return v.walk.sessions();
    if (v.step == Step::logout) return v.session;
    return v.walk.next().value_or("/redfish/v1/");
  }

  void send(std::unique_ptr<Visit> visit) {
    auto t = std::make_unique<Transfer>();
    Visit& v = *visit;
    const Bmc& bmc = bmcs_[v.number];
    if (idle_.empty()) {
      t->easy = curl_.easy_init();
    } else {
      t->easy = idle_.back();
      idle_.pop_back();
    }
    const auto set = [&](CURLoption option, auto value) { return curl_.easy_setopt(t->easy, option, value); };
    set(CURLOPT_PRIVATE, t.get());
    set(CURLOPT_URL, ("https://" + bmc.address + path_of(v)).c_str());
    set(CURLOPT_PROXY, "");  // credentials go to the BMC alone, whatever https_proxy says
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USERAGENT, "clusterc");
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(t->error));
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_WRITEDATA, t.get());
    set(CURLOPT_HEADERFUNCTION, &take_header);
    set(CURLOPT_HEADERDATA, t.get());
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(access_.connect_timeout.count()));
    const milliseconds left = access_.bmc_timeout - since(v.began);
    milliseconds most = v.step == Step::logout ? kLogoutTimeout : std::min(access_.request_timeout, left);
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(1, most.count())));
    t->most = access_.limits.answer_bytes;
    secure(*t, bmc);
    header(*t, "Accept: application/json");
    header(*t, "OData-Version: 4.0");
    if (v.step == Step::login) {
      JsonWriter json(t->sent);
      json.begin_object().field("UserName", access_.user).field("Password", access_.password).end_object();
      header(*t, "Content-Type: application/json");
      header(*t, "Expect:");
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE, static_cast<long>(t->sent.size()));
      set(CURLOPT_POSTFIELDS, t->sent.c_str());
    } else if (v.step == Step::logout) {
      set(CURLOPT_CUSTOMREQUEST, "DELETE");
      set(CURLOPT_FORBID_REUSE, 1L);
    }
    if (!v.token.empty()) header(*t, "X-Auth-Token: " + v.token);
    if (v.basic && v.step == Step::walk) {
      set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
      set(CURLOPT_USERNAME, access_.user.c_str());
      set(CURLOPT_PASSWORD, access_.password.c_str());
    }
    set(CURLOPT_HTTPHEADER, t->headers);
    t->visit = std::move(visit);
    ++totals_.requests;
    curl_.multi_add_handle(multi_, t->easy);
    transfers_.push_back(std::move(t));
  }

  void secure(Transfer& t, const Bmc& bmc) const {
    const auto set = [&](CURLoption option, auto value) { return curl_.easy_setopt(t.easy, option, value); };
    // A pinned key is the proof by itself: certificates of BMCs are their own issuers, and name no address.
    const bool verify = !access_.insecure && bmc.pin.empty();
    set(CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
    set(CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
    if (!bmc.pin.empty()) set(CURLOPT_PINNEDPUBLICKEY, bmc.pin.c_str());
    if (!access_.ca_file.empty()) set(CURLOPT_CAINFO, access_.ca_file.c_str());
  }

  void header(Transfer& t, const std::string& line) const { t.headers = curl_.slist_append(t.headers, line.c_str()); }

  static milliseconds since(Clock::time_point then) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - then);
  }

  void release(Transfer& t) {
    curl_.slist_free_all(t.headers);
    t.headers = nullptr;
    curl_.easy_reset(t.easy);
    idle_.push_back(t.easy);
  }

  void collect() {
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      Transfer* of = nullptr;
      curl_.easy_getinfo(easy, CURLINFO_PRIVATE, &of);
      double seconds = 0;
      curl_.easy_getinfo(easy, CURLINFO_TOTAL_TIME, &seconds);
      totals_.answer_seconds += seconds;
      long status = 0;
      curl_.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      curl_off_t wait = 0;
      curl_.easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
      curl_.multi_remove_handle(multi_, easy);
      const auto at = std::ranges::find_if(transfers_, [&](const auto& t) { return t.get() == of; });
      const std::unique_ptr<Transfer> t = std::move(*at);
      *at = std::move(transfers_.back());
      transfers_.pop_back();
      finish(*t, code, status, wait);
      release(*t);
    }
  }

  // ---- what an answer means

  void finish(Transfer& t, CURLcode code, long status, curl_off_t wait) {
    std::unique_ptr<Visit> v = std::move(t.visit);
    if (v->step == Step::logout) return end(std::move(v));  // whatever came of it
    if (stopping_) {  // its session, if this answer was one, is ended as the others are
      if (v->step == Step::login && code == CURLE_OK && !t.token.empty()) take_session(*v, t);
      return fail(std::move(v), "the run was interrupted");
    }
    if (code == CURLE_WRITE_ERROR && t.too_large)
      return unread(std::move(v), format("is larger than {} MiB", access_.limits.answer_bytes >> 20));
    if (code != CURLE_OK) return broken(std::move(v), t, code);
    if (status == 429 || status == 503 || status == 500 || status == 502 || status == 504)
      return again(std::move(v), format("answers HTTP {}", status), milliseconds(1000 * wait),
                   status != 429 && status != 503);
    v->tries = 0;
    if (status >= 300 && status < 400) return redirect(std::move(v), t, status);
    v->redirected.clear();
    v->redirects = 0;
    if (v->step == Step::login) return logged_in(std::move(v), t, status);
    if (status == 401 || status == 403) {
      if (v->step == Step::root || v->walk.at_root())
        return fail(std::move(v), format("refuses the service root (HTTP {})", status));
      if (status == 401 && !v->token.empty() && !v->fresh) {  // the session has ended before the walk
        v->token.clear();
        v->session.clear();
        v->step = Step::login;
        return proceed(std::move(v));
      }
      if (status == 401) return fail(std::move(v), "refuses the credentials (HTTP 401)");
    }
    v->fresh = false;
    if ((status == 404 || status == 410) && v->step == Step::walk) {
      v->walk.missing();
      return proceed(std::move(v));
    }
    if (status != 200) return unread(std::move(v), format("answers HTTP {}", status));
    if (v->step == Step::root) {
      if (!v->walk.answer(t.body))
        return fail(std::move(v), "the answer for /redfish/v1/ is not a JSON object that can be read");
      v->step = v->walk.sessions().empty() ? Step::walk : Step::login;
      v->basic = v->step == Step::walk;
      return proceed(std::move(v));
    }
    v->walk.answer(t.body);
    proceed(std::move(v));
  }

  void proceed(std::unique_ptr<Visit> v) {
    if (since(v->began) > access_.bmc_timeout)
      return fail(std::move(v), format("took longer than {} s", access_.bmc_timeout.count() / 1000));
    if (v->step == Step::walk && !v->walk.next()) return leave(std::move(v));
    ready_.push_front(std::move(v));
  }

  void take_session(Visit& v, const Transfer& t) const {
    v.token = t.token;
    std::string_view at = t.location;  // a path, or an address whose host is not looked at
    if (at.starts_with("https://") || at.starts_with("http://")) {
      const std::size_t slash = at.find('/', at.find("//") + 2);
      at = slash == std::string_view::npos ? std::string_view() : at.substr(slash);
    }
    if (const auto path = redfish_path(at)) v.session = *path;
  }

  void logged_in(std::unique_ptr<Visit> v, const Transfer& t, long status) {
    v->step = Step::walk;
    if ((status == 200 || status == 201) && !t.token.empty()) {
      take_session(*v, t);
      v->fresh = true;
    } else if (status == 400 || status == 401 || status == 403) {
      // No second try: BMCs lock accounts.
      return fail(std::move(v), format("refuses the login of '{}' (HTTP {})", printable(access_.user), status));
    } else {
      v->basic = true;  // without sessions
    }
    proceed(std::move(v));
  }

  void redirect(std::unique_ptr<Visit> v, const Transfer& t, long status) {
    std::string_view to = t.location;
    const std::string own = "https://" + bmcs_[v->number].address + "/";
    if (to.starts_with(own)) to = to.substr(own.size() - 1);
    const auto path = redfish_path(to);
    if (!path) return unread(std::move(v), format("redirects to '{}'", printable(std::string_view(to).substr(0, 80))));
    if (++v->redirects > kRedirects || v->step == Step::login)
      return unread(std::move(v), format("answers HTTP {} again and again", status));
    v->redirected = *path;
    ready_.push_front(std::move(v));
  }

  // One resource is not read; without the service root or the login, nothing is.
  void unread(std::unique_ptr<Visit> v, std::string_view reason) {
    v->tries = v->redirects = 0;
    v->redirected.clear();
    if (v->step == Step::login) return fail(std::move(v), format("its session service {}", reason));
    if (v->step == Step::root) return fail(std::move(v), format("/redfish/v1/ {}", reason));
    v->walk.failed(reason);
    proceed(std::move(v));
  }

  void broken(std::unique_ptr<Visit> v, const Transfer& t, CURLcode code) {
    std::string why = t.error[0] != '\0' ? t.error : curl_.easy_strerror(code);
    // libcurl's text has the address and the milliseconds in it: BMCs that fail alike would not be told of as one.
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT: {
        double sent = 0;
        curl_.easy_getinfo(t.easy, CURLINFO_PRETRANSFER_TIME, &sent);
        why = sent > 0 ? format("no answer within {} s", access_.request_timeout.count() / 1000)
                       : format("no connection within {} s", access_.connect_timeout.count() / 1000);
        break;
      }
      case CURLE_COULDNT_CONNECT: {
        long number = 0;
        curl_.easy_getinfo(t.easy, CURLINFO_OS_ERRNO, &number);
        why = "cannot be connected to";
        if (number != 0) why += ": " + std::generic_category().message(static_cast<int>(number));
        break;
      }
      case CURLE_COULDNT_RESOLVE_HOST:
        why = "its name is not known to the name servers";
        break;
      case CURLE_SSL_CONNECT_ERROR:  // OpenSSL and GnuTLS each have words for an answer that is no TLS
        if (why.find("wrong version number") != std::string::npos ||
            why.find("packet length too long") != std::string::npos ||
            why.find("unexpected TLS packet") != std::string::npos)
          why = "its port answers without TLS, as for plain HTTP: give the port for HTTPS";
        break;
      case CURLE_PEER_FAILED_VERIFICATION:
        why = why.find("target host name") != std::string::npos ? "its certificate is for another name or address"
                                                                : "its certificate is not trusted: " + why;
        break;
      case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        why = "its public key is not the pinned one";
        break;
      case CURLE_PARTIAL_FILE:
      case CURLE_GOT_NOTHING:
      case CURLE_RECV_ERROR:
      case CURLE_SEND_ERROR:
        why = "it closed the connection within an answer";
        break;
      default:
        break;
    }
    why = printable(trim(why));
    const bool lasting = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_PINNEDPUBKEYNOTMATCH ||
                         code == CURLE_SSL_CACERT_BADFILE || code == CURLE_COULDNT_RESOLVE_HOST ||
                         code == CURLE_URL_MALFORMAT || code == CURLE_OUT_OF_MEMORY;
    if (lasting) return fail(std::move(v), why);
    again(std::move(v), why, milliseconds(0), false);
  }

  // `lasts_with_one`: it may be the fault of this resource alone.
  void again(std::unique_ptr<Visit> v, const std::string& why, milliseconds asked, bool lasts_with_one) {
    if (asked > access_.longest_wait)
      return fail(std::move(v), format("{} and asks to wait {} s", why, asked.count() / 1000));
    if (v->tries >= access_.retries && lasts_with_one && v->step == Step::walk)
      return unread(std::move(v), format("{} ({} tries)", why, v->tries + 1));
    if (v->tries >= access_.retries)
      return fail(std::move(v), v->tries == 0 ? why : format("{} ({} tries)", why, v->tries + 1));
    const milliseconds pause = std::max(asked, access_.back_off * (1 << std::min(v->tries, 10)));
    if (since(v->began) + pause > access_.bmc_timeout)
      return fail(std::move(v), format("{}, and took longer than {} s", why, access_.bmc_timeout.count() / 1000));
    ++v->tries;
    ++totals_.retries;
    waiting_.emplace(Clock::now() + pause, std::move(v));
  }

  void fail(std::unique_ptr<Visit> v, std::string why) {
    v->failure = std::move(why);
    leave(std::move(v));
  }

  void leave(std::unique_ptr<Visit> v) {
    v->redirected.clear();
    if (v->session.empty()) return end(std::move(v));
    v->step = Step::logout;
    ready_.push_front(std::move(v));
  }

  void end(std::unique_ptr<Visit> v) {
    BmcAnswer& answer = answers_[v->number];
    answer.seen = v->walk.take();
    answer.failure = std::move(v->failure);
  }

  // Ends what is on its way and the sessions of all.
  void interrupt() {
    stopping_ = true;
    for (; next_ < bmcs_.size(); ++next_) answers_[next_].failure = "the run was interrupted";
    for (auto* queue : {&ready_}) {
      std::deque<std::unique_ptr<Visit>> all;
      all.swap(*queue);
      for (auto& v : all)
        v->step == Step::logout ? ready_.push_back(std::move(v)) : fail(std::move(v), "the run was interrupted");
    }
    auto waiting = std::move(waiting_);
    waiting_.clear();
    for (auto& [when, v] : waiting) fail(std::move(v), "the run was interrupted");
    std::vector<std::unique_ptr<Transfer>> going;
    for (auto& t : transfers_) {
      // A login that is on its way may have made a session already: its answer is waited for.
      if (t->visit->step == Step::logout || t->visit->step == Step::login) {
        going.push_back(std::move(t));
        continue;
      }
      curl_.multi_remove_handle(multi_, t->easy);
      fail(std::move(t->visit), "the run was interrupted");
      release(*t);
    }
    transfers_ = std::move(going);
  }

  const CurlLibrary& curl_;
  const std::vector<Bmc>& bmcs_;
  const RedfishAccess& access_;
  const std::atomic<bool>& stop_;
  std::vector<BmcAnswer>& answers_;
  RedfishTotals& totals_;
  RedfishParser parser_;
  std::size_t room_;
  CURLM* multi_ = nullptr;
  std::size_t next_ = 0;  // the first BMC that was not begun
  bool stopping_ = false;
  std::vector<std::unique_ptr<Transfer>> transfers_;
  std::vector<CURL*> idle_;
  std::deque<std::unique_ptr<Visit>> ready_;  // for their next request; those under way are in front
  std::multimap<Clock::time_point, std::unique_ptr<Visit>> waiting_;
};

}  // namespace

bool read_bmcs(const std::vector<Bmc>& bmcs, const RedfishAccess& access, const std::atomic<bool>& stop,
               std::vector<BmcAnswer>& answers, RedfishTotals& totals, std::string& error) {
  CurlLibrary curl;
  if (!load_curl(curl, error)) return false;
  answers.assign(bmcs.size(), {});
  Client(curl, bmcs, access, stop, answers, totals).run();
  return true;
}

}  // namespace clusterc
