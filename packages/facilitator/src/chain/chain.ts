/**
 * A network through its endpoints. Reads go to the endpoint that does best and move on when it does
 * not answer; sends do not: a transaction's bytes go to the endpoint that its lane is pinned to, and
 * the same bytes to the others only when somebody asks for that.
 */
import { isObject, type Hex, type Network } from "@farthing/protocol";
import { systemClock, type Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { createEndpointHealth } from "./endpoint-health.ts";
import { classifyNodeError, isEndpointProblem } from "./node-errors.ts";
import type { RpcAnswer, RpcCall, RpcEndpoint } from "./rpc-endpoint.ts";

/** A network that can be read and sent to. */
export interface Chain {
  readonly network: Network;
  readonly endpoints: readonly RpcEndpoint[];
  /** Asks the best endpoint, then the others. Throws `rpc_unavailable` when none answers. */
  read(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /**
   * Asks a second opinion: a healthy endpoint other than the one that `read` uses first, once its
   * head is at or above `headNumber`, for which it gets a moment. Undefined when there is none, or
   * it does not answer or does not get there.
   */
  readElsewhere(calls: readonly RpcCall[], headNumber: number): Promise<RpcAnswer[] | undefined>;
  /** Sends signed bytes, in order, to one endpoint. Throws `rpc_unavailable`: then all is unknown. */
  send(endpointIndex: number, raws: readonly Hex[]): Promise<RpcAnswer[]>;
  /** An endpoint that is doing better than this one; undefined while this one does well enough. */
  betterThan(endpointIndex: number): number | undefined;
  /** An endpoint gave an answer that cannot be true: the others are asked for a while. */
  distrust(endpointIndex: number): void;
  /** Looks at every endpoint's chain and head; called now and then when there are several. */
  probe(): Promise<void>;
}

/** A block reaches two healthy nodes within half a second; one that lags is not waited for longer. */
const secondLooksMax = 5;
const secondLookMs = 100;

/**
 * How long an endpoint is waited for while there is another one to go on with: answers take
 * milliseconds, and XDC makes a block every 2 s. The last one is given all its time.
 */
const patienceMs = 3_000;

const askHead: RpcCall = { method: "eth_blockNumber", params: [] };

/** Creates a chain. */
export function createChain(options: {
  network: Network;
  endpoints: readonly RpcEndpoint[];
  log: Log;
  clock?: Clock;
}): Chain {
  const { network, endpoints, log, clock = systemClock } = options;
  const { chainId } = network;
  const health = endpoints.map(({ index }) => createEndpointHealth(index, clock));
  let preferred = 0;

  function newestHead(): number {
    return Math.max(0, ...health.filter((one) => one.isOurs()).map((one) => one.head()));
  }

  function rankOf(at: number): number {
    return health[at]?.rank(newestHead()) ?? 0;
  }

  /** Endpoints of this chain from best to worst; among equals the one in use stays first. */
  function inOrder(): number[] {
    const distance = (at: number) => (at - preferred + endpoints.length) % endpoints.length;
    return endpoints
      .map((_, at) => at)
      .filter((at) => health[at]?.isOurs())
      .toSorted((one, other) => rankOf(one) - rankOf(other) || distance(one) - distance(other));
  }

  async function ask(at: number, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const endpoint = endpoints[at];
    if (!endpoint) throw new Fault("configuration", "The network has no RPC endpoint");
    try {
      const answers = await endpoint.send(calls);
      if (answers.some(isRateLimited)) health[at]?.noteFailure();
      else health[at]?.noteAnswer();
      noteHeads(at, calls, answers);
      return answers;
    } catch (error) {
      health[at]?.noteFailure();
      log.warn({ chainId, endpoint: at }, "RPC endpoint did not answer");
      throw error;
    }
  }

  /** Asks, and gives up after a while; what comes later is only noted. */
  async function askInTime(at: number, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const asking = ask(at, calls);
    const isAnswered = new AbortController();
    const tooLate = clock.sleep(patienceMs, isAnswered.signal).then(() => undefined);
    try {
      const answers = await Promise.race([asking, tooLate]);
      if (answers) return answers;
      // Whether it answers yet or not is noted where it happens.
      asking.catch(() => undefined);
      health[at]?.noteFailure();
      throw new Fault("rpc_unavailable", `RPC endpoint ${at}: no answer within ${patienceMs} ms`);
    } finally {
      isAnswered.abort();
    }
  }

  function noteHeads(at: number, calls: readonly RpcCall[], answers: readonly RpcAnswer[]): void {
    for (const [index, answer] of answers.entries()) {
      const number = answer.ok ? headOf(calls[index], answer.result) : undefined;
      if (number !== undefined) health[at]?.noteHead(number);
    }
  }

  async function read(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    let fault: unknown;
    const order = inOrder();
    for (const at of order) {
      try {
        const isLast = at === order.at(-1);
        const answers = await (isLast ? ask(at, calls) : askInTime(at, calls));
        if (!isLast && answers.some(isEndpointIll)) continue;
        preferred = at;
        return answers;
      } catch (error) {
        fault = error;
      }
    }
    throw fault instanceof Fault
      ? fault
      : new Fault("rpc_unavailable", "No RPC endpoint answered", { cause: fault });
  }

  async function readElsewhere(calls: readonly RpcCall[], headNumber: number) {
    const other = inOrder().find((at) => at !== preferred && rankOf(at) === 0);
    if (other === undefined) return undefined;
    try {
      for (let look = 1; look <= secondLooksMax; look++) {
        // In one request: a head that was seen before is older than the block in question.
        const [head, ...answers] = await ask(other, [askHead, ...calls]);
        const reached = head?.ok ? headOf(askHead, head.result) : undefined;
        if (reached === undefined) return undefined;
        if (reached >= headNumber) return answers.some(isRateLimited) ? undefined : answers;
        if (look < secondLooksMax) await clock.sleep(secondLookMs);
      }
      return undefined;
    } catch {
      return undefined;
    }
  }

  function betterThan(at: number): number | undefined {
    if (health[at]?.isOurs() && rankOf(at) === 0) return undefined;
    const [best] = inOrder();
    const isBetter = best !== undefined && (!health[at]?.isOurs() || rankOf(best) < rankOf(at));
    return isBetter ? best : undefined;
  }

  async function probe(): Promise<void> {
    const calls = [{ method: "eth_chainId", params: [] }, askHead];
    await Promise.all(
      endpoints.map(async (_, at) => {
        // A failure is noted where it happens.
        const answers = await ask(at, calls).catch(() => undefined);
        const [id] = answers ?? [];
        if (!id?.ok) return;
        const isOurs = Number(id.result) === chainId;
        if (!isOurs) log.error({ chainId, endpoint: at }, "RPC endpoint serves another chain");
        health[at]?.noteChain(isOurs);
      }),
    );
  }

  return {
    network,
    endpoints,
    read,
    readElsewhere,
    send(at, raws) {
      const calls = raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }));
      return endpoints.length > 1 ? askInTime(at, calls) : ask(at, calls);
    },
    betterThan,
    distrust(at) {
      health[at]?.distrust();
    },
    probe,
  };
}

