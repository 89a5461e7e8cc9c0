import Checksums

/// The name of the folder for the pictures of a label: the label itself, but for characters that some system cannot have in a
/// name, that lead elsewhere, or that a shell or a terminal takes for a command. These are written as in addresses, `%2F` for
/// a slash: two labels never share a folder, and the label can be had again. Of a label that is too long, the start and a
/// hash are left. Empty without a label.
func folderName(ofLabel label: String) -> SystemString {
  var name = ""
  let scalars = label.unicodeScalars
  // No folder is named like a picture beside it.
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

/// The start of a name with a hash of its label. No whole name has `%-`.
private func shortened(_ name: String, _ label: String) -> SystemString {
  let end = "%-" + "\(SHA256.of(Array(label.utf8)))".prefix(16)
  var start = name.unicodeScalars
  while start.count > 0, String(start).utf8.count + end.utf8.count > TarArchive.folderLimit {
    start.removeLast()
  }
  // Not a part of an escape.
  if let cut = start.suffix(2).lastIndex(of: "%") { start.removeSubrange(cut...) }
  return SystemString(bytes: Array((String(start) + end).utf8))
}
