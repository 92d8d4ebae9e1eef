/** One request to a node that is not there, that is slow, or that answers as proxies do. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { messageOf } from "../../base/fault.ts";
import { Secret } from "../../base/secret.ts";
import { createRpcEndpoint } from "./rpc-endpoint.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Starts a server; returns its port. */
async function serve(answer: Answer): Promise<number> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

function askAt(url: string, timeoutMs = 60_000) {
  const endpoint = createRpcEndpoint({ url: new Secret(url), index: 0, timeoutMs });
  return endpoint.send([{ method: "eth_blockNumber", params: [] }]).catch(messageOf);
}

const seven = JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x7" });
const answered = { kind: "answered", answers: [{ ok: true, result: "0x7" }] };

test("name, password, path and query of the URL reach the node", async () => {
  const seen: unknown[] = [];
  const port = await serve((response, { url, headers }) => {
    seen.push(url, headers.authorization, headers["content-type"]);
    response.end(seven);
  });
  expect(await askAt(`http://me:p%20w@127.0.0.1:${port}/v2/key?tier=1`)).toEqual(answered);
  const login = Buffer.from("me:p w").toString("base64");
  expect(seen).toEqual(["/v2/key?tier=1", `Basic ${login}`, "application/json"]);
});

const zipped =
  (bytes: string | Buffer): Answer =>
  (response, from) => {
    expect(from.headers["accept-encoding"]).toBe("gzip");
    response.setHeader("content-encoding", "gzip").end(gzipSync(bytes));
  };

test("a compressed answer is read, one that is huge once unpacked is not", async () => {
  const port = await serve(zipped(seven));
  expect(await askAt(`http://127.0.0.1:${port}`)).toEqual(answered);
  const bomb = await serve(zipped(Buffer.alloc(65 * 1024 * 1024, " ")));
  expect(await askAt(`http://127.0.0.1:${bomb}`)).toBe("RPC endpoint 0: the answer is too large");
  const broken = await serve((response) =>
    response.setHeader("content-encoding", "gzip").end(seven),
  );
  expect(await askAt(`http://127.0.0.1:${broken}`)).toBe(
    "RPC endpoint 0: no answer (Z_DATA_ERROR)",
  );
});

test("a redirect is not followed", async () => {
  const asked: string[] = [];
  const elsewhere = await serve((response, { url }) => {
    asked.push(String(url));
    response.end(seven);
  });
  const location = `http://127.0.0.1:${elsewhere}/`;
  const port = await serve((response) => response.writeHead(307, { location }).end());
  expect(await askAt(`http://127.0.0.1:${port}`)).toBe(
    "RPC endpoint 0: no answer (it redirects to another address)",
  );
  expect(asked).toEqual([]);
});

test.each<[string, Answer]>([
  ["says nothing", () => {}],
  ["stops in the middle", (response) => response.write(seven.slice(0, 9))],
])("a node that %s is given up when its time is over", async (_, answer) => {
  const port = await serve(answer);
  expect(await askAt(`http://127.0.0.1:${port}`, 200)).toBe(
    "RPC endpoint 0: no answer (TimeoutError)",
  );
});

test("a node that is not there, or that hangs up, is named by the code of the connection", async () => {
  expect(await askAt("http://127.0.0.1:1")).toBe("RPC endpoint 0: no answer (ECONNREFUSED)");
  const port = await serve((response) => response.destroy());
  expect(await askAt(`http://127.0.0.1:${port}`)).toBe(
    "RPC endpoint 0: no answer (UND_ERR_SOCKET)",
  );
});
