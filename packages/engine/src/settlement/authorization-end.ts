/** Reads how an authorization ended, once no block can carry it any more. */
import type { Address, Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import {
  areEventsSeenElsewhere,
  isUnusedAt,
  type AuthorizationEvent,
} from "../chain/authorization-logs.ts";
import { findAuthorizationEvent } from "../chain/authorization-search.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { Chain } from "../chain/chain.ts";

/** Depth of the search in blocks: eleven hours of XDC. */
const searchBlocks = 20_000;

export interface AuthorizationQuestion {
  readonly payer: Address;
  readonly nonce: Hex;
  /** When it expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

/** Never used, or ended by an event, which may still be reorganised out unless it is final. */
export type AuthorizationEnd =
  | { readonly kind: "unused" }
  | { readonly kind: "used"; readonly event: AuthorizationEvent; readonly isFinal: boolean };

/**
 * Returns undefined until a final block is past the expiry. Throws RPC faults, also when endpoints
 * disagree about a final event.
 */
export async function readAuthorizationEnd(
  { chain, view }: { readonly chain: Chain; readonly view: ChainView },
  { payer, nonce, expiresAtMs }: AuthorizationQuestion,
): Promise<AuthorizationEnd | undefined> {
  const { head, finalized } = view;
  if (Number(finalized.time) * 1000 < expiresAtMs) return undefined;
  if (await isUnusedAt(chain, { payer, nonce }, finalized.number)) return { kind: "unused" };
  const fromBlock = Math.max(0, head.number - searchBlocks);
  const headNumber = head.number;
  const event = await findAuthorizationEvent(chain, { payer, nonce, fromBlock, headNumber });
  if (!event) throw new Fault("rpc_unavailable", "An authorization is used and has no log");
  const isFinal = event.blockNumber <= finalized.number;
  if (
    isFinal &&
    (await areEventsSeenElsewhere(chain, event.blockHash, [event], headNumber)) === false
  ) {
    throw new Fault("rpc_unavailable", "RPC endpoints disagree");
  }
  return { kind: "used", event, isFinal };
}
