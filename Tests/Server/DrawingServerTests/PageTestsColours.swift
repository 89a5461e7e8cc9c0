import Foundation
import TestSupport
import Testing

extension PageVisit {
  /// Opens the panel of colour and size, and waits until it has the focus.
  fileprivate func openPicker() throws {
    try browser.press("c")
    try browser.wait("document.getElementById('picker').contains(document.activeElement)")
  }

  /// Writes into the hex field of the open panel.
  fileprivate func writeHex(_ text: String) throws {
    try browser.evaluate(
      "document.getElementById('hex').focus(), document.getElementById('hex').select()")
    for letter in text { try browser.press(String(letter)) }
    try browser.press("Enter")
  }

  /// Chooses a colour by the hex field.
  fileprivate func choose(_ color: String) throws {
    try openPicker()
    try writeHex(color)
    try browser.press("Escape")
    try browser.wait("document.activeElement.id === 'colour-button'")
  }

  /// Presses keys on a control of the open panel.
  fileprivate func press(_ keys: String..., on id: String) throws {
    try browser.evaluate("document.getElementById('\(id)').focus()")
    for key in keys { try browser.press(key) }
  }

  /// The colour that the next stroke gets.
  fileprivate var color: String { get throws { try browser.text("drawing.tools.color") } }

  /// The strokes of the drawing: ink, colour as red, green, blue and alpha, and the width of the
  /// first point's mark, by PencilKit's laws.
  fileprivate func strokes() throws -> [(ink: String, color: [Double], width: Double)] {
    try events(id).compactMap { event in
      guard let ink = event["ink"] as? [String: Any], let name = ink["type"] as? String,
        let color = ink["color"] as? [Double],
        let point = (event["points"] as? [[Double]])?.first
      else { return nil }
      let width =
        switch name {
        case "marker": 1.225 * point[4]
        case "pencil", "crayon", "watercolor": 1.75 * point[3]
        default: 2 * point[3] - 4
        }
      return (name, color, width)
    }
  }
}

extension PageTests {
  /// Own colours and sizes on the drawing page.
  @Suite struct ColourTests {
    @Test func `a colour can be picked by pointer, keyboard and hex number`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      try visit.openPicker()
      func drag(_ places: [Double]...) throws -> String {
        try browser.evaluate(
          """
          (() => {
            const shade = document.getElementById('shade');
            const { left, top, width, height } = shade.getBoundingClientRect();
            const kinds = ['pointerdown', 'pointermove', 'pointerup'];
            \(places).forEach(([x, y], index) => shade.dispatchEvent(hand.event(kinds[index], {
              x: left + x * width, y: top + y * height, type: 'mouse', button: index === 1 ? -1 : 0,
            })));
          })()
          """)
        return try visit.color
      }
      try visit.press("Home", on: "hue")
      #expect(try drag([0.5, 0.5], [1, 0], [1, 0]) == "#ff0000")
      // Outside of the field, the nearest colour of its edge counts.
      #expect(try drag([0.5, 0.5], [-3, 1.5], [-3, 1.5]) == "#000000")
      #expect(try drag([0.5, 0.5], [0, 0], [0, 0]) == "#ffffff")
      #expect(try drag([0.5, 0.5], [0.5, 0.5], [0.5, 0.5]) == "#804040")
      #expect(try drag([1, 0], [1, 0], [1, 0]) == "#ff0000")
      try visit.press("ArrowLeft", "ArrowLeft", on: "saturation")
      #expect(try visit.color == "#ff0505")
      // An arrow of the other axis goes on to the slider of that axis.
      try browser.press("Shift+ArrowDown")
      #expect(try visit.color == "#e60505")
      #expect(try browser.text("document.activeElement.id") == "brightness")
      #expect(
        try browser.text("document.getElementById('brightness').getAttribute('aria-valuetext')")
          == "90%")
      try visit.press("End", on: "hue")
      #expect(try visit.color == "#e60508")
      try visit.press("ArrowLeft", on: "opacity")
      #expect(try visit.color == "#e60508fc")

