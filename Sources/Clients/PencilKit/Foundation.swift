// `import PencilKit` re-exports Foundation, as on Apple's systems.
@_exported public import Foundation
