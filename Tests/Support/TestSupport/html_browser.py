#!/usr/bin/env python3
"""Drives a headless browser with the standard library only: Chromium through its debugging pipe, Firefox, or WebKit through
its driver, on a screen of its own.

    html_browser.py [--firefox|--webkit] < COMMANDS > ANSWERS

Commands and answers are lines of JSON. {"open": URL, "width", "height", "ratio", "dark", "forced", "still"} loads a
page and waits until its player is ready, or the expression "ready" is true; {"serve": FOLDER} starts a server with a
strict policy, and addresses of pages then begin with "/"; {"evaluate": TEXT} returns a value, awaited; {"key": NAME} presses
a key, as in "Control+z" with others; {"click": SELECTOR} clicks the centre of an element, which lies in a shadow tree behind
">>>"; {"drag": POINTS} presses the mouse at the first point and releases it at the last (Chromium only);
{"shot": FILE} saves a screenshot; {"before": TEXT} runs before the scripts of the pages that follow;
{"wait": TEXT, "seconds": N} waits until an expression is true and returns it, or null; {"look": {"width", …}} changes the
window of an open page. {"memory": true} returns the memory of all processes of the browser in MB, shared pages by their share. {"proxy": PREFIX} starts a proxy that takes PREFIX from the addresses, and returns its port;
{"target": PORT} says to which server it passes requests; {"rules": [[PATTERN, STATUS, SECONDS], …]} lets it answer paths that
match with a status and after some seconds: 0 passes the request on, -1 drops the connection, -2 does so after the server
has answered; {"replace": [[PATTERN, OLD, NEW], …]} lets it change texts in answers to paths that match; {"asked": PATTERN} waits
until a path that matches was asked for since the rules were given, and returns whether one was.

Only Chromium knows: {"tab": NAME} goes to a tab and opens it if there is none, {"close": NAME} closes it, and {"crash": NAME}
ends its process; {"offline": TRUTH} takes the network from all pages and workers; {"pen": POINTS} draws with a pen, a list of
x, y, force, tiltX, tiltY and twist for each point; {"authenticator": true} gives the tab an empty authenticator for
passkeys, which agrees to everything.

The last answer lists the messages and exceptions of the pages, and the addresses that they requested.
"""

import base64
import glob
import http.client
import http.server
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
FIREFOX_NAMES = ["firefox-esr", "firefox"]
OPTIONS = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--mute-audio",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-features=Translate,OptimizationHints,MediaRouter",
    "--disable-sync",
]

# The numbers that Chromium wants for keys that do something by themselves.
CODES = {
    "Escape": 27,
    "Enter": 13,
    "Tab": 9,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Backspace": 8,
    "Delete": 46,
    " ": 32,
}

# WebDriver writes keys without a character like this.
KEYS = {
    "Escape": "\ue00c",
    "Enter": "\ue007",
    "Tab": "\ue004",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowRight": "\ue014",
}


# Commands whose names are those of other things here.
COMMANDS = {"close": "close_tab"}


def deep(text):
    """The text of a script in which `document` finds what is in shadow trees, if the page has such a document."""
    return "{ const document = globalThis.deepDocument ?? globalThis.document;\n%s\n}" % text


class Relay(http.server.ThreadingHTTPServer):
    """A proxy that takes a prefix from the addresses, and answers as its rules say."""

    daemon_threads = True

    def __init__(self, prefix):
        self.prefix, self.target, self.rules, self.replacements = prefix, 0, [], []
        self.asked = []
        super().__init__(("127.0.0.1", 0), RelayHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *arguments):
        """Browsers end connections as they like."""


class RelayHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def relay(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status = 0
        self.server.asked.append(self.command + " " + self.path)
        for pattern, code, seconds in self.server.rules:
            if re.search(pattern, self.command + " " + self.path):
                time.sleep(seconds)
                status = code
                break
        if status == -1 or not self.path.startswith(self.server.prefix + "/"):
            self.close_connection = True
            if status >= 0:
                self.answer(404, [], b"")
            return
        if status > 0:
            problem = json.dumps({"status": status, "code": "test", "detail": "a test"}).encode()
            return self.answer(status, [("Content-Type", "application/problem+json")], problem)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.target, timeout=60)
        try:
            changes = [one[1:] for one in self.server.replacements if re.search(one[0], self.path)]
            dropped = ["connection"] + ["accept-encoding", "if-none-match", "if-modified-since"] * bool(changes)
            fields = {name: value for name, value in self.headers.items() if name.lower() not in dropped}
            connection.request(self.command, self.path[len(self.server.prefix) :], body, fields)
            answer = connection.getresponse()
            is_stream = answer.getheader("Content-Type", "").startswith("text/event-stream")
            if status == -2:
                if not is_stream:
                    answer.read()
                self.close_connection = True
                return
            if is_stream:
                return self.stream(answer)
            dropped = ["connection", "transfer-encoding", "content-length", "keep-alive"]
            fields = [(name, value) for name, value in answer.getheaders() if name.lower() not in dropped]
            body = answer.read()
            for old, new in changes:
                body = body.replace(old.encode(), new.encode())
            self.answer(answer.status, fields, body)
        except OSError:
            self.close_connection = True
        finally:
            connection.close()

    def stream(self, answer):
        self.send_response_only(answer.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        while piece := answer.read1():
            self.wfile.write(piece)
            self.wfile.flush()

    def answer(self, status, fields, body):
        self.send_response_only(status)
        for name, value in fields:
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status not in (204, 304):
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = relay


class Browser:
    """What the commands do in any browser. Its kinds add `start`, `evaluate`, `key`, `before`, and their own parts of
    `open`, `click` and `shot`.
    """

    def __init__(self):
        self.process, self.profile = None, tempfile.mkdtemp()
        self.troubles, self.requests = [], []

    def open(self, command):
        self.prepare(command)
        self.navigate("about:blank")
        self.requests.clear()
        self.navigate((self.address if command["open"][0] == "/" else "") + command["open"])
        ready = command.get("ready", "document.body?.dataset.state")
        for _ in range(600):
            state = self.evaluate("location.href != 'about:blank' && (%s)" % ready)
            if state:
                return state
            time.sleep(0.05)
        return "nothing"

    def click(self, selector):
        # The element must be in the window, and rest: pictures that load move what is below them. Where it moved after
        # all, it was not pressed, and it is tried again: many times, as pages of a busy machine come to rest late.
        for attempt in range(12):
            place = self.evaluate(
                "(async () => { let e = globalThis.deepDocument ?? document; for (const s of %s.split('>>>')) e = (e.shadowRoot ?? e).querySelector(s);"
                " const at = () => { const { x, y, width, height } = e.getBoundingClientRect();"
                " return [x + width / 2, y + height / 2]; };"
                " const { top, bottom } = e.getBoundingClientRect();"
                " if (top < 0 || bottom > innerHeight) e.scrollIntoView({ block: 'center', behavior: 'instant' });"
                " for (let last = '', n = 0; n < 40 && last !== String(at()); n++) {"
                " last = String(at()); await new Promise((done) => setTimeout(done, 30)); }"
                " globalThis.isPressed = false;"
                " for (const kind of e.matches('button, a, input, label') ? ['click'] : ['pointerdown', 'click']) {"
                " e.addEventListener(kind, () => { globalThis.isPressed = true; }, { once: true, capture: true }); }"
                " return at(); })()" % json.dumps(selector)
            )
            if not isinstance(place, list):
                if attempt:
                    return
                sys.exit("nothing to click: %s: %s" % (selector, place))
            self.click_at(*place)
            if self.evaluate("globalThis.isPressed") is not False:
                return

    def serve(self, folder):
        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *arguments):
                super().__init__(*arguments, directory=folder)

            def end_headers(self):
                self.send_header(
                    "Content-Security-Policy",
                    "default-src 'none'; connect-src 'self'; img-src data:;"
                    " script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'",
                )
                super().end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.address = "http://127.0.0.1:%d" % server.server_port

    def shot(self, file):
        with open(file, "wb") as output:
            output.write(base64.b64decode(self.picture()))

    def wait(self, command):
        end = time.time() + command.get("seconds", 20)
        while True:
            value = self.evaluate("(async () => Boolean(await (%s)))()" % command["wait"])
            # A page that is being left has no values.
            if value and not (isinstance(value, dict) and "error" in value):
                return value
            if time.time() > end:
                return None
            time.sleep(0.05)

    def look(self, command):
        self.prepare(command)

    def memory(self, _):
        total = 0
        for folder in glob.glob("/proc/[0-9]*"):
            try:
                with open(folder + "/stat") as file:
                    session = int(file.read().rsplit(")", 1)[1].split()[3])
                if session == self.process.pid:
                    with open(folder + "/smaps_rollup") as file:
                        total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
            except (OSError, IndexError):
                pass  # it has ended
        return total / 1024

    def proxy(self, prefix):
        self.relay = Relay(prefix)
        return self.relay.server_port

    def target(self, port):
        self.relay.target = port

    def rules(self, rules):
        self.relay.rules, self.relay.asked = rules, []

    def asked(self, pattern):
        end = time.time() + 20
        while not any(re.search(pattern, one) for one in list(self.relay.asked)):
            if time.time() > end:
                return False
            time.sleep(0.01)
        return True

    def replace(self, replacements):
        self.relay.replacements = replacements

    def perform(self, command):
        for name in [
            "open",
            "wait",
            "evaluate",
            "key",
            "click",
            "drag",
            "shot",
            "before",
            "serve",
            "look",
            "memory",
            "proxy",
            "target",
            "rules",
            "asked",
            "replace",
            "tab",
            "close",
            "crash",
            "offline",
            "pen",
            "authenticator",
        ]:
            if name in command:
                return getattr(self, COMMANDS.get(name, name))(command if name in ["open", "wait"] else command[name])
        raise ValueError("unknown command")

    def close(self):
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Chromium(Browser):
    def start(self):
        program = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
        if not program:
            sys.exit("there is no browser")
        # On a busy machine, a browser sometimes never answers at all.
        for _ in range(3):
            self.launch(program)
            self.post("Target.getTargets")
            if select.select([self.input], [], [], 20)[0]:
                break
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        targets = self.call("Target.getTargets")["targetInfos"]
        self.attach("first", next(target for target in targets if target["type"] == "page")["targetId"])

    def launch(self, program):
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
            preexec_fn=take_pipes,
            close_fds=False,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session = b"", 0, None
        self.tabs, self.scripts, self.workers, self.is_offline = {}, [], set(), None
        self.passkeys = None

    def post(self, method, session=None, **parameters):
        """Sends a command without waiting for its answer, and returns its number."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data) :]
        return self.number

    def call(self, method, **parameters):
        is_for_page = not method.startswith("Target.") or method == "Target.setAutoAttach"
        number = self.post(method, self.session if is_for_page else None, **parameters)
        while True:
            answer = self.next_message(60)
            if answer.get("id") == number:
                if "error" in answer and method == "Runtime.evaluate":
                    # The page is being left.
                    return {"exceptionDetails": {"exception": {"description": answer["error"]["message"]}}}
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
            self.troubles.append("%s: %s" % (parameters["type"], [a.get("value") for a in parameters["args"]]))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.troubles.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded":
            self.troubles.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Target.attachedToTarget" and self.is_offline is not None:
            # A worker that waits until it may run.
            session = parameters["sessionId"]
            self.workers.add(session)
            self.limit(session)
            self.post("Runtime.runIfWaitingForDebugger", session)
        elif method == "Target.detachedFromTarget":
            self.workers.discard(parameters["sessionId"])

    def attach(self, name, target):
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tabs[name] = (target, session)
        self.session = session
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")
        for script in self.scripts:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        if self.is_offline is not None:
            self.watch(session)

    def tab(self, name):
        if name not in self.tabs:
            self.attach(name, self.call("Target.createTarget", url="about:blank")["targetId"])
        target, self.session = self.tabs[name]
        self.call("Target.activateTarget", targetId=target)

    def close_tab(self, name):
        target, _ = self.tabs.pop(name)
        self.call("Target.closeTarget", targetId=target)

    def crash(self, name):
        # Nothing answers any more.
        self.post("Page.crash", self.tabs.pop(name)[1])
        time.sleep(0.3)

    def offline(self, is_offline):
        is_first, self.is_offline = self.is_offline is None, is_offline
        for _, session in self.tabs.values():
            if is_first:
                self.watch(session)
            self.limit(session)
        for session in list(self.workers):
            self.limit(session)
        # The answers, and what workers say that were found now.
        self.call("Runtime.evaluate", expression="new Promise((done) => setTimeout(done, 100))", awaitPromise=True)

    def watch(self, session):
        self.post("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        self.limit(session)

    def limit(self, session):
        self.post("Network.enable", session)
        self.post(
            "Network.emulateNetworkConditions",
            session,
            offline=bool(self.is_offline),
            latency=0,
            downloadThroughput=-1,
            uploadThroughput=-1,
        )

    def pen(self, points):
        kinds = ["mousePressed"] + ["mouseMoved"] * (len(points) - 2) + ["mouseReleased"]
        for kind, (x, y, force, tilt_x, tilt_y, twist) in zip(kinds, points):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                clickCount=1,
                button="left",
                pointerType="pen",
                buttons=int(kind != "mouseReleased"),
                force=force,
                tiltX=tilt_x,
                tiltY=tilt_y,
                twist=twist,
            )

    def evaluate(self, text):
        result = self.call(
            "Runtime.evaluate", expression=deep(text), awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in result:
            return {"error": result["exceptionDetails"]["exception"].get("description")}
        return result["result"].get("value")

    def prepare(self, command):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=command.get("width", 1000),
            height=command.get("height", 800),
            deviceScaleFactor=command.get("ratio", 1),
            mobile=False,
        )
        style = "dark" if command.get("dark") else "light"
        forced = "active" if command.get("forced") else "none"
        self.call(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": style},
                {"name": "forced-colors", "value": forced},
                {"name": "prefers-reduced-motion", "value": "reduce" if command.get("still") else ""},
            ],
        )

    def navigate(self, address):
        self.call("Page.navigate", url=address)

    def key(self, name):
        *modifiers, name = name.split("+") if len(name) > 1 else [name]
        bits = sum({"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}[one] for one in modifiers)
        more = {"windowsVirtualKeyCode": CODES[name]} if name in CODES else {}
        text = "\r" if name == "Enter" else name if len(name) == 1 and bits in (0, 8) else None
        for kind in ["keyDown", "keyUp"]:
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                modifiers=bits,
                **more,
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def click_at(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, points):
        kinds = ["mousePressed"] + ["mouseMoved"] * (len(points) - 2) + ["mouseReleased"]
        for kind, (x, y) in zip(kinds, points):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                clickCount=1,
                button="left",
                buttons=int(kind != "mouseReleased"),
            )

    def before(self, text):
        self.scripts.append(text)
        self.call("Page.addScriptToEvaluateOnNewDocument", source=text)

    def authenticator(self, _):
        self.call("WebAuthn.enable")
        if self.passkeys:
            self.call("WebAuthn.removeVirtualAuthenticator", authenticatorId=self.passkeys)
        options = {"protocol": "ctap2", "transport": "internal", "automaticPresenceSimulation": True}
        options.update(hasResidentKey=True, hasUserVerification=True, isUserVerified=True)
        self.passkeys = self.call("WebAuthn.addVirtualAuthenticator", options=options)["authenticatorId"]

    def picture(self):
        return self.call("Page.captureScreenshot", format="png")["data"]


class WebDriven(Browser):
    """What browsers of WebDriver do alike. Their kinds add `act`, which sends the actions of a device."""

    def key(self, name):
        value = KEYS.get(name, name)
        self.act("key", [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}])

    def click_at(self, x, y):
        self.act(
            "pointer",
            [
                {"type": "pointerMove", "x": round(x), "y": round(y)},
                {"type": "pointerDown", "button": 0},
                {"type": "pointerUp", "button": 0},
            ],
        )


class Firefox(WebDriven):
    """Firefox speaks WebDriver BiDi: lines of JSON as messages of a web socket."""

    # Nothing is loaded but the pages of the tests; a dark page is a choice of the page here.
    PREFERENCES = {
        "remote.prefs.recommended": True,
        "browser.shell.checkDefaultBrowser": False,
        "app.update.auto": False,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
        "datareporting.policy.dataSubmissionEnabled": False,
    }

    def start(self):
        program = next(filter(None, map(shutil.which, FIREFOX_NAMES)), None)
        if not program:
            sys.exit("there is no browser")
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            for name, value in self.PREFERENCES.items():
                file.write("user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value)))
        self.process = subprocess.Popen(
            [
                program,
                "--headless",
                "--no-remote",
                "--remote-debugging-port=0",
                "--profile",
                self.profile,
                "about:blank",
            ],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.profile, "MOZ_CRASHREPORTER_DISABLE": "1"},
        )
        self.number = 0
        self.socket = WebSocket(self.port(), "/session")
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        # The first tab leaves the focus to the address bar, and keys would press no buttons.
        self.context = self.call("browsingContext.create", type="tab")["context"]

    def port(self):
        """The port that Firefox has chosen: it writes it into its profile."""
        for _ in range(600):
            try:
                with open(os.path.join(self.profile, "WebDriverBiDiServer.json")) as file:
                    return json.load(file)["ws_port"]
            except (OSError, ValueError):
                time.sleep(0.1)
        sys.exit("the browser does not start")

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.number:
                if answer["type"] == "error":
                    sys.exit("%s: %s" % (method, answer["message"]))
                return answer["result"]
            self.record(answer.get("method"), answer.get("params", {}))

    def record(self, method, parameters):
        if method == "log.entryAdded":
            self.troubles.append("%s: %s" % (parameters["level"], parameters["text"]))
        elif method == "network.beforeRequestSent":
            self.requests.append(parameters["request"]["url"])

    def prepare(self, command):
        if command.get("dark") or command.get("forced"):
            sys.exit("only Chromium shows pages with other colours here")
        size = {"width": command.get("width", 1000), "height": command.get("height", 800)}
        self.call(
            "browsingContext.setViewport", context=self.context, viewport=size, devicePixelRatio=command.get("ratio", 1)
        )

    def navigate(self, address):
        self.call("browsingContext.navigate", context=self.context, url=address, wait="none")

    def evaluate(self, text):
        answer = self.call(
            "script.evaluate",
            expression=deep(text),
            target={"context": self.context},
            awaitPromise=True,
            userActivation=True,
        )
        if answer["type"] == "exception":
            return {"error": answer["exceptionDetails"]["text"]}
        return self.value(answer["result"])

    def value(self, answer):
        """A value in the form of BiDi as one of JSON."""
        kind, value = answer["type"], answer.get("value")
        if kind == "array":
            return [self.value(one) for one in value]
        if kind == "object":
            return {name: self.value(one) for name, one in value}
        return value if kind in ["string", "number", "boolean"] else None

    def act(self, kind, actions):
        actions = [{"type": kind, "id": kind, "actions": actions}]
        self.call("input.performActions", context=self.context, actions=actions)

    def before(self, text):
        self.call("script.addPreloadScript", functionDeclaration="() => { %s }" % text)

    def picture(self):
        return self.call("browsingContext.captureScreenshot", context=self.context)["data"]


class WebKit(WebDriven):
    """WebKit's driver cannot say what pages write to the console, nor run scripts before theirs: those of `before` run after
    them.
    """

    def start(self):
        if not shutil.which("WebKitWebDriver") or not shutil.which("Xvfb"):
            sys.exit("there is no browser")
        read, write = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1200x24"],
            pass_fds=[write],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        screen = os.read(read, 16).decode().strip()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(
            ["WebKitWebDriver", "--port=%d" % self.port],
            env={
                **os.environ,
                "DISPLAY": ":" + screen,
                "HOME": self.profile,
                "LIBGL_ALWAYS_SOFTWARE": "1",
                # It runs as root here, without a right to make namespaces.
                "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            },
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        browsers = glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
        if not browsers:
            sys.exit("there is no browser")
        options = {"binary": browsers[-1], "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        for _ in range(100):
            try:
                self.session = "/session/" + self.call("POST", "/session", wanted)["sessionId"]
                break
            except OSError:
                time.sleep(0.1)
        self.scripts = []

    def close(self):
        if self.process:
            try:
                os.killpg(self.driver.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.driver.wait()
        super().close()

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            text = json.dumps(body) if body is not None else None
            connection.request(method, path, text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        finally:
            connection.close()
        if answer.status >= 400:
            raise ValueError(value.get("message", "the driver refuses %s" % path))
        return value

    def prepare(self, command):
        size = {"width": command.get("width", 1000), "height": command.get("height", 800)}
        self.call("POST", self.session + "/window/rect", size)

    def navigate(self, address):
        self.call("POST", self.session + "/url", {"url": address})
        for text in self.scripts:
            self.evaluate("(() => { %s })()" % text)

    def evaluate(self, text):
        script = (
            "const done = arguments[0];"
            "const document = globalThis.deepDocument ?? globalThis.document;"
            "(async () => (%s))().then((value) => done({ value: value ?? null }),"
            " (error) => done({ error: String(error) }));" % text
        )
        try:
            answer = self.call("POST", self.session + "/execute/async", {"script": script, "args": []})
        except ValueError as error:
            return {"error": str(error)}
        return answer["value"] if "value" in answer else answer

    def act(self, kind, actions):
        body = {"actions": [{"type": kind, "id": kind, "actions": actions}]}
        self.call("POST", self.session + "/actions", body)

    def before(self, text):
        self.scripts.append(text)

    def picture(self):
        return self.call("GET", self.session + "/screenshot")


class WebSocket:
    """A client of a web socket of this machine, for messages of text."""

    def __init__(self, port, path):
        self.connection = socket.create_connection(("127.0.0.1", port), 60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall(
            (
                "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (path, port, key)
            ).encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        answer, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in answer.split(b"\r\n")[0]:
            sys.exit("the browser refuses the connection")

    def fill(self):
        try:
            part = self.connection.recv(1 << 20)
        except TimeoutError:
            sys.exit("the browser does not answer")
        if not part:
            sys.exit("the browser has ended")
        self.buffer += part

    def take(self, count):
        while len(self.buffer) < count:
            self.fill()
        part, self.buffer = self.buffer[:count], self.buffer[count:]
        return part

    def send(self, text):
        self.send_frame(1, text.encode())

    def send_frame(self, kind, data):
        length = len(data)
        if length < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | length)
        elif length < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, length)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, length)
        # Clients must mask what they send.
        mask = os.urandom(4)
        bits = int.from_bytes((mask * (length // 4 + 1))[:length], "big") ^ int.from_bytes(data, "big")
        self.connection.sendall(head + mask + bits.to_bytes(length, "big"))

    def receive(self):
        message = b""
        while True:
            first, second = self.take(2)
            length = second & 127
            if length > 125:
                length = int.from_bytes(self.take(2 if length == 126 else 8), "big")
            data, kind = self.take(length), first & 15
            if kind == 9:
                self.send_frame(10, data)
            elif kind == 8:
                sys.exit("the browser has closed the connection")
            elif kind != 10:
                message += data
                if first & 0x80:
                    return message.decode()


def main():
    browser = Firefox() if "--firefox" in sys.argv else WebKit() if "--webkit" in sys.argv else Chromium()
    try:
        browser.start()
        for line in sys.stdin:
            if line.strip():
                print(json.dumps(browser.perform(json.loads(line))), flush=True)
        print(json.dumps({"troubles": browser.troubles, "requests": browser.requests}))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
