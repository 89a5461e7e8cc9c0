import InkFiles
import CPentimento
import ForeignSamples
import Graphics
import ForeignInk
import TestSupport
import Testing

struct CollectionTests {
  private static func sample(_ format: DrawingFile.Format) throws -> [UInt8] {
    try #require(ForeignSample.all().first { $0.format == format }).bytes
  }

  private static func line(_ number: Int) -> [UInt8] {
    Array(
      """
      {"word":"cat \(number)","countrycode":"CH","timestamp":"2017-03-02 23:25:10.07453 UTC",\
      "recognized":\(number % 2 == 0),"key_id":"\(9_007_199_254_740_993 + number)",\
      "drawing":[[[0,\(number),20],[1,2,3]],[[5.5],[6.25]]]}

      """.utf8)
  }

  @Test func `lines become columns, in their order with any number of threads`() throws {
    let bytes = (0..<5_000).flatMap(Self.line)
    for threads: Int32 in [1, 2, 7, 0] {
      let collection = try Calls.read([bytes], PENTIMENTO_QUICKDRAW, threads: threads)
      defer { pentimento_collection_close(collection) }
      let ends = try Calls.column(collection, PENTIMENTO_DRAWING_ENDS, of: Int64.self)
      #expect(ends == (1...5_000).map { Int64(2 * $0) })
      let strokes = try Calls.column(collection, PENTIMENTO_STROKE_ENDS, of: Int64.self)
      let expectedStrokes = (0..<Int64(5_000)).flatMap { drawing -> [Int64] in
        [4 * drawing + 3, 4 * drawing + 4]
      }
      #expect(strokes == expectedStrokes)
      let points = try Calls.column(collection, PENTIMENTO_POINTS, of: Float.self, each: 2)
      let expected = (0..<5_000).flatMap { number -> [Float] in
        [0, 1, Float(number), 2, 20, 3, 5.5, 6.25]
      }
      #expect(points == expected)
      let recognized = try Calls.column(collection, PENTIMENTO_RECOGNIZED, of: Int8.self)
      #expect(recognized.prefix(3) == [1, 0, 1])
      let keys = try Calls.column(collection, PENTIMENTO_KEYS, of: UInt8.self)
      #expect(keys.prefix(32).elementsEqual("90071992547409939007199254740994".utf8))
      let labelEnds = try Calls.column(collection, PENTIMENTO_LABEL_ENDS, of: Int64.self)
      let labels = try Calls.column(collection, PENTIMENTO_LABELS, of: UInt8.self)
      let last = labels[Int(labelEnds[4_998])..<Int(labelEnds[4_999])]
      #expect(String(decoding: last, as: UTF8.self) == "cat 4999")
      // Simplified drawings have no times, which is no error.
      #expect(Calls.failure { pentimento_collection_column(collection, 1, nil, $0) }.code == 0)
      #expect(pentimento_collection_column(collection, 1, nil, nil) == nil)
    }
  }

