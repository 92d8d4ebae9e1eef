/**
 * A tap between a seller and his facilitator: passes everything on, writes down what was asked,
 * and can lose an answer. The seller keeps its address while the facilitator behind it changes.
 */
import { buffer } from "node:stream/consumers";
import type { IncomingMessage } from "node:http";
import { listen, type Listening } from "@farthing/seller/testing/listen";

/** One call that went through. */
export interface Call {
  /** `POST /settle`, without the base path of the surface. */
  readonly name: string;
  /** The body of the request. */
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

/** A running tap. */
export interface Tap extends Listening {
  readonly calls: Call[];
  /** The facilitator's address. */
  upstream: string;
  /** Asked about each answer before it is passed on; true loses it and cuts the connection. */
  loses: (call: Call) => boolean | Promise<boolean>;
  /** How often something was asked. */
  count(name: string): number;
}

/** Headers that belong to one connection, not to the message. */
const ownHeaders = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** Starts a tap in front of a facilitator. */
export async function startTap(upstream: string): Promise<Tap> {
  const calls: Call[] = [];
  const listening = await listen((req, res) => {
    void forward(req).then(
      async ({ headers, ...answer }) => {
        calls.push(answer);
        if (await tap.loses(answer)) return res.destroy();
        res.writeHead(answer.status, headers);
        return res.end(answer.body);
      },
      () => res.destroy(),
    );
  });

  async function forward(req: IncomingMessage) {
    const { method = "GET", url = "/" } = req;
    const headers = Object.entries(req.headersDistinct).flatMap(([name, values = []]) =>
      ownHeaders.has(name) ? [] : values.map((value): [string, string] => [name, value]),
    );
    const request = await buffer(req);
    const body = method === "GET" ? {} : { body: new Uint8Array(request) };
    const answer = await fetch(`${tap.upstream}${url}`, { method, headers, ...body });
    const path = url.replace(/^\/api\/facilitator/, "").replace(/\?.*$/, "");
    const passed = Object.fromEntries(
      [...answer.headers].filter(([name]) => !ownHeaders.has(name)),
    );
    const call: Call = {
      name: `${method} ${path}`,
      request: request.toString(),
      status: answer.status,
      body: await answer.text(),
    };
    return { ...call, headers: passed };
  }

  const tap: Tap = {
    ...listening,
    calls,
    upstream,
    loses: () => false,
    count: (wanted) => calls.filter(({ name }) => name === wanted).length,
  };
  return tap;
}
