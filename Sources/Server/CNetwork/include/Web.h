// Requests to servers by libcurl, whose functions Swift cannot call because they are variadic.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A connection to a server that stays open between requests. It makes one request at a time; `webStop` and
/// `webTraffic` may be called from any thread meanwhile.
typedef struct WebHandle WebHandle;

/// How a request has ended.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// With a complete answer.
  webAnswered,
  /// There was no connection, so nothing was sent.
  webUnreachable,
  /// The server's certificate is not trusted, or it does not speak TLS.
  webUntrusted,
  webTimedOut,
  /// Nothing was sent or received for too long.
  webSilent,
  /// The connection was lost before the end of the answer.
  webInterrupted,
  /// A function that receives has returned false.
  webRefused,
  /// `webStop` was called.
  webStopped,
  /// Another request is running.
  webBusy,
  webFailed,
} WebOutcome;

/// Takes a line of a header or a piece of a body. Nothing else is received once it has returned 0.
typedef int (*WebReceive)(void *context, const uint8_t *bytes, size_t count);

/// A handle that trusts the authorities of the system, or those of a PEM file instead. Null without memory.
WebHandle *_Nullable webOpen(const char *_Nullable authorities, long connectMilliseconds, long silenceMilliseconds);
void webClose(WebHandle *web);

/// Begins a request; if the outcome is `webAnswered`, `webRun` and `webFinish` must follow. To a server on this machine no
/// proxy leads; without TLS only if that is allowed. Zero milliseconds are no limit.
WebOutcome webBegin(WebHandle *web, const char *url, int isLocal, int allowsHTTP, long milliseconds);
/// Adds a line "name: value", or "name;" if it has no value.
void webAddField(WebHandle *web, const char *line);
/// Sends the request and receives the answer, as it is: redirects are not followed. The method is in upper case.
WebOutcome webRun(WebHandle *web, const char *method, const uint8_t *_Nullable body, size_t count,
                  WebReceive receiveLine, WebReceive receivePiece, void *context);

/// The status of the answer, from its first piece on.
long webStatus(const WebHandle *web);
/// Why the request has failed, as text; it may be empty.
const char *webProblem(const WebHandle *web);
/// Allows the next request.
void webFinish(WebHandle *web);

/// Ends the request that runs, and all later ones if `forGood`.
void webStop(WebHandle *web, int forGood);
/// The bytes of all requests and answers so far, without those of TLS.
void webTraffic(const WebHandle *web, int64_t *sent, int64_t *received);

#pragma clang assume_nonnull end