  @Test func `a damaged line is an empty drawing or has the strokes before the damage`() throws {
    var bytes = Self.line(1) + Array("no JSON\n\n".utf8)
    bytes += Array(#"{"drawing":[[[1,2],[3,4]],[[1],[2,3]],[[7],[8]]]}"#.utf8) + [10]
    bytes += Array(#"{"drawing":[[[1,2],[3,4]],[[9"#.utf8)
    let collection = try Calls.read([bytes], PENTIMENTO_QUICKDRAW)
    defer { pentimento_collection_close(collection) }
    let ends = try Calls.column(collection, PENTIMENTO_DRAWING_ENDS, of: Int64.self)
    #expect(ends == [2, 2, 4, 5])
    #expect(pentimento_collection_damage_count(collection, nil) == 3)
    var drawing: Int64 = -1
    let texts = try (0..<Int64(3)).map { number in
      let text = try Calls.get { pentimento_collection_damage(collection, number, &drawing, $0) }
      return "\(drawing) \(String(cString: text))"
    }
    #expect(texts[0].hasPrefix("1 ") && texts[0].contains("line 2"), "\(texts)")
    #expect(texts[1].hasPrefix("2 ") && texts[1].contains("line 4"))
    #expect(texts[2].hasPrefix("3 ") && texts[2].contains("line 5"))
    #expect(Calls.failure { pentimento_collection_damage(collection, 3, nil, $0) }.code == 1)
  }

  @Test func `a coordinate beyond the range of 32-bit floats is counted as damage`() throws {
    let collection = try Calls.read(
      [Array(#"{"drawing":[[[1e39,1],[1,1]]]}"#.utf8)], PENTIMENTO_QUICKDRAW)
    defer { pentimento_collection_close(collection) }
    #expect(pentimento_collection_damage_count(collection, nil) == 1)
    #expect(try Calls.column(collection, PENTIMENTO_POINTS, of: Float.self, each: 2) == [1, 1])
  }

  @Test func `all formats of collections give the points of their drawings`() throws {
    let kinds: [(DrawingFile.Format, Int)] = [
      (.quickDraw, PENTIMENTO_QUICKDRAW), (.quickDrawBinary, PENTIMENTO_QUICKDRAW_BINARY),
      (.omniglot, PENTIMENTO_OMNIGLOT), (.inkML, PENTIMENTO_INKML),
    ]
    for (format, kind) in kinds {
      let bytes = try Self.sample(format)
      let collection = try Calls.read([bytes], kind)
      defer { pentimento_collection_close(collection) }
      #expect(pentimento_collection_damage_count(collection, nil) == 0)
      let page = try #require(try DrawingFile(bytes).page)
      let strokes = try Calls.column(collection, PENTIMENTO_STROKE_ENDS, of: Int64.self)
      let points = try Calls.column(collection, PENTIMENTO_POINTS, of: Float.self, each: 2)
      #expect(strokes.count == page.source.strokes && points.count / 2 == page.source.points)
      let xs = stride(from: 0, to: points.count, by: 2).map { Double(points[$0]) }
      let bounds = try #require(page.source.bounds)
      #expect(
        abs((xs.min() ?? 0) - bounds.minX) < 0.01 && abs((xs.max() ?? 0) - bounds.maxX) < 0.01)
      if format == .omniglot || format == .inkML {
        let times = try Calls.column(collection, PENTIMENTO_TIMES, of: Float.self)
        #expect(times.first == 0 && times.allSatisfy { 0...60 ~= $0 })
      }
    }
  }

  @Test func `InkML of data sets gives labels, names and times`() throws {
    let text = """
      <ink xmlns="http://www.w3.org/2003/InkML">
        <annotation type="sampleId">00a1</annotation>
        <annotation type="label">x^2</annotation>
        <annotation type="normalizedLabel">x ^ { 2 }</annotation>
        <traceFormat><channel name="X"/><channel name="Y"/><channel name="T"/></traceFormat>
        <trace id="0">1 2 500, 3 4 1000</trace><trace id="1">5 6 2500</trace>
      </ink>
      """
    let collection = try Calls.read(
      [
        Array(text.utf8), Array("<ink/>".utf8), [],
        Array("<ink><trace>1 2 7, 3 4 9</trace></ink>".utf8),
      ],
      PENTIMENTO_INKML)
    defer { pentimento_collection_close(collection) }
    #expect(try Calls.column(collection, PENTIMENTO_DRAWING_ENDS, of: Int64.self) == [2, 2, 2, 3])
    let labels = try Calls.column(collection, PENTIMENTO_LABELS, of: UInt8.self)
    #expect(String(decoding: labels, as: UTF8.self) == "x ^ { 2 }")
    let keys = try Calls.column(collection, PENTIMENTO_KEYS, of: UInt8.self)
    #expect(String(decoding: keys, as: UTF8.self) == "00a1")
    let times = try Calls.column(collection, PENTIMENTO_TIMES, of: Float.self)
    // A third value without a format is a time in milliseconds.
    #expect(times == [0, 0.5, 2, 0, 0.002])
    #expect(pentimento_collection_damage_count(collection, nil) == 1)
  }

  @Test func `a point without both coordinates is dropped and counted as damage`() throws {
    let text = Array("<ink><trace>1 2,3: 4 5</trace><trace>1: 2</trace></ink>".utf8)
    let collection = try Calls.read([text], PENTIMENTO_INKML)
    defer { pentimento_collection_close(collection) }
    #expect(try Calls.column(collection, PENTIMENTO_POINTS, of: Float.self, each: 2) == [1, 2])
    #expect(pentimento_collection_damage_count(collection, nil) == 2)
  }

  @Test func `arguments that contradict each other are refused`() {
    let bytes: [UInt8] = [1, 2, 3]
    for ends in [[2, 1], [4], [-1], [.max]] as [[Int64]] {
      let failure = Calls.failure {
        pentimento_collection_read(bytes, 3, ends, Int64(ends.count), 0, 1, $0)
      }
      #expect(failure.code == PENTIMENTO_INVALID)
    }
    #expect(Calls.failure { pentimento_collection_read(bytes, 3, nil, 0, 4, 1, $0) }.code == 1)
    #expect(Calls.failure { pentimento_collection_read(nil, 3, nil, 0, 0, 1, $0) }.code == 1)
    #expect(Calls.failure { pentimento_collection_read(bytes, 3, nil, 2, 0, 1, $0) }.code == 1)
    #expect(Calls.failure { pentimento_collection_read(bytes, 3, nil, 0, 0, 257, $0) }.code == 1)
    #expect(Calls.failure { pentimento_collection_read(bytes, .max, nil, 0, 0, 1, $0) }.code == 4)
    #expect(pentimento_collection_damage_count(nil, nil) == -1)
  }
}
