#include "CVersion.h"

// Here and not in Swift, so that another commit compiles this file alone.
#ifndef PKD_COMMIT
#define PKD_COMMIT ""
#endif

const char *versionCommit(void) { return PKD_COMMIT; }
