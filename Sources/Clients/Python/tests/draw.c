// A C program that tests the header: reads lines of Quick, Draw! from a file, draws them, and
// prints the sum of all greys.
#include <stdio.h>
#include <stdlib.h>

#include "pentimento.h"

static void fail(pentimento_error error) {
  fprintf(stderr, "error %d: %s\n", (int)error.code, error.message);
  exit(1);
}

int main(int count, char **words) {
  static char text[1 << 20];
  pentimento_error error;
  FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
  if (!file || pentimento_version() < PENTIMENTO_VERSION) return 2;
  const size_t size = fread(text, 1, sizeof text, file);
  fclose(file);

  pentimento_collection *drawings =
      pentimento_collection_read(text, (int64_t)size, NULL, 0, PENTIMENTO_QUICKDRAW, 0, &error);
  if (!drawings) fail(error);
  pentimento_lines lines = {.size = sizeof lines, .step = 2};
  lines.x = pentimento_collection_column(drawings, PENTIMENTO_POINTS, &lines.point_count, &error);
  lines.y = lines.x + 1;
  lines.stroke_ends =
      pentimento_collection_column(drawings, PENTIMENTO_STROKE_ENDS, &lines.stroke_count, &error);
  lines.drawing_ends =
      pentimento_collection_column(drawings, PENTIMENTO_DRAWING_ENDS, &lines.drawing_count, &error);

  const int64_t bytes = lines.drawing_count * 28 * 28;
  uint8_t *pixels = malloc((size_t)bytes);
  if (pentimento_render_batch(&lines, NULL, NULL, pixels, bytes, &error) != PENTIMENTO_OK) fail(error);
  long long sum = 0;
  for (int64_t index = 0; index < bytes; index++) sum += pixels[index];
  printf("%lld drawings, %lld\n", (long long)lines.drawing_count, sum);
  free(pixels);
  pentimento_collection_close(drawings);

  // Using a closed object returns an error, and has no other effect.
  if (pentimento_collection_column(drawings, PENTIMENTO_POINTS, NULL, &error)) return 3;
  return error.code == PENTIMENTO_UNKNOWN ? 0 : 4;
}
