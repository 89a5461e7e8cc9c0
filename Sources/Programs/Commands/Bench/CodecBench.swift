import InkFiles
import ForeignInk
import Measurement
import PKDFormat
import PencilKitArchive
import Strokes

/// Files to strokes, and back.
enum CodecBench {
  static func figures(_ input: BenchInput, _ plan: BenchPlan) throws -> [Figure] {
    let contents = input.file.contents()
    let profile = input.file.recordingFacts?.profile ?? .exact
    func encoded(_ format: DrawingFile.Format) throws(PKDContentError) -> [UInt8] {
      switch format {
      case .pkd: try contents.encodeRecording(options: PKDWriter.Options(profile: profile))
      default: try DrawingFile.encode(contents.drawing, as: format)
      }
    }
    let forms: [(format: DrawingFile.Format, name: String)] = [
      (.pkd, ".pkd"), (.pencilKit, "archive"), (.json, "JSON"),
    ]
    var works: [Work] = []
    var files: [[UInt8]] = []
    for (format, _) in forms {
      let written = try encoded(format)
      // The file itself may have been written by another program.
      let read = format == input.file.format ? input.bytes : written
      files.append(written)
      works.append(Work { consume((try? DrawingFile(read, as: format))?.strokes()) })
      works.append(Work { consume(try? encoded(format)) })
    }
    let samples = try samples(plan.effort, works)
    let points = Double(contents.drawing.strokes.reduce(0) { $0 + $1.path.count })
    func rate(_ seconds: Double) -> [Figure.Detail] {
      points > 0 ? [Figure.Detail(points / seconds, "points/s")] : []
    }
    let speeds = forms.indices.flatMap { index in
      [
        Figure.milliseconds("read \(forms[index].name)", samples[2 * index], details: rate),
        Figure.milliseconds("write \(forms[index].name)", samples[2 * index + 1], details: rate),
      ]
    }
    guard points > 0 else { return speeds }
    return speeds
      + zip(forms, files).map { form, file in
        Figure("size, \(form.name)", "bytes/point", [Double(file.count) / points])
      }
  }
}
