/**
 * A faulty transport between a service and its node: requests and responses get lost, late, doubled,
 * garbled or refused. Chance is the caller's, so that a seed decides.
 */
import type { Hex } from "@farthing/protocol";
import {
  startRpcListener,
  type RpcListener,
  json,
  readRequest,
  refuse,
  respond,
  type NodeCall,
  type NodeReply,
  type NodeRequest,
  type NodeResponse,
  type NodeUpstream,
} from "@farthing/devnet/rpc-proxy";
import {
  createOrdinaryNode,
  type LabClock,
  type NodeOddity,
  type OrdinaryNode,
} from "../ordinary-node/ordinary-node.ts";
import type { TransportFault } from "./transport-faults.ts";

/** What a request met. */
export type MetFault = TransportFault | "unreachable" | `ordinary: ${NodeOddity}`;

/** The random choices of one request. */
export interface FaultRandom {
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** The transport to one node. */
export interface FaultyTransport extends RpcListener {
  /** Answers the requests that meet no fault. */
  readonly ordinary: OrdinaryNode;
  /** Requests out of a hundred that meet a fault. */
  faultPercent: number;
  faults: readonly TransportFault[];
  /** While set, every connection is cut. */
  isDown: boolean;
  /** Holds a request with these methods, and may name what it meets then; chance decides where it does not. */
  decide: ((methods: string) => Promise<TransportFault | undefined>) | undefined;
}

/** What a transport is made with. */
export interface FaultyTransportOptions {
  readonly upstream: NodeUpstream;
  readonly clock: LabClock;
  /** The random choices of a request with these methods. */
  randomOf(methods: string): FaultRandom;
  /** Called with each fault that a request meets and that makes a difference to it. */
  onFault(fault: MetFault): void;
  /** Called with each fault, and with errors of this program. */
  note(text: string): void;
}

/** Milliseconds: a slow response, and a silence before a connection breaks. */
const slowMs = { min: 200, max: 2_500 };
const silenceMs = 10_000;
/** Blocks that the oldest node behind an address is behind. */
const maxStaleBlocks = 4;

/** Starts a transport to a node. */
export async function startFaultyTransport(
  options: FaultyTransportOptions,
): Promise<FaultyTransport> {
  const { upstream, clock } = options;
  const ordinary = createOrdinaryNode({
    upstream,
    clock,
    onOddity: (kind) => options.onFault(`ordinary: ${kind}`),
  });

  function drawFault(random: FaultRandom): TransportFault | undefined {
    const isMet = random.chance(transport.faultPercent);
    const fault = transport.faults.length > 0 ? random.pick(transport.faults) : undefined;
    return isMet ? fault : undefined;
  }

  async function serve(body: string): Promise<NodeResponse | undefined> {
    const request = readRequest(body);
    const { calls } = request;
    if (transport.isDown) {
      options.onFault("unreachable");
      return undefined;
    }
    const methods = [...new Set(calls.map(({ method }) => method))].join(" ");
    const random = options.randomOf(methods);
    const fault = (await transport.decide?.(methods)) ?? drawFault(random);
    if (!fault) return ordinary.handle(body);
    options.note(`${fault} at ${methods}`);
    if (isFelt(fault, calls)) options.onFault(fault);
    const refusal = refusalOf(fault, request);
    if (refusal) return refusal;
    return fault === "lost-before" ? undefined : pass(request, fault, random);
  }

  /** Lets the node answer, and spoils the response. */
  async function pass(
    request: NodeRequest,
    fault: TransportFault,
    random: FaultRandom,
  ): Promise<NodeResponse | undefined> {
    const { calls, isBatch } = request;
    if (fault === "delivered-twice") await upstream.answer(calls, 0);
    const extraLag = fault === "stale" ? random.whole(1, maxStaleBlocks) : 0;
    const replies = await upstream.answer(calls, extraLag);
    const answers = spoil(
      fault,
      calls,
      calls.map(({ id }, index) => ({ jsonrpc: "2.0", id, ...replies[index] })),
    );
    if (fault === "slow") await clock.sleep(random.whole(slowMs.min, slowMs.max));
    if (fault === "silence") await clock.sleep(silenceMs);
    if (fault === "lost-after" || fault === "silence") return undefined;
    if (fault !== "half-an-answer") return json(200, isBatch ? answers : answers[0]);
    const text = JSON.stringify(answers);
    return { ...json(200, {}), body: text.slice(0, text.length / 2) };
  }

  const listener = await startRpcListener(async (body) => {
    try {
      return await serve(body);
    } catch (error) {
      options.note(String(error));
      throw error;
    }
  });
  const transport: FaultyTransport = {
    ...listener,
    ordinary,
    faultPercent: 0,
    faults: [],
    isDown: false,
    decide: undefined,
  };
  return transport;
}

/** The response of faults that never reach the node. */
function refusalOf(fault: TransportFault, request: NodeRequest): NodeResponse | undefined {
  const all = (reply: NodeReply) =>
    respond(
      request,
      request.calls.map(() => reply),
    );
  switch (fault) {
    case "http-500":
      return { ...json(500, {}), body: "internal server error" };
    case "http-429":
      return json(429, { error: "too many requests" });
    case "html": {
      const body = "<html><body>Checking your browser</body></html>";
      return { status: 200, headers: { "content-type": "text/html" }, body };
    }
    case "rate-limit-in-200":
      return all(refuse(-32_005, "limit exceeded"));
    case "internal-error":
      return all(refuse(-32_603, "internal error"));
    default:
      return undefined;
  }
}

/** Whether a fault makes a difference to these calls: some only concern one kind of question. */
function isFelt(fault: TransportFault, calls: readonly NodeCall[]): boolean {
  const asks = (method: string) => calls.some((call) => call.method === method);
  if (fault === "shuffled") return calls.length > 1;
  if (fault === "null-block") return asks("eth_getBlockByNumber");
  const isOfSends = fault === "wrong-hash" || fault === "delivered-twice";
  return isOfSends ? asks("eth_sendRawTransaction") : true;
}

/** Changes answers on their way back. */
function spoil(
  fault: TransportFault | undefined,
  calls: readonly NodeCall[],
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
