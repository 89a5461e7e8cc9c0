#include "CCurlShim.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t **bytes;
  size_t *count;
  size_t limit;
} Growing;

static size_t append(const char *piece, size_t size, size_t number, void *context) {
  Growing *growing = context;
  size_t count = size * number;
  if (count > growing->limit - *growing->count) return 0;
  uint8_t *bytes = realloc(*growing->bytes, *growing->count + count + 1);
  if (!bytes) return 0;
  memcpy(bytes + *growing->count, piece, count);
  *growing->bytes = bytes;
  *growing->count += count;
  return count;
}

static void initialize(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

void webGet(const char *url, int allowsHTTP, size_t limit, long milliseconds, WebAnswer *answer) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize);
  memset(answer, 0, sizeof *answer);
  CURL *curl = curl_easy_init();
  if (!curl) {
    snprintf(answer->problem, sizeof answer->problem, "no memory");
    return;
  }
  Growing body = {&answer->body, &answer->bodyCount, limit};
  Growing header = {&answer->header, &answer->headerCount, 1 << 16};
  char problem[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, allowsHTTP ? "http,https" : "https");
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, milliseconds);
  // Signals are for the whole process, and this is one of its threads.
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, append);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &header);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
  CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) {
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer->status);
  } else {
    snprintf(answer->problem, sizeof answer->problem, "%s",
             code == CURLE_WRITE_ERROR ? "the answer is too large" : *problem ? problem : curl_easy_strerror(code));
  }
  curl_easy_cleanup(curl);
}

void webAnswerFree(WebAnswer *answer) {
  free(answer->body);
  free(answer->header);
}
