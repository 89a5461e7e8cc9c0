#include "CSQLite.h"

#include <dlfcn.h>
#include <pthread.h>

// The functions to load: result, name without "sqlite3_", parameters.
#define FUNCTIONS(X)                                                                        \
  X(int, open_v2, (const char *, sqlite3 **, int, const char *))                            \
  X(int, close_v2, (sqlite3 *))                                                             \
  X(const char *, errmsg, (sqlite3 *))                                                      \
  X(int, system_errno, (sqlite3 *))                                                         \
  X(int, busy_timeout, (sqlite3 *, int))                                                    \
  X(int, exec, (sqlite3 *, const char *, void *, void *, char **))                          \
  X(int, prepare_v3, (sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **)) \
  X(int, step, (sqlite3_stmt *))                                                            \
  X(int, reset, (sqlite3_stmt *))                                                           \
  X(int, finalize, (sqlite3_stmt *))                                                        \
  X(int, bind_int64, (sqlite3_stmt *, int, int64_t))                                        \
  X(int, bind_blob64, (sqlite3_stmt *, int, const void *, uint64_t, void *))                \
  X(int, bind_text64, (sqlite3_stmt *, int, const char *, uint64_t, void *, unsigned char)) \
  X(int, bind_null, (sqlite3_stmt *, int))                                                  \
  X(int64_t, column_int64, (sqlite3_stmt *, int))                                           \
  X(const void *, column_blob, (sqlite3_stmt *, int))                                       \
  X(int, column_bytes, (sqlite3_stmt *, int))                                               \
  X(int, column_type, (sqlite3_stmt *, int))                                                \
  X(int64_t, last_insert_rowid, (sqlite3 *))                                                \
  X(sqlite3_backup *, backup_init, (sqlite3 *, const char *, sqlite3 *, const char *))      \
  X(int, backup_step, (sqlite3_backup *, int))                                              \
  X(int, backup_finish, (sqlite3_backup *))

static struct {
#define FIELD(result, name, parameters) result(*name) parameters;
  FUNCTIONS(FIELD)
} sqlite;

static int32_t isLoaded;

static void loadLibrary(void) {
  void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen("libsqlite3.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  int32_t hasAll = 1;
#define FIND(result, name, parameters)                             \
  sqlite.name = (result(*) parameters)dlsym(library, "sqlite3_" #name); \
  hasAll &= sqlite.name != 0;
  FUNCTIONS(FIND)
  isLoaded = hasAll;
}

int32_t sqliteIsPresent(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, loadLibrary);
  return isLoaded;
}

// SQLITE_TRANSIENT: SQLite copies the value.
static void *const transient = (void *)-1;
enum { isPersistent = 1, isUTF8 = 1, isNull = 5 };

int32_t sqliteOpen(const char *path, sqlite3 **database, int32_t flags) {
  return sqlite.open_v2(path, database, flags, 0);
}
int32_t sqliteClose(sqlite3 *database) { return sqlite.close_v2(database); }
const char *sqliteMessage(sqlite3 *database) { return sqlite.errmsg(database); }
int32_t sqliteSystemError(sqlite3 *database) { return sqlite.system_errno(database); }
int32_t sqliteSetBusyTimeout(sqlite3 *database, int32_t milliseconds) {
  return sqlite.busy_timeout(database, milliseconds);
}
int32_t sqliteRun(sqlite3 *database, const char *text) {
  return sqlite.exec(database, text, 0, 0, 0);
}
int32_t sqlitePrepare(sqlite3 *database, const char *text, sqlite3_stmt **statement) {
  return sqlite.prepare_v3(database, text, -1, isPersistent, statement, 0);
}
int32_t sqliteStep(sqlite3_stmt *statement) { return sqlite.step(statement); }
int32_t sqliteReset(sqlite3_stmt *statement) { return sqlite.reset(statement); }
void sqliteFinalize(sqlite3_stmt *statement) { sqlite.finalize(statement); }
int32_t sqliteBindInteger(sqlite3_stmt *statement, int32_t parameter, int64_t value) {
  return sqlite.bind_int64(statement, parameter, value);
}
int32_t sqliteBindBytes(
    sqlite3_stmt *statement, int32_t parameter, const void *bytes, int64_t count) {
  // A null pointer would bind NULL instead of an empty blob.
  return sqlite.bind_blob64(statement, parameter, count ? bytes : "", (uint64_t)count, transient);
}
int32_t sqliteBindText(
    sqlite3_stmt *statement, int32_t parameter, const char *bytes, int64_t count) {
  return sqlite.bind_text64(
      statement, parameter, count ? bytes : "", (uint64_t)count, transient, isUTF8);
}
int32_t sqliteBindNull(sqlite3_stmt *statement, int32_t parameter) {
  return sqlite.bind_null(statement, parameter);
}
int64_t sqliteInteger(sqlite3_stmt *statement, int32_t column) {
  return sqlite.column_int64(statement, column);
}
const void *sqliteBytes(sqlite3_stmt *statement, int32_t column, int32_t *count) {
  const void *bytes = sqlite.column_blob(statement, column);
  *count = sqlite.column_bytes(statement, column);
  return bytes;
}
int32_t sqliteIsNull(sqlite3_stmt *statement, int32_t column) {
  return sqlite.column_type(statement, column) == isNull;
}
int64_t sqliteLastRow(sqlite3 *database) { return sqlite.last_insert_rowid(database); }

int32_t sqliteCopy(sqlite3 *from, sqlite3 *to) {
  sqlite3_backup *copy = sqlite.backup_init(to, "main", from, "main");
  if (!copy) return SQLiteIOError;
  const int32_t code = sqlite.backup_step(copy, -1);
  const int32_t end = sqlite.backup_finish(copy);
  return code == SQLiteDone ? end : code;
}
