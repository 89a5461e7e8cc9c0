/// Pentimento for C, and for all languages that can call C: reads ink, draws it, and draws data
/// sets of it.
///
/// Version 1 of the interface. Later versions keep all functions, numbers and fields; they add
/// functions, and fields at the ends of structures. So a program works with the library that it was
/// compiled against and with every later one.
///
/// Results. Functions that return `int32_t` return `PENTIMENTO_OK` or the code of an error;
/// functions that return an opaque pointer return null after an error. Both fill the
/// `pentimento_error` that the caller passes, which may be null. After an error, the function's
/// outputs are undefined, and nothing has to be closed.
///
/// Objects. Opaque pointers are numbers that the library looks up: they are never addresses. So a
/// closed or invented pointer causes an error and no crash. Every type of object has a function
/// that closes it; closing null does nothing. If a result is documented as valid "while X is open",
/// it is memory of the library that must not be written or freed.
///
/// Memory of the caller is read or written only during the call. The library cannot check the
/// number of bytes that the caller passes.
///
/// Threads. All functions may be called from any thread. Objects do not change after they were
/// opened, so that several threads may use one; only the frames of one `pentimento_frames` are
/// drawn one after the other, by a lock. An object that is closed while another thread uses it
/// lives until that call ends, but memory that it lent is freed at once. The library starts at most
/// as many threads as there are processors, and fewer if memory is short.
///
/// Forks. A process that was made by `fork` may use all functions and objects. For that, `fork`
/// waits until no other thread is in a call, and calls wait while a process is forked.
///
/// Texts are UTF-8 and end with a zero byte.
#ifndef PENTIMENTO_H
#define PENTIMENTO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this header; see `pentimento_version`.
#define PENTIMENTO_VERSION 1

/// The version of the interface that the library has. The library is too old for a program if this
/// is less than `PENTIMENTO_VERSION` of the program's header.
int32_t pentimento_version(void);

// MARK: - Errors

/// The error codes.
enum {
  PENTIMENTO_OK = 0,
  /// An argument is null, not finite, out of its range, or contradicts another one.
  PENTIMENTO_INVALID = 1,
  /// The object was closed, never existed, or is of another type.
  PENTIMENTO_UNKNOWN = 2,
  /// The bytes are damaged, or not ink of a known format.
  PENTIMENTO_UNREADABLE = 3,
  /// The input or the result is larger than a limit.
  PENTIMENTO_TOO_LARGE = 4,
  /// There is nothing to draw: no page and no ink.
  PENTIMENTO_EMPTY = 5,
  /// The drawing contains something that the format cannot store.
  PENTIMENTO_UNWRITABLE = 6,
  /// The system has no memory for the input, the result or the work.
  PENTIMENTO_NO_MEMORY = 7,
};

/// An error: its code, and a message for people, truncated to the buffer.
typedef struct {
  int32_t code;
  char message[256];
} pentimento_error;

// MARK: - Bytes

/// Bytes that the library made.
typedef struct pentimento_bytes pentimento_bytes;

/// The address of the bytes, valid while they are open; null after an error. `count` may be null.
const uint8_t *pentimento_bytes_data(pentimento_bytes *bytes, int64_t *count, pentimento_error *error);
void pentimento_bytes_close(pentimento_bytes *bytes);

// MARK: - Drawings

/// A drawing that was opened: one page of a file.
typedef struct pentimento_drawing pentimento_drawing;

/// Facts about a drawing.
typedef struct {
  /// `sizeof(pentimento_info)`, which the caller sets.
  uint32_t size;
  /// The number of pages in the file, and the page that was opened, from 0.
  int32_t page_count, page;
  /// The number of damaged or unsupported parts of the file; `pentimento_damage` describes each.
  int32_t damage_count;
  int64_t stroke_count, point_count;
  /// The size of the page in points of 1/72 inch; both 0 if it has no edges.
  double width, height;
  /// The box of all ink in points: left, top, width, height; all 0 without ink.
  double bounds[4];
  /// The duration of a replay in seconds, with its pauses.
  double duration;
  /// 0xRRGGBBAA, and whether the page has a colour of its own.
  uint32_t background;
  int32_t has_background;
} pentimento_info;

