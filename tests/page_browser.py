"""Chromium, driven over its debugging protocol by a pipe: pages are opened, clicked through and looked at."""

import base64
import json
import os
import select
import subprocess
import time

WORDS = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
         "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--force-prefers-reduced-motion"]
TIMEOUT_SECONDS = 120


class Browser:
    """One Chromium, with one page."""

    def __init__(self, folder, width=1400, height=1000):
        read_end, to_browser = os.pipe()
        self.from_browser, write_end = os.pipe()
        self.to_browser = to_browser

        def connect():
            os.dup2(read_end, 100)
            os.dup2(write_end, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen(
            WORDS + [f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(read_end)
        os.close(write_end)
        self.bytes, self.number, self.session, self.complaints = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        os.close(self.to_browser)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.from_browser)

    def receive(self, end):
        while b"\0" not in self.bytes:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self.from_browser, 1 << 16)
            if not piece:
                raise TimeoutError("Chromium ended")
            self.bytes += piece
        message, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        end = time.monotonic() + TIMEOUT_SECONDS
        while True:
            answer = self.receive(end)
            self.note(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def note(self, message):
        """Keeps what the page complains about."""
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(parameters["exceptionDetails"].get("exception", {}).get("description") or
                                   parameters["exceptionDetails"]["text"])
        if message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.complaints.append(parameters["entry"]["text"])
        if message.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(parameters["args"]))

    def value(self, expression):
        """The value of a JavaScript expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression, what=None):
        end = time.monotonic() + TIMEOUT_SECONDS
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {what or expression}")
            time.sleep(0.02)

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && !!document.querySelector('main, .status')", address)
        self.wait("!!document.querySelector('main') || !/^Reading/.test(document.querySelector('.status').textContent)")

    def go(self, place, wanted):
        """Goes to a view of the page, and waits until its text is there."""
        self.value(f"location.hash = {json.dumps(place)}")
        self.wait(f"document.querySelector('main').innerText.includes({json.dumps(wanted)})", f"{wanted!r} at {place}")

    def text(self):
        return self.value("document.querySelector('main').innerText")

    def picture(self, dark=False):
        """A picture of what is in sight, as PNG; the bytes tell whether something is drawn."""
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])

    def key(self, key, code=None):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39,
                                             "ArrowLeft": 37}.get(key, 0))

    def tree(self):
        """The accessibility tree: role, name, and whether it can be focused, of each node."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        rows = []
        for node in nodes:
            if node.get("ignored"):
                continue
            focusable = any(each["name"] == "focusable" and each["value"].get("value")
                            for each in node.get("properties", []))
            rows.append((node["role"]["value"], node.get("name", {}).get("value", ""), focusable))
        return rows
