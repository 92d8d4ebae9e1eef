/**
 * Many calls of stock buyers by channels, at a seller of ours and through our facilitator's vault: counts
 * the transactions, and audits the chain. Or the same with sellers that are killed and never come back.
 */
import {
  auditChannels,
  readChannelLedger,
  type ChannelLedger,
  type ChannelUse,
  type Violation,
} from "@farthing/lab/audit";
import { isObject, readReceipt, type Hex } from "@farthing/protocol";
import { openChannelMarket, type ChannelMarket } from "./channel-market.ts";
import { createStockBuyer } from "./stock-buyer.ts";

export interface ChannelSoakOptions {
  /** Calls of all buyers. */
  readonly calls: number;
  readonly buyers: number;
  /** Buyers that have the rest of their deposit paid back at the end. */
  readonly refunds: number;
}

export interface ChannelSoakReport {
  readonly options: ChannelSoakOptions;
  readonly ledger: ChannelLedger;
  readonly uses: readonly ChannelUse[];
  readonly violations: readonly Violation[];
  /** That the facilitator has sent, by the nonce of its wallet. */
  readonly transactions: number;
  /** Of all calls. */
  readonly ms: number;
}

/** Base units and USDC of a call. */
const [callUnits, price] = [1_000n, "0.001"];

/** A deposit pays for the calls of one buyer, and for some that are not made. */
const spareCalls = 100;

export async function soakChannels(
  options: ChannelSoakOptions,
  onProgress?: (calls: number) => void,
): Promise<ChannelSoakReport> {
  await using stack = new AsyncDisposableStack();
  const { buyers, refunds } = options;
  const market = await openChannelMarket(buyers, stack);
  const { devnet } = market;
  const callsEach = Math.ceil(options.calls / buyers);
  const minDeposit = usdcOf(callUnits * BigInt(callsEach + spareCalls));
  const shop = market.openShop({ price, minDeposit, maxUnvaulted: "0.10" });
  const url = `${await shop.listening}/report`;
  const callers = devnet.buyers.map((wallet) => createCaller(market, wallet, url));
  const startedAt = performance.now();
  let made = 0;
  await Promise.all(
    callers.map(async ({ call }) => {
      for (let count = 0; count < callsEach; count++) {
        await call();
        onProgress?.(++made);
      }
    }),
  );
  const ms = performance.now() - startedAt;
  const uses = callers.map(({ use }) => use(0n));
  const delivered = uses.reduce((sum, use) => sum + use.delivered, 0n);
  await untilTrue("the vault has every call", async () => (await chargedIn(market)) === delivered);
  await market.claim();
  const read = () => readChannelLedger(devnet, [devnet.seller.address]);
  await untilTrue("all is claimed and sent", async () => {
    return (await read()).receivers.every(({ totalSettled }) => totalSettled === delivered);
  });
  for (const { refund } of callers.slice(0, refunds)) await refund();
  await shop.stop();
  const ledger = await read();
  return {
    options,
    ledger,
    uses,
    violations: audit(market, ledger, uses),
    transactions: await countSent(market),
    ms,
  };
}

export interface KilledShopsReport {
  readonly ledger: ChannelLedger;
  readonly uses: readonly ChannelUse[];
  readonly violations: readonly Violation[];
}

/** Sells by channels at several shops, each of which is killed after so many milliseconds for good. */
export async function killShops(killAfterMs: readonly number[]): Promise<KilledShopsReport> {
  await using stack = new AsyncDisposableStack();
  const market = await openChannelMarket(killAfterMs.length, stack);
  const { devnet } = market;
  // Five calls may be unknown to the vault, which a buyer makes within a tenth of a second.
  const bound = 5n * callUnits;
  const goods = { price, minDeposit: "1", maxUnvaulted: usdcOf(bound) };
  const uses = await Promise.all(
    killAfterMs.map(async (ms, nth) => {
      const shop = market.openShop(goods);
      const url = `${await shop.listening}/report`;
      const wallet = devnet.buyers[nth];
      if (!wallet) throw new Error("The devnet has a buyer for each shop");
      const { call, use } = createCaller(market, wallet, url);
      await call();
      setTimeout(() => void shop.kill(), ms);
      while (shop.url() !== undefined) if (!(await call().then(isTrue, isFalse))) break;
      await shop.ended;
      return use(bound);
    }),
  );
  await market.claim();
  await untilTrue("the vault has nothing to claim", async () => {
    return (await market.readVault()).every(({ claimBy }) => claimBy === null);
  });
  const ledger = await readChannelLedger(devnet, [devnet.seller.address]);
  return { ledger, uses, violations: audit(market, ledger, uses) };
}

function audit(
  market: ChannelMarket,
  ledger: ChannelLedger,
  uses: readonly ChannelUse[],
): readonly Violation[] {
  const records = market.brokenRecordSteps().map((text) => {
    return { rule: "every step of a record is the table's", payment: undefined, text };
  });
  return [...auditChannels(ledger, uses), ...records];
}

const isTrue = () => true;
const isFalse = () => false;

type Wallet = ChannelMarket["devnet"]["buyers"][number];

/** A stock buyer that counts what it got. */
function createCaller(market: ChannelMarket, wallet: Wallet, url: string) {
  const { pay, scheme } = createStockBuyer(market, wallet);
  let delivered = 0n;
  let channelId: Hex = "0x";
  return {
    async call(): Promise<void> {
      const response = await pay(url).catch((error: unknown) => {
        throw new Error(`Call ${delivered / callUnits} had no answer`, { cause: error });
      });
      const text = await response.text();
      const receipt = readReceipt(response.headers);
      if (response.status !== 200 || !receipt) throw new Error(`${response.status} ${text}`);
      delivered += callUnits;
      const state = receipt.extra?.["channelState"];
      const id = isObject(state) ? state["channelId"] : undefined;
      if (typeof id === "string" && id.startsWith("0x")) channelId = `0x${id.slice(2)}`;
    },
    refund: () => scheme.refund(url),
    /** The call that had no answer is signed too. */
    use: (bound: bigint): ChannelUse => {
      return { channelId, delivered, signed: delivered + callUnits, bound };
    },
  };
}

async function chargedIn(market: ChannelMarket): Promise<bigint> {
  const rows = await market.readVault();
  return rows.reduce((sum, { charged }) => sum + BigInt(String(charged)), 0n);
}

async function countSent({ devnet }: ChannelMarket): Promise<number> {
  let sent = 0;
  for (const { address } of devnet.relayers) {
    sent += Number(await devnet.rpc<Hex>("eth_getTransactionCount", [address, "latest"]));
  }
  return sent;
}

const unitsPerUsdc = 1_000_000;

function usdcOf(units: bigint): string {
  return (Number(units) / unitsPerUsdc).toFixed(6);
}

/** The claimer looks every ten seconds, and a claim and a sweep take some blocks. */
const waitMs = 60_000;
const lookMs = 250;

async function untilTrue(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + waitMs;
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`Not in ${waitMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
