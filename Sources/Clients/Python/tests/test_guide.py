"""The guide docs/guides/python.md: everything in it must work when it is pasted from top to bottom into one folder."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pentimento

_checkout = pathlib.Path(__file__).parents[4]


class GuideTests(unittest.TestCase):
    def test_everything_pasted_in_a_row(self):
        if shutil.which("pkd") is None:
            self.skipTest("pkd is not in the PATH")
        text = (_checkout / "docs/guides/python.md").read_text()
        blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        languages = [language for language, _ in blocks]
        self.assertEqual({"", "sh", "python"}, set(languages))
        self.assertGreater(languages.count("python"), 5)
        self.assertGreater(languages.count(""), 1)
        before = os.getcwd()
        names = {}
        with tempfile.TemporaryDirectory() as folder:
            self.check_out(pathlib.Path(folder))
            os.chdir(folder)
            try:
                for language, block in blocks:
                    reason = self.reason_to_skip(language, block)
                    if reason:
                        print(f"skipped: {block.splitlines()[0]} …: {reason}")
                        continue
                    with self.subTest(block):
                        self.paste(language, block, names)
            finally:
                os.chdir(before)
        # These would be empty lists and pass if the guide made no files.
        self.assertEqual(names["labels"], ["+"])
        self.assertEqual(len(names["omniglot"]), 1)
        self.assertEqual(names["sketches"].words, ["cat", "dog"])

    def check_out(self, folder):
        """Gives a folder what a clone has, and what the blocks of `sh` build: the library that is tested."""
        for name in ["Samples", "Sources"]:
            (folder / name).symlink_to(_checkout / name)
        library = pathlib.Path(
            os.environ.get("PENTIMENTO_LIBRARY") or pathlib.Path(pentimento.__file__).parent / "libpentimento.so"
        ).resolve()
        (folder / ".build/release").mkdir(parents=True)
        (folder / ".build/release/libpentimento.so").symlink_to(library)

    def reason_to_skip(self, language, block):
        if language == "sh":
            return "it compiles Swift for minutes, and was done before the tests"
        if "import torch" in block and not importlib.util.find_spec("torch"):
            return "the training loop needs PyTorch, which is not installed"
        if block.startswith("cc ") and shutil.which("cc") is None:
            return "there is no C compiler"
        return None

    def paste(self, language, block, names):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "docs/guides/python.md", "exec"), names)
            return
        result = subprocess.run(["bash", "-euo", "pipefail", "-c", block], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
