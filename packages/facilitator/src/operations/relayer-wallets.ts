/** What the operator's commands show of the relayer wallets, and the sweep of one of them. */
import { isSameAddress, parseAddress, type Address, type Hex } from "@farthing/protocol";
import {
  createSigners,
  formatEther,
  gasPriceFloorWei,
  paysFor,
  readBalances,
  readGasPrice,
  readNonces,
  settlementsLow,
  type Signer,
  sweepWallet,
  ceilingOf,
} from "@farthing/engine";
import { messageOf, misconfigured, Secret, silentLog, systemClock } from "@farthing/engine/base";
import { inspectStore, type WalletReport } from "@farthing/engine/storage";
import {
  readConfig,
  type Config,
  type ConfigSource,
  type NetworkConfig,
} from "../config/config.ts";
import { openStore } from "../features/open-store.ts";
import { openChain, openConfiguredSigners } from "./configured-parts.ts";

/** One wallet on one network. */
export interface WalletStatus {
  readonly network: string;
  /** Its place in the configuration, from 0; null for a wallet whose key is not configured. */
  readonly index: number | null;
  readonly address: Address;
  readonly xdc: string;
  /** Payments that its gas lasts for at the present price. */
  readonly payments: number;
  /** Whether that is less than the service warns about. */
  readonly isLow: boolean;
  /** Transactions in blocks. */
  readonly nonce: number;
  /** Nonces that are taken and in no block yet. */
  readonly unmined: number;
  /** The process that works it, `host/pid`; null when there is none. */
  readonly holder: string | null;
}

export interface RelayerReport {
  readonly wallets: readonly WalletStatus[];
  /** Networks whose nodes did not answer, each with the reason. */
  readonly problems: readonly { readonly network: string; readonly text: string }[];
}

/** Changes nothing. Throws the faults `configuration` and `storage_unavailable`. */
export async function readRelayerReport(source: ConfigSource = {}): Promise<RelayerReport> {
  const config = readConfig(source);
  const signers = await openConfiguredSigners(config);
  const configured = signers.map(({ address }) => address);
  const stored = await inspectStore(config.databaseUrl, systemClock.nowMs());
  const reports = await Promise.all(
    config.networks.map(async (served) => {
      const { id, chainId } = served.network;
      const known = stored.wallets.filter((wallet) => wallet.chainId === chainId);
      try {
        return { wallets: await readWallets(served, configured, known), problems: [] };
      } catch (error) {
        return { wallets: [], problems: [{ network: id, text: messageOf(error) }] };
      }
    }),
  );
  return {
    wallets: reports.flatMap(({ wallets }) => wallets),
    problems: reports.flatMap(({ problems }) => problems),
  };
}

async function readWallets(
  served: NetworkConfig,
  configured: readonly Address[],
  known: readonly WalletReport[],
): Promise<WalletStatus[]> {
  const chain = openChain(served);
  const former = known.flatMap(({ wallet }) => {
    const address = parseAddress(wallet);
    return address && !configured.some((one) => isSameAddress(one, address)) ? [address] : [];
  });
  const addresses = [...configured, ...former];
  const asked = await readGasPrice(chain);
  const price = asked > gasPriceFloorWei ? asked : gasPriceFloorWei;
  const [balances, nonces] = await Promise.all([
    readBalances(chain, addresses),
    readNonces(chain, addresses),
  ]);
  return addresses.flatMap((address, at) => {
    const balance = balances[at] ?? 0n;
    const nonce = nonces[at]?.latest ?? 0;
    const payments = paysFor(balance, price);
    const row = known.find(({ wallet }) => isSameAddress(wallet, address));
    const unmined = Math.max(0, (row?.nextNonce ?? 0) - nonce);
    const index = at < configured.length ? at : null;
    const holder = row?.holder?.split("/").slice(0, 2).join("/") ?? null;
    // A wallet that was swept and has no work is history.
    if (index === null && unmined === 0 && payments === 0n) return [];
    const isLow = payments < settlementsLow;
    const xdc = formatEther(balance);
    const facts = { xdc, payments: Number(payments), isLow, nonce, unmined, holder };
    return [{ network: served.network.id, index, address, ...facts }];
  });
}

export interface SweepOrder {
  readonly wallet: Address;
  readonly to: Address;
  /** Such as `eip155:51`; all configured networks by default. */
  readonly network?: string | undefined;
  /** Keys beside those of the configuration, such as one that was rotated out. */
  readonly keys?: readonly string[];
}

export interface SweptNetwork {
  readonly network: string;
  readonly xdc: string;
  /** Null when there was nothing to send. */
  readonly transaction: Hex | null;
}

/** Sweeps one wallet, network by network. Throws the fault `configuration`, and RPC faults. */
export async function* sweepRelayer(
  { wallet, to, network, keys = [] }: SweepOrder,
  source: ConfigSource = {},
): AsyncGenerator<SweptNetwork> {
  const config = readConfig(source);
  if (isSameAddress(wallet, to)) throw misconfigured("A wallet cannot be swept to itself");
  const signer = await findSigner(wallet, config, keys);
  const chosen = config.networks.filter(({ network: { id } }) => (network ?? id) === id);
  if (chosen.length === 0) {
    throw misconfigured(`${network} is not configured; name it in FARTHING_NETWORKS`);
  }
  const store = await openStore(config.databaseUrl);
  try {
    for (const served of chosen) {
      const { transaction, amount } = await sweepWallet(signer, to, {
        chain: openChain(served),
        store,
        clock: systemClock,
        log: silentLog,
        isLocal: config.databaseUrl.startsWith("sqlite:"),
        gasPriceCeiling: ceilingOf(config),
      });
      yield { network: served.network.id, xdc: formatEther(amount), transaction };
    }
  } finally {
    await store.close();
  }
}

/** The address of a private key. Throws the fault `configuration`, which does not quote the key. */
export function walletAddressOf(key: string): Address {
  const [signer] = createSigners({ keys: [new Secret(key)] });
  if (!signer) throw misconfigured("There is no key");
  return signer.address;
}

async function findSigner(
  wallet: Address,
  config: Config,
  keys: readonly string[],
): Promise<Signer> {
  const signers = [
    ...(await openConfiguredSigners(config)),
    ...createSigners({ keys: keys.map((key) => new Secret(key)) }),
  ];
  const signer = signers.find(({ address }) => isSameAddress(address, wallet));
  if (signer) return signer;
  throw misconfigured(
    `The key of ${wallet} is not configured; set FARTHING_RELAYER_KEYS_FILE to a file that has it`,
  );
}
