import Foundation
import TestSupport
import Testing

/// The pages of a real server in a real browser. One test at a time, as they wait for what happens in a browser; their parts
/// lie in files of their own.
@Suite(.serialized, .enabled(if: HTMLBrowser.isPresent, Comment(rawValue: HTMLBrowser.absence)))
struct PageTests {}
