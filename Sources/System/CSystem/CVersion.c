#include "CVersion.h"

// Here and not in Swift, so that another commit compiles this file alone.
#ifndef BUILD_COMMIT
#define BUILD_COMMIT ""
#endif

const char *versionCommit(void) { return BUILD_COMMIT; }
