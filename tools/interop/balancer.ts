/** A load balancer in front of several facilitator processes: each request goes to the next one. */
import { buffer } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { listen, type Listening } from "@farthing/seller/testing/listen";

/** Headers that belong to one connection, not to the message. */
const hopHeaders = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** Starts one. A process that is gone is answered for with 502. */
export function startBalancer(urls: readonly string[]): Promise<Listening> {
  let next = 0;
  return listen((req, res) => {
    const target = urls[next++ % urls.length] ?? "";
    void forward(req, target).then(
      ({ status, headers, body }) => res.writeHead(status, headers).end(body),
      () => res.writeHead(502).end(),
    );
  });
}

async function forward(req: IncomingMessage, target: string) {
  const { method = "GET", url = "/" } = req;
  const sent = Object.entries(req.headersDistinct).flatMap(([name, values = []]) =>
    hopHeaders.has(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const body = method === "GET" ? {} : { body: new Uint8Array(await buffer(req)) };
  const response = await fetch(`${target}${url}`, { method, headers: sent, ...body });
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !hopHeaders.has(name)),
  );
  return { status: response.status, headers, body: await response.text() };
}
