/** The calls for the token's logs, and the comparison of what two endpoints say about a block. */
import type { Hex } from "@farthing/protocol";
import {
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "../contracts/authorization-events.ts";
import { topics } from "../contracts/usdc.ts";
import type { Chain } from "../endpoints/chain.ts";
import { classifyNodeError } from "../endpoints/node-errors.ts";
import { hexOf, type RpcReply } from "../endpoints/rpc-endpoint.ts";

/** Asks by block hash, so that a node without the block fails. */
export function blockLogsCall(chain: Chain, blockHash: Hex) {
  return {
    method: "eth_getLogs",
    params: [
      {
        address: chain.network.usdc,
        blockHash,
        topics: [[topics.used, topics.canceled, topics.transfer]],
      },
    ],
  };
}

/** Asks for the logs from a block up to the newest one that the node has. */
export function logsSinceCall({ network }: Chain, number: number) {
  const blocks = { fromBlock: hexOf(number), toBlock: "latest" };
  const kinds = [topics.used, topics.canceled, topics.transfer];
  return {
    method: "eth_getLogs",
    params: [{ address: network.usdc, ...blocks, topics: [kinds] }],
  };
}

/** What two endpoints say about events of a block. */
export type Agreement = "agreed" | "denied" | "alone" | "unanswered";

/**
 * Asks two endpoints for a block's logs, since one faulty endpoint must not decide a payment.
 * "alone" when no second one counts, "unanswered" when one of them gave no logs this time. Throws
 * RPC faults.
 */
export async function compareEvents(
  chain: Chain,
  blockHash: Hex,
  events: readonly AuthorizationEvent[],
): Promise<Agreement> {
  if (chain.endpoints.length < 2) return "alone";
  const head = Math.max(...events.map(({ blockNumber }) => blockNumber));
  const { here, elsewhere } = await chain.readTwice([blockLogsCall(chain, blockHash)], head);
  const replies = typeof elsewhere === "string" ? here : [...here, ...elsewhere];
  const seen = replies.map((reply) => isSeenIn(reply, events));
  if (seen.includes(false)) return "denied";
  if (elsewhere === "none") return "alone";
  return seen.length === 2 && seen.every((isSeen) => isSeen) ? "agreed" : "unanswered";
}

/** Undefined when the endpoint gives no logs of the block. */
function isSeenIn(reply: RpcReply, events: readonly AuthorizationEvent[]): boolean | undefined {
  // It has another block at this height: one of the two endpoints is on a fork or is wrong.
  if (!reply.ok) return classifyNodeError(reply.error) === "node_behind" ? false : undefined;
  const seen = readAuthorizationEvents(reply.result);
  return events.every((event) =>
    seen.some(
      (other) =>
        other.kind === event.kind &&
        other.transaction === event.transaction &&
        other.blockNumber === event.blockNumber &&
        other.logIndex === event.logIndex &&
        other.payer === event.payer &&
        other.nonce === event.nonce &&
        other.transfer?.to === event.transfer?.to &&
        other.transfer?.value === event.transfer?.value,
    ),
  );
}
