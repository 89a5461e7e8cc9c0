"""Writes recipe.json: some drawings of our own, and their pictures by the recipe with pycairo. Needs pycairo."""

import base64
import json
import pathlib
import zlib

import numpy as np

import hand

drawings = [hand.drawing(seed) for seed in range(24)]
pictures = np.stack([hand.cairo_recipe(drawing) for drawing in drawings])
text = base64.b64encode(zlib.compress(pictures.tobytes(), 9)).decode()
path = pathlib.Path(__file__).parent / "recipe.json"
lines = ",\n".join(json.dumps(drawing, separators=(",", ":")) for drawing in drawings)
path.write_text(f'{{"drawings": [\n{lines}\n], "pictures": "{text}"}}\n')
