/** Reads how an authorization ended, once no block can carry it any more. */
import type { Address, Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import { compareEvents } from "../chain/logs/authorization-logs.ts";
import type { AuthorizationEvent } from "../chain/contracts/authorization-events.ts";
import { findAuthorizationEvent } from "../chain/logs/authorization-search.ts";
import { createAuthorizationStates } from "../chain/reads/authorization-states.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";

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

/** Undefined until a final block is past the expiry. Throws RPC faults, also for disagreement. */
export async function readAuthorizationEnd(
  { chain, view }: { readonly chain: Chain; readonly view: Pick<ChainView, "head" | "finalized"> },
  { payer, nonce, expiresAtMs }: AuthorizationQuestion,
): Promise<AuthorizationEnd | undefined> {
  const { head, finalized } = view;
  if (Number(finalized.time) * 1000 < expiresAtMs) return undefined;
  const [isUsed] = await createAuthorizationStates(chain)([{ payer, nonce }], finalized.number);
  if (isUsed === false) return { kind: "unused" };
  const event = await findAuthorizationEvent(chain, { payer, nonce }, head.number);
  if (!event) throw new Fault("rpc_unavailable", "An authorization is used and has no log");
  const isFinal = event.blockNumber <= finalized.number;
  const isDenied = async () => (await compareEvents(chain, event.blockHash, [event])) === "denied";
  if (isFinal && (await isDenied())) throw new Fault("rpc_unavailable", "RPC endpoints disagree");
  return { kind: "used", event, isFinal };
}
