public import System

/// Why a journal's file could not be written, read or replaced.
public typealias PKDFileError = FileError
