/**
 * A network through its endpoints. Reads move on to the next endpoint when one does not answer;
 * sends do not: a transaction's bytes go to the endpoint that its lane is pinned to, and the same
 * bytes to the others only when somebody asks for that.
 */
import type { Hex, Network } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { classifyNodeError, isEndpointProblem } from "./node-errors.ts";
import type { RpcAnswer, RpcCall, RpcEndpoint } from "./rpc-endpoint.ts";

/** A network that can be read and sent to. */
export interface Chain {
  readonly network: Network;
  readonly endpoints: readonly RpcEndpoint[];
  /** Asks the preferred endpoint, then the others. Throws `rpc_unavailable` when none answers. */
  read(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /** Sends signed bytes, in order, to one endpoint. Throws `rpc_unavailable`: then all is unknown. */
  send(endpointIndex: number, raws: readonly Hex[]): Promise<RpcAnswer[]>;
}

/** Creates a chain. */
export function createChain(options: {
  network: Network;
  endpoints: readonly RpcEndpoint[];
  log: Log;
}): Chain {
  const { network, endpoints, log } = options;
  let preferred = 0;

  async function read(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    let fault: unknown;
    for (let step = 0; step < endpoints.length; step++) {
      const at = (preferred + step) % endpoints.length;
      const endpoint = endpoints[at];
      if (!endpoint) break;
      try {
        const answers = await endpoint.send(calls);
        const isLast = step === endpoints.length - 1;
        if (!isLast && answers.some(isEndpointIll)) continue;
        preferred = at;
        return answers;
      } catch (error) {
        fault = error;
        log.warn({ chainId: network.chainId, endpoint: at }, "RPC endpoint did not answer");
      }
    }
    throw fault instanceof Fault
      ? fault
      : new Fault("rpc_unavailable", "No RPC endpoint answered", { cause: fault });
  }

  async function send(endpointIndex: number, raws: readonly Hex[]): Promise<RpcAnswer[]> {
    const endpoint = endpoints[endpointIndex % endpoints.length];
    if (!endpoint) throw new Fault("configuration", "The network has no RPC endpoint");
    return endpoint.send(raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })));
  }

  return { network, endpoints, read, send };
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
