/**
 * The facilitator of a run, in this process: its vault, its claimer and its calls of the contract are the
 * service's own, on its own store. It may die at each write and each call, and starts again.
 */
import {
  acceptChannel,
  channelIdOf,
  checkTotal,
  depositNonce,
  isObject,
  member,
  networkOfChain,
  parseChannelRequest,
  parseChannelUnits,
  parseSoldParts,
  parseVoucherClaim,
  toLowerHex,
  type Address,
  type ChannelPayload,
  type ChannelRequirements,
  type Hex,
  type SettleResponse,
  type VerifyResponse,
  type Voucher,
} from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import { silentLog } from "@farthing/facilitator";
import type { Channels } from "@farthing/engine";
import {
  checkMessage,
  claimChannels,
  createClaimer,
  createVault,
  invalidChannel,
  noAuthorizer,
  pendingChannel,
  refundChannel,
  refusedChannel,
  settledChannel,
  sweepReceiver,
  validChannel,
  type ClaimerDeps,
  type KeptVoucher,
} from "@farthing/facilitator/testing/channel-parts";
import type { Facilitator } from "@farthing/seller";
import type { ChannelChain } from "./channel-chain.ts";
import { createMortal, type DrawEnd, type Mortal } from "./mortal.ts";
import type { SteppingClock } from "./stepping-clock.ts";

type KeepVouchers = NonNullable<Facilitator["keepVouchers"]>;
type Calls = Pick<Facilitator, "verify" | "settle"> & { readonly keepVouchers: KeepVouchers };

/** One process of it. */
export interface FacilitatorLife {
  readonly mortal: Mortal;
  /** As a seller with a key of this account calls it. */
  callsOf(account: Address): Calls;
}

type ChannelStore = ClaimerDeps["store"];

interface FacilitatorDeps {
  readonly clock: SteppingClock;
  readonly chain: ChannelChain;
  readonly store: ChannelStore;
  readonly drawEnd: DrawEnd;
}

const network = networkOfChain(51);

/** A deposit is asked for as long as a payment. */
const depositWaitMs = 25_000;

const priceOf = () => ({ credits: 0, freeCredits: 0 });

export function startFacilitatorLife(deps: FacilitatorDeps): FacilitatorLife {
  const mortal = createMortal(deps.clock, deps.drawEnd);
  const store = mortalStore(deps.store, mortal);
  const chain = mortalChannels(deps.chain.channels, mortal);
  const runtime = { clock: mortal, log: silentLog };
  const base = { ...runtime, store, chain, authorizer: noAuthorizer };
  const keep = createVault({ ...base, priceOf });
  const claimer = createClaimer({ ...base, chainIds: [network.chainId] });
  claimer.start();
  return {
    mortal,
    callsOf: (account) => ({
      verify: async ({ paymentPayload, paymentRequirements }) => {
        const body = { x402Version: 2, paymentPayload, paymentRequirements };
        return { kind: "verdict", verdict: await verify(deps.chain, chain, body) };
      },
      settle: async ({ paymentPayload, paymentRequirements }) => {
        const body = { x402Version: 2, paymentPayload, paymentRequirements };
        return { kind: "settlement", settlement: await settle(deps.chain, chain, body) };
      },
      async keepVouchers(body) {
        const results = await keep(account, network, rowsIn(body));
        const rows = new Map<Hex, { charged: bigint; voucher: Voucher } | string>();
        for (const one of results) {
          rows.set(one.channelId, "refusal" in one ? one.refusal.message : keptOf(one.kept));
        }
        return { kind: "kept", rows };
      },
    }),
  };
}

function keptOf({ channelId, maxClaimableAmount, signature, charged }: KeptVoucher) {
  return { charged, voucher: { channelId, maxClaimableAmount, signature } };
}

/** Each write is a step; reads are under way as long as they take. */
function mortalStore(store: ChannelStore, { step }: Mortal): ChannelStore {
  return {
    findVouchers: (...input) => step("read", () => store.findVouchers(...input)),
    keepVouchers: (...input) => step("keepVouchers", () => store.keepVouchers(...input)),
    listAccountVouchers: (...input) => step("read", () => store.listAccountVouchers(...input)),
    makeDue: (...input) => step("makeDue", () => store.makeDue(...input)),
    listUnclaimed: (...input) => step("read", () => store.listUnclaimed(...input)),
    listUnclaimedOf: (...input) => step("read", () => store.listUnclaimedOf(...input)),
    listAccountsAtRisk: (...input) => step("read", () => store.listAccountsAtRisk(...input)),
    hasOpenChannels: (...input) => step("read", () => store.hasOpenChannels(...input)),
    takeForClaim: (...input) => step("takeForClaim", () => store.takeForClaim(...input)),
    giveBack: (...input) => step("giveBack", () => store.giveBack(...input)),
    spendReservations: (...input) => step("spend", () => store.spendReservations(...input)),
    restoreReservations: (...input) => step("restore", () => store.restoreReservations(...input)),
    findWatchedBlock: (...input) => step("read", () => store.findWatchedBlock(...input)),
    listEventsBetween: (...input) => step("read", () => store.listEventsBetween(...input)),
    listChannelEvents: (...input) => step("read", () => store.listChannelEvents(...input)),
    recordChannels: (...input) => step("recordChannels", () => store.recordChannels(...input)),
    recordLook: (...input) => step("recordLook", () => store.recordLook(...input)),
    listUnsent: (...input) => step("read", () => store.listUnsent(...input)),
    recordSettled: (...input) => step("recordSettled", () => store.recordSettled(...input)),
  };
}

