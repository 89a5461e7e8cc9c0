// Bytes become tokens in no hurry: all that each could repeat is looked for once, then the cheapest way
// through is found by what tokens cost, as often as these costs get better. Comparing and adding is all
// there is to it, so one level does.
#include "Shared.h"

/// Runs of so many bytes are not looked at inside, but for so many of their last ones: it hardly ever
/// pays to begin something else there.
enum { LongRun = 40, RunTail = 10 };
/// Behind so many bytes of a run nothing is looked for either.
enum { ShortRun = 10 };
/// What is repeated is noted for so many lengths at most.
enum { MatchLimit = 28 };
/// Steps that are a run of whole lengths: of a byte, or of a pixel.
enum { ForcedBytes = 30, ForcedPixels = 31 };
/// More than any way costs.
static const uint32_t never = 0xC0000000;

size_t pngExpand(const uint16_t *tokens, size_t count, size_t perPixel, uint8_t *bytes) {
  uint8_t *next = bytes;
  for (size_t i = 0; i < count; i++) {
    const uint32_t token = tokens[i];
    if (token < 256) {
      *next++ = (uint8_t)token;
      continue;
    }
    size_t length, distance = perPixel;
    if (token < PNGTokenLength + 3) {
      length = token - PNGTokenRun;
    } else {
      length = token - PNGTokenLength;
      const uint32_t symbol = tokens[++i] - PNGTokenDistance;
      distance = symbol + 1;
      if (symbol >= 4) {
        const uint32_t extra = symbol / 2 - 1;
        distance = ((2u + (symbol & 1)) << extra) + 1;
        const uint32_t low = extra < 8 ? extra : 8;
        distance += tokens[++i] - (PNGTokenBits + (1u << low) - 2);
        if (extra > 8)
          distance += (size_t)(tokens[++i] - (PNGTokenBits + (1u << (extra - 8)) - 2)) << 8;
      }
    }
    const uint8_t *from = next - distance;
    if (distance == 1) {
      memset(next, *from, length);
    } else {
      for (size_t k = 0; k < length; k++) next[k] = from[k];
    }
    next += length;
  }
  return (size_t)(next - bytes);
}

/// How many bytes are the same at two places, up to a limit; eight more may be read.
INLINE size_t alike(const uint8_t *a, const uint8_t *b, size_t limit) {
  size_t length = 0;
  while (length < limit) {
    const uint64_t differing = load64(a + length) ^ load64(b + length);
    if (differing) {
      length += (size_t)__builtin_ctzll(differing) >> 3;
      break;
    }
    length += 8;
  }
  return length < limit ? length : limit;
}

INLINE uint32_t slotOfThree(const uint8_t *p) {
  return (load32(p) << 8) * 0x9E3779B1u >> (32 - PNGNearestBits);
}
INLINE uint32_t slotOfMore(const uint8_t *p, uint32_t shift) {
  return (uint32_t)((load64(p) << shift) * 0x9E3779B97F4A7C15ull >> (64 - PNGHeadBits));
}

/// Notes a place.
INLINE void note(PNGFinder *finder, const uint8_t *bytes, size_t i, uint32_t shift) {
  uint32_t *head = finder->heads + slotOfMore(bytes + i, shift);
  finder->nearest[slotOfThree(bytes + i)] = (uint32_t)i;
  finder->before[i & PNGWindowMask] = *head;
  *head = (uint32_t)i;
}

/// How far the next step from a place is: to the next pixel, or behind a filter's number.
INLINE size_t stepAt(const PNGSearch *search, size_t place) {
  if (search->step == 1) return 1;
  const size_t x = (place + search->phase) % search->stride;
  return x == 0 ? 1 : search->perPixel - (x - 1) % search->perPixel;
}

/// A run: how many bytes repeat those at a distance, which is that of a pixel or, where all parts of one
/// are the same, a byte.
typedef struct {
  size_t length, distance;
} Run;

INLINE Run runAt(const PNGSearch *search, size_t i, size_t end) {
  Run run = {0, search->perPixel};
  if (i >= search->first + search->perPixel) {
    const uint8_t *p = search->bytes + i;
    run.length = alike(p, p - search->perPixel, end - i);
    const size_t length = search->perPixel > 1 ? alike(p, p - 1, end - i) : 0;
    if (length > 2 && length >= run.length) run = (Run){length, 1};
  }
  return run;
}

