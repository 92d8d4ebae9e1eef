/** Asks contract wallets about their signatures (ERC-1271), with a gas cap for unknown code. */
import {
  authorizationDigest,
  depositDigest,
  hexDigits,
  type Address,
  type Authorization,
  type Hex,
} from "@farthing/protocol";
import { encodeBytes, word } from "../chain/contracts/abi.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { transferGasCap } from "../chain/payments/payment-reading.ts";
import { callCapped } from "../chain/reads/reads.ts";
import { depositOf } from "../model/channel-deposit.ts";

const selector = "1626ba7e";

/** A valid signature returns the selector, padded to 32 bytes (ERC-1271). */
const magicWord = `0x${selector.padEnd(64, "0")}`;

export interface HashQuestion {
  readonly wallet: Address;
  readonly hash: Hex;
  readonly signature: Hex;
  readonly gas: bigint;
}

/** Throws `rpc_unavailable` or `rpc_refused` when the node does not reply. */
export async function isHashAccepted(chain: Chain, question: HashQuestion): Promise<boolean> {
  const { wallet, hash, signature, gas } = question;
  const data: Hex = `0x${selector}${hash.slice(2)}${word(64)}${encodeBytes(signature)}`;
  const reply = await callCapped(chain, { to: wallet, data, gas });
  return reply?.toLowerCase() === magicWord;
}

/** Throws as {@link isHashAccepted}. */
export function isAcceptedByWallet(chain: Chain, authorization: Authorization, signature: Hex) {
  const deposit = depositOf(authorization.to, signature);
  const hash: Hex = deposit
    ? `0x${hexDigits(depositDigest(chain.network, authorization))}`
    : authorizationDigest(chain.network, authorization);
  return isHashAccepted(chain, {
    wallet: authorization.from,
    hash,
    signature: deposit?.signature ?? signature,
    gas: transferGasCap,
  });
}
