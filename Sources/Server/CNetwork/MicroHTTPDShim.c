#define _GNU_SOURCE
#include "Daemon.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Only later headers declare it; it is the number of an option.
enum { clientDisciplineLevel = 38, firstVersionWithDiscipline = 0x00097701 };

/// The version in the form of `MHD_VERSION`: two digits per part.
static unsigned long loadedVersion(void) {
  unsigned long version = 0;
  for (const char *text = MHD_get_version(); *text; text++) {
    unsigned long part = 0;
    while (*text >= '0' && *text <= '9') part = part * 10 + (unsigned long)(*text++ - '0');
    version = version << 8 | ((part / 10) << 4 | part % 10);
    if (*text == 0) break;
  }
  return version << 8;
}

/// Keeps target and query encoded: this program decodes them once.
static size_t keepEncoded(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

/// Called by the library when it cannot continue. Its message only contains a file and a line of
/// the library, so an operator would not know which program has ended.
static void endProgram(void *context, const char *file, unsigned line, const char *reason) {
  (void)context;
  const char *name = file ? strrchr(file, '/') : NULL;
  int length = reason ? (int)strcspn(reason, "\n") : 0;
  dprintf(STDERR_FILENO, "pkd: the HTTP library cannot go on, so the program ends: %.*s (libmicrohttpd %s, %s:%u)\n",
          length, reason ? reason : "", MHD_get_version(), name ? name + 1 : file ? file : "", line);
  abort();
}

struct MHD_Daemon *httpDaemonStart(const HTTPDaemonSettings *settings) {
  MHD_set_panic_func(endProgram, NULL);
  int hasDiscipline = loadedVersion() >= firstVersionWithDiscipline;
  struct MHD_OptionItem options[] = {
    {MHD_OPTION_THREAD_POOL_SIZE, settings->threads, NULL},
    {MHD_OPTION_CONNECTION_LIMIT, settings->connectionLimit, NULL},
    {MHD_OPTION_CONNECTION_TIMEOUT, settings->idleSeconds, NULL},
    {MHD_OPTION_CONNECTION_MEMORY_LIMIT, 32 * 1024, NULL},
    {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)settings->begun, settings->context},
    {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keepEncoded, NULL},
    {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)settings->completed, settings->context},
    {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)settings->connected, settings->context},
    {hasDiscipline ? (enum MHD_OPTION)clientDisciplineLevel : MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
    {settings->certificate ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END, 0,
     (void *)settings->certificate},
    {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
    {MHD_OPTION_HTTPS_PRIORITIES, 0,
     "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"},
    {MHD_OPTION_END, 0, NULL},
  };
  unsigned flags =
    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET;
  if (settings->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(flags, 0, NULL, NULL, settings->handle, settings->context,
                          MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

int acceptClient(int socket, void *address, unsigned size) {
  socklen_t room = size;
  return accept4(socket, address, &room, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void heapSuitsManyThreads(int heapCount) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_ARENA_MAX, heapCount);
}

void heapGiveBack(void) { malloc_trim(0); }

int httpConnectionSocket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

void *httpConnectionContext(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

void httpConnectionNeverIdle(struct MHD_Connection *connection) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
}
