"""Pages and replays as somebody draws them with a library: lines of one width with round ends, black on white."""

import struct
import sys

from common import call


class Cairo:
    def __init__(self, width, height, scale=1):
        import cairo

        self.surface = cairo.ImageSurface(cairo.FORMAT_RGB24, width, height)
        self.context = context = cairo.Context(self.surface)
        context.set_source_rgb(1, 1, 1)
        context.paint()
        context.scale(scale, scale)
        context.set_source_rgb(0, 0, 0)
        context.set_line_cap(cairo.LINE_CAP_ROUND)
        context.set_line_join(cairo.LINE_JOIN_ROUND)

    def line(self, points, width):
        self.context.set_line_width(width)
        self.context.move_to(*points[0])
        for x, y in points[1:]:
            self.context.line_to(x, y)
        self.context.stroke()

    def save(self, path):
        self.surface.write_to_png(path)

    def pixels(self):
        self.surface.flush()
        return self.surface.get_data()


class Skia:
    def __init__(self, width, height, scale=1):
        import skia

        self.skia = skia
        self.surface = skia.Surface(width, height)
        self.canvas = self.surface.getCanvas()
        self.canvas.clear(skia.ColorWHITE)
        self.canvas.scale(scale, scale)

    def line(self, points, width):
        skia = self.skia
        path = skia.Path()
        path.addPoly([skia.Point(x, y) for x, y in points], False)
        self.canvas.drawPath(
            path,
            skia.Paint(
                AntiAlias=True,
                Style=skia.Paint.kStroke_Style,
                StrokeWidth=width,
                StrokeCap=skia.Paint.kRound_Cap,
                StrokeJoin=skia.Paint.kRound_Join,
            ),
        )

    def save(self, path):
        self.surface.makeImageSnapshot().save(path, self.skia.kPNG)

    def pixels(self):
        return self.surface.toarray(colorType=self.skia.kRGBA_8888_ColorType)


class OpenCV:
    def __init__(self, width, height, scale=1):
        import cv2
        import numpy

        cv2.setNumThreads(1)
        self.cv2, self.numpy, self.scale = cv2, numpy, scale
        self.array = numpy.full((height, width, 3), 255, numpy.uint8)

    def line(self, points, width):
        # Widths are whole pixels, positions are sixteenths of a pixel from the centre of the first one.
        places = self.numpy.round(self.numpy.array(points) * (16 * self.scale) - 8).astype(self.numpy.int32)
        self.cv2.polylines(
            self.array, [places], False, (0, 0, 0), max(1, round(width * self.scale)), self.cv2.LINE_AA, 4
        )

    def save(self, path):
        self.cv2.imwrite(path, self.array)

    def pixels(self):
        return self.array


class Pillow:
    def __init__(self, width, height, scale=1):
        from PIL import Image, ImageDraw

        self.image = Image.new("RGB", (width, height), "white")
        self.draw = ImageDraw.Draw(self.image)

    def line(self, points, width):
        self.draw.line(points, fill="black", width=max(1, round(width)), joint="curve")


class Blend2D:
    def __init__(self, width, height, scale=1):
        import blend2d

        self.blend2d = blend2d
        self.image = blend2d.BLImage(width, height, blend2d.BLFormat.XRGB32)
        self.context = context = blend2d.BLContext(self.image)
        context.set_fill_style((1.0, 1.0, 1.0, 1.0))
        context.fill_all()
        context.scale(scale, scale)
        context.set_stroke_style((0.0, 0.0, 0.0, 1.0))
        context.set_stroke_caps(blend2d.BLStrokeCap.CAP_ROUND)
        context.stroke_join = blend2d.BLStrokeJoin.JOIN_ROUND

    def line(self, points, width):
        path = self.blend2d.BLPath()
        path.move_to(*points[0])
        for x, y in points[1:]:
            path.line_to(x, y)
        self.context.stroke_width = width
        self.context.stroke_path(path)

    def save(self, path):
        self.context.flush()
        self.image.writeToFile(path)


LIBRARIES = {"cairo": Cairo, "skia": Skia, "cv2": OpenCV, "PIL": Pillow, "blend2d": Blend2D}


def read(source):
    """Width, height, and the lines as points and width."""
    with open(source, "rb") as file:
        width, height, count = struct.unpack("<3I", file.read(12))
        lines = []
        for _ in range(count):
            points, line = struct.unpack("<If", file.read(8))
            lines.append((list(struct.iter_unpack("<2f", file.read(8 * points))), line))
    return width, height, lines


def page(library, source, output, scale):
    width, height, lines = read(source)
    scale = float(scale)
    picture = LIBRARIES[library](round(width * scale), round(height * scale), scale)
    for points, line in lines:
        picture.line(points, line)
    picture.save(output)


def drawn_frames(library, source, count, is_whole=False):
    """The picture after each frame; `is_whole` draws all of it each time."""
    width, height, lines = read(source)
    segments = [(line, index) for line in lines for index in range(len(line[0]) - 1)]
    each = len(segments) // count
    picture = LIBRARIES[library](width, height)
    for frame in range(count):
        if is_whole:
            picture = LIBRARIES[library](width, height)
        part = segments[0 if is_whole else frame * each : (frame + 1) * each]
        while part:
            # One line for all new segments of a stroke.
            line, first = part[0]
            size = sum(1 for other, _ in part if other is line)
            points, wide = line
            picture.line(points[first : first + size + 1], wide)
            part = part[size:]
        yield picture


def frames(library, source, count, mode=None):
    """All pixels of all frames on the standard output."""
    for picture in drawn_frames(library, source, int(count), mode == "whole"):
        sys.stdout.buffer.write(picture.pixels())


def animation(library, source, count, output):
    """All frames by the library's own writer, 30 a second."""
    pictures = drawn_frames(library, source, int(count))
    if library == "cv2":
        import cv2

        film = cv2.Animation()
        film.frames = [picture.array.copy() for picture in pictures]
        film.durations = [33] * len(film.frames)
        cv2.imwriteanimation(output, film)
    else:
        first, *rest = [picture.image.copy() for picture in pictures]
        first.save(output, save_all=True, append_images=rest, duration=33, loop=0)


if __name__ == "__main__":
    call(globals())
