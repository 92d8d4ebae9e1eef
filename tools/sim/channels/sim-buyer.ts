/** A buyer of a run, who signs deposits and vouchers, counts what they get, and may sign backwards. */
import type { DevnetWallet } from "@farthing/devnet";
import {
  channelIdOf,
  decodeHeader,
  depositCollector,
  depositDigest,
  depositNonce,
  encodeHeader,
  headerNames,
  isObject,
  member,
  networkOfChain,
  parseChannelUnits,
  readReceipt,
  signDigest,
  toChannelEntry,
  toWireBuyerPayload,
  voucherDigest,
  type BuyerChannelPayload,
  type ChannelConfig,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { priceUnits, type ShopLife } from "./sim-shop.ts";

const network = networkOfChain(51);

/** How a call is made. */
export const manners = ["honest", "backwards", "same-total-twice", "refund"] as const;
export type Manner = (typeof manners)[number];

export interface SimBuyer {
  readonly config: ChannelConfig;
  readonly channelId: Hex;
  call(shops: readonly ShopLife[], manner: Manner, cost: bigint): Promise<string>;
  /** Base units: what was received, what the shop worked for, and the highest total that was signed. */
  counted(): { readonly delivered: bigint; readonly worked: bigint; readonly signed: bigint };
  /** What the shop has told wrongly. */
  readonly lies: readonly string[];
}

/** A deposit pays for so many calls. */
const depositCalls = 10n;

const farAway = 2n ** 40n;

type MessageType = "deposit" | "voucher" | "refund";

interface Message extends Pick<SimBuyer, "config" | "channelId"> {
  readonly wallet: DevnetWallet;
  readonly total: bigint;
  readonly type: MessageType;
  readonly salt: bigint;
}

/** What came of a message at a shop. */
interface Answer {
  readonly header: string;
  readonly response: Response | undefined;
  /** Whether the shop has worked for it, and not only answered again. */
  readonly isWorked: boolean;
}

function signHeader(message: Message): string {
  const { wallet, config, channelId, total, type } = message;
  const digest = voucherDigest(network.chainId, { channelId, maxClaimableAmount: total });
  const signature = signDigest(wallet.privateKey, digest);
  const base = { config, voucher: { channelId, maxClaimableAmount: total, signature } };
  const payload: BuyerChannelPayload =
    type === "deposit" ? { type, ...base, deposit: signDeposit(message) } : { type, ...base };
  const { receiver: payTo, receiverAuthorizer, withdrawDelay } = config;
  const accepted = toChannelEntry({
    network,
    amount: priceUnits,
    payTo,
    maxTimeoutSeconds: 120,
    receiverAuthorizer,
    withdrawDelay,
    minDeposit: depositCalls * priceUnits,
  });
  return encodeHeader({ x402Version: 2, accepted, payload: toWireBuyerPayload(payload) });
}

function signDeposit({ wallet, channelId, salt }: Message) {
  const amount = depositCalls * priceUnits;
  const times = { validAfter: 0n, validBefore: farAway };
  const nonce = depositNonce(channelId, salt);
  const parties = { from: wallet.address, to: depositCollector };
  const digest = depositDigest(network, { ...parties, value: amount, ...times, nonce });
  return { amount, salt, ...times, signature: signDigest(wallet.privateKey, digest) };
}

export function createSimBuyer(
  wallet: DevnetWallet,
  seller: DevnetWallet,
  { nth, withdrawDelay }: { readonly nth: number; readonly withdrawDelay: number },
): SimBuyer {
  const config: ChannelConfig = {
    payer: wallet.address,
    payerAuthorizer: wallet.address,
    receiver: seller.address,
    receiverAuthorizer: seller.address,
    token: network.usdc,
    withdrawDelay,
    salt: `0x${nth.toString(16).padStart(64, "0")}`,
  };
  const channelId = channelIdOf(network, config);
  const lies: string[] = [];
  let [charged, balance, signed, delivered, worked] = [0n, 0n, 0n, 0n, 0n];
  /** Messages that were answered: an answer that comes again without work is no other delivery. */
  const answered = new Set<string>();
  /** The salt of a deposit stays the same until it is known to be made. */
  let salt = 1n;

  function headerOf(total: bigint, type: MessageType): string {
    if (total > signed) signed = total;
    return signHeader({ wallet, config, channelId, total, type, salt });
  }

  /** Believes a shop only up to what was signed. */
  function believe(state: JsonObject): void {
    const total = parseChannelUnits(member(state, "chargedCumulativeAmount"));
    const there = parseChannelUnits(member(state, "balance"));
    if (total !== undefined && total > signed) lies.push(`charged ${total}, signed ${signed}`);
    else if (total !== undefined) charged = total;
    if (there === undefined) return;
    if (there > balance) salt++;
    balance = there;
  }

  async function read({ response, header, isWorked }: Answer): Promise<string> {
    if (!response) return "no answer";
    const receipt = readReceipt(response.headers);
    const state = receipt?.extra?.["channelState"];
    if (isObject(state)) believe(state);
    if (response.status === 200) {
      const body: unknown = await response.json();
      const cost = isObject(body) ? body["cost"] : undefined;
      if (typeof cost !== "string") return "refunded";
      if (isWorked || !answered.has(header)) delivered += BigInt(cost);
      answered.add(header);
      const told = receipt?.extra?.["chargedAmount"];
      if (told !== cost) lies.push(`charged ${String(told)} for a call of ${cost}`);
      return `delivered ${cost}, ${charged} in all`;
    }
    if (response.status === 402) believeChallenge(response);
    return `${response.status}, ${charged} in all`;
  }

  async function ask(shop: ShopLife, header: string, cost: bigint): Promise<Answer> {
    let isWorked = false;
    const response = await shop.sell(header, cost, () => {
      isWorked = true;
      worked += cost;
    });
    return { response, header, isWorked };
  }

  function believeChallenge(response: Response): void {
    const text = response.headers.get(headerNames.paymentRequired) ?? "";
    const challenge: unknown = decodeHeader(text)?.value;
    const accepts = isObject(challenge) ? member(challenge, "accepts") : undefined;
    for (const entry of Array.isArray(accepts) ? accepts.filter(isObject) : []) {
      const extra = entry["extra"];
      const state = isObject(extra) ? extra["channelState"] : undefined;
      if (isObject(state)) believe(state);
    }
  }

  return {
    config,
    channelId,
    lies,
    counted: () => ({ delivered, worked, signed }),
    async call([first, second], manner, cost) {
      if (!first) return "no shop";
      if (manner === "refund") return read(await ask(first, headerOf(charged, "refund"), 0n));
      const total =
        manner === "backwards" && charged > 0n
          ? charged - (charged % priceUnits)
          : charged + priceUnits;
      const header = headerOf(total, total > balance ? "deposit" : "voucher");
      const shops = manner === "same-total-twice" ? [first, second ?? first] : [first];
      const answers = await Promise.all(shops.map((shop) => ask(shop, header, cost)));
      const words: string[] = [];
      for (const answer of answers) words.push(await read(answer));
      return words.join("; ");
    },
  };
}
