#include "Web.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum { idle, running, stopping } State;

struct WebHandle {
  CURLM *multi;
  CURL *easy;
  char *authorities;
  long connectMilliseconds;
  long silenceMilliseconds;

  // For the running request.
  struct curl_slist *fields;
  int lacksMemory;
  /// The time of the last transfer of bytes; zero before there is a connection.
  int64_t lastActivity;
  WebReceive receiveLine;
  WebReceive receivePiece;
  void *context;
  int hasRefused;
  char problem[CURL_ERROR_SIZE];

  // Used by all threads.
  _Atomic(State) state;
  atomic_bool isClosed;
  _Atomic int64_t sent;
  _Atomic int64_t received;
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000 + 1;
}

static void initialize(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

WebHandle *webOpen(const char *authorities, long connectMilliseconds, long silenceMilliseconds) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize);
  WebHandle *web = calloc(1, sizeof *web);
  if (!web) return NULL;
  web->multi = curl_multi_init();
  web->easy = curl_easy_init();
  web->authorities = authorities ? strdup(authorities) : NULL;
  web->connectMilliseconds = connectMilliseconds;
  web->silenceMilliseconds = silenceMilliseconds;
  if (!web->multi || !web->easy || (authorities && !web->authorities)) {
    webClose(web);
    return NULL;
  }
  curl_multi_setopt(web->multi, CURLMOPT_MAXCONNECTS, 1L);
  return web;
}

void webClose(WebHandle *web) {
  curl_slist_free_all(web->fields);
  if (web->easy) curl_easy_cleanup(web->easy);
  if (web->multi) curl_multi_cleanup(web->multi);
  free(web->authorities);
  free(web);
}

// MARK: - What the library calls

static size_t receiveLine(const char *line, size_t size, size_t number, void *context) {
  WebHandle *web = context;
  if (web->receiveLine(web->context, (const uint8_t *)line, size * number)) return size * number;
  web->hasRefused = 1;
  return 0;
}

static size_t receivePiece(const char *piece, size_t size, size_t number, void *context) {
  WebHandle *web = context;
  // A result of zero would abort the transfer.
  if (size * number == 0) return 0;
  if (web->receivePiece(web->context, (const uint8_t *)piece, size * number)) return size * number;
  web->hasRefused = 1;
  return 0;
}

/// Counts transferred bytes. The library's own counts include a body twice that is sent together
/// with its header (7.88), and are only known at the end.
static int count(CURL *easy, curl_infotype type, char *bytes, size_t size, void *context) {
  (void)easy;
  (void)bytes;
  WebHandle *web = context;
  switch (type) {
    case CURLINFO_HEADER_OUT:
    case CURLINFO_DATA_OUT: atomic_fetch_add(&web->sent, (int64_t)size); break;
    case CURLINFO_HEADER_IN:
    case CURLINFO_DATA_IN: atomic_fetch_add(&web->received, (int64_t)size); break;
    default: return 0;
  }
  web->lastActivity = now();
  return 0;
}

// MARK: - A request

WebOutcome webBegin(WebHandle *web, const char *url, int isLocal, int allowsHTTP, long milliseconds) {
  if (atomic_load(&web->isClosed)) return webStopped;
  State before = idle;
  if (!atomic_compare_exchange_strong(&web->state, &before, running)) return webBusy;
  web->lacksMemory = 0;
  web->lastActivity = 0;
  web->hasRefused = 0;
  web->problem[0] = 0;
  CURL *easy = web->easy;
  curl_easy_reset(easy);
  if (curl_easy_setopt(easy, CURLOPT_URL, url) != CURLE_OK) web->lacksMemory = 1;
  // Otherwise the library would resolve ".." itself.
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, allowsHTTP ? "http,https" : "https");
  if (isLocal) curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Later HTTP versions have no advantage with one request at a time.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (web->authorities) {
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    if (curl_easy_setopt(easy, CURLOPT_CAINFO, web->authorities) != CURLE_OK) web->lacksMemory = 1;
  }
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, web->connectMilliseconds);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds);
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  // Signals would affect the whole process, and this is only one of its threads.
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  // A slow name lookup does not delay the caller that stops the request.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receiveLine);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, web);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receivePiece);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, web);
  curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, count);
  curl_easy_setopt(easy, CURLOPT_DEBUGDATA, web);
  curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, web->problem);
  return webAnswered;
}

