// Draws lines of one width each as a PNG, as an expert would write it for this job alone:
// Anti-Grain Geometry draws into bytes of grey, libdeflate compresses them.
//
// agg_page LINES WIDTH HEIGHT PNG

#include <agg_conv_stroke.h>
#include <agg_path_storage.h>
#include <agg_pixfmt_gray.h>
#include <agg_rasterizer_scanline_aa.h>
#include <agg_renderer_base.h>
#include <agg_renderer_scanline.h>
#include <agg_scanline_u.h>
#include <arpa/inet.h>
#include <libdeflate.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Bytes = std::vector<uint8_t>;

static Bytes contents(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  fseek(file, 0, SEEK_END);
  Bytes bytes(ftell(file));
  rewind(file);
  if (fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) exit(1);
  fclose(file);
  return bytes;
}

static void write_chunk(FILE *file, const char *type, const void *data, uint32_t size) {
  const uint32_t length = htonl(size);
  const uint32_t check = htonl(libdeflate_crc32(libdeflate_crc32(0, type, 4), data, size));
  fwrite(&length, 4, 1, file);
  fwrite(type, 4, 1, file);
  fwrite(data, 1, size, file);
  fwrite(&check, 4, 1, file);
}

int main(int count, char **words) {
  if (count != 5) return 2;
  const int width = atoi(words[2]), height = atoi(words[3]);
  const Bytes lines = contents(words[1]);
  const uint32_t *head = (const uint32_t *)lines.data();
  const double scale = double(width) / head[0];

  // The byte before each row says that the row is not filtered.
  const size_t pitch = width + 1;
  Bytes pixels(pitch * height);
  agg::rendering_buffer rows(pixels.data() + 1, width, height, pitch);
  agg::pixfmt_gray8 format(rows);
  agg::renderer_base<agg::pixfmt_gray8> page(format);
  page.clear(agg::gray8(255));

  agg::path_storage path;
  agg::conv_stroke<agg::path_storage> stroke(path);
  stroke.line_cap(agg::round_cap);
  // Faster than round joins: the pieces of a curve meet at angles too small for arcs.
  stroke.line_join(agg::miter_join_round);
  agg::rasterizer_scanline_aa<> rasterizer;
  rasterizer.clip_box(0, 0, width, height);
  agg::scanline_u8 scanline;
  // Each line by itself: to sort the edges of all at once takes a third longer.
  const float *line = (const float *)(head + 3);
  for (uint32_t number = 0; number < head[2]; number++) {
    const uint32_t points = *(const uint32_t *)line;
    stroke.width(line[1] * scale);
    line += 2;
    path.remove_all();
    path.move_to(line[0] * scale, line[1] * scale);
    for (uint32_t point = 1; point < points; point++) {
      path.line_to(line[2 * point] * scale, line[2 * point + 1] * scale);
    }
    line += 2 * points;
    rasterizer.add_path(stroke);
    agg::render_scanlines_aa_solid(rasterizer, scanline, page, agg::gray8(0));
  }

  libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
  Bytes packed(libdeflate_zlib_compress_bound(compressor, pixels.size()));
  const size_t size = libdeflate_zlib_compress(
    compressor, pixels.data(), pixels.size(), packed.data(), packed.size());

  FILE *file = fopen(words[4], "wb");
  if (!file) return 1;
  const uint32_t sides[] = {htonl(width), htonl(height)};
  uint8_t header[13] = {};
  memcpy(header, sides, 8);
  header[8] = 8;
  fwrite("\x89PNG\r\n\x1a\n", 8, 1, file);
  write_chunk(file, "IHDR", header, sizeof header);
  write_chunk(file, "IDAT", packed.data(), size);
  write_chunk(file, "IEND", "", 0);
  return fclose(file);
}