/// Opens a file of any known format of ink from its bytes, which may be freed afterwards. Files
/// have at most 1 GiB.
///
/// A partly readable file is opened; `pentimento_damage` describes the missing parts.
///
/// - format: the name of the format, as `pentimento_format` returns it; null to recognize it by the
///   bytes.
/// - page: the page of a file with several, from 0.
pentimento_drawing *pentimento_open(const void *bytes, int64_t count, const char *format, int32_t page,
                                    pentimento_error *error);
void pentimento_close(pentimento_drawing *drawing);

int32_t pentimento_get_info(pentimento_drawing *drawing, pentimento_info *info, pentimento_error *error);

/// The name of the file's format, "quickdraw" for example; valid while the drawing is open.
const char *pentimento_format(pentimento_drawing *drawing, pentimento_error *error);

/// A text about the page, "title" or "author" for example; null, without an error, if there is
/// none. It is valid while the drawing is open.
const char *pentimento_text(pentimento_drawing *drawing, const char *name, pentimento_error *error);

/// A description of one damaged place, by its number below `damage_count`; valid while the drawing
/// is open.
const char *pentimento_damage(pentimento_drawing *drawing, int32_t number, pentimento_error *error);

/// Columns with a `float` for each control point of all strokes. The points of a stroke are the
/// control points of a uniform cubic B-spline, as in PencilKit.
enum {
  /// The position in points, before the stroke's transform.
  PENTIMENTO_X = 0,
  PENTIMENTO_Y = 1,
  /// Seconds since the stroke began.
  PENTIMENTO_TIME = 2,
  /// The extent of the nib in points.
  PENTIMENTO_WIDTH = 3,
  PENTIMENTO_HEIGHT = 4,
  /// The pressure; 1 is an average touch.
  PENTIMENTO_FORCE = 5,
  /// The direction and the inclination of the pen in radians; upright is π/2.
  PENTIMENTO_AZIMUTH = 6,
  PENTIMENTO_ALTITUDE = 7,
  /// The amount of ink; 1 is its full strength.
  PENTIMENTO_OPACITY = 8,
};

/// The values of a column for all points; `count` gets their number. They are computed on first
/// use, and valid while the drawing is open. Null after an error; the result for a drawing without
/// points is not null.
const float *pentimento_column(pentimento_drawing *drawing, int32_t column, int64_t *count,
                               pentimento_error *error);

/// A stroke of a drawing.
typedef struct {
  /// `sizeof(pentimento_stroke)`, which the caller sets.
  uint32_t size;
  /// Whether an eraser has left only a part of the stroke.
  int32_t is_masked;
  /// The range of its points in all columns: the first index, and the index after the last.
  int64_t first_point, end_point;
  /// The start of the stroke, in seconds since 1970.
  double start;
  /// Red, green, blue and opacity of the ink from 0 to 1, in sRGB.
  double color[4];
  /// The matrix from its points to the page: (x, y) becomes (a·x + c·y + tx, b·x + d·y + ty), in
  /// the order a, b, c, d, tx, ty.
  double transform[6];
  /// The ink's name: "pen", "pencil", "marker", "monoline", "fountainPen", "watercolor", "crayon",
  /// "reed", or the identifier of another one. Valid while the drawing is open.
  const char *ink;
  /// The seed of the ink's texture.
  uint32_t seed;
  /// The stroke's identifier.
  uint8_t id[16];
} pentimento_stroke;

/// A stroke by its number from back to front, from 0.
int32_t pentimento_get_stroke(pentimento_drawing *drawing, int64_t number, pentimento_stroke *stroke,
                              pentimento_error *error);

