package import DrawingServices

/// A command's or app's synchronization task, for one device and one other place.
package struct SyncTask: Sendable {
  package var application: Application
  /// The folder of the service on this device.
  package var root = "./pentimento-data"
  /// The other place: a server's URL, or a folder.
  package var remote = ""
  package var uid = ""
  /// The token for signing in at a server, or the file that contains it.
  package var token = ""
  package var tokenFile = ""
  /// A file of certificate authorities that replace the system's.
  package var certificates = ""
  package var settings = SyncSettings()
  /// Whether to keep running and to send every change immediately.
  package var watches = false
  /// Whether results are printed as JSON.
  package var printsJSON = false
  /// Whether a line of JSON is printed for each change.
  package var tellsEvents = false
  /// Whether refused changes are tried again.
  package var retries = false
  package var isQuiet = false
  /// Whether all entries are deleted, here and at the other place.
  package var deletesEverything = false

  package init(_ application: Application) { self.application = application }

  /// Whether the other place is a server.
  package var isServer: Bool { remote.contains("://") }
}
