"""The part of docs/performance.md that is made of the stored figures."""

import re

BEGIN, END = "<!-- side by side: written by Benchmarks/side_by_side.py -->", "<!-- side by side ends -->"
# The keys of a program's figures.
SECONDS, INSIDE, BYTES = "seconds", "inside", "bytes"


def milliseconds(seconds):
    value = seconds * 1000
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value):
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 1.1 else f"{value:.1f}"


def columns(field):
    for job in field["jobs"]:
        has = {key for figure in job["programs"] for key in figure}
        if SECONDS in has:
            yield job, SECONDS, f"{job['short']}, ms", milliseconds
        if INSIDE in has:
            if count := job["count"]:
                yield job, INSIDE, "drawings a second", lambda seconds, count=count: f"{count / seconds:,.0f}"
            else:
                yield job, INSIDE, "encoding alone", milliseconds
        if BYTES in has and field["showsBytes"]:
            yield job, BYTES, "kB", lambda size: f"{size / 1000:,.1f}"


def cell(figure, key, text, ours):
    """A value with its ratio to ours, bold where ours loses."""
    if figure is None or key not in figure:
        return "–"
    value, times = text(figure[key]), figure.get(key + "Ratio")
    if times is None or figure["program"] == ours:
        return value
    shown = f"{value} ({ratio(times)})"
    return f"**{shown}**" if times < 1 else shown


def table(field):
    shown = list(columns(field))
    programs = []
    for job in field["jobs"]:
        programs += [figure["program"] for figure in job["programs"] if figure["program"] not in programs]
    mine = [field["ours"], *field["mine"]]

    def order(program):
        for job, key, _, _ in shown:
            for figure in job["programs"]:
                if figure["program"] == program and key in figure:
                    return (program not in mine, key != SECONDS, figure[key])
        return (True, True, 0)

    lines = ["| | " + " | ".join(heading for _, _, heading, _ in shown) + " |", "|---" * (len(shown) + 1) + "|"]
    for program in sorted(programs, key=order):
        cells = []
        for job, key, _, text in shown:
            figure = next((figure for figure in job["programs"] if figure["program"] == program), None)
            cells.append(cell(figure, key, text, field["ours"]))
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def losses(report):
    """What other programs do in less time, or in fewer bytes, than the first of ours, as a list."""
    lines = []
    for field in report["fields"]:
        mine = {field["ours"], *field["mine"]}
        for job, key, _, _ in columns(field):
            better = sorted(
                (figure[key + "Ratio"], figure["program"])
                for figure in job["programs"]
                if figure["program"] not in mine and figure.get(key + "Ratio", 1) < 1
            )
            if better:
                what = {SECONDS: "time of the whole process", INSIDE: "time of the work alone", BYTES: "size"}[key]
                best = min(
                    (figure.get(key + "Ratio", 1) for figure in job["programs"] if figure["program"] in mine), default=1
                )
                note = f"; the best of ours: {ratio(best)}" if best < 1 else ""
                lines.append(
                    f"* {field['title']}, {job['short']}, {what}: "
                    + ", ".join(f"{program} {ratio(value)}" for value, program in better)
                    + note
                )
    return lines


def expert(field):
    """How the code that was written for these jobs alone compares with ours."""
    found = {"wins": [], "ties": [], "loses": []}
    for job in field["jobs"]:
        for figure in job["programs"]:
            if figure["program"] == field.get("expert"):
                value = figure["secondsRatio"]
                kind = "wins" if value < 0.9 else "ties" if value < 1.1 else "loses"
                found[kind].append(f"{job['short']} {ratio(value)}")
    texts = [f"{kind} ({', '.join(values)})" for kind, values in found.items() if values]
    return f" {field['expert']}, expert code for these jobs alone, {', '.join(texts)}." if texts else ""


def differences(field):
    """Which programs draw other pictures than ours: those that differ by more than 2 of 255 on average."""
    texts = []
    for job in field["jobs"]:
        same, others = 0, {}
        for figure in sorted(job["programs"], key=lambda figure: figure.get("difference", 0)):
            if (value := figure.get("difference", 0)) <= 2:
                same = value
            else:
                others.setdefault(ratio(value), []).append(figure["program"])
        text = [f"at most {ratio(same)}"] if same else []
        if others:
            listed = (f"{', '.join(programs)} {value}" for value, programs in others.items())
            text.append(f"another picture by {', '.join(listed)}")
        if text:
            texts.append(f"{job['short'].capitalize()}: {'; '.join(text)}.")
    return f" Mean differences of pixels to ours, of 255. {' '.join(texts)}" if texts else ""


def numbered(value):
    return f"{value:.2g}" if isinstance(value, float) else str(value)


def section(report, source):
    """All that lies between the two marks."""
    machine = report["machine"]
    parts = [
        f"One run of {machine['date']} on {machine['processor']}, one processor for all, {machine['system']}, commit "
        f"{machine['commit']}: medians of {report['runs']} runs, of fewer where a program takes long (`{source}` has all "
        "samples). In brackets: ratios to ours; **bold where ours loses**."
    ]
    for field in report["fields"]:
        checks = "; ".join(f"{name}: {numbered(value)}" for name, value in field["checks"].items())
        checked = f" Checked: {checks}." if checks else ""
        parts.append(f"### {field['title']}\n\n{field['note']}{expert(field)}{differences(field)}{checked}")
        parts.append(table(field))
        parts.append(f"![{field['title']}, all programs](pictures/side-by-side-{field['name']}.png)")
    parts.append("### Where ours loses\n\nRatios to ours, below 1 where the other is better:")
    parts.append("\n".join(losses(report)) or "Nowhere in this run.")
    known = ", ".join(f"{need} {version}" for need, version in sorted(report["versions"].items()) if version)
    skipped = "; ".join(f"{entry['program']} ({entry['package']})" for entry in report["skipped"])
    parts.append(f"Versions: {known}." + (f" Skipped, as they were not installed: {skipped}." if skipped else ""))
    return "\n\n".join(parts)


def with_section(text, report, source):
    """The page with that part replaced."""
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"the page has no marks: {BEGIN}")
    return pattern.sub(lambda _: f"{BEGIN}\n\n{section(report, source)}\n\n{END}", text)