function mortalChannels(channels: Channels, mortal: Mortal): Channels {
  const { step } = mortal;
  return {
    ...channels,
    read: (...input) => step("read", () => channels.read(...input)),
    readReceiver: (...input) => step("read", () => channels.readReceiver(...input)),
    events: (...input) => step("read", () => channels.events(...input)),
    // It waits for blocks, so time goes on meanwhile.
    async call(...input) {
      await step("call", async () => undefined);
      const called = await mortal.whileAlive(channels.call(...input));
      await step("called", async () => undefined);
      return called;
    },
  };
}

function rowsIn(body: object) {
  const vouchers: unknown = member({ ...body }, "vouchers");
  return (Array.isArray(vouchers) ? vouchers : []).filter(isObject).map((row) => {
    const [channel, charged] = [member(row, "channelConfig"), member(row, "charged")];
    const voucher = { channel, maxClaimableAmount: member(row, "maxClaimableAmount") };
    const claim = parseVoucherClaim({
      voucher,
      signature: member(row, "signature"),
      totalClaimed: charged,
    });
    const units = parseChannelUnits(charged);
    const signed = member(row, "claimSignature");
    if (!claim.ok || units === undefined) throw new Error("The seller sent no row");
    const claimSignature: Hex | undefined =
      typeof signed === "string" ? `0x${signed.slice(2)}` : undefined;
    const sold = parseSoldParts(member(row, "sold") ?? []);
    if (!sold) throw new Error("The seller does not say what it sold");
    return { ...claim.value, charged: units, claimSignature, sold };
  });
}

async function verify(chain: ChannelChain, channels: Channels, body: object) {
  const parsed = parseChannelRequest(body);
  if (!parsed.ok) return invalidChannel(parsed.refusal);
  const { payload, requirements } = parsed.value;
  if (payload.type === "claim" || payload.type === "settle") throw new Error("It is settled");
  const { payer } = payload.config;
  const checked = await check(chain, channels, payload, requirements);
  const { channelId } = payload.voucher;
  const told = checked.state && { channelId, state: checked.state };
  const answer: VerifyResponse = checked.outcome.ok
    ? validChannel(payer, told ?? missing())
    : invalidChannel(checked.outcome.refusal, payer, told);
  return answer;
}

function missing(): never {
  throw new Error("There is a state");
}

type BuyerPayload = Extract<ChannelPayload, { config: unknown }>;

async function check(
  chain: ChannelChain,
  channels: Channels,
  payload: BuyerPayload,
  requirements: ChannelRequirements,
) {
  const { channelId, maxClaimableAmount } = payload.voucher;
  const message = checkMessage(payload, requirements);
  if (!message.ok) return { outcome: message };
  const [state] = await channels.read(network.chainId, [channelId]);
  if (!state) return { outcome: acceptChannel(undefined) };
  const deposited = await unusedDeposit(chain, payload);
  const isRefund = payload.type === "refund";
  return { state, outcome: checkTotal(maxClaimableAmount, state, { deposited, isRefund }) };
}

async function unusedDeposit(chain: ChannelChain, payload: BuyerPayload): Promise<bigint> {
  if (payload.type !== "deposit") return 0n;
  const { config, deposit } = payload;
  const nonce = depositNonce(channelIdOf(network, config), deposit.salt);
  return (await chain.isUsed(config.payer, nonce)) ? 0n : deposit.amount;
}

async function settle(
  chain: ChannelChain,
  channels: Channels,
  body: object,
): Promise<SettleResponse> {
  const parsed = parseChannelRequest(body);
  if (!parsed.ok) return refusedChannel(parsed.refusal, "");
  const { payload, requirements } = parsed.value;
  const context = { channels: { chain: channels, authorizer: noAuthorizer } };
  switch (payload.type) {
    case "deposit":
      return settleDeposit(chain, channels, payload);
    case "claim":
      return claimChannels(context, payload, requirements, null);
    case "settle":
      return sweepReceiver(context, payload, requirements);
    case "refund":
      return refundChannel(context, payload, requirements, null);
    case "voucher":
      throw new Error("A voucher is claimed");
    default:
      return payload satisfies never;
  }
}

/** As the engine settles one: sent once for its authorization, and told as what it has come to. */
async function settleDeposit(
  chain: ChannelChain,
  channels: Channels,
  payload: Extract<ChannelPayload, { type: "deposit" }>,
): Promise<SettleResponse> {
  const { config, deposit, voucher } = payload;
  const { payer } = config;
  const channelId = toLowerHex(voucher.channelId);
  let block = 0;
  if ((await unusedDeposit(chain, payload)) > 0n) {
    const data = channelCalls.deposit(config, deposit);
    const called = await channels.call(network.chainId, data, depositWaitMs);
    if (called.kind !== "mined") return pendingChannel(network.id, null, payer);
    block = called.blockNumber;
  }
  const [state] = await channels.read(network.chainId, [channelId], block);
  return settledChannel({
    transaction: `0x${"00".repeat(32)}`,
    network: network.id,
    amount: `${deposit.amount}`,
    payer,
    ...(state && { channel: { channelId, state } }),
  });
}
