"""The examples of docs/guides/python.md, all of which must work unchanged."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import tempfile
import unittest
import zipfile

import hand

_checkout = pathlib.Path(__file__).parents[3]


class GuideTests(unittest.TestCase):
    def test_examples(self):
        text = (_checkout / "docs/guides/python.md").read_text()
        examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(examples), 5)
        before = os.getcwd()
        names = {}
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                self.write_files()
                for example in examples:
                    if "import torch" in example and not importlib.util.find_spec("torch"):
                        print("skipped: the training loop needs PyTorch, which is not installed")
                        continue
                    with self.subTest(example), contextlib.redirect_stdout(io.StringIO()):
                        exec(compile(example, "docs/guides/python.md", "exec"), names)
            finally:
                os.chdir(before)

    def write_files(self):
        shutil.copy(sorted((_checkout / "Samples").glob("*.pkd"))[0], "page.pkd")
        for word in ["cat", "dog"]:
            lines = [hand.line(hand.drawing(seed), word=word) for seed in range(300)]
            pathlib.Path(f"{word}.ndjson").write_bytes(b"".join(lines))
        folder = pathlib.Path("mathwriting")
        folder.mkdir()
        for seed in range(20):
            (folder / f"{seed}.inkml").write_text(hand.inkml(hand.drawing(seed), f"x_{seed}"))
        with zipfile.ZipFile("strokes_background.zip", "w") as archive:
            archive.writestr(
                "strokes/Greek/character01/0001_01.txt", "START\n1,-2,0\n3,-4,10\nBREAK\n")


if __name__ == "__main__":
    unittest.main()