/// Runs are found again by where they end: how far from a place in one, which has so many bytes left,
/// that is.
INLINE size_t beforeEnd(const PNGSearch *search, size_t run) {
  if (search->step == 1) return run > 3 ? run - 3 : 0;
  return run > search->step ? run / search->step * search->step - search->step : 0;
}

void pngBegin(PNGFinder *finder, const PNGSearch *search, size_t place) {
  memset(finder->nearest, 0, sizeof finder->nearest);
  memset(finder->heads, 0, sizeof finder->heads);
  finder->place = finder->runStart = finder->runEnd = finder->quietEnd = place;
  finder->distance = search->perPixel;
  const uint8_t *bytes = search->bytes;
  const uint32_t shift = 64 - 8 * search->hashed;
  size_t i = place - search->first < PNGWindow ? search->first : place - PNGWindow;
  if (search->step > 1) i += stepAt(search, i);
  while (i < place) {
    const size_t run = runAt(search, i, place).length;
    if (run > search->perPixel) i += beforeEnd(search, run - search->perPixel);
    note(finder, bytes, i, shift);
    i += stepAt(search, i);
  }
}

uint32_t *pngFind(
    PNGFinder *finder, const PNGSearch *search, size_t end, uint32_t *steps, const uint32_t *full) {
  const uint8_t *bytes = search->bytes;
  const uint32_t shift = 64 - 8 * search->hashed, perPixel = search->perPixel;
  uint32_t *next = steps;
  size_t i = finder->place, runStart = finder->runStart, runEnd = finder->runEnd;
  size_t quietEnd = finder->quietEnd, distance = finder->distance;
  while (i < end && next + 2 * MatchLimit < full) {
    if (i >= runEnd) {
      const Run found = runAt(search, i, end);
      runStart = i;
      runEnd = i + found.length;
      distance = found.distance;
    }
    const size_t run = runEnd - i;
    if (run > 260) {
      // As many of the greatest length as leave three bytes over.
      const size_t forced = (run - 3) / 258 * 258;
      *next++ = (uint32_t)forced << 5 | (distance == 1 ? ForcedBytes : ForcedPixels);
      i += forced;
      runStart = i;
      continue;
    }
    size_t gap = stepAt(search, i);
    if (gap > end - i) gap = end - i;
    if (run >= LongRun) gap = run - RunTail;
    // Behind one byte of a pixel whose parts are the same, a run may begin.
    if (gap > 1 && search->step > 1 && run == 0 && load32(bytes + i) == load32(bytes + i + 1)) gap = 1;
    const size_t limit = end - i < 258 ? end - i : 258;
    uint32_t *matches = next, best = 2;
    if (run >= 3) {
      best = run < limit ? (uint32_t)run : (uint32_t)limit;
      *next++ = best << 15 | (uint32_t)(distance - 1);
    }
    // What begins with the first pixel of a run may repeat the second one of a longer run.
    const int32_t isNoted = run <= perPixel || beforeEnd(search, run - perPixel) == 0;
    const int32_t isLooked = i >= quietEnd && (run < ShortRun || i == runStart);
    if (isLooked) {
      const size_t low = i - search->first < PNGWindowMask ? search->first : i - PNGWindowMask;
      // Four bytes that a longer match has, too.
      uint32_t last = best < 3 ? 0 : best - 3;
#define TRY(from)                                                                                 \
  if (load32(bytes + (from) + last) == load32(bytes + i + last)) {                                \
    const uint32_t length = (uint32_t)alike(bytes + (from), bytes + i, limit);                    \
    if (length > best) {                                                                          \
      best = length;                                                                              \
      last = best - 3;                                                                            \
      const uint32_t less = (uint32_t)(i - (from)-1);                                             \
      while (next > matches && (next[-1] & 0x7FFF) >= less) next--;                               \
      if (next - matches == MatchLimit) next--;                                                   \
      *next++ = length << 15 | less;                                                              \
    }                                                                                             \
  }
      size_t ahead = beforeEnd(search, run);
      if (ahead > 0) {
        if (isNoted) note(finder, bytes, i, shift);
      } else {
        uint32_t *near = finder->nearest + slotOfThree(bytes + i);
        uint32_t *head = finder->heads + slotOfMore(bytes + i, shift);
        uint32_t other = *near, candidate = *head;
        *near = (uint32_t)i;
        *head = (uint32_t)i;
        finder->before[i & PNGWindowMask] = candidate;
        if (best == 2 && other >= low) {
          const uint32_t length = (uint32_t)alike(bytes + other, bytes + i, limit);
          if (length > best) {
            best = length;
            last = best - 3;
            *next++ = length << 15 | (uint32_t)(i - other - 1);
            if (other == candidate) candidate = finder->before[candidate & PNGWindowMask];
          }
        }
        // What a run repeats was before it, maybe in a longer one.
        if (end - i > 8) {
          const Run after = {
              alike(bytes + i + perPixel, bytes + i, end - i - perPixel), perPixel};
          const Run same = {perPixel > 1 ? alike(bytes + i + 1, bytes + i, end - i - 1) : 0, 1};
          const Run longer = same.length > 2 && same.length >= after.length ? same : after;
          ahead = beforeEnd(search, longer.length);
          if (ahead) ahead += longer.distance;
        }
        for (uint32_t left = search->depth; left && candidate >= low && best < limit; left--) {
          TRY(candidate);
          if (best >= search->enough) break;
          candidate = finder->before[candidate & PNGWindowMask];
        }
      }
      if (ahead > 0) {
        uint32_t candidate = finder->heads[slotOfMore(bytes + i + ahead, shift)];
        for (uint32_t left = search->depth; left && candidate >= low + ahead && best < limit; left--) {
          TRY(candidate - ahead);
          if (best >= search->enough) break;
          candidate = finder->before[candidate & PNGWindowMask];
        }
      }
      if (i - low >= search->stride && best < limit) TRY(i - search->stride);
#undef TRY
      if (best >= search->enough && best > run) quietEnd = i + best - RunTail;
    } else if (isNoted) {
      note(finder, bytes, i, shift);
    }
    const uint32_t count = (uint32_t)(next - matches);
    *next++ = (uint32_t)gap << 5 | count;
    i += gap;
  }
  finder->place = i;
  finder->runStart = runStart;
  finder->runEnd = runEnd;
  finder->quietEnd = quietEnd;
  finder->distance = distance;
  return next;
}

