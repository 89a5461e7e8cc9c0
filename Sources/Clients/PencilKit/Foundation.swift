// `import PencilKit` brings Foundation along on Apple's systems, and so it does here.
@_exported public import Foundation
