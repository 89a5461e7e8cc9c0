import Graphics
import PencilKitArchive
import Strokes

/// The ink of a stroke: a kind and a colour.
public struct PKInk: Sendable {
  /// The kinds of ink.
  public typealias InkType = PKInkingTool.InkType

  /// The ink of the model, which also stores the identifier of an unknown kind.
  var base: Strokes.PKInk

  init(_ base: Strokes.PKInk) { self.base = base }

  /// An ink. A dynamic colour is resolved for the light style.
  public init(_ inkType: InkType, color: UIColor = UIColor.black) {
    base = Strokes.PKInk(inkType.model, color: color.inkColor)
  }

  /// The kind. An unknown ink of a newer system is drawn as a pen and reported as one; unless this
  /// property is set, it is saved as the original kind.
  public var inkType: InkType {
    get { InkType(base.inkType) ?? .pen }
    set { base.inkType = newValue.model }
  }

  /// The colour on a light page, in 32-bit floats.
  public var color: UIColor {
    get { UIColor(base.color) }
    set { base.color = newValue.inkColor }
  }

  /// The oldest version of drawings that can store this ink.
  public var requiredContentVersion: PKContentVersion {
    PKContentVersion(base.requiredContentVersion)
  }
}

extension UIColor {
  /// The colour of ink: the colour of the light style, as archives store it.
  fileprivate var inkColor: Graphics.Color { color(in: .light).stored.inArchive }
}