/// Deflate's number of a distance, of which one is taken.
INLINE uint32_t symbolOfDistance(uint32_t less) {
  if (less < 4) return less;
  const uint32_t extra = 30 - (uint32_t)__builtin_clz(less);
  return 2 * extra + 2 + (less >> extra & 1);
}

const uint32_t *pngWeigh(
    const PNGCosts *costs, const uint8_t *bytes, const uint32_t *steps, const uint32_t *last,
    size_t *place, size_t from, uint32_t perPixel, uint32_t *ways, uint32_t *choices) {
  size_t i = *place;
  while (last > steps && i > from) {
    const uint32_t step = *--last, gap = step >> 5, count = step & 31;
    i -= gap;
    // What ends inside a step leads nowhere.
    for (uint32_t k = 1; k < gap && k < 258; k++) ways[i + k] = never;
    if (count >= ForcedBytes) {
      const uint32_t less = count == ForcedBytes ? 0 : perPixel - 1;
      ways[i] = ways[i + gap] + gap / 258 * (costs->lengths[258] + costs->distances[symbolOfDistance(less)]);
      choices[i] = gap << 3 | (count == ForcedBytes ? 4 : 0) | 3;
      continue;
    }
    uint32_t best = never, choice = 0;
    if (gap <= 8) {
      best = ways[i + gap];
      for (uint32_t k = 0; k < gap; k++) best += costs->bytes[bytes[i + k]];
      choice = gap << 2 | 2;
    }
    last -= count;
    uint32_t length = gap > 8 ? gap : 3;
    for (uint32_t match = 0; match < count; match++) {
      const uint32_t longest = last[match] >> 15, less = last[match] & 0x7FFF;
      const uint32_t distance = costs->distances[symbolOfDistance(less)];
      uint32_t bestLength = 0;
      for (; length <= longest; length++) {
        const uint32_t way = ways[i + length] + costs->lengths[length] + distance;
        bestLength = way < best ? length : bestLength;
        best = way < best ? way : best;
      }
      choice = bestLength ? (bestLength - 3) << 17 | less << 2 | 1 : choice;
    }
    ways[i] = best;
    choices[i] = choice;
  }
  *place = i;
  return last;
}

