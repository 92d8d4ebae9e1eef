/** What the doctor says about relayer wallets: what gas costs them, and whether their nonces agree. */
import type { Address } from "@farthing/protocol";
import {
  type Chain,
  contractTransferGasMax,
  type GasNeeds,
  readNonces,
  type WalletNonces,
  gasPriceFloorWei,
} from "@farthing/engine";
import { type CheckLine, ok, warn } from "@farthing/engine/base";
import type { WalletReport, StoreReport } from "@farthing/engine/storage";
import { type Config } from "../config/config.ts";

/** What a wallet needs at a node's gas price: within our bounds, as transactions are priced. */
export function gasNeedsAt(asked: bigint, { gasPriceMaxWei }: Pick<Config, "gasPriceMaxWei">) {
  const atLeast = asked > gasPriceFloorWei ? asked : gasPriceFloorWei;
  const price = atLeast < gasPriceMaxWei ? atLeast : gasPriceMaxWei;
  return { floor: contractTransferGasMax * gasPriceFloorWei, price } satisfies GasNeeds;
}

/** One line per wallet: what waits in the node's pool, beside what the database knows of. */
export async function checkNonces(
  chain: Chain,
  wallets: readonly Address[],
  lookAtStore: () => Promise<StoreReport | undefined>,
): Promise<CheckLine[]> {
  const nonces = await readNonces(chain, wallets);
  // Afterwards: a facilitator at work stores a nonce before the chain can know of it.
  const store = await lookAtStore();
  return wallets.map((wallet, index) => {
    const stored = store?.wallets.find(
      (one) => one.chainId === chain.network.chainId && one.wallet === wallet.toLowerCase(),
    );
    return nonceLine(`nonce ${index}`, nonces[index] ?? { latest: 0, pending: 0 }, stored);
  });
}

function nonceLine(
  name: string,
  { latest, pending }: WalletNonces,
  stored: WalletReport | undefined,
): CheckLine {
  const waiting = pending - latest;
  if (stored && latest > stored.nextNonce) {
    return warn(
      name,
      `${latest} transactions on chain, of which the database knows ${stored.nextNonce}`,
      "other software sends from this wallet, or this is another database: give each its own wallet",
    );
  }
  if (waiting <= 0) return ok(name, `${latest}, nothing waits in the node's pool`);
  const text = `${latest}, and ${waiting} wait in the node's pool`;
  if (stored?.holder != null) return ok(name, `${text}; a facilitator is at work`);
  const fix =
    stored && stored.open > 0
      ? "start the facilitator: it takes them up again"
      : "other software sends from this wallet, or something is stuck: give each its own wallet";
  return warn(name, text, fix);
}
