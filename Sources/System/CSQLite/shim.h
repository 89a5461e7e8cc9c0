#include <sqlite3.h>

/// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value.
static inline sqlite3_destructor_type sqliteCopiesValue(void) { return SQLITE_TRANSIENT; }

/// Nothing that a database file says is run: no views, no triggers, no functions of its schema. Swift cannot call
/// functions with a variable number of arguments.
static inline void sqliteDistrusts(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, 0);
}
