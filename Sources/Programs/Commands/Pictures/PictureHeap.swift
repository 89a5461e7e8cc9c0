import CSystem

/// Prepares the heap of a process that draws pictures, before it opens a file.
func useHeapOfPictures() { heapUseHugePages(64 << 20) }

/// Shares that heap among the threads of one picture: new memory would take longer to touch than
/// they save. Threads that draw a picture each are slower with it.
func shareHeapOfPictures() { heapUseOneArena() }
