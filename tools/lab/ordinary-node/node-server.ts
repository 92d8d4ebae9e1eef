/** An ordinary node at an address of its own, in front of a node that speaks HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { isObject } from "@farthing/protocol";
import type { NodeConditions } from "./conditions.ts";
import type { NodeReply, NodeUpstream } from "./json-rpc.ts";
import { withLag } from "./lagging-backend.ts";
import { createOrdinaryNode, type LabClock, type OrdinaryNode } from "./ordinary-node.ts";

/** An ordinary node that listens. */
export interface RunningNode extends OrdinaryNode {
  readonly url: string;
  stop(): Promise<void>;
}

const systemClock: LabClock = {
  nowMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
};

/** Starts a node in front of the one at `upstreamUrl`, on a free port of 127.0.0.1. */
export async function startOrdinaryNode(
  upstreamUrl: string,
  conditions: NodeConditions = {},
  clock: LabClock = systemClock,
): Promise<RunningNode> {
  const upstream = withLag(httpUpstream(upstreamUrl));
  const node = createOrdinaryNode({ upstream, clock, conditions });
  const server = createServer((request, response) => {
    serve(node, request, response).catch(() => response.destroy());
  });
  // A connection that is closed just when it is used again would be a fault that nobody ordered.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the node has no port");
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return Object.assign(node, { url: `http://127.0.0.1:${address.port}`, stop });
}

async function serve(
  node: OrdinaryNode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = await node.handle(await text(request));
  response.writeHead(status, headers).end(body);
}

/** A real node. */
function httpUpstream(url: string): NodeUpstream {
  return {
    async answer(calls) {
      const body = calls.map((call, id) => ({ ...call, jsonrpc: "2.0", id }));
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const replies: unknown = await response.json();
      const byId = new Map(
        (Array.isArray(replies) ? replies : []).filter(isObject).map((one) => [one["id"], one]),
      );
      return calls.map((_, id) => readReply(byId.get(id)));
    },
  };
}

function readReply(answer: Readonly<Record<string, unknown>> | undefined): NodeReply {
  const error = answer?.["error"];
  if (!isObject(error)) return { result: answer?.["result"] ?? null };
  const { code, message, data } = error;
  return {
    error: {
      code: Number(code),
      message: String(message),
      ...(data === undefined ? {} : { data }),
    },
  };
}
