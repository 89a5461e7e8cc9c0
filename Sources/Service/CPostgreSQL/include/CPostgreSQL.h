#pragma once

#include <postgresql/libpq-fe.h>

/// Ignores the server's notices, which are for people at a terminal.
static inline void pqIgnoresNotice(void *argument, const PGresult *result) {}
static inline void pqIgnoresNotices(PGconn *connection) {
  PQsetNoticeReceiver(connection, pqIgnoresNotice, 0);
}
