import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import hand
import pentimento


class CTests(unittest.TestCase):
    def test_a_program_in_c(self):
        compiler = next(filter(None, map(shutil.which, ["clang", "gcc", "cc"])), None)
        if compiler is None:
            self.skipTest("there is no C compiler")
        here = pathlib.Path(__file__).parent
        library = os.environ.get("PENTIMENTO_LIBRARY") or str(
            pathlib.Path(pentimento.__file__).parent / "libpentimento.so"
        )
        include = here.parents[3] / "Sources/Clients/CPentimento/include"
        drawings = [hand.drawing(seed) for seed in range(30)]
        with tempfile.TemporaryDirectory() as folder:
            program, lines = f"{folder}/draw", pathlib.Path(folder) / "lines.ndjson"
            lines.write_bytes(b"".join(map(hand.line, drawings)))
            subprocess.run(
                [
                    compiler,
                    "-std=c11",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-I",
                    include,
                    here / "draw.c",
                    library,
                    "-o",
                    program,
                ],
                check=True,
            )
            result = subprocess.run([program, lines], capture_output=True, text=True)
        total = int(pentimento.render_batch(drawings).sum())
        self.assertEqual((result.stdout, result.returncode), (f"30 drawings, {total}\n", 0))


if __name__ == "__main__":
    unittest.main()
