"""Small drawings as arrays."""

import json

from common import call, printed_median


def quickdraw(library, source, size, repeats, output):
    """Lines of Quick, Draw! as an array: white on black, a line of 16 units (of 6 in large pictures) with air around."""
    import numpy

    size = int(size)
    line, air = (16, 16) if size < 64 else (6, 4)
    with open(source, "rb") as file:
        data = file.read()
    if library == "pentimento":
        import pentimento

        drawings = pentimento.read_quickdraw(data, threads=1)
        draw = lambda: pentimento.render_batch(drawings, size=size, line_width=line, padding=air, threads=1)
    else:
        drawings = [json.loads(text)["drawing"] for text in data.splitlines()]
        one = quickdraw_drawer(library, size, line, air)
        draw = lambda: numpy.stack([one(drawing) for drawing in drawings])
    numpy.save(output, printed_median(draw, int(repeats)))


def quickdraw_drawer(library, size, line, air):
    """Draws as the public recipe does: the data's 256 units with air around them, the drawing in the middle of its square."""
    whole = 256 + 2 * air + line
    one = DRAWERS[library](size, size / whole, line)

    def draw(drawing):
        left = (whole - max(max(stroke[0]) for stroke in drawing)) / 2
        top = (whole - max(max(stroke[1]) for stroke in drawing)) / 2
        return one(drawing, left, top)

    return draw


def inkml(library, source, size, repeats, output):
    """Texts of InkML as an array: each drawing fills its picture but for 4 pixels, with a line of 2 pixels."""
    import numpy
    from xml.etree import ElementTree

    size = int(size)
    with open(source) as file:
        texts = json.load(file)
    if library == "pentimento":
        import pentimento

        draw = lambda: pentimento.render_inkml(texts, size=size, threads=1)
    else:
        one = DRAWERS[library](size, 1, 2)

        def parsed(text):
            strokes = [
                numpy.array([[float(number) for number in point.split()[:2]] for point in trace.text.split(",")])
                for trace in ElementTree.fromstring(text)
            ]
            every = numpy.vstack(strokes)
            low = every.min(axis=0)
            scale = (size - 8) / max((every.max(axis=0) - low).max(), 1e-6)
            return one([((stroke - low) * scale).T.tolist() for stroke in strokes], 4, 4)

        draw = lambda: numpy.stack([parsed(text) for text in texts])
    numpy.save(output, printed_median(draw, int(repeats)))


def cairo_drawer(size, scale, width):
    import cairo
    import numpy

    def draw(drawing, left, top):
        surface = cairo.ImageSurface(cairo.FORMAT_A8, size, size)
        context = cairo.Context(surface)
        context.set_antialias(cairo.ANTIALIAS_BEST)
        context.set_line_cap(cairo.LINE_CAP_ROUND)
        context.set_line_join(cairo.LINE_JOIN_ROUND)
        context.scale(scale, scale)
        context.translate(left, top)
        context.set_line_width(width)
        for xs, ys in drawing:
            context.move_to(xs[0], ys[0])
            for place in zip(xs[1:], ys[1:]):
                context.line_to(*place)
            context.stroke()
        return numpy.frombuffer(surface.get_data(), numpy.uint8).reshape(size, surface.get_stride())[:, :size].copy()

    return draw


def skia_drawer(size, scale, width):
    import numpy
    import skia

    paint = skia.Paint(
        AntiAlias=True,
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=width,
        Color=skia.ColorWHITE,
        StrokeCap=skia.Paint.kRound_Cap,
        StrokeJoin=skia.Paint.kRound_Join,
    )

    def draw(drawing, left, top):
        array = numpy.zeros((size, size, 4), numpy.uint8)
        canvas = skia.Canvas(array)
        canvas.scale(scale, scale)
        canvas.translate(left, top)
        for xs, ys in drawing:
            path = skia.Path()
            path.addPoly([skia.Point(x, y) for x, y in zip(xs, ys)], False)
            canvas.drawPath(path, paint)
        return array[..., 3].copy()

    return draw


def cv2_drawer(size, scale, width):
    import cv2
    import numpy

    cv2.setNumThreads(1)
    thickness = max(1, round(width * scale))

    def draw(drawing, left, top):
        array = numpy.zeros((size, size), numpy.uint8)
        for xs, ys in drawing:
            places = numpy.stack([(numpy.array(xs) + left) * (scale * 16), (numpy.array(ys) + top) * (scale * 16)], 1)
            cv2.polylines(array, [places.round().astype(numpy.int32)], False, 255, thickness, cv2.LINE_AA, 4)
        return array

    return draw


def pillow_drawer(size, scale, width):
    import numpy
    from PIL import Image, ImageDraw

    # Pillow draws without anti-aliasing: small pictures are drawn large and scaled down.
    large = max(size, 256)
    scale *= large / size

    def draw(drawing, left, top):
        image = Image.new("L", (large, large))
        pen = ImageDraw.Draw(image)
        for xs, ys in drawing:
            pen.line(
                [((x + left) * scale, (y + top) * scale) for x, y in zip(xs, ys)], fill=255, width=round(width * scale)
            )
        return numpy.asarray(image if large == size else image.resize((size, size)))

    return draw


def matplotlib_drawer(size, scale, width):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot

    figure = matplotlib.pyplot.figure(figsize=(size / 72, size / 72), dpi=72)
    axes = figure.add_axes((0, 0, 1, 1))

    def draw(drawing, left, top):
        axes.clear()
        axes.set_xlim(0, size)
        axes.set_ylim(size, 0)
        axes.axis("off")
        for xs, ys in drawing:
            axes.plot(
                [(x + left) * scale for x in xs],
                [(y + top) * scale for y in ys],
                color="black",
                linewidth=width * scale,
                solid_capstyle="round",
                solid_joinstyle="round",
            )
        figure.canvas.draw()
        import numpy

        return 255 - numpy.asarray(figure.canvas.buffer_rgba())[..., 0]

    return draw


DRAWERS = {
    "cairo": cairo_drawer,
    "skia": skia_drawer,
    "cv2": cv2_drawer,
    "PIL": pillow_drawer,
    "matplotlib": matplotlib_drawer,
}


if __name__ == "__main__":
    call(globals())
