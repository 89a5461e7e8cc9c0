import Commands
import SharedStorage

// What `pkd` becomes for services in databases and buckets: the same commands, and the libraries that reach these. They
// cannot be linked statically, and every other command would pay for loading them.

runCommand(
  ServiceOpener { place, purpose, reportSkipped in
    try place.open(for: purpose, reportSkipped: reportSkipped)
  } openBlobs: { address in
    try SharedBlobs.open(address)
  })
