// The variadic functions of libmicrohttpd, which Swift cannot call.
#pragma once

#include <microhttpd.h>
#include <stdint.h>

/// The parameters of a server.
typedef struct {
  unsigned threads;
  unsigned connectionLimit;
  /// The time without any byte after which a connection is closed.
  unsigned idleSeconds;
  /// A certificate chain and its key as PEM text, valid until the server stops; null for no TLS.
  const char *_Nullable certificate;
  const char *_Nullable key;
  /// The first argument of all functions below.
  void *_Nullable context;
  void *_Nullable (*_Nonnull begun)(void *_Nullable context, const char *_Nonnull target,
                                    struct MHD_Connection *_Nonnull connection);
  MHD_AccessHandlerCallback _Nonnull handle;
  MHD_RequestCompletedCallback _Nonnull completed;
  MHD_NotifyConnectionCallback _Nonnull connected;
} HTTPDaemonSettings;

/// Starts a server that gets its connections from `MHD_add_connection`; null if that fails. If the
/// library cannot continue, it prints a message to standard error and ends the program.
struct MHD_Daemon *_Nullable httpDaemonStart(const HTTPDaemonSettings *_Nonnull settings);

/// Accepts the next connection at a listening socket and writes its client's address into `size`
/// bytes; -1 if none waits.
int acceptClient(int socket, void *_Nonnull address, unsigned size);

/// Limits the number of heaps that threads share. The default is eight per processor; each keeps
/// the memory of past requests, in all 180 MB instead of 140 MB. Also returns large freed blocks to
/// the system, however large the largest was: by default the C library keeps up to 32 MB of each.
void heapSuitsManyThreads(int heapCount);
/// Returns all unused pages to the system.
void heapGiveBack(void);

/// The socket of a connection.
int httpConnectionSocket(struct MHD_Connection *_Nonnull connection);
/// The value that `connected` has stored for a connection.
void *_Nullable httpConnectionContext(struct MHD_Connection *_Nonnull connection);
/// Disables the idle timeout of a connection.
void httpConnectionNeverIdle(struct MHD_Connection *_Nonnull connection);

/// The number of bytes that a client has not acknowledged, and of those that it has acknowledged
/// since it connected; -1 for a closed socket.
int socketUnreadBytes(int socket, int64_t *_Nonnull acknowledged);
