public import Graphics

extension Recording {
  /// A person who has drawn on the page.
  public struct Person: Hashable, Sendable {
    /// The number that events have; 0 is the owner.
    public var number: UInt16
    /// The name that others see; may be empty.
    public var name: String
    /// The colour that stands for the person.
    public var color: Color

    /// A person with a name and a colour.
    public init(number: UInt16, name: String, color: Color) {
      (self.number, self.name, self.color) = (number, name, color)
    }
  }
}

extension Recording.Canvas {
  private static let personPrefix = "person/"

  /// The people whose names are known, in the order of their numbers. They are texts of the metadata,
  /// which programs keep that know nothing of people.
  public var people: [Recording.Person] {
    get {
      texts.compactMap { text -> Recording.Person? in
        guard text.name.utf8.starts(with: Self.personPrefix.utf8),
          let number = UInt16(text.name.dropFirst(Self.personPrefix.utf8.count)),
          let color = Color(hex: text.text.prefix { $0 != " " })
        else { return nil }
        let name = String(text.text.drop { $0 != " " }.dropFirst())
        return Recording.Person(number: number, name: name, color: color)
      }.sorted { $0.number < $1.number }
    }
    set {
      texts.removeAll { $0.name.utf8.starts(with: Self.personPrefix.utf8) }
      for person in newValue {
        setText(
          "\(person.color.hex) \(person.name)", named: "\(Self.personPrefix)\(person.number)")
      }
    }
  }
}

extension Recording {
  /// The recording with each stroke in the colour of the person who drew it; unchanged if the page
  /// names no people. Pieces have the colour of their whole stroke.
  public func coloredByPerson() -> Recording {
    var colors: [UInt16: Color] = [:]
    for person in canvas.people { colors[person.number] = person.color }
    guard !colors.isEmpty else { return self }
    var people: [Identifier: UInt16] = [:]
    var result = self
    for index in events.indices {
      let event = events[index]
      func colored(_ stroke: PKStroke) -> PKStroke {
        // A pasted stroke is that of whoever pasted it.
        let person = people[stroke.rootID] ?? event.person
        people[stroke.rootID] = person
        guard var color = colors[person] else { return stroke }
        color.alpha = stroke.ink.color.alpha
        var stroke = stroke
        stroke.ink.color = color
        return stroke
      }
      result.events[index].action = event.action.map(stroke: colored, path: { $0 })
    }
    return result
  }
}
