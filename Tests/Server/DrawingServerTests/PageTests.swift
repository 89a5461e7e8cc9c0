import Foundation
import TestSupport
import Testing

/// The pages of a real server in a real browser. The tests run one at a time, because they wait for
/// events in a browser; their suites are in other files.
@Suite(.serialized, .enabled(if: HTMLBrowser.isPresent, Comment(rawValue: HTMLBrowser.absence)))
struct PageTests {}
