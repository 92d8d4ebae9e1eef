/**
 * One buyer at one seller through one facilitator: calls at changing prices, a top-up, a ledger and
 * records that are lost, and a refund; after which every base unit is where both sides say.
 */
import type { DevnetWallet } from "@farthing/devnet";
import type { Hex } from "@farthing/protocol";
import { readChannelLedger, type ChannelAccount } from "@farthing/lab/audit";
import type { Buyer, Goods, Shop, Table } from "./parties.ts";

/** Two parties that have not met yet. */
export interface Play {
  readonly table: Table;
  readonly goods: Goods;
  readonly buyer: Buyer;
  readonly shop: Shop;
  readonly payer: DevnetWallet;
  readonly payee: DevnetWallet;
  readonly calls: number;
}

/** What was counted; base units. */
export interface PlayFigures {
  readonly calls: number;
  readonly deposits: number;
  readonly deposited: bigint;
  readonly charged: bigint;
  readonly claimed: bigint;
  readonly refunded: bigint;
  /** What is left in the channel. */
  readonly left: bigint;
  /** What differs from what it should be; empty where nothing does. */
  readonly problems: readonly string[];
}

/** The most of a call, and a step through all prices up to it that repeats none of them early. */
export const priceUnits = 1_000n;
const priceStep = 389n;

/** From 1 unit to the most, another one with each call. */
const costOf = (nth: number): bigint => 1n + ((BigInt(nth) * priceStep) % priceUnits);

/** So much for so many calls: half of what they cost, and a fifth more, so that one top-up is needed. */
export function goodsFor(calls: number): Goods {
  return { priceUnits, depositUnits: (priceUnits * BigInt(calls) * 3n) / 10n };
}

export async function playPairing(play: Play): Promise<PlayFigures> {
  const { table, buyer, shop, payer, payee, calls } = play;
  const balanceOf = ({ address }: DevnetWallet) => table.devnet.usdc.balanceOf(address);
  const [bought, sold] = [await balanceOf(payer), await balanceOf(payee)];
  const problems: string[] = [];
  const expect = (what: string, is: unknown, wanted: unknown): void => {
    if (is !== wanted) problems.push(`${what} is ${String(is)} instead of ${String(wanted)}`);
  };
  let [charged, deposited, deposits] = [0n, 0n, 0];
  let channel: Hex | undefined;

  async function call(nth: number): Promise<void> {
    const units = costOf(nth);
    const called = await buyer.call(`${shop.url}?units=${units}`);
    charged += units;
    expect(`what call ${nth} was charged`, called.chargedUnits, units);
    expect(`the total after call ${nth}`, called.totalUnits, charged);
    channel ??= called.channelId;
    expect(`the channel of call ${nth}`, called.channelId, channel);
    deposited += called.depositUnits;
    if (called.depositUnits > 0n) deposits++;
  }

  async function compare(when: string, id: Hex): Promise<void> {
    expect(`the total of the seller ${when}`, await shop.chargedOf(id), charged);
    expect(`the total of the buyer ${when}`, await buyer.charged(id), charged);
  }

  const [ledgerIsLostAt, recordsAreLostAt] = [Math.floor(calls / 3), Math.floor((calls * 2) / 3)];
  for (let nth = 1; nth < calls; nth++) {
    await call(nth);
    if (!channel) break;
    if (nth === ledgerIsLostAt) {
      await compare("before the ledger is lost", channel);
      buyer.loseLedger();
    }
    if (nth === recordsAreLostAt) {
      await compare("before the records are lost", channel);
      await secure(shop, channel, charged);
      shop.loseRecords();
    }
  }
  if (!channel) throw new Error("No call was made.");
  await compare("before the claim", channel);
  await shop.claim();
  await shop.sweep();
  expect("what the seller has got", (await balanceOf(payee)) - sold, charged);

  // What this call is charged is claimed by the refund.
  await call(calls);
  await compare("before the refund", channel);
  await buyer.refund(shop.url);
  await shop.sweep();
  expect("what the seller has got in all", (await balanceOf(payee)) - sold, charged);
  expect("what the buyer has paid in all", bought - (await balanceOf(payer)), charged);
  const { accounts } = await readChannelLedger(table.devnet, [payee.address]);
  const account = accounts.find(({ channelId }) => channelId === channel);
  expect("what was deposited", account?.deposited, deposited);
  expect("what was claimed", account?.claimed, charged);
  expect("what was refunded", account?.refunded, deposited - charged);
  expect("what is left in the channel", leftIn(account), 0n);
  expect("the number of deposits", deposits, 2);
  const { claimed = -1n, refunded = -1n } = account ?? {};
  return {
    calls,
    deposits,
    deposited,
    charged,
    claimed,
    refunded,
    left: leftIn(account),
    problems,
  };
}

function leftIn(account: ChannelAccount | undefined): bigint {
  return account ? account.state.balance - account.state.totalClaimed : -1n;
}

/** Vouchers wait for the vault a second at most, and the machine may be busy. */
const vaultMs = 60_000;
const lookMs = 100;

/** Records that are lost cost nothing once the vault has every call, or the chain where there is none. */
async function secure(shop: Shop, channelId: Hex, charged: bigint): Promise<void> {
  const endsAt = performance.now() + vaultMs;
  for (;;) {
    const vaulted = await shop.vaultedOf(channelId);
    if (vaulted === undefined) return void (await shop.claim());
    if (vaulted === charged) return;
    if (performance.now() > endsAt) throw new Error(`The vault has ${vaulted} of ${charged}`);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
