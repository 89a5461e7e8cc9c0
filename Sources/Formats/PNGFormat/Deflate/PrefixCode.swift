/// A canonical prefix code: short codes for frequent symbols, no code the beginning of another (RFC
/// 1951, section 3.2.2).
struct PrefixCode: ~Copyable {
  /// The number of symbols.
  let count: Int
  private let limit: Int
  /// Whether codes over the length limit are shortened optimally (package-merge), not by a fast
  /// heuristic.
  private let isShortest: Bool
  /// The length of each symbol's code in bits; 0 for symbols that do not occur.
  let lengths: UnsafeMutablePointer<UInt8>
  /// The codes, their first bit lowest.
  let codes: UnsafeMutablePointer<UInt16>
  private let scratch: UnsafeMutablePointer<UInt32>
  /// The number of symbols up to the last one that has a code; at least one.
  private(set) var usedCount = 1

  /// A code for `count` symbols of at most `limit` bits each.
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

  /// Fits the code to the symbols' counts. A single symbol gets a code of one bit.
  mutating func fit(_ occurrences: UnsafePointer<UInt32>) {
    lengths.update(repeating: 0, count: count)
    let used = sortedSymbols(occurrences)
    if used == 1 {
      lengths[Int(scratch[0] & 511)] = 1
    } else if used > 1 {
      assignLengths(used)
    }
    usedCount = used > 0 ? Int(order[used - 1]) + 1 : 1
    assignCodes(used)
  }

  /// The symbols that occur, in order.
  private var order: UnsafeMutablePointer<UInt32> { scratch + 5 * count }

  /// Sorts the symbols that occur by count into `scratch`, the rarest first: the count, then nine
  /// bits of symbol. Returns how many there are.
  private func sortedSymbols(_ occurrences: UnsafePointer<UInt32>) -> Int {
    var used = 0
    var maximum: UInt32 = 0
    for symbol in 0..<count where occurrences[symbol] > 0 {
      scratch[used] = occurrences[symbol] << 9 | UInt32(symbol)
      order[used] = UInt32(symbol)
      maximum = max(maximum, occurrences[symbol])
      used += 1
    }
    if maximum >= 1 << 23 { used = sortableSymbols(occurrences, maximum) }
    let bits = min(32 - maximum.leadingZeroBitCount, 23)
    var (from, to) = (scratch, scratch + count)
    if used < 24 {
      for index in 1..<max(used, 1) {
        let key = from[index]
        var free = index
        while free > 0, from[free - 1] > key {
          from[free] = from[free - 1]
          free -= 1
        }
        from[free] = key
      }
      return used
    }
    // Radix sort, eight bits at a time, lowest first.
    let starts = scratch + 6 * count
    for pass in 0..<(bits + 7) / 8 {
      let shift = UInt32(9 + 8 * pass)
      let values = 1 << min(bits - 8 * pass, 8)
      starts.update(repeating: 0, count: values)
      for index in 0..<used { starts[Int(from[index] >> shift & 255)] += 1 }
      var sum: UInt32 = 0
      for byte in 0..<values { (starts[byte], sum) = (sum, sum + starts[byte]) }
      for index in 0..<used {
        let byte = Int(from[index] >> shift & 255)
        to[Int(starts[byte])] = from[index]
        starts[byte] += 1
      }
      swap(&from, &to)
    }
    if from != scratch { scratch.update(from: from, count: used) }
    return used
  }

  /// Scales counts that do not fit into 23 bits besides the symbol; in millions the last bits do
  /// not matter.
  private func sortableSymbols(_ occurrences: UnsafePointer<UInt32>, _ maximum: UInt32) -> Int {
    let shift = UInt32(9 - maximum.leadingZeroBitCount)
    var used = 0
    for symbol in 0..<count where occurrences[symbol] > 0 {
      scratch[used] = max(occurrences[symbol] >> shift, 1) << 9 | UInt32(symbol)
      used += 1
    }
    return used
  }

  /// Huffman's algorithm: joins the two rarest nodes until one is left; a symbol's depth is its
  /// length. Both leaves and joined nodes are sorted, so the rarest is the first of either.
  private func assignLengths(_ used: Int) {
    let weights = scratch + count
    let parents = scratch + 3 * count
    for index in 0..<used { weights[index] = scratch[index] >> 9 }
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
      // Depths overwrite the parents, from the root down.
      parents[end - 1] = 0
      for index in stride(from: end - 2, through: 0, by: -1) {
        parents[index] = parents[Int(parents[index])] + 1
        if index < used { numbers[min(Int(parents[index]), limit)] += 1 }
      }
      if isShortest, parents[0] > limit {
        packageLengths(used, numbers)
      } else {
        shorten(numbers)
      }
      var length = limit
      for index in 0..<used {
        while numbers[length] == 0 { length -= 1 }
        lengths[Int(scratch[index] & 511)] = UInt8(length)
        numbers[length] -= 1
      }
    }
  }

  /// Makes a code valid after lengths were cut to the limit: the longest code below the limit is
  /// split in two, which frees one code at the limit.
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

  /// Counts the codes of each length in the optimal code under the limit, by package-merge (Larmore
  /// and Hirschberg, 1990): each symbol offers one coin per level, and pairs of coins are packed
  /// into the next level.
  private func packageLengths(_ used: Int, _ numbers: UnsafeMutableBufferPointer<Int32>) {
    let symbols = (0..<used).map { scratch[$0] >> 9 }
    // For each level, which items are symbols; the others are packages.
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
    // A symbol's length is the number of its coins that were bought; rare symbols have the most.
    numbers.update(repeating: 0)
    var (bought, before) = (2 * used - 2, 0)
    for (level, kinds) in areSymbols.reversed().enumerated() {
      let some = kinds[..<bought].count { $0 }
      // Symbols bought on the previous level, but not on this one.
      if level > 0 { numbers[level] = Int32(before - some) }
      (before, bought) = (some, 2 * (bought - some))
    }
    numbers[limit] = Int32(before)
  }

  /// Assigns codes in canonical order: by length, then by symbol.
  private func assignCodes(_ used: Int) {
    var next: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &next) { bytes in
      let next = bytes.assumingMemoryBound(to: UInt16.self)
      for index in 0..<used { next[Int(lengths[Int(order[index])])] += 1 }
      var code: UInt16 = 0
      for length in 1...limit {
        let number = next[length]
        next[length] = code
        code = (code &+ number) &<< 1
      }
      for index in 0..<used {
        let symbol = Int(order[index])
        let length = Int(lengths[symbol])
        codes[symbol] = next[length].bitReversed &>> UInt16(16 - length)
        next[length] &+= 1
      }
    }
  }
}

extension UInt16 {
  /// The bits in reverse order.
  fileprivate var bitReversed: UInt16 {
    var v = self
    v = v >> 1 & 0x5555 | (v & 0x5555) << 1
    v = v >> 2 & 0x3333 | (v & 0x3333) << 2
    v = v >> 4 & 0x0F0F | (v & 0x0F0F) << 4
    return v.byteSwapped
  }
}
