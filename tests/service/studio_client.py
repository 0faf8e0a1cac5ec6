"""A server of the studio for tests, and requests to it, with nothing but the standard library."""
import base64
import http.client
import json
import re
import signal
import struct
import subprocess


class Studio:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "studio", *arguments, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError(self.process.stderr.read())
        self.port, self.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address).groups()
        self.port = int(self.port)

    def request(self, method, path, body=None, headers={}, timeout=60):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.read(), reply.headers
        finally:
            connection.close()

    def post(self, body, token=None, **headers):
        """Status and bytes of a question."""
        said = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"}
        said.update({name.replace("_", "-"): value for name, value in headers.items()})
        return self.request("POST", f"/{token or self.token}/ask", body, {k: v for k, v in said.items() if v is not None})[:2]

    def ask(self, what, **more):
        status, body = self.post(json.dumps(dict(more, do=what)))
        assert status == 200, (status, body[:300])
        return json.loads(body)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=30)
        return code, self.process.stderr.read()


def doubles(text):
    data = base64.b64decode(text)
    return list(struct.unpack(f"<{len(data) // 8}d", data))