/** The head an answer shows: of `eth_blockNumber`, or of the latest block. */
function headOf(call: RpcCall | undefined, result: unknown): number | undefined {
  const isLatest = call?.method === "eth_getBlockByNumber" && call.params[0] === "latest";
  const number =
    call?.method === "eth_blockNumber"
      ? result
      : isLatest && isObject(result)
        ? result["number"]
        : undefined;
  return typeof number === "string" && /^0x[0-9a-fA-F]{1,13}$/.test(number)
    ? Number(number)
    : undefined;
}

function isRateLimited(answer: RpcAnswer): boolean {
  return !answer.ok && classifyNodeError(answer.error) === "rate_limited";
}

function isEndpointIll(answer: RpcAnswer): boolean {
  return !answer.ok && isEndpointProblem(classifyNodeError(answer.error));
}

/** The result of an answer that must have one; else the fault `rpc_refused` or `rpc_unavailable`. */
export function resultOf(answer: RpcAnswer | undefined, method: string): unknown {
  if (answer?.ok) return answer.result;
  const problem = answer ? classifyNodeError(answer.error) : "inconclusive";
  throw new Fault(
    isEndpointProblem(problem) ? "rpc_unavailable" : "rpc_refused",
    `${method} was refused: ${problem}`,
    { cause: answer && new Error(answer.error.message) },
  );
}

/** Reads bytes of a node's answer, in lower case. */
export function bytesOf(value: unknown, name: string): Hex {
  if (typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value)) {
    return `0x${value.slice(2).toLowerCase()}`;
  }
  throw new Fault("rpc_refused", `The node sent no bytes for ${name}`);
}

/** Reads a quantity (`0x…`) of a node's answer. */
export function quantity(value: unknown, name: string): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw new Fault("rpc_refused", `The node sent no number for ${name}`);
}
