// Requests to other servers by libcurl, whose functions Swift cannot call because they are variadic.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What another server answered. The memory is the caller's, for `webAnswerFree`.
typedef struct {
  /// The status; 0 if there was no complete answer.
  long status;
  uint8_t *_Nullable body;
  size_t bodyCount;
  /// The lines of the header.
  uint8_t *_Nullable header;
  size_t headerCount;
  /// Why there is no answer, as text.
  char problem[256];
} WebAnswer;

/// Asks for an address and waits for the answer. Only HTTPS, or HTTP if `allowsHTTP`; never follows redirects, and
/// ends at a body larger than the limit or when the time is over.
void webGet(const char *_Nonnull url, int allowsHTTP, size_t limit, long milliseconds, WebAnswer *_Nonnull answer);
void webAnswerFree(WebAnswer *_Nonnull answer);
