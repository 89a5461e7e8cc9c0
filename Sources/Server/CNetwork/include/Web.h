// Requests to servers by libcurl, whose variadic functions Swift cannot call.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A connection to a server that stays open between requests. It makes one request at a time;
/// `webStop` and `webTraffic` may be called from any thread meanwhile.
typedef struct WebHandle WebHandle;

/// The result of a request.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// A complete response was received.
  webAnswered,
  /// No connection could be made, so nothing was sent.
  webUnreachable,
  /// The server's certificate is not trusted, or it does not speak TLS.
  webUntrusted,
  webTimedOut,
  /// Nothing was sent or received for too long.
  webSilent,
  /// The connection was lost before the end of the response.
  webInterrupted,
  /// A receiving function has returned 0.
  webRefused,
  /// `webStop` was called.
  webStopped,
  /// Another request is running.
  webBusy,
  webFailed,
} WebOutcome;

/// Receives a line of the header or a piece of the body. Return 0 to receive nothing else.
typedef int (*WebReceive)(void *context, const uint8_t *bytes, size_t count);

/// A handle that trusts the system's certificate authorities, or only those of a PEM file. Null
/// without memory.
WebHandle *_Nullable webOpen(const char *_Nullable authorities, long connectMilliseconds, long silenceMilliseconds);
void webClose(WebHandle *web);

/// Begins a request. If the outcome is `webAnswered`, `webRun` and `webFinish` must follow. With
/// `isLocal`, no proxy is used; without TLS only if `allowsHTTP`. Zero milliseconds mean no limit.
WebOutcome webBegin(WebHandle *web, const char *url, int isLocal, int allowsHTTP, long milliseconds);
/// Adds a line "name: value", or "name;" if it has no value.
void webAddField(WebHandle *web, const char *line);
/// Sends the request and receives the response; redirects are not followed. The method is in upper
/// case.
WebOutcome webRun(WebHandle *web, const char *method, const uint8_t *_Nullable body, size_t count,
                  WebReceive receiveLine, WebReceive receivePiece, void *context);

/// The status of the response, valid from its first piece on.
long webStatus(const WebHandle *web);
/// The reason of a failure, as text; it may be empty.
const char *webProblem(const WebHandle *web);
/// Ends this request, so that the next one can begin.
void webFinish(WebHandle *web);

/// Aborts the running request, and all later ones if `forGood`.
void webStop(WebHandle *web, int forGood);
/// The bytes of all requests and responses so far, without the overhead of TLS.
void webTraffic(const WebHandle *web, int64_t *sent, int64_t *received);

#pragma clang assume_nonnull end
