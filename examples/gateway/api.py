"""An API that knows nothing of payments. The gateway sells it."""
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Api(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"report": "worth a cent", "path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("API_PORT", "3000"))), Api)
print(f"The API is at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
