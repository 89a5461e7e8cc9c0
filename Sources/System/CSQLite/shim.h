#include <sqlite3.h>

/// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value.
static inline sqlite3_destructor_type sqliteCopiesValue(void) { return SQLITE_TRANSIENT; }

/// Disables all code in a database file: views, triggers and functions of its schema. In C, because
/// Swift cannot call functions with a variable number of arguments.
static inline void sqliteDistrusts(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, 0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, 0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, 0);
}
