/**
 * The road between a facilitator and its nodes: one address per node, and on the way requests and
 * answers get lost, late, doubled, garbled or refused, as chance and the plan have it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Clock } from "@farthing/facilitator";
import { createOrdinaryNode, readRequest, type OrdinaryNode } from "@farthing/lab/ordinary-node";
import type { Hex } from "@farthing/protocol";
import type { ObservedFaults } from "./observed-faults.ts";
import type { NodeView, RpcReply, RpcRequest } from "./node-view.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Trace } from "./trace.ts";
import type { TransportFault } from "./transport-faults.ts";

/** How the road to one node is. */
export interface FaultyTransport {
  readonly url: string;
  readonly node: NodeView;
  /** What requests meet that no fault meets. */
  readonly ordinary: OrdinaryNode;
  /** Requests out of a hundred that meet a fault. */
  faultPercent: number;
  faults: readonly TransportFault[];
  /** While set, nobody answers at this address. */
  isDown: boolean;
  stop(): Promise<void>;
}

/** Milliseconds: a slow answer, and a silence before a connection breaks. */
const slowMs = { min: 200, max: 2_500 };
const silenceMs = 10_000;
/** Blocks that the oldest node behind an address is behind. */
const staleBlocksMax = 4;

/**
 * Opens the road to a node. Each kind of request has luck of its own in each block, so that a
 * request more or less in one block, which is a matter of milliseconds, moves nothing in the next.
 */
export async function startFaultyTransport(options: {
  readonly node: NodeView;
  readonly random: (name: string) => SeededRandom;
  head(): number;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly observedFaults: ObservedFaults;
}): Promise<FaultyTransport> {
  const { node, clock, trace, observedFaults } = options;
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      trace.note(`road ${node.index}: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the road has no port");
  const { port } = address;

  function drawFault(random: SeededRandom): TransportFault | undefined {
    const isMet = random.chance(transport.faultPercent);
    const fault = transport.faults.length > 0 ? random.pick(transport.faults) : undefined;
    return isMet ? fault : undefined;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { calls, isBatch } = readRequest(body);
    const methods = [...new Set(calls.map(({ method }) => method))].join(" ");
    if (transport.isDown) {
      observedFaults.note("outage: unreachable");
      return void response.destroy();
    }
    const random = options.random(`road/${node.index}/${options.head()}/${methods}`);
    const fault = drawFault(random);
    if (fault) {
      trace.note(`road ${node.index}: ${fault} at ${methods}`);
      if (isFelt(fault, calls)) observedFaults.note(`road: ${fault}`);
    }
    if (!fault) {
      const answer = await transport.ordinary.handle(body);
      return void response.writeHead(answer.status, answer.headers).end(answer.body);
    }
    const send = (answers: readonly object[]) =>
      reply(response, 200, JSON.stringify(isBatch ? answers : answers[0]));
    switch (fault) {
      case "lost-before":
        return void response.destroy();
      case "http-500":
        return reply(response, 500, "internal server error");
      case "http-429":
        return reply(response, 429, '{"error":"too many requests"}');
      case "html":
        return reply(response, 200, "<html><body>Checking your browser</body></html>");
      case "rate-limit-in-200":
        return send(calls.map(({ id }) => refused(id, -32_005, "limit exceeded")));
      case "internal-error":
        return send(calls.map(({ id }) => refused(id, -32_603, "internal error")));
      default:
    }
    if (fault === "delivered-twice") await answerAll(calls, 0);
    const extraLag = fault === "stale" ? random.whole(1, staleBlocksMax) : 0;
    const answers = spoil(fault, calls, await answerAll(calls, extraLag));
    if (fault === "slow") await clock.sleep(random.whole(slowMs.min, slowMs.max));
    if (fault === "silence") await clock.sleep(silenceMs);
    if (fault === "lost-after" || fault === "silence") return void response.destroy();
    if (fault === "half-an-answer") {
      const text = JSON.stringify(answers);
      return reply(response, 200, text.slice(0, text.length / 2));
    }
    send(answers);
  }

  /** One after the other, as a node takes the calls of a batch. */
  async function answerEach(calls: readonly RpcRequest[], lag: number): Promise<RpcReply[]> {
    const replies: RpcReply[] = [];
    for (const call of calls) replies.push(await node.answer(call, lag));
    return replies;
  }

  async function answerAll(calls: readonly RpcRequest[], extraLag: number): Promise<object[]> {
    const replies = await answerEach(calls, extraLag);
    return calls.map(({ id }, index) => ({ jsonrpc: "2.0", id, ...replies[index] }));
  }

  const transport: FaultyTransport = {
    url: `http://127.0.0.1:${port}`,
    node,
    ordinary: createOrdinaryNode({
      upstream: { answer: answerEach },
      clock,
      onOddity: (kind) => observedFaults.note(`ordinary: ${kind}`),
    }),
    faultPercent: 0,
    faults: [],
    isDown: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return transport;
}

/** Whether a fault makes a difference to these calls: some only concern one kind of question. */
function isFelt(fault: TransportFault, calls: readonly RpcRequest[]): boolean {
  const asks = (method: string) => calls.some((call) => call.method === method);
  if (fault === "shuffled") return calls.length > 1;
  if (fault === "null-block") return asks("eth_getBlockByNumber");
  const isOfSends = fault === "wrong-hash" || fault === "delivered-twice";
  return isOfSends ? asks("eth_sendRawTransaction") : true;
}

/** Changes answers on their way back. */
function spoil(
  fault: TransportFault | undefined,
  calls: readonly RpcRequest[],
  answers: readonly object[],
): readonly object[] {
  const [first] = answers;
  if (fault === "shuffled" && first) return [...answers.toReversed(), first];
  return answers.map((answer, index) => {
    const method = calls[index]?.method;
    const isSend = method === "eth_sendRawTransaction" && "result" in answer;
    if (fault === "wrong-hash" && isSend) return { ...answer, result: anotherHash };
    const isBlock = method === "eth_getBlockByNumber";
    return fault === "null-block" && isBlock ? { ...answer, result: null } : answer;
  });
}

const anotherHash: Hex = `0x${"5e".repeat(32)}`;

function refused(id: unknown, code: number, message: string) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function reply(response: ServerResponse, status: number, body: string): void {
  const type = body.startsWith("<") ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type }).end(body);
}
