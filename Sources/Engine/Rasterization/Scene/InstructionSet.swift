import CRasterKernels

/// The instructions with which the inner loops of the rasterizer were compiled.
package enum InstructionSet: Int32 {
  case any = 0, avx2, avx512

  /// The best ones of this processor, which are used.
  package static var best: Self { Self(rawValue: rasterBestLevel()) ?? .any }

  package var name: String {
    switch self {
    case .any: "those of any processor"
    case .avx2: "AVX2"
    case .avx512: "AVX-512"
    }
  }
}
