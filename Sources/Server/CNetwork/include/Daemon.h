// The variadic functions of libmicrohttpd, which Swift cannot call.
#pragma once

#include <microhttpd.h>
#include <stdint.h>

/// What a server is started with.
typedef struct {
  unsigned threads;
  unsigned connectionLimit;
  /// After how many seconds without any byte a connection is closed.
  unsigned idleSeconds;
  /// A certificate chain and its key as PEM text, which stay valid until the server stops; null for no TLS.
  const char *_Nullable certificate;
  const char *_Nullable key;
  /// The handed-over context of all functions below.
  void *_Nullable context;
  void *_Nullable (*_Nonnull begun)(void *_Nullable context, const char *_Nonnull target,
                                    struct MHD_Connection *_Nonnull connection);
  MHD_AccessHandlerCallback _Nonnull handle;
  MHD_RequestCompletedCallback _Nonnull completed;
  MHD_NotifyConnectionCallback _Nonnull connected;
} HTTPDaemonSettings;

/// Starts a server that gets its connections by `MHD_add_connection`; null if that fails. When the library cannot go on, it
/// says so on the standard error and ends the program.
struct MHD_Daemon *_Nullable httpDaemonStart(const HTTPDaemonSettings *_Nonnull settings);

/// Accepts the next connection at a listening socket and writes its client's address into `size` bytes; -1 if none waits.
int acceptClient(int socket, void *_Nonnull address, unsigned size);

/// Lets threads share some heaps: otherwise eight for each processor, which each keep what one request needed, took 180 MB
/// instead of 140. Gives large blocks of memory back to the system when they are freed, however large the largest was:
/// the C library would keep up to 32 MB of each.
void heapSuitsManyThreads(int heapCount);
/// Gives all pages that hold nothing back to the system.
void heapGiveBack(void);

/// The socket of a connection.
int httpConnectionSocket(struct MHD_Connection *_Nonnull connection);
/// What `connected` has stored for a connection.
void *_Nullable httpConnectionContext(struct MHD_Connection *_Nonnull connection);
/// Lets a connection live without any byte for ever.
void httpConnectionNeverIdle(struct MHD_Connection *_Nonnull connection);

/// The bytes that a client has not read yet, and how many it has read since it connected; -1 for a closed socket.
int socketUnreadBytes(int socket, int64_t *_Nonnull acknowledged);
