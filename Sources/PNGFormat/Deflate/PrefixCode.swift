/// How long the codes of some symbols are, and the codes: the shortest for what occurs most often,
/// none of them the beginning of another (RFC 1951, section 3.2.2).
struct PrefixCode: ~Copyable {
  /// How many symbols there are.
  let count: Int
  private let limit: Int
  /// Whether codes that would be longer than allowed are cut in the best way, and not in a quick one.
  private let isShortest: Bool
  /// How many bits each symbol's code has, 0 where it does not occur.
  let lengths: UnsafeMutablePointer<UInt8>
  /// The codes, their first bit lowest.
  let codes: UnsafeMutablePointer<UInt16>
  private let scratch: UnsafeMutablePointer<UInt32>

  /// A code for so many symbols, with no more than so many bits for each.
  init(count: Int, limit: Int, isShortest: Bool = false) {
    self.count = count
    self.limit = limit
    self.isShortest = isShortest
    lengths = .allocate(capacity: count)
    lengths.initialize(repeating: 0, count: count)
    codes = .allocate(capacity: count)
    codes.initialize(repeating: 0, count: count)
    scratch = .allocate(capacity: 6 * count + 256)
    scratch.initialize(repeating: 0, count: 6 * count + 256)
  }

  deinit {
    lengths.deallocate()
    codes.deallocate()
    scratch.deallocate()
  }

  /// Symbols up to the last one that has a code; one at least.
  var usedCount: Int {
    var used = count
    while used > 1, lengths[used - 1] == 0 { used -= 1 }
    return used
  }

  /// Makes the code for symbols that occur so often. A symbol that is alone has a code of one bit.
  func fit(_ occurrences: UnsafePointer<UInt32>) {
    lengths.update(repeating: 0, count: count)
    let used = sortedSymbols(occurrences)
    if used == 1 {
      lengths[Int(scratch[0] & 511)] = 1
    } else if used > 1 {
      giveLengths(used)
    }
    giveCodes()
  }

  /// Puts the symbols that occur into the scratch, the rarest first: how often, and nine bits that say
  /// which.
  private func sortedSymbols(_ occurrences: UnsafePointer<UInt32>) -> Int {
    var used = 0
    var most: UInt32 = 0
    for symbol in 0..<count where occurrences[symbol] > 0 {
      scratch[used] = occurrences[symbol] << 9 | UInt32(symbol)
      most = max(most, occurrences[symbol])
      used += 1
    }
    if most >= 1 << 23 { used = sortableSymbols(occurrences, most) }
    let bits = min(32 - most.leadingZeroBitCount, 23)
    var (from, to) = (scratch, scratch + count)
    if used < 24 {
      for place in 1..<max(used, 1) {
        let key = from[place]
        var free = place
        while free > 0, from[free - 1] > key {
          from[free] = from[free - 1]
          free -= 1
        }
        from[free] = key
      }
      return used
    }
    // Eight bits at a time, lowest first.
    let starts = scratch + 6 * count
    for pass in 0..<(bits + 7) / 8 {
      let shift = UInt32(9 + 8 * pass)
      let values = 1 << min(bits - 8 * pass, 8)
      starts.update(repeating: 0, count: values)
      for place in 0..<used { starts[Int(from[place] >> shift & 255)] += 1 }
      var sum: UInt32 = 0
      for byte in 0..<values { (starts[byte], sum) = (sum, sum + starts[byte]) }
      for place in 0..<used {
        let byte = Int(from[place] >> shift & 255)
        to[Int(starts[byte])] = from[place]
        starts[byte] += 1
      }
      swap(&from, &to)
    }
    if from != scratch { scratch.update(from: from, count: used) }
    return used
  }

  /// The same for numbers that do not fit beside a symbol: millions need not be counted to the last.
  private func sortableSymbols(_ occurrences: UnsafePointer<UInt32>, _ most: UInt32) -> Int {
    let shift = UInt32(9 - most.leadingZeroBitCount)
    var used = 0
    for symbol in 0..<count where occurrences[symbol] > 0 {
      scratch[used] = max(occurrences[symbol] >> shift, 1) << 9 | UInt32(symbol)
      used += 1
    }
    return used
  }

