#include <sqlite3.h>

/// `SQLITE_TRANSIENT`, a macro that Swift does not import: SQLite copies the value.
static inline sqlite3_destructor_type sqliteCopiesValue(void) { return SQLITE_TRANSIENT; }