void webAddField(WebHandle *web, const char *line) {
  struct curl_slist *fields = curl_slist_append(web->fields, line);
  if (fields) web->fields = fields;
  else web->lacksMemory = 1;
}

static void setBody(WebHandle *web, const char *method, const uint8_t *body, size_t count) {
  CURL *easy = web->easy;
  if (body) {
    // The library reads the bytes from here, and sends a short body together with the header.
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
  } else if (strcmp(method, "HEAD") == 0) {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

/// Whether a handshake failed because of a lost connection, which the library's code does not show.
static int wasLost(const char *problem) {
  return strstr(problem, "SSL_connect:") || strstr(problem, "Recv failure") || strstr(problem, "Send failure") ||
         strstr(problem, "unexpected eof");
}

static WebOutcome outcome(const WebHandle *web, CURLcode code) {
  if (web->hasRefused) return webRefused;
  switch (code) {
    case CURLE_OK: return webAnswered;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
    case CURLE_COULDNT_CONNECT: return webUnreachable;
    case CURLE_OPERATION_TIMEDOUT: return web->lastActivity == 0 ? webUnreachable : webTimedOut;
    case CURLE_SSL_CONNECT_ERROR: return wasLost(web->problem) ? webUnreachable : webUntrusted;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return webUntrusted;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE: return webInterrupted;
    default: return webFailed;
  }
}

/// The remaining milliseconds until the silence timeout.
static int64_t remainingSilence(const WebHandle *web) {
  return web->lastActivity == 0 ? INT32_MAX : web->lastActivity + web->silenceMilliseconds - now();
}

/// Runs the library until the request is over.
static WebOutcome wait(WebHandle *web) {
  while (1) {
    int unfinished = 0;
    CURLMcode failure = curl_multi_perform(web->multi, &unfinished);
    if (!failure && !unfinished) {
      int left = 0;
      CURLMsg *message = curl_multi_info_read(web->multi, &left);
      CURLcode code = message && message->msg == CURLMSG_DONE ? message->data.result : CURLE_FAILED_INIT;
      if (code != CURLE_OK && !web->problem[0])
        snprintf(web->problem, sizeof web->problem, "%s", curl_easy_strerror(code));
      return outcome(web, code);
    }
    if (atomic_load(&web->state) == stopping || atomic_load(&web->isClosed)) return webStopped;
    int64_t rest = remainingSilence(web);
    if (rest <= 0) return webSilent;
    // `webStop` interrupts the poll, so its timeout is only a second safeguard.
    if (!failure) failure = curl_multi_poll(web->multi, NULL, 0, rest < 1000 ? (int)rest : 1000, NULL);
    if (failure) {
      snprintf(web->problem, sizeof web->problem, "%s", curl_multi_strerror(failure));
      return webFailed;
    }
  }
}

WebOutcome webRun(WebHandle *web, const char *method, const uint8_t *body, size_t count, WebReceive receiveLine,
                  WebReceive receivePiece, void *context) {
  web->receiveLine = receiveLine;
  web->receivePiece = receivePiece;
  web->context = context;
  // Sends the body without waiting for "100 Continue".
  if (body) webAddField(web, "Expect:");
  setBody(web, method, body, count);
  curl_easy_setopt(web->easy, CURLOPT_HTTPHEADER, web->fields);
  WebOutcome result = webFailed;
  if (web->lacksMemory || curl_multi_add_handle(web->multi, web->easy)) {
    snprintf(web->problem, sizeof web->problem, "out of memory");
  } else {
    result = wait(web);
    // Closes the connection if its response is incomplete.
    curl_multi_remove_handle(web->multi, web->easy);
  }
  curl_easy_setopt(web->easy, CURLOPT_HTTPHEADER, NULL);
  curl_slist_free_all(web->fields);
  web->fields = NULL;
  return result;
}

void webFinish(WebHandle *web) { atomic_store(&web->state, idle); }

long webStatus(const WebHandle *web) {
  long status = 0;
  curl_easy_getinfo(web->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

const char *webProblem(const WebHandle *web) { return web->problem; }

// MARK: - From any thread

void webStop(WebHandle *web, int forGood) {
  if (forGood) atomic_store(&web->isClosed, true);
  State before = running;
  if (atomic_compare_exchange_strong(&web->state, &before, stopping)) curl_multi_wakeup(web->multi);
}

void webTraffic(const WebHandle *web, int64_t *sent, int64_t *received) {
  *sent = atomic_load(&web->sent);
  *received = atomic_load(&web->received);
}
