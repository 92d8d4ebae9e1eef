/** Requests to names of strangers: which address is connected to, and what comes back. */
import { createServer, type RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { listen } from "../scripted-seller.testing.ts";
import { createOutsideFetch } from "./outside-fetch.ts";

const stack = new Set<() => unknown>();
afterEach(() => {
  for (const close of stack) close();
  stack.clear();
});

/** Opens a server on this machine; `asked` counts its connections. */
async function open(listener: RequestListener) {
  const server = createServer(listener);
  let connections = 0;
  server.on("connection", () => connections++);
  const { port } = new URL(await listen(server));
  stack.add(() => server.close());
  return { url: `http://shop.example:${port}/`, connections: () => connections };
}

const here = "127.0.0.1";
const lead = (...addresses: string[]) => ({ resolve: async () => addresses });

test("a name that leads inside is not connected to", async () => {
  const { url, connections } = await open((_request, response) => response.end("secret"));
  for (const addresses of [[here], ["::1"], ["93.184.215.14", here], ["169.254.169.254"], []]) {
    await expect(createOutsideFetch(lead(...addresses))(url)).rejects.toThrow("does not lead to");
  }
  await expect(createOutsideFetch()(url.replace("shop.example", here))).rejects.toThrow();
  expect(connections()).toBe(0);
});

test("the address that was checked is connected to, whatever the name says afterwards", async () => {
  const { url, connections } = await open(({ headers }, response) => response.end(headers.host));
  const answers = [here, "169.254.169.254"];
  const outside = createOutsideFetch({
    resolve: async () => [answers.shift() ?? ""],
    mayReach: (address) => address === here,
  });
  const response = await outside(url);
  expect(await response.text()).toBe(new URL(url).host);
  // The next request asks anew, and is not sent over the connection of the first.
  await expect(outside(url)).rejects.toThrow("does not lead to");
  expect(connections()).toBe(1);
});

const reach = { ...lead(here), mayReach: () => true };

test("a redirect is shown, and not followed", async () => {
  const asked: (string | undefined)[] = [];
  const { url } = await open((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
  });
  for (const redirect of ["manual", "follow"] as const) {
    const response = await createOutsideFetch(reach)(url, { redirect });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("http://169.254.169.254/latest");
  }
  await expect(createOutsideFetch(reach)(url, { redirect: "error" })).rejects.toThrow(TypeError);
  expect(asked).toEqual(["/", "/", "/"]);
});

test.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["identity", (text: string) => text],
])("a request is sent whole, and its response is unpacked: %s", async (coding, pack) => {
  const { url } = await open((request, response) => {
    const { method, headers } = request;
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.writeHead(402, { "content-encoding": coding });
      response.end(
        pack(JSON.stringify([method, headers["x-name"], headers["content-type"], body])),
      );
    });
  });
  const response = await createOutsideFetch(reach)(url, {
    method: "POST",
    headers: { "X-Name": "value", "Content-Type": "text/csv" },
    body: "a;b",
  });
  expect(response.status).toBe(402);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await response.json()).toEqual(["POST", "value", "text/csv", "a;b"]);
});

test("ends with the signal, before the name is resolved and while the body comes", async () => {
  const never = createOutsideFetch({ resolve: () => new Promise(() => undefined) });
  const early = new AbortController();
  const waiting = never("http://shop.example/", { signal: early.signal });
  early.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  const { url } = await open((_request, response) => void response.write("first"));
  const late = new AbortController();
  const response = await createOutsideFetch(reach)(url, { signal: late.signal });
  const reading = response.text();
  late.abort();
  await expect(reading).rejects.toThrow();
});

test("has no body where there is none", async () => {
  const { url } = await open((_request, response) => response.writeHead(204).end());
  const response = await createOutsideFetch(reach)(url);
  expect([response.status, response.body]).toEqual([204, null]);
  expect((await createOutsideFetch(reach)(url, { method: "HEAD" })).body).toBeNull();
});
