import CSystem

/// Prepares the heap of a process that draws pictures, before it opens a file.
func useHeapOfPictures() { heapUseHugePages(64 << 20) }
