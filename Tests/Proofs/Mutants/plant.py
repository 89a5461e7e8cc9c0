"""Plants mutants into a copy of the sources: small faults that tests should find.

All of them are in one build. A mutant does nothing until its number is in the environment as `TEST_MUTANT`, so that
300 mutants cost one build instead of 300.
"""

import random
import re

# Where faults cost most. A file belongs to the first area with a pattern that it matches.
AREAS = {
    "writers": [
        r"PencilKitArchive/(\w+/)*\w*(Writ|Encod)",
        r"PKDFormat/(\w+/)*\w*(Writer|Encod|Plan|Choice|Search)",
        r"(ForeignInk|InkFiles)/(\w+/)*\w*(Writ|Export)",
        r"PNGFormat/(Encoding|Tokens|PixelForms|Deflate)/",
        r"VectorExport/",
    ],
    "readers": [
        r"PencilKitArchive/",
        r"PKDFormat/(?!Merging|Profile|Coding/Prior)",
        r"ForeignInk/",
        r"InkFiles/(?!MergedDrawing)",
        r"Compression/",
        r"JSON/",
        r"XML/",
        r"PNGFormat/Decoding/",
    ],
    "rules": [
        r"DrawingServices/(Access|Records)/",
        r"Storage/Rules/",
        r"Tokens/",
        r"DrawingServer/LinkSigner",
        r"HTTP/",
    ],
    "storage": [
        r"Storage/",
        r"System/",
        r"InkFiles/",
        r"DrawingServices/(Drawings|Upkeep)/",
        r"DrawingServices/\w+\.swift",
    ],
    "sync": [r"Sync/", r"DrawingServices/Sync/", r"PKDFormat/Merging/", r"InkFiles/MergedDrawing"],
    "rasterization": [r"Rasterization/", r"Replay/Frames/"],
}

# Faults in these lines change no result: they only save memory or time, or state what is always true.
HARMLESS = re.compile(r"reserveCapacity|precondition|assert|minimumCapacity|@inline|@_|#if|#else")

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SUMS = {"+": "-", "-": "+", "&+": "&-", "&-": "&+"}
CHANGES = {"+=": "-=", "-=": "+="}
LOGIC = {"&&": "||", "||": "&&"}

OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|<|>|&\+|&-|\+=|-=|\+|-|&&|\|\|)(?= (?!nil\b))")
NUMBER = re.compile(r"(?<=[ (\[])(\d+)(?=[ ),\]]|$)")
CONDITION = re.compile(r"^(\s*(?:\} else )?)(guard|if) (?!.*\b(?:let|var|case)\b)(?!.*[,#])([^{}]+?) (else \{.*|\{)$")
ANSWER = re.compile(r"^(\s*)return (true|false)$")
STATEMENT = re.compile(r"^(\s+)((?:try )?[a-z_][\w.]*\([^{}]*\))$")


class Mutant:
    def __init__(self, number, area, path, line, kind, before, after):
        self.number, self.area, self.path, self.line = number, area, path, line
        self.kind, self.before, self.after = kind, before, after


def area_of(path):
    name = str(path)
    for area, patterns in AREAS.items():
        if any(re.match(r"\w+/" + pattern, name) for pattern in patterns):
            return area
    return None


