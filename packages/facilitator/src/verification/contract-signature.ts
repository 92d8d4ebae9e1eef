/**
 * Rule 1 for contract wallets: ask the wallet itself (ERC-1271), with a gas cap, since its code is
 * a stranger's. Only needed where the simulated transfer could not reach the signature check.
 */
import { authorizationDigest, type Authorization, type Hex } from "@farthing/protocol";
import type { Chain } from "../chain/chain.ts";
import { transferGasCap } from "../chain/payment-reader.ts";
import { callCapped } from "../chain/reads.ts";

/** isValidSignature(bytes32,bytes) */
const selector = "1626ba7e";

/** What the wallet must return: the selector, padded to 32 bytes (ERC-1271). */
const magicWord = `0x${selector.padEnd(64, "0")}`;

/** Asks the wallet. Throws `rpc_unavailable` or `rpc_refused` when the node gives no answer. */
export async function isAcceptedByWallet(
  chain: Chain,
  authorization: Authorization,
  signature: Hex,
): Promise<boolean> {
  const digest = authorizationDigest(chain.network, authorization).slice(2);
  const bytes = signature.slice(2);
  const offset = (64).toString(16).padStart(64, "0");
  const length = (bytes.length / 2).toString(16).padStart(64, "0");
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
  const data: Hex = `0x${selector}${digest}${offset}${length}${padded}`;
  const answer = await callCapped(chain, { to: authorization.from, data, gas: transferGasCap });
  return answer?.toLowerCase() === magicWord;
}