  /// Joins the two rarest again and again; how deep a symbol comes to lie is its length. Both the
  /// symbols and what they are joined to lie in order, so the rarest is the first of either.
  private func giveLengths(_ used: Int) {
    let weights = scratch + count
    let parents = scratch + 3 * count
    for place in 0..<used { weights[place] = scratch[place] >> 9 }
    var (leaf, joined, end) = (0, used, used)
    func rarest() -> Int {
      if leaf < used, joined == end || weights[leaf] <= weights[joined] {
        leaf += 1
        return leaf - 1
      }
      joined += 1
      return joined - 1
    }
    while end < 2 * used - 1 {
      let (first, second) = (rarest(), rarest())
      weights[end] = weights[first] + weights[second]
      (parents[first], parents[second]) = (UInt32(end), UInt32(end))
      end += 1
    }
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: limit + 1) { numbers in
      numbers.update(repeating: 0)
      // Depths take the place of parents, from the root down.
      parents[end - 1] = 0
      for place in stride(from: end - 2, through: 0, by: -1) {
        parents[place] = parents[Int(parents[place])] + 1
        if place < used { numbers[min(Int(parents[place]), limit)] += 1 }
      }
      if isShortest, parents[0] > limit {
        packageLengths(used, numbers)
      } else {
        shorten(numbers)
      }
      var length = limit
      for place in 0..<used {
        while numbers[length] == 0 { length -= 1 }
        lengths[Int(scratch[place] & 511)] = UInt8(length)
        numbers[length] -= 1
      }
    }
  }

  /// Makes room for codes that were cut to the limit: one of the longest shorter ones becomes two,
  /// which leaves one code at the limit over.
  private func shorten(_ numbers: UnsafeMutableBufferPointer<Int32>) {
    var taken = 0
    for length in 1...limit { taken += Int(numbers[length]) << (limit - length) }
    while taken > 1 << limit {
      var length = limit - 1
      while numbers[length] == 0 { length -= 1 }
      numbers[length] -= 1
      numbers[length + 1] += 2
      numbers[limit] -= 1
      taken -= 1
    }
  }

  /// How many codes have each length if all together take the fewest bits under the limit: as many as
  /// there are are bought for the coins of Larmore and Hirschberg (1990), one of each worth for each
  /// symbol, pairs of smaller worth packed together.
  private func packageLengths(_ used: Int, _ numbers: UnsafeMutableBufferPointer<Int32>) {
    let symbols = (0..<used).map { scratch[$0] >> 9 }
    // Which items of each worth are symbols; all others are packages.
    var areSymbols: [[Bool]] = []
    var packages: [UInt32] = []
    for _ in 0..<limit {
      var (items, kinds): ([UInt32], [Bool]) = ([], [])
      var (symbol, package) = (0, 0)
      while symbol < used || package < packages.count {
        let isSymbol =
          package == packages.count || symbol < used && symbols[symbol] <= packages[package]
        items.append(isSymbol ? symbols[symbol] : packages[package])
        kinds.append(isSymbol)
        if isSymbol { symbol += 1 } else { package += 1 }
      }
      areSymbols.append(kinds)
      packages = stride(from: 0, to: items.count - 1, by: 2).map { items[$0] + items[$0 + 1] }
    }
    // A symbol's length is how often it was bought; the rarest are bought most often.
    numbers.update(repeating: 0)
    var (bought, before) = (2 * used - 2, 0)
    for (worth, kinds) in areSymbols.reversed().enumerated() {
      let some = kinds[..<bought].count { $0 }
      // Those that were bought up to here, and are no more.
      if worth > 0 { numbers[worth] = Int32(before - some) }
      (before, bought) = (some, 2 * (bought - some))
    }
    numbers[limit] = Int32(before)
  }

  /// Gives codes in order: by length, then by symbol.
  private func giveCodes() {
    var next: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &next) { bytes in
      let next = bytes.assumingMemoryBound(to: UInt16.self)
      for symbol in 0..<count where lengths[symbol] > 0 { next[Int(lengths[symbol])] += 1 }
      var code: UInt16 = 0
      for length in 1...limit {
        let number = next[length]
        next[length] = code
        code = (code &+ number) &<< 1
      }
      for symbol in 0..<count where lengths[symbol] > 0 {
        let length = Int(lengths[symbol])
        codes[symbol] = next[length].turned &>> UInt16(16 - length)
        next[length] &+= 1
      }
    }
  }
}

extension UInt16 {
  /// The bits in the other order.
  fileprivate var turned: UInt16 {
    var v = self
    v = v >> 1 & 0x5555 | (v & 0x5555) << 1
    v = v >> 2 & 0x3333 | (v & 0x3333) << 2
    v = v >> 4 & 0x0F0F | (v & 0x0F0F) << 4
    return v.byteSwapped
  }
}
