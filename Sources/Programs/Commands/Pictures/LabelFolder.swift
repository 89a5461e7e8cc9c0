import Checksums

/// The name of the folder for the pictures of a label. It is the label with some characters
/// percent-encoded as in URLs, `%2F` for a slash: those that some system forbids in names, that
/// would change the path, or that a shell or a terminal would interpret. So two labels never share
/// a folder, and the label can be decoded. A label that is too long is replaced by its start and a
/// hash. Empty without a label.
func folderName(ofLabel label: String) -> SystemString {
  var name = ""
  let scalars = label.unicodeScalars
  // No folder has the name of a picture beside it.
  let dot =
    label.lowercased().hasSuffix(".png") ? scalars.index(scalars.endIndex, offsetBy: -4) : nil
  for index in scalars.indices {
    let scalar = scalars[index]
    let isLast = scalars.index(after: index) == scalars.endIndex
    let isEscaped =
      scalar.properties.generalCategory == .control
      || "/\\:*?\"<>|%".unicodeScalars.contains(scalar)
      || index == scalars.startIndex && (scalar == "." || scalar == "-")
      || isLast && (scalar == "." || scalar == " ") || index == dot
    let text = isEscaped ? escaped(scalar) : String(scalar)
    guard name.utf8.count + text.utf8.count <= TarArchive.folderLimit else {
      return shortened(name, label)
    }
    name += text
  }
  return SystemString(bytes: Array(name.utf8))
}

private func escaped(_ scalar: Unicode.Scalar) -> String {
  String(scalar).utf8.reduce(into: "") { text, byte in
    text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
  }
}

/// The start of a name with a hash of its label. No complete name contains `%-`.
private func shortened(_ name: String, _ label: String) -> SystemString {
  let end = "%-" + "\(SHA256.of(Array(label.utf8)))".prefix(16)
  var start = name.unicodeScalars
  while start.count > 0, String(start).utf8.count + end.utf8.count > TarArchive.folderLimit {
    start.removeLast()
  }
  // Does not end within an escape.
  if let cut = start.suffix(2).lastIndex(of: "%") { start.removeSubrange(cut...) }
  return SystemString(bytes: Array((String(start) + end).utf8))
}
