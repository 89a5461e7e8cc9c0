#include "CWebFiles.h"

// The directive is younger than the language that packages are compiled as.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define ROW(bytes, name) {name, bytes, sizeof bytes}
