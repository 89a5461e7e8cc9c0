#ifndef CSQLITE_H
#define CSQLITE_H

#include <stddef.h>
#include <stdint.h>

// SQLite, loaded at run time: most commands need no database, and linking the library would add most of a
// millisecond to each start. Names, values and meanings are those of SQLite, whose interface never changes
// them.

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_backup sqlite3_backup;

/// Loads the library at the first call. Returns whether it was found; if not, no other function may be
/// called.
int32_t sqliteIsPresent(void);

enum {
  SQLiteOK = 0,
  SQLiteBusy = 5,
  SQLiteLocked = 6,
  SQLiteReadOnly = 8,
  SQLiteIOError = 10,
  SQLiteCorrupt = 11,
  SQLiteFull = 13,
  SQLiteCannotOpen = 14,
  SQLiteNotADatabase = 26,
  SQLiteRow = 100,
  SQLiteDone = 101,
};

enum {
  SQLiteOpenReadOnly = 0x1,
  SQLiteOpenReadWrite = 0x2,
  SQLiteOpenCreate = 0x4,
  SQLiteOpenURI = 0x40,
  SQLiteOpenNoMutex = 0x8000,
  SQLiteOpenNoFollow = 0x1000000,
  SQLiteOpenExtendedCodes = 0x2000000,
};

int32_t sqliteOpen(const char *path, sqlite3 **database, int32_t flags);
int32_t sqliteClose(sqlite3 *database);
const char *sqliteMessage(sqlite3 *database);
int32_t sqliteSystemError(sqlite3 *database);
/// Sets how long calls wait for a lock before they return SQLiteBusy.
int32_t sqliteSetBusyTimeout(sqlite3 *database, int32_t milliseconds);
int32_t sqliteRun(sqlite3 *database, const char *text);
/// Prepares a statement that will be used many times.
int32_t sqlitePrepare(sqlite3 *database, const char *text, sqlite3_stmt **statement);
int32_t sqliteStep(sqlite3_stmt *statement);
int32_t sqliteReset(sqlite3_stmt *statement);
void sqliteFinalize(sqlite3_stmt *statement);
/// The sqliteBind functions copy the value.
int32_t sqliteBindInteger(sqlite3_stmt *statement, int32_t parameter, int64_t value);
int32_t sqliteBindBytes(
    sqlite3_stmt *statement, int32_t parameter, const void *bytes, int64_t count);
int32_t sqliteBindText(
    sqlite3_stmt *statement, int32_t parameter, const char *bytes, int64_t count);
int32_t sqliteBindNull(sqlite3_stmt *statement, int32_t parameter);
int64_t sqliteInteger(sqlite3_stmt *statement, int32_t column);
/// The bytes of a text or blob, valid until the next step; NULL for SQL's NULL.
const void *sqliteBytes(sqlite3_stmt *statement, int32_t column, int32_t *count);
int32_t sqliteIsNull(sqlite3_stmt *statement, int32_t column);
int64_t sqliteLastRow(sqlite3 *database);
/// Copies a snapshot of a whole database over another one.
int32_t sqliteCopy(sqlite3 *from, sqlite3 *to);

#endif
