/** The doctor's checks of the relayer wallets. */
import { isSameAddress, zeroAddress, type Address, type ChainId } from "@farthing/protocol";
import {
  type Chain,
  contractTransferGasMax,
  type GasNeeds,
  openSigners,
  readNonces,
  type Signer,
  type WalletNonces,
  gasPriceFloorWei,
  ceilingOf,
  defaultSettings,
  type GasLimits,
} from "@farthing/engine";
import { type CheckLine, fail, Fault, ok, timeText, warn } from "@farthing/engine/base";
import type { WalletReport, StoreReport } from "@farthing/engine/storage";
import { type Config } from "../config/config.ts";
import { openChannelKey } from "../payments/channels/authorizer.ts";

/** Returns a wallet's needs at a node's gas price, within the bounds of our transactions. */
export function gasNeedsAt(asked: bigint, limits: GasLimits) {
  const atLeast = asked > gasPriceFloorWei ? asked : gasPriceFloorWei;
  const ceiling = ceilingOf(limits);
  const price = atLeast < ceiling ? atLeast : ceiling;
  return { floor: contractTransferGasMax * price, price } satisfies GasNeeds;
}

/** Opens the relayer wallets, and asks key services for a signature. Throws nothing. */
export async function openWallets({
  wallets,
  networks,
}: Pick<Config, "wallets" | "networks">): Promise<{ signers: Signer[]; lines: CheckLine[] }> {
  const name = "wallets";
  if (!wallets) {
    const fix =
      "set FARTHING_RELAYER_KEYS_FILE, FARTHING_RELAYER_MNEMONIC_FILE, FARTHING_RELAYER_KMS_KEYS or FARTHING_RELAYER_WEB3SIGNER_URL";
    return { signers: [], lines: [fail(name, "no relayer wallet is configured", fix)] };
  }
  try {
    const signers = await openSigners(wallets);
    const remote = signers.filter(({ service }) => service !== undefined);
    const chainId = networks[0]?.network.chainId ?? 51;
    const checks = await Promise.all(remote.map((signer) => checkSigner(signer, chainId)));
    return { signers, lines: [ok(name, `${signers.length} to relay with`), ...checks] };
  } catch (error) {
    const text = error instanceof Fault ? error.message : "the wallets cannot be made";
    return { signers: [], lines: [fail(name, text, "correct it and run this again")] };
  }
}

/** Has the key service that signs for channels, if there is one, sign a digest that is of no use. */
export async function checkChannelKey(settings: Pick<Config, "channelKmsKey">) {
  const name = "channels";
  try {
    const key = await openChannelKey(settings);
    if (!key) return [];
    await key.sign(new Uint8Array(32));
    return [ok(name, `${key.service} signs for channels as ${key.address}`)];
  } catch (error) {
    const text = error instanceof Fault ? error.message : "the key of channels does not sign";
    return [fail(name, text, "check the key service and its permissions")];
  }
}

/** Has a transaction signed that no node accepts: it has no gas, and it stays here. */
async function checkSigner(signer: Signer, chainId: ChainId): Promise<CheckLine> {
  const { address, service = "" } = signer;
  const fields = { chainId, nonce: 0, gasPrice: 0n, gasLimit: 0n, to: zeroAddress } as const;
  try {
    await signer.sign({ ...fields, data: "0x" });
    return ok("signer", `${service} signs for ${address}`);
  } catch (error) {
    const text = error instanceof Fault ? error.message : `${service} does not sign`;
    return fail("signer", `${address}: ${text}`, "check the key service and its permissions");
  }
}

export interface NonceDeps {
  readStoreReport(): Promise<StoreReport | undefined>;
  /** From which other software sends as well. */
  readonly sharedWallets: readonly Address[];
}

/** Compares the node's pool with the database, one line per wallet. */
export async function checkNonces(
  chain: Chain,
  wallets: readonly Address[],
  { readStoreReport, sharedWallets }: NonceDeps,
): Promise<CheckLine[]> {
  const nonces = await readNonces(chain, wallets);
  // Read after the chain, because a running facilitator stores a nonce before the chain has it.
  const store = await readStoreReport();
  const own = store?.wallets.filter(({ chainId }) => chainId === chain.network.chainId) ?? [];
  const bound = boundOf(own);
  return wallets.map((wallet, index) => {
    const stored = own.find((one) => one.wallet === wallet.toLowerCase());
    const counts = nonces[index] ?? { latest: 0, pending: 0 };
    if (sharedWallets.some((one) => isSameAddress(one, wallet))) {
      const text = `${counts.latest} transactions on chain; not compared, since FARTHING_SHARED_WALLETS names it`;
      return ok(`nonce ${index}`, text);
    }
    return nonceLine(`nonce ${index}`, counts, {
      stored,
      bound,
      isStoreKnown: store !== undefined,
    });
  });
}

/** How far back a start looks for what the database has lost, and what finds the rest. */
function boundOf(wallets: readonly WalletReport[]): string {
  const newestAt = Math.max(0, ...wallets.map((one) => one.newestAt ?? 0));
  const { searchBlocksMax } = defaultSettings;
  const from =
    newestAt === 0
      ? ""
      : `from half an hour before the newest stored one (${timeText(newestAt)}), but `;
  return `a start searches ${from}at most the last ${searchBlocksMax} blocks, about a week; farthing recover --since searches what is older`;
}

interface NonceTerms {
  readonly stored: WalletReport | undefined;
  /** How far back a start looks. */
  readonly bound: string;
  readonly isStoreKnown: boolean;
}

function nonceLine(
  name: string,
  { latest, pending }: WalletNonces,
  { stored, bound, isStoreKnown }: NonceTerms,
): CheckLine {
  const waiting = pending - latest;
  if (stored && latest > stored.nextNonce) {
    return warn(
      name,
      `${latest} transactions on chain, of which the database knows ${stored.nextNonce}; ${bound}`,
      "start the facilitator: it finds what a failover or a restore has lost; if none did, other software sends from this wallet, or this is another database: give each its own wallet, or name it in FARTHING_SHARED_WALLETS",
    );
  }
  if (!stored && isStoreKnown && latest > 0 && waiting <= 0) {
    // Its wallets may have been used by another database, or by other software.
    const text = `${latest} transactions on chain, from before this database, which a start does not search`;
    return ok(name, `${text}; farthing recover --since records those of a lost database`);
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