size_t pngTellWay(
    const uint8_t *bytes, size_t place, size_t end, uint32_t perPixel, const uint32_t *choices,
    uint16_t *tokens, PNGMark *marks, size_t *markCount) {
  uint16_t *next = tokens;
  size_t marked = 0, number = 0, i = place;
  marks[number++] = (PNGMark){0, i};
  while (i < end) {
    if ((size_t)(next - tokens) - marked >= PNGTokensPerMark) {
      marked = (size_t)(next - tokens);
      marks[number++] = (PNGMark){marked, i};
    }
    const uint32_t choice = choices[i];
    if ((choice & 3) == 1) {
      const uint32_t length = 3 + (choice >> 17);
      next = putFar(next, length, 1 + (choice >> 2 & 0x7FFF));
      i += length;
    } else if ((choice & 3) == 2) {
      for (uint32_t gap = choice >> 2; gap > 0; gap--) *next++ = bytes[i++];
    } else {
      for (uint32_t gap = choice >> 3; gap > 0; gap -= 258) {
        next = putFar(next, 258, choice & 4 ? 1 : perPixel);
        i += 258;
      }
    }
  }
  *markCount = number;
  return (size_t)(next - tokens);
}

/// The symbols of tokens: bytes, the end and lengths, then distances, then what is none.
static uint16_t symbolOfToken[PNGTokenCount];
/// The logarithms of 1 to 2 in steps of 1/1,024.
static uint8_t fractions[1024];

__attribute__((constructor)) static void fillSymbols(void) {
  for (uint32_t token = 0; token <= PNGTokenEnd; token++) symbolOfToken[token] = (uint16_t)token;
  for (uint32_t length = 3; length <= 258; length++) {
    uint32_t symbol = 28;
    if (length < 258) {
      const uint32_t less = length - 3;
      const uint32_t extra = less < 8 ? 0 : 29 - (uint32_t)__builtin_clz(less);
      symbol = (extra << 2) + (less >> extra);
    }
    symbolOfToken[PNGTokenRun + length] = (uint16_t)(257 + symbol);
    symbolOfToken[PNGTokenLength + length] = (uint16_t)(257 + symbol);
  }
  for (uint32_t symbol = 0; symbol < 30; symbol++)
    symbolOfToken[PNGTokenDistance + symbol] = (uint16_t)(286 + symbol);
  for (uint32_t token = PNGTokenBits; token < PNGTokenCount; token++)
    symbolOfToken[token] = PNGSymbolCount;
  // Each square tells one bit more of a logarithm.
  for (uint32_t step = 0; step < 1024; step++) {
    double value = 1 + step / 1024.0;
    uint32_t bits = 0;
    for (uint32_t round = 0; round < 7; round++) {
      value *= value;
      bits = bits << 1 | (value >= 2);
      if (value >= 2) value /= 2;
    }
    fractions[step] = (uint8_t)((bits + 1) / 2);
  }
}

uint32_t pngLogarithm(uint32_t number) {
  const uint32_t whole = 31 - (uint32_t)__builtin_clz(number);
  const uint32_t steps = whole >= 10 ? number >> (whole - 10) : number << (10 - whole);
  return whole * PNGCostOfBit + fractions[steps - 1024];
}

/// What symbols take where each has the code that its share is worth.
INLINE uint64_t shares(const uint32_t *counts, size_t count) {
  uint64_t sum = 0, total = 0;
  for (size_t symbol = 0; symbol < count; symbol++) {
    const uint32_t number = counts[symbol];
    total += number;
    if (number > 1) sum += (uint64_t)number * pngLogarithm(number);
  }
  return total ? total * pngLogarithm((uint32_t)total) - sum : 0;
}

uint64_t pngWorth(const uint32_t *counts, const uint32_t *others) {
  uint32_t sums[PNGSymbolCount], used = 0;
  for (size_t symbol = 0; symbol < PNGSymbolCount; symbol++) {
    sums[symbol] = counts[symbol] + (others ? others[symbol] : 0);
    used += sums[symbol] > 0;
  }
  // About what the head takes: three bits and a half for each symbol in use, and some.
  return shares(sums, 286) + shares(sums + 286, 30) + (90 + 7 * used / 2) * PNGCostOfBit;
}

void pngCountSymbols(const uint16_t *tokens, size_t count, uint32_t *counts) {
  for (size_t i = 0; i < count; i++) counts[symbolOfToken[tokens[i]]]++;
}
