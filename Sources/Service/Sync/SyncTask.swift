package import DrawingServices

/// A task of synchronization, from a command or an app: for one device and one other place.
package struct SyncTask: Sendable {
  package var application: Application
  /// The folder of the service on this device.
  package var root = "./pentimento-data"
  /// The other place: the address of a server, or a folder.
  package var remote = ""
  package var uid = ""
  /// The token with which the device signs in at a server, or the file that has it.
  package var token = ""
  package var tokenFile = ""
  /// A file of the authorities to trust instead of the system's.
  package var certificates = ""
  package var settings = SyncSettings()
  /// Whether to go on and send every change as soon as it is made.
  package var watches = false
  /// Whether results are printed as JSON.
  package var printsJSON = false
  /// Whether a line of JSON is printed for each change.
  package var tellsEvents = false
  /// Whether what was refused is tried again.
  package var retries = false
  package var isQuiet = false
  /// Whether all entries are deleted, here and there.
  package var deletesEverything = false

  package init(_ application: Application) { self.application = application }

  /// Whether the other place is a server.
  package var isServer: Bool { remote.contains("://") }
}
