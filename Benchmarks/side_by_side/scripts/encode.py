"""Encoders of PNG that are libraries."""

from common import call, printed_median


def png(encoder, *rest):
    """`png ENCODER [LEVEL] FILE.rgba WIDTH HEIGHT REPEATS OUT.png`, as `Benchmarks png`."""
    import numpy

    *level, source, width, height, repeats, output = rest
    width, height = int(width), int(height)
    rgba = numpy.fromfile(source, numpy.uint8).reshape(height, width, 4)
    rgb = numpy.ascontiguousarray(rgba[..., :3])
    if encoder == "fpng":
        import fpng_py

        raw = rgb.tobytes()
        encode = lambda: fpng_py.fpng_encode_image_to_memory(raw, width, height, 3)
    elif encoder == "opencv":
        import cv2

        bgr = numpy.ascontiguousarray(rgb[..., ::-1])
        encode = lambda: cv2.imencode(".png", bgr)[1].tobytes()
    elif encoder == "pillow":
        import io
        from PIL import Image

        image = Image.fromarray(rgb)

        def encode():
            buffer = io.BytesIO()
            image.save(buffer, "PNG")
            return buffer.getvalue()
    elif encoder == "skia":
        import skia

        image = skia.Image.fromarray(rgba, skia.kRGBA_8888_ColorType)
        encode = lambda: bytes(image.encodeToData(skia.kPNG, 100))
    else:
        encode = libpng(rgb, width, height, int(level[0]))
    data = printed_median(encode, int(repeats))
    with open(output, "wb") as file:
        file.write(data)


def libpng(rgb, width, height, level):
    """An encoder by libpng itself, which writes into memory as into a file."""
    import ctypes

    library, system = ctypes.CDLL("libpng16.so.16"), ctypes.CDLL(None)
    pointer, number = ctypes.c_void_p, ctypes.c_uint32
    library.png_get_libpng_ver.restype = ctypes.c_char_p
    library.png_create_write_struct.restype = library.png_create_info_struct.restype = pointer
    system.open_memstream.restype = pointer
    rows = (pointer * height)(*(rgb.ctypes.data + 3 * width * row for row in range(height)))

    def encode():
        data, size = ctypes.c_char_p(), ctypes.c_size_t()
        stream = pointer(system.open_memstream(ctypes.byref(data), ctypes.byref(size)))
        png = pointer(library.png_create_write_struct(library.png_get_libpng_ver(None), None, None, None))
        info = pointer(library.png_create_info_struct(png))
        library.png_init_io(png, stream)
        # 8 bits per component, RGB.
        library.png_set_IHDR(png, info, number(width), number(height), 8, 2, 0, 0, 0)
        library.png_set_compression_level(png, level)
        library.png_write_info(png, info)
        library.png_write_image(png, rows)
        library.png_write_end(png, None)
        library.png_destroy_write_struct(ctypes.byref(png), ctypes.byref(info))
        system.fclose(stream)
        found = ctypes.string_at(data, size.value)
        system.free(data)
        return found

    return encode


def oxipng(source, output):
    import oxipng

    oxipng.optimize(source, output)


if __name__ == "__main__":
    call(globals())