      for (text, color) in [("0f0", "#00ff00"), ("#12AbEf", "#12abef"), ("11223380", "#11223380")] {
        try visit.writeHex(text)
        #expect(try visit.color == color)
        #expect(try browser.text("document.getElementById('hex').value") == color)
      }
      for text in ["12", "#12345", "zzz"] {
        try visit.writeHex(text)
        #expect(try visit.color == "#11223380")
        #expect(
          try browser.text("document.getElementById('hex-problem').textContent")
            == "A colour has 3, 6 or 8 hex digits, like #1b2440.")
        #expect(
          try browser.isTrue("document.getElementById('hex').matches('[aria-invalid=true]')"))
      }
      try browser.press("Escape")
      try browser.wait("document.activeElement.id === 'colour-button'")
      #expect(try browser.isTrue("document.getElementById('picker').hidden"))
      #expect(try browser.text("document.getElementById('hex').value") == "#11223380")
      #expect(try browser.text("document.getElementById('hex-problem').textContent") == "")
      try visit.wave(at: 300)
      try visit.waitForState("Saved")
      let ink = try #require(try visit.strokes().last)
      #expect(ink.color.map { ($0 * 255).rounded() } == [0x11, 0x22, 0x33, 0x80])
      try visit.end()
    }

    @Test func `swatches show an own colour as the engine draws it, light and dark`() throws {
      let visit = try PageVisit()
      try visit.openDraw("draw?theme=light")
      let browser = visit.browser
      try browser.press("2", "]", "]")
      try visit.choose("#c04080")
      try visit.wave(at: 300)
      var seen: [String] = []
      for _ in 0..<2 {
        let colors = try browser.text(
          """
          (async () => {
            await hand.settle();
            const { data, width } = hand.pixels();
            const { left, top, density } = drawing.view.sheet;
            const at = 4 * (Math.floor((300 - top) * density) * width + Math.floor((101 - left) * density));
            const own = getComputedStyle(document.querySelector('#recent i')).backgroundColor;
            const ink = getComputedStyle(document.querySelector('#colour-button .swatch')).backgroundImage;
            const pixel = `rgb(${data.slice(at, at + 3).join(', ')})`;
            return [pixel === own, ink.includes(pixel), pixel].join(' ');
          })()
          """)
        #expect(colors.hasPrefix("true true"), "\(colors)")
        seen.append(colors)
        try browser.evaluate("window.theme.toggle()")
      }
      #expect(Set(seen).count == 2)
      try visit.end()
    }

    @Test func `the eyedropper takes the colour of the page's pixel`() throws {
      let visit = try PageVisit()
      try visit.openDraw("draw?theme=light")
      let browser = visit.browser
      try browser.press("2", "]", "]")
      try visit.choose("#c04080")
      try browser.evaluate("hand.stroke([[200, 300], [400, 300]]); hand.settle()")
      func take(_ x: Int, _ y: Int, by type: String) throws {
        try browser.evaluate(
          """
          (() => {
            for (const kind of ['pointerdown', 'pointermove', 'pointerup']) {
              document.getElementById('dropper').dispatchEvent(
                hand.event(kind, { x: \(x), y: \(y), type: '\(type)', button: kind === 'pointermove' ? -1 : 0 }));
            }
          })()
          """)
        try browser.wait("document.getElementById('dropper').hidden")
      }
      for (index, type) in ["mouse", "touch", "pen"].enumerated() {
        try visit.choose("#000000")
        // The dark style has other pixels, but they are of the same ink.
        if index == 2 { try browser.evaluate("window.theme.toggle(); hand.settle()") }
        try browser.press("i")
        try browser.wait("document.activeElement.id === 'dropper'")
        try take(300, 300, by: type)
        #expect(try visit.color == "#c04080", "\(type)")
        #expect(try browser.text("document.activeElement.id") == "colour-button")
      }
      try browser.evaluate("window.theme.toggle(); hand.settle()")
      // The paper has a colour as well, which covers ink, so its opacity is whole.
      try visit.choose("#00000080")
      try browser.press("i")
      try take(300, 500, by: "mouse")
      #expect(try visit.color == "#fffdf8")

      // From the panel and by keys: from the middle of the window to the stroke.
      try browser.evaluate("drawing.view.moveBy(150, 0); hand.settle()")
      try visit.openPicker()
      try browser.click("#dropper-button")
      try browser.wait("document.activeElement.id === 'dropper'")
      try browser.press("Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowUp")
      for _ in 0..<10 { try browser.press("ArrowDown") }
      let ring = "getComputedStyle(document.getElementById('loupe')).borderTopColor"
      try browser.wait("\(ring) === 'rgb(192, 64, 128)'")
      try browser.keepPicture("page-draw-eyedropper.png")
      try browser.press("Enter")
      try browser.wait("document.getElementById('dropper').hidden")
      #expect(try visit.color == "#c04080")
      #expect(try browser.text("document.activeElement.id") == "colour-button")
      // Escape and leaving take nothing, and nothing was drawn meanwhile.
      try visit.choose("#123456")
      for leave in ["Escape", "Tab"] {
        try browser.press("i")
        try browser.wait("document.activeElement.id === 'dropper'")
        try browser.press(leave)
        try browser.wait("document.getElementById('dropper').hidden")
      }
      #expect(try visit.color == "#123456")
      try visit.waitForState("Saved")
      #expect(try visit.strokesOnPage == 1)
      try visit.end()
    }

    @Test func `the last eight own colours can be chosen again, also after a reload`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      let digits = Array("123456789")
      for digit in digits { try visit.choose(String(repeating: digit, count: 3)) }
      // The colours of the tray are no own ones, and one that is chosen again moves to the front.
      try browser.click("input[name=colours][value='#1f8a7c']")
      try visit.choose("555")
      let list =
        "[...document.querySelectorAll('#recent input')].map((one) => one.value[1]).join('')"
      for _ in 0..<2 {
        #expect(try browser.text(list) == "59876432")
        try visit.openDraw()
      }
      try visit.openPicker()
      try browser.click("#recent label:last-child input")
      #expect(try visit.color == "#222222")
      try browser.press("ArrowLeft")
      #expect(try visit.color == "#333333")
      try visit.end()
    }

    @Test func `the slider sets the width of ink and eraser, and brackets go to presets`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      func checked() throws -> String {
        try browser.text("document.querySelector('input[name=size]:checked')?.value ?? 'none'")
      }
      func draw() throws { try browser.evaluate("hand.stroke([[100, 300], [300, 300]])") }
      func choose(_ keys: String...) throws -> Double {
        try visit.openPicker()
        for key in keys { try visit.press(key, on: "width") }
        let shown = try browser.text("document.getElementById('points').textContent")
        try browser.press("Escape")
        #expect(try shown == "\(browser.text("String(drawing.tools.width)")) pt")
        try draw()
        return try browser.number("drawing.tools.width")
      }
      // Every ink draws the width of the slider, also at its ends.
      var widths: [Double] = []
      for ink in 1...8 {
        try browser.press("\(ink)")
        widths += [try choose("End"), try choose("Home")]
      }
      widths.append(try choose("End", "ArrowLeft", "ArrowLeft", "ArrowLeft"))
      #expect(try checked() == "none")
      try browser.press("[")
      #expect(try checked() == "3")
      try draw()
      try visit.waitForState("Saved")
      let strokes = try visit.strokes()
      #expect(Set(strokes.map(\.ink)).count == 8 && strokes.count == 18)
      for (stroke, width) in zip(strokes, widths + [64]) {
        #expect(abs(stroke.width - width) < 0.01, "\(stroke)")
      }
      #expect(widths.prefix(2).map { ($0 * 10).rounded() } == [220, 9])
      #expect(widths.last.map { ($0 * 10).rounded() } == 748)
      // There is no preset beyond the first and the last one.
      try browser.press("1")
      for (key, bracket, size) in [("Home", "[", "-1"), ("End", "]", "4")] {
        _ = try choose(key)
        try browser.press(bracket)
        #expect(try browser.text("String(drawing.tools.chosen.size)") == size)
      }
      try browser.press("e")
      _ = try choose("Home", "End")
      #expect(try browser.number("drawing.tools.width") == 112)
      #expect(try browser.text("drawing.tools.chosen.tool") == "eraser")
      try visit.end()
    }

    @Test func `each ink keeps its colour, opacity and size`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      func look() throws -> String {
        try browser.text(
          "[drawing.tools.chosen.tool, drawing.tools.color, drawing.tools.chosen.size].join(' ')")
      }
      try visit.choose("#c0408080")
      try browser.press("]")
      // An ink without choices of its own continues with those of the one before.
      try browser.press("5")
      #expect(try look() == "marker #c0408080 2")
      try visit.choose("#40c080ff")
      try browser.press("]")
      try browser.press("1")
      #expect(try look() == "pen #c0408080 2")
      try browser.press("5")
      #expect(try look() == "marker #40c080 3")
      // An eraser has a size of its own, and a colour goes to the ink before it.
      try browser.press("e", "[", "[", "Shift+E")
      #expect(try browser.number("drawing.tools.width") == 20)
      try browser.click("input[name=colours][value='#1f8a7c']")
      #expect(try look() == "marker #1f8a7c 3")
      try browser.press("1")
      let colors =
        "['pen', 'marker'].map((ink) => document.querySelector(`input[value=${ink}]`).parentElement.style.getPropertyValue('--colour')).join()"
      for _ in 0..<2 {
        #expect(try look() == "pen #c0408080 2")
        #expect(try browser.text(colors) == "#c04080,#1f8a7c")
        try visit.openDraw("draw?theme=light")
      }
      try browser.press("5")
      #expect(try look() == "marker #1f8a7c 3")
      try visit.end()
    }

    @Test func `damaged or old choices in storage do no harm`() throws {
      let visit = try PageVisit()
      try visit.openDraw()
      let browser = visit.browser
      let many = (0..<1000).map { "\"#\(String(0x100000 + $0, radix: 16))\"" }.joined(
        separator: ",")
      for (text, look) in [
        ("{", "pen #1b2440 1 0"), ("null", "pen #1b2440 1 0"), ("[1]", "pen #1b2440 1 0"),
        ("\"pen\"", "pen #1b2440 1 0"),
        (##"{"tool":"marker","size":2,"colour":"#b4532a","onlyPen":false}"##, "marker #b4532a 2 0"),
        (
          ##"{"tool":"quill","size":"2","colour":5,"opacity":"x","own":7,"recent":"x"}"##,
          "pen #1b2440 1 0"
        ),
        (
          ##"{"tool":"pen","size":1e9,"colour":"url(x)","opacity":-1,"own":{"pen":[],"reed":null,"quill":{}}}"##,
          "pen #1b244003 4 0"
        ),
        (
          ##"{"tool":"reed","own":{"reed":{"size":-7,"colour":"#FFF","opacity":9}},"recent":[\##(many),7,null,"red"]}"##,
          "reed #ffffff -1 8"
        ),
      ] {
        try browser.evaluate(
          "localStorage.setItem('pentimento-tools', \(HTMLBrowser.Session.literal(text)))")
        try visit.openDraw()
        let shown = try browser.text(
          "[drawing.tools.chosen.tool, drawing.tools.color, drawing.tools.chosen.size, document.querySelectorAll('#recent input').length].join(' ')"
        )
        #expect(shown == look, "\(text.prefix(80))")
        // Everything can be chosen and drawn.
        for index in 1...8 { try browser.press("\(index)") }
        try browser.press("1", "[", "]")
        try visit.wave(at: 300)
        try browser.wait("!document.getElementById('undo').disabled")
      }
      try visit.end()
    }
  }
}
