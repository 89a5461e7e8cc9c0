#!/usr/bin/env python3
"""Drives a headless Chromium through its debugging pipe, with the standard library only.

    html_browser.py < COMMANDS > ANSWERS

Commands and answers are lines of JSON. {"open": URL, "width", "height", "ratio", "dark"} loads a page
and waits until its player is ready, or the expression "ready" is true; {"serve": FOLDER} starts a server with a
strict policy, and addresses of pages then begin with "/"; {"evaluate": TEXT} returns a value, awaited; {"key": NAME} presses
a key; {"click": SELECTOR} clicks the centre of an element, which lies in a shadow tree behind ">>>";
{"shot": FILE} saves a screenshot; {"before": TEXT} runs before the scripts of the pages that follow. The last
answer lists the messages and exceptions of the pages, and the addresses that they requested.
"""

import base64
import http.server
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
OPTIONS = [
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--mute-audio",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions",
    "--disable-features=Translate,OptimizationHints,MediaRouter", "--disable-sync",
]


class Browser:
    def __init__(self):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if not program:
            sys.exit("there is no browser")
        self.profile = tempfile.mkdtemp()
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def take_pipes():
            # The browser reads from 3 and writes to 4. Either pipe may have these numbers already.
            a, b = os.dup(to_browser), os.dup(from_browser)
            a, b = os.dup(a), os.dup(b)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, *OPTIONS, "--user-data-dir=" + self.profile, "about:blank"],
            preexec_fn=take_pipes, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session = b"", 0, None
        self.events, self.troubles, self.requests = [], [], []

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        number = self.number
        while True:
            answer = self.next_message(60)
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.record(answer)

    def next_message(self, seconds):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], seconds)[0]:
                sys.exit("the browser does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                sys.exit("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def record(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.troubles.append(
                "%s: %s" % (parameters["type"], [a.get("value") for a in parameters["args"]]))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.troubles.append(
                details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded":
            self.troubles.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def attach(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def evaluate(self, text):
        result = self.call(
            "Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True,
            userGesture=True)
        if "exceptionDetails" in result:
            return {"error": result["exceptionDetails"]["exception"].get("description")}
        return result["result"].get("value")

    def open(self, command):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=command.get("width", 1000),
            height=command.get("height", 800), deviceScaleFactor=command.get("ratio", 1),
            mobile=False)
        style = "dark" if command.get("dark") else "light"
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": style}])
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.call("Page.navigate", url=(self.address if command["open"][0] == "/" else "") + command["open"])
        ready = command.get("ready", "document.body?.dataset.state")
        for _ in range(600):
            state = self.evaluate("location.href != 'about:blank' && (%s)" % ready)
            if state:
                return state
            time.sleep(0.05)
        return "nothing"

    def key(self, name):
        text = {"text": name} if len(name) == 1 else {}
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=name, **text)

    def click(self, selector):
        point = self.evaluate(
            "(() => { let e = document; for (const s of %s.split('>>>'))"
            " e = (e.shadowRoot ?? e).querySelector(s); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()" % json.dumps(selector))
        for kind in ["mousePressed", "mouseReleased"]:
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=point[0], y=point[1], button="left",
                clickCount=1)

    def serve(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def end_headers(self):
                self.send_header(
                    "Content-Security-Policy", "default-src 'none'; connect-src 'self'; img-src data:;"
                    " script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'")
                super().end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.address = "http://127.0.0.1:%d" % server.server_port

    def before(self, text):
        self.call("Page.addScriptToEvaluateOnNewDocument", source=text)

    def shot(self, file):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(file, "wb") as output:
            output.write(base64.b64decode(data))

    def perform(self, command):
        for name in ["open", "evaluate", "key", "click", "shot", "before", "serve"]:
            if name in command:
                return getattr(self, name)(command if name == "open" else command[name])
        raise ValueError("unknown command")

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


def main():
    browser = Browser()
    try:
        browser.attach()
        for line in sys.stdin:
            if line.strip():
                print(json.dumps(browser.perform(json.loads(line))), flush=True)
        print(json.dumps({"troubles": browser.troubles, "requests": browser.requests}))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