def masked(text):
    """The text with spaces in place of comments and the content of strings, line by line as long as before."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    pattern = r'"""[\s\S]*?"""|#*"(?:\\.|[^"\\\n])*"#*|//[^\n]*|/\*[\s\S]*?\*/'
    return re.sub(pattern, blank, text)


def is_balanced(text):
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth < 0:
            return False
    return depth == 0


def is_statement(lines, index):
    """Whether a call stands alone: it is not part of a longer expression, nor all of a function that returns it."""
    before = lines[index - 1].rstrip() if index else ""
    after = lines[index + 1].strip() if index + 1 < len(lines) else ""
    if not before.endswith(("{", "}", ")")) and not re.match(r"\s*(let|var|try|[a-z])\b.*[\w\])]$", before):
        return False
    if (
        before.endswith("{")
        and after.startswith("}")
        and not before.lstrip().startswith(("for", "if", "while", "guard", "}"))
    ):
        return False
    return not after.startswith((".", "?", "+", "-", "&", "|", "=", ":"))


def sites(text):
    """The places of a file where a fault can be planted: (kind, line, first column, last column, new word)."""
    lines = masked(text).split("\n")
    real = text.split("\n")
    found = []
    for index, line in enumerate(lines):
        if not line.strip() or HARMLESS.search(real[index]):
            continue
        code = line.lstrip()
        declares = re.match(
            r"((public|package|private|internal|fileprivate|static|mutating|@\w+|final|struct|enum|"
            r"extension|func|init|class|protocol|typealias|import|infix|operator) )*"
            r"(func|init|struct|enum|extension|class|protocol|typealias|import|subscript|where)\b",
            code,
        )
        if declares or code.startswith(("@", "where ", "case ", "#")):
            continue
        for match in OPERATOR.finditer(line):
            word = match.group()
            # `<` with a space on both sides is never the start of generic arguments; `-> ` has none before.
            kind = (
                "comparison"
                if word in COMPARISONS
                else "logic"
                if word in LOGIC
                else "change"
                if word in CHANGES
                else "sum"
            )
            found.append((kind, index, match.start(), match.end(), word))
        for match in NUMBER.finditer(line):
            if re.search(r"<[^<>]*$", line[: match.start()]) and ">" in line[match.end() :]:
                continue
            found.append(("number", index, match.start(), match.end(), match.group()))
        if match := CONDITION.match(line):
            kind = "guard" if match.group(2) == "guard" else "condition"
            found.append((kind, index, match.start(3), match.end(3), real[index][match.start(3) : match.end(3)]))
        if match := ANSWER.match(line):
            found.append(("answer", index, match.start(2), match.end(2), match.group(2)))
        if (match := STATEMENT.match(line)) and is_balanced(match.group(2)) and is_statement(lines, index):
            call = real[index][match.start(2) : match.end(2)]
            if not re.match(r"(self|super)\.init|(try )?(return|throw|fatalError|defer|continue|break)\b", call):
                found.append(("statement", index, match.start(2), match.end(2), call))
    return found


def operator_name(number):
    """An operator that no other mutant has. Operators can be spelled with few characters, so it counts in threes."""
    name = ""
    while number:
        name += "~^%"[number % 3]
        number //= 3
    return "~|" + name + "|~"


def declaration(mutant):
    """The operator of a mutant: the old meaning, or the new one while the mutant is awake."""
    name, old, number = operator_name(mutant.number), mutant.before, mutant.number
    new = {**COMPARISONS, **SUMS, **CHANGES, **LOGIC}[old]
    chosen = f"isAwake({number}) ? (a {new} b) : (a {old} b)"
    if old in LOGIC:
        group = "LogicalConjunctionPrecedence" if old == "&&" else "LogicalDisjunctionPrecedence"
        return (
            f"infix operator {name}: {group}\n@inline(__always) func {name} (\n  a: Bool, "
            f"_ b: @autoclosure () throws -> Bool\n) rethrows -> Bool "
            f"{{ isAwake({number}) ? (try a {new} b()) : (try a {old} b()) }}\n"
        )
    if old in COMPARISONS:
        kind = "Equatable" if old in ("==", "!=") else "Comparable"
        return (
            f"infix operator {name}: ComparisonPrecedence\n@inline(__always) func {name} <T: {kind}>"
            f"(a: T, b: T) -> Bool {{ {chosen} }}\n"
        )
    kind = "FixedWidthInteger" if old.startswith("&") else "AdditiveArithmetic"
    if old in CHANGES:
        return (
            f"infix operator {name}: AssignmentPrecedence\n@inline(__always) func {name} <T: {kind}>"
            f"(a: inout T, b: T) {{ if isAwake({number}) {{ a {new} b }} else {{ a {old} b }} }}\n"
        )
    return (
        f"infix operator {name}: AdditionPrecedence\n@inline(__always) func {name} <T: {kind}>"
        f"(a: T, b: T) -> T {{ {chosen} }}\n"
    )


HELPERS = """@_silgen_name("planted_mutant_is_awake") private func plantedMutantIsAwake(_ number: Int32) -> Bool

@inline(__always) func isAwake(_ number: Int32) -> Bool { plantedMutantIsAwake(number) }

