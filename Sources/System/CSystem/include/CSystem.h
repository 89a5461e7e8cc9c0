// Functions that cannot be written in Swift.
#pragma once

#include "CChecksums.h"
#include "CFileSystem.h"
#include "CInstructions.h"
#include "CLateLibrary.h"
#include "CMemory.h"
#include "CThreads.h"
#include "CVersion.h"