/// Writes the drawing in another format: "pkd", "json", "pencilkit", "svg", "pdf", "events",
/// "quickdraw", "xournal", "excalidraw" or "inkml".
pentimento_bytes *pentimento_encode(pentimento_drawing *drawing, const char *format, pentimento_error *error);

// MARK: - Pictures

enum {
  /// Colours as they are stored, which are meant for light paper.
  PENTIMENTO_STYLE_LIGHT = 0,
  /// Light ink on dark paper.
  PENTIMENTO_STYLE_DARK = 1,
  /// Colours as they are stored, on any paper.
  PENTIMENTO_STYLE_STORED = 2,
};

enum {
  /// That of the page; without one, white, or black in the dark style.
  PENTIMENTO_BACKGROUND_PAGE = 0,
  PENTIMENTO_BACKGROUND_TRANSPARENT = 1,
  /// `background_color`.
  PENTIMENTO_BACKGROUND_COLOR = 2,
  /// A colour on which the ink is visible.
  PENTIMENTO_BACKGROUND_AUTOMATIC = 3,
};

enum {
  PENTIMENTO_PAPER_OWN = -1,
  PENTIMENTO_PAPER_BLANK = 0,
  PENTIMENTO_PAPER_DOTTED = 1,
  PENTIMENTO_PAPER_LINED = 2,
  PENTIMENTO_PAPER_GRID = 3,
  PENTIMENTO_PAPER_GRAPH = 4,
  PENTIMENTO_PAPER_ISOMETRIC = 5,
  PENTIMENTO_PAPER_STAVES = 6,
  PENTIMENTO_PAPER_CORNELL = 7,
};

/// The options for drawing a picture. `pentimento_picture_defaults` sets all fields.
typedef struct {
  /// `sizeof(pentimento_picture_options)`.
  uint32_t size;
  /// The size of the picture in pixels, into which the content is fitted. If one is 0, the other is
  /// the length of the longer side; if both are 0, `scale` decides.
  int32_t width, height;
  int32_t style, background, paper;
  /// 0xRRGGBBAA.
  uint32_t background_color;
  /// The number of threads; 0 for as many as there are processors. The picture does not depend on
  /// it.
  int32_t threads;
  /// Pixels per point, more than 0; used if width and height are 0.
  double scale;
  /// The part of the page in points: left, top, width, height. If the width is 0, everything is
  /// drawn: the page, or the ink.
  double region[4];
  /// The margin in points around ink that has no page.
  double margin;
  /// Pictures with more pixels are refused with `PENTIMENTO_TOO_LARGE`. At most 400,000,000.
  int64_t maximum_pixels;
} pentimento_picture_options;

void pentimento_picture_defaults(pentimento_picture_options *options);

/// A picture: rows of RGBA bytes with straight alpha.
typedef struct pentimento_picture pentimento_picture;

/// Draws a drawing. Null as options stands for the defaults.
pentimento_picture * pentimento_render(pentimento_drawing *drawing, const pentimento_picture_options *options,
                                       pentimento_error *error);

/// The address of the first pixel. The outputs are the picture's size in pixels and the bytes from
/// row to row; each may be null. Valid while the picture is open; null after an error.
const uint8_t *pentimento_picture_data(pentimento_picture *picture, int32_t *width, int32_t *height,
                                       int64_t *bytes_per_row, pentimento_error *error);
void pentimento_picture_close(pentimento_picture *picture);

// MARK: - Replays

/// A replay: pictures of a drawing as it is drawn.
typedef struct pentimento_frames pentimento_frames;

/// Opens a replay.
///
/// - frames_per_second: from 0.001 to 1000. There are at most 200,000 frames.
/// - speed: seconds of the recording per second of the replay; more than 0.
/// - maximum_pause: the length in seconds to which longer pauses between strokes are shortened;
///   negative for no limit.
pentimento_frames * pentimento_frames_open(pentimento_drawing *drawing,
                                           const pentimento_picture_options *options,
                                           double frames_per_second, double speed, double maximum_pause,
                                           pentimento_error *error);

