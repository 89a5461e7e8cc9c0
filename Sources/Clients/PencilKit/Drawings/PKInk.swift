import Graphics
import PencilKitArchive
import Strokes

/// What a stroke is drawn with: a kind of ink and a colour.
public struct PKInk: Sendable {
  /// The kinds of ink.
  public typealias InkType = PKInkingTool.InkType

  /// The ink of the model, which also holds the identifier of a kind that nobody knows.
  var base: Strokes.PKInk

  init(_ base: Strokes.PKInk) { self.base = base }

  /// An ink. Of a dynamic colour, the one for the light style counts.
  public init(_ inkType: InkType, color: UIColor = UIColor.black) {
    base = Strokes.PKInk(inkType.model, color: color.inkColor)
  }

  /// The kind. An ink of a newer system, which there is no case for, is drawn as a pen and counts as one;
  /// unless this is set, it is saved as what it was.
  public var inkType: InkType {
    get { InkType(base.inkType) ?? .pen }
    set { base.inkType = newValue.model }
  }

  /// The colour as it looks on a light page, in numbers of 32 bits.
  public var color: UIColor {
    get { UIColor(base.color) }
    set { base.color = newValue.inkColor }
  }

  /// The oldest version of drawings that can have this ink.
  public var requiredContentVersion: PKContentVersion {
    PKContentVersion(base.requiredContentVersion)
  }
}

extension UIColor {
  /// The colour of ink: that of the light style, as archives hold it.
  fileprivate var inkColor: Graphics.Color { color(in: .light).stored.inArchive }
}
