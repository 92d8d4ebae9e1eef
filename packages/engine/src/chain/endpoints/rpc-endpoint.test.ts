/** One request to a node that is not there, that is slow, or that answers as proxies do. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { messageOf } from "../../base/fault.ts";
import { Secret } from "../../base/secret.ts";
import { serveHere, type Answer } from "./answering-node.testing.ts";
import { createRpcEndpoint } from "./rpc-endpoint.ts";

function askAt(url: string, timeoutMs = 60_000) {
  const endpoint = createRpcEndpoint({ url: new Secret(url), index: 0, timeoutMs });
  return endpoint.send([{ method: "eth_blockNumber", params: [] }]).catch(messageOf);
}

const seven = JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x7" });
const answered = { kind: "answered", answers: [{ ok: true, result: "0x7" }] };

test("name, password, path and query of the URL reach the node", async () => {
  const seen: unknown[] = [];
  const node = await serveHere((response, { url, headers }) => {
    seen.push(url, headers.authorization, headers["content-type"]);
    response.end(seven);
  });
  expect(await askAt(`http://me:p%20w@${node}/v2/key?tier=1`)).toEqual(answered);
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
  const node = await serveHere(zipped(seven));
  expect(await askAt(`http://${node}`)).toEqual(answered);
  const bomb = await serveHere(zipped(Buffer.alloc(65 * 1024 * 1024, " ")));
  expect(await askAt(`http://${bomb}`)).toBe("RPC endpoint 0: the answer is too large");
  const broken = await serveHere((response) =>
    response.setHeader("content-encoding", "gzip").end(seven),
  );
  expect(await askAt(`http://${broken}`)).toBe("RPC endpoint 0: no answer (Z_DATA_ERROR)");
});

test("a redirect is not followed", async () => {
  const asked: string[] = [];
  const elsewhere = await serveHere((response, { url }) => {
    asked.push(String(url));
    response.end(seven);
  });
  const location = `http://${elsewhere}/`;
  const node = await serveHere((response) => response.writeHead(307, { location }).end());
  expect(await askAt(`http://${node}`)).toBe(
    "RPC endpoint 0: no answer (it redirects to another address)",
  );
  expect(asked).toEqual([]);
});

test.each<[string, Answer]>([
  ["says nothing", () => {}],
  ["stops in the middle", (response) => response.write(seven.slice(0, 9))],
])("a node that %s is given up when its time is over", async (_, answer) => {
  const node = await serveHere(answer);
  expect(await askAt(`http://${node}`, 200)).toBe("RPC endpoint 0: no answer (TimeoutError)");
});

test("a node that is not there, or that hangs up, is named by the code of the connection", async () => {
  expect(await askAt("http://127.0.0.1:1")).toBe("RPC endpoint 0: no answer (ECONNREFUSED)");
  const node = await serveHere((response) => response.destroy());
  expect(await askAt(`http://${node}`)).toBe("RPC endpoint 0: no answer (UND_ERR_SOCKET)");
});