/// The size of the frames in pixels and their number; each may be null.
int32_t pentimento_frames_size(pentimento_frames *frames, int32_t *width, int32_t *height, int64_t *count,
                               pentimento_error *error);

/// Draws the frame with a number into the caller's memory, as rows of RGBA bytes without gaps.
/// Frames may be drawn in any order; in ascending order, only changes are drawn. `capacity` is the
/// number of bytes at `pixels`: width · height · 4 or more.
int32_t pentimento_frames_draw(pentimento_frames *frames, int64_t number, uint8_t *pixels, int64_t capacity,
                               pentimento_error *error);
void pentimento_frames_close(pentimento_frames *frames);

// MARK: - Collections

/// Drawings of a data set that were read into columns.
typedef struct pentimento_collection pentimento_collection;

enum {
  /// Quick, Draw!'s lines of JSON, raw or simplified, also compressed by gzip: each line is a
  /// drawing.
  PENTIMENTO_QUICKDRAW = 0,
  /// Quick, Draw!'s binary records.
  PENTIMENTO_QUICKDRAW_BINARY = 1,
  /// Omniglot's strokes: a text for each drawing, or the zip archive with all of them.
  PENTIMENTO_OMNIGLOT = 2,
  /// A text in InkML for each drawing, as in MathWriting and CROHME.
  PENTIMENTO_INKML = 3,
};

/// Reads drawings.
///
/// Damage in a drawing loses its later strokes, or all of them; damaged drawings are kept, empty if
/// necessary, so that drawings keep their numbers. Damage is not an error;
/// `pentimento_collection_damage` describes the losses.
///
/// - bytes, count: the texts one after the other, at most 64 GiB.
/// - ends, text_count: the index after the last byte of each text; null and 0 if all bytes are one
///   text.
/// - kind: `PENTIMENTO_QUICKDRAW` for example.
/// - threads: their number; 0 for as many as there are processors. The result does not depend on
///   it.
pentimento_collection * pentimento_collection_read(const void *bytes, int64_t count, const int64_t *ends,
                                                   int64_t text_count, int32_t kind, int32_t threads,
                                                   pentimento_error *error);
void pentimento_collection_close(pentimento_collection *collection);

/// The columns of a collection.
enum {
  /// `float[points][2]`: x and y in the units of the data; y runs down.
  PENTIMENTO_POINTS = 0,
  /// `float[points]`: seconds since the drawing's first point, or NaN; null without an error if no
  /// drawing has times.
  PENTIMENTO_TIMES = 1,
  /// `int64_t[strokes]`: the index after the last point of each stroke.
  PENTIMENTO_STROKE_ENDS = 2,
  /// `int64_t[drawings]`: the index after the last stroke of each drawing.
  PENTIMENTO_DRAWING_ENDS = 3,
  /// The label of each drawing, and its name in the data set: UTF-8, and `int64_t[drawings]` with
  /// the index after the last byte of each.
  PENTIMENTO_LABELS = 4,
  PENTIMENTO_LABEL_ENDS = 5,
  PENTIMENTO_KEYS = 6,
  PENTIMENTO_KEY_ENDS = 7,
  /// `int8_t[drawings]`: 1 if the game guessed the drawing, 0 if not, -1 if that is not known.
  PENTIMENTO_RECOGNIZED = 8,
};

/// A column; `count` gets the number of its elements, where a point counts once. Valid while the
/// collection is open.
const void *
pentimento_collection_column(pentimento_collection *collection, int32_t column,
                             int64_t *count, pentimento_error *error);

/// The number of damaged places; -1 after an error.
int64_t pentimento_collection_damage_count(pentimento_collection *collection, pentimento_error *error);

/// A description of a damaged place, and its drawing. Only the first 100 are kept. Valid while the
/// collection is open.
const char *
pentimento_collection_damage(pentimento_collection *collection, int64_t number,
                             int64_t *drawing, pentimento_error *error);

// MARK: - Batches

