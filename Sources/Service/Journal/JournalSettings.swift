package import DrawingServices
import Storage

extension ServiceSettings {
  private static let usualMilestones = [10, 30, 50, 100, 365]
  private static let usualCardDays = 7

  /// The numbers of check-ins that are celebrated.
  package var milestones: [Int] {
    get {
      let numbers = ofApplication["milestones"]?.listValue?.compactMap(\.integerValue)
      return numbers?.map { Int($0) } ?? Self.usualMilestones
    }
    set {
      let numbers = FieldValue.list(newValue.map { .integer(Int64($0)) })
      ofApplication["milestones"] = newValue == Self.usualMilestones ? Optional.none : numbers
    }
  }

  /// How many days cards reach back if there are no check-ins.
  package var orphanCardDays: Int {
    get { (ofApplication["card-days"]?.integerValue).map { Int($0) } ?? Self.usualCardDays }
    set {
      let days = FieldValue.integer(Int64(newValue))
      ofApplication["card-days"] = newValue == Self.usualCardDays ? Optional.none : days
    }
  }
}

extension Setting {
  static let milestones = Setting(
    name: "milestones", summary: "The numbers of check-ins that are celebrated.",
    form: "whole numbers above zero, such as 10,30,50",
    get: { .list($0.milestones.map { .integer(Int64($0)) }) },
    set: { settings, value in
      guard let numbers = value.listValue?.map({ $0.integerValue ?? 0 }), numbers.count <= 1000,
        numbers.allSatisfy({ 1...1_000_000_000 ~= $0 })
      else { return false }
      settings.milestones = numbers.map(Int.init)
      return true
    })

  static let cardDays = Setting.number(
    "card-days", "How many days cards reach back without check-ins.", 1...36_500, \.orphanCardDays)
}