"""

AWAKE = r"""
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// Weak, because several modules bring it and one program needs it once.
__attribute__((weak)) int planted_mutant_number;
__attribute__((weak)) unsigned char *planted_mutant_reached;

__attribute__((weak, constructor)) void planted_mutant_begin(void) {
  const char *number = getenv("TEST_MUTANT"), *reached = getenv("TEST_REACHED");
  if (number) planted_mutant_number = atoi(number);
  if (!reached || planted_mutant_reached) return;
  int file = open(reached, O_RDWR);
  if (file < 0) return;
  // Shared, so that the marks of a process that is killed stay.
  void *marks = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (marks != MAP_FAILED) planted_mutant_reached = marks;
  close(file);
}

__attribute__((weak)) bool planted_mutant_is_awake(int number) {
  if (planted_mutant_reached) planted_mutant_reached[number] = 1;
  return number == planted_mutant_number;
}
"""


def new_text(mutant):
    number, word = mutant.number, mutant.before
    # `try` covers what is on its right only.
    marker = "try " if word.startswith("try ") else ""
    return {
        "number": f"(isAwake({number}) ? {int(word) + 1 if word.isdigit() else 0} : {word})",
        "guard": f"{marker}isAwake({number}) || ({word})",
        "condition": f"{marker}!isAwake({number}) && ({word})",
        "answer": f"isAwake({number}) != {word}",
        "statement": f"if !isAwake({number}) {{ {word} }}",
    }.get(mutant.kind) or operator_name(number)


def change_of(kind, word):
    """What a mutant does, for those who read the list."""
    both = {**COMPARISONS, **SUMS, **CHANGES, **LOGIC}
    return {
        "number": lambda: str(int(word) + 1),
        "guard": lambda: "always true",
        "condition": lambda: "always false",
        "answer": lambda: "false" if word == "true" else "true",
        "statement": lambda: "left out",
    }.get(kind, lambda: both[word])()


def choose(sources, count, seed):
    """`count` mutants of each area. Every kind of fault has the same share, as far as there are enough."""
    chance = random.Random(seed)
    places = {area: {} for area in AREAS}
    for path in sorted(sources.rglob("*.swift")):
        name = path.relative_to(sources)
        area = area_of(name)
        if area:
            for site in sites(path.read_text()):
                places[area].setdefault(site[0], []).append((str(name), site))
    mutants, used = [], set()
    for area, kinds in places.items():
        for sites_of_kind in kinds.values():
            chance.shuffle(sites_of_kind)
        taken = 0
        while taken < count and any(kinds.values()):
            for kind in sorted(kinds):
                if taken == count or not kinds[kind]:
                    continue
                name, (_, line, first, last, word) = kinds[kind].pop()
                # One fault in a line, so that each can be planted and found alone.
                if (name, line) in used:
                    continue
                used.add((name, line))
                mutant = Mutant(len(mutants) + 1, area, name, line + 1, kind, word, change_of(kind, word))
                mutant.columns = (first, last)
                mutants.append(mutant)
                taken += 1
    return mutants


def write(path, text):
    """Writes a file only if that changes it: the compiler goes by dates."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def plant(mutants, original, sources):
    """Writes the files with mutants, from the original ones."""
    modules, files = {}, {}
    for mutant in mutants:
        files.setdefault(mutant.path, []).append(mutant)
        modules.setdefault("/".join(mutant.path.split("/")[:2]), []).append(mutant)
    for path, planted in files.items():
        lines = (original / path).read_text().split("\n")
        for mutant in planted:
            first, last = mutant.columns
            line = lines[mutant.line - 1]
            lines[mutant.line - 1] = line[:first] + new_text(mutant) + line[last:]
        write(sources / path, "\n".join(lines))
    for module in {str(path.relative_to(sources)) for path in sources.glob("*/*")}:
        file = sources / module / "PlantedMutants.swift"
        if module in modules:
            operators = [
                declaration(each)
                for each in modules[module]
                if each.before in {**COMPARISONS, **SUMS, **CHANGES, **LOGIC} and each.kind not in ("number",)
            ]
            write(file, HELPERS + "\n".join(operators))
        elif file.exists():
            file.unlink()
    for module in ["Engine/CMath", "System/CSystem"]:
        write(sources / module / "planted_mutants.c", AWAKE)