/// Many drawings as columns, in the caller's memory or in that of a collection.
typedef struct {
  /// `sizeof(pentimento_lines)`.
  uint32_t size;
  /// The step in floats from one point to the next in `x` and `y`: 1 for two columns; 2 for one
  /// column of pairs, where `y` is `x` + 1.
  int32_t step;
  /// The coordinates of the points, finite, in units of the data; y runs down.
  const float *x;
  const float *y;
  /// The time of each point in any unit, used for bins. Null if no times are known; NaN for a point
  /// whose time is unknown.
  const float *times;
  /// The index after the last point of each stroke, and after the last stroke of each drawing:
  /// never less than the previous one.
  const int64_t *stroke_ends;
  const int64_t *drawing_ends;
  int64_t point_count, stroke_count, drawing_count;
} pentimento_lines;

/// The placement of a drawing in its picture.
enum {
  /// The placement of the common recipe for Quick, Draw!'s simplified drawings: a square of
  /// `frame[2]` units, usually 256, with `padding` and half a line around it, becomes the picture.
  /// The drawing, whose least coordinates should be 0, is centred in it.
  PENTIMENTO_PLACE_CENTERED = 0,
  /// The larger side of the drawing fills the picture except for `padding` and half a line, which
  /// are in pixels.
  PENTIMENTO_PLACE_FITTED = 1,
  /// The rectangle `frame`, with `padding` around it, is fitted into the picture and centred;
  /// drawings keep their positions in it.
  PENTIMENTO_PLACE_FRAME = 2,
};

/// The options of batches. `pentimento_batch_defaults` sets all fields: pictures of 28 · 28 pixels
/// by the recipe.
typedef struct {
  /// `sizeof(pentimento_batch_options)`.
  uint32_t size;
  /// The size of a picture in pixels, each side from 1 to 2048.
  int32_t width, height;
  /// `PENTIMENTO_PLACE_CENTERED` for example.
  int32_t placement;
  /// The number of pictures of each drawing, from 1 to 256. With more than one, each shows an equal
  /// part of the time from the drawing's first point to its last. A drawing without times, or with
  /// equal times, is drawn at a constant speed.
  int32_t bins;
  /// The number of threads; 0 for as many as there are processors. The pictures do not depend on
  /// it.
  int32_t threads;
  /// Whether lines are black on white; otherwise they are white on black.
  int32_t is_inverted;
  /// The width of lines, more than 0, and the space around the frame: in units of the data, or in
  /// pixels if fitted.
  float line_width, padding;
  /// Left, top, width and height in units of the data.
  float frame[4];
  /// The seed of the random changes; each drawing also uses its number.
  uint64_t seed;
  /// Random changes, all uniformly distributed: the greatest angle in degrees by which the drawing
  /// is rotated, in either direction, about the picture's centre; the least and the greatest factor
  /// of its size; the greatest angle of shear in degrees; and the greatest translation in either
  /// direction, as a fraction of the picture's side.
  float rotation;
  float scale[2];
  float shear, translation;
  /// The standard deviation of the noise of each coordinate, in the units of `line_width`.
  float jitter;
  /// The least and the greatest factor of the lines' width.
  float width_factor[2];
} pentimento_batch_options;

void pentimento_batch_defaults(pentimento_batch_options *options);

/// Draws each drawing as a grey picture, or `bins` pictures, into the caller's memory:
/// `drawing_count` · `bins` · `height` · `width` bytes in this order.
///
/// Random changes depend only on the seed and on the drawing's number: not on the number of
/// threads, and not on the batch.
///
/// Limits: 10,000,000 points per drawing; and at most 2^26 points times tiles of 128 · 128 pixels.
///
/// - numbers: the number of each drawing, for random changes; null for 0, 1, 2 …
/// - capacity: the number of bytes at `pixels`.
int32_t pentimento_render_batch(const pentimento_lines *lines, const pentimento_batch_options *options,
                                const int64_t *numbers, uint8_t *pixels, int64_t capacity,
                                pentimento_error *error);

#ifdef __cplusplus
}
#endif

#endif
