#ifndef CSQLITE_H
#define CSQLITE_H

#include <stddef.h>
#include <stdint.h>

// SQLite, looked for while the program runs: most commands need no database, and linking to it would
// make each start most of a millisecond later. The names are SQLite's own, and so are the meanings; what
// is declared here its interface fixes for good.

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_backup sqlite3_backup;

/// Whether SQLite is there. Nothing else may be called before it was found.
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
int32_t sqliteWaitWhileBusy(sqlite3 *database, int32_t milliseconds);
int32_t sqliteRun(sqlite3 *database, const char *text);
/// A statement that is kept for long.
int32_t sqlitePrepare(sqlite3 *database, const char *text, sqlite3_stmt **statement);
int32_t sqliteStep(sqlite3_stmt *statement);
int32_t sqliteReset(sqlite3_stmt *statement);
void sqliteFinalize(sqlite3_stmt *statement);
/// Values are copied.
int32_t sqliteBindInteger(sqlite3_stmt *statement, int32_t place, int64_t value);
int32_t sqliteBindBytes(
    sqlite3_stmt *statement, int32_t place, const void *bytes, int64_t count);
int32_t sqliteBindText(
    sqlite3_stmt *statement, int32_t place, const char *bytes, int64_t count);
int32_t sqliteBindNull(sqlite3_stmt *statement, int32_t place);
int64_t sqliteInteger(sqlite3_stmt *statement, int32_t column);
/// The bytes of a value, text or not, until the next step; NULL for none.
const void *sqliteBytes(sqlite3_stmt *statement, int32_t column, int32_t *count);
int32_t sqliteIsNull(sqlite3_stmt *statement, int32_t column);
int64_t sqliteLastRow(sqlite3 *database);
/// Copies a whole database into another, as it is at one moment.
int32_t sqliteCopy(sqlite3 *from, sqlite3 *to);

#endif
