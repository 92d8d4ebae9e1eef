/**
 * Claims of a seller: the newest vouchers of all channels in few transactions, one sweep for each
 * receiver, and refunds that the seller makes by itself.
 */
import {
  defined,
  findNetwork,
  isBytes32,
  parseWireChannelState,
  toLowerHex,
  toWireClaim,
  wireChannelCode,
  type Address,
  type Hex,
  type Network,
  type SettleResponse,
} from "@farthing/protocol";
import { LeaseLostError } from "../exchange/lost-lease.ts";
import type { ExchangeDeps } from "../exchange/paid-request.ts";
import type { Facilitator } from "../facilitator.ts";
import type { FacilitatorFailure } from "../facilitator-order.ts";
import { ConfigurationError } from "../option-values.ts";
import type { StoredChannel } from "../payment-records/channels/channel-store.ts";
import type { Channels, HeldChannel } from "../payment-records/channels/channels.ts";
import { requestOfSeller, settleCall, verifyCall, type ChannelCallEnd } from "./ask-facilitator.ts";
import type { ChannelAuthorities, ChannelAuthority } from "./channel-authorizers.ts";
import { claimOf, refundHeld, signClaims } from "./refund-channel.ts";
import { isBehindVault, totalBeforeRefund } from "./vault-total.ts";

/** Rows of one claim at most: about 6 million gas, and far below a request's bound. */
const claimRowsPerCall = 100;

/** Longest wait for one call: a few blocks, and the facilitator's own wait. */
const callMs = 30_000;

/** Channels that one call of `claim` looks at; the next call goes on. */
const channelsPerClaim = 10_000;

/** What became of one call. */
export interface ChannelCallReport {
  readonly network: string;
  readonly receiver: Address;
  /** `refused`: nothing will happen. `open`: it may happen yet, and can be repeated. */
  readonly outcome: "done" | "refused" | "open";
  /** "" where there is none, or none was needed. */
  readonly transaction: string;
  /** Why it was not done; contains no secret. */
  readonly reason?: string;
}

export interface ClaimReport extends ChannelCallReport {
  /** The channels of the claim. */
  readonly channelIds: readonly Hex[];
  /** Base units that were charged since the claim before. */
  readonly units: bigint;
}

export interface SweepReport extends ChannelCallReport {
  /** Base units that went to the receiver. */
  readonly units: bigint;
}

export type ChannelRefundReport =
  | (ChannelCallReport & { readonly channelId: Hex; readonly units: bigint })
  /** The channel is not known here, a request of it is under way, or nothing is left in it. */
  | { readonly outcome: "unknown" | "busy" | "empty" };

/** Claims and refunds of channels. Calls never reject because a call was refused. */
export interface SellerChannels {
  /** Claims all that was charged, and sends what is claimed to the receivers. */
  claim(): Promise<{
    readonly claims: readonly ClaimReport[];
    readonly sweeps: readonly SweepReport[];
  }>;
  /** Gives back what is left in a channel, and claims what was charged. */
  refund(channelId: string): Promise<ChannelRefundReport>;
}

interface Deps extends Pick<ExchangeDeps, "facilitators" | "clock" | "vault"> {
  readonly channels: Channels | undefined;
  readonly authorities: ChannelAuthorities;
  /** Where the money of routes with channels goes. */
  readonly payees: () => readonly Address[];
  readonly networks: readonly Network[];
}

export function createSellerChannels(deps: Deps): SellerChannels {
  const store = (): Channels => {
    if (deps.channels) return deps.channels;
    throw new ConfigurationError("grants", "a store that keeps channels", "createMemoryGrants()");
  };
  return {
    async claim() {
      const claims: ClaimReport[] = [];
      for (const group of await groupsOf(store())) {
        for (let at = 0; at < group.length; at += claimRowsPerCall) {
          claims.push(...(await claimRows(deps, store(), group.slice(at, at + claimRowsPerCall))));
        }
      }
      const sweeps: SweepReport[] = [];
      for (const [network, receiver] of receiversOf(deps, claims)) {
        const sweep = await sweepTo(deps, network, receiver);
        if (sweep) sweeps.push(sweep);
      }
      return { claims, sweeps };
    },
    refund: async (channelId) => refundOwn(deps, store(), channelId),
  };
}

/** The unclaimed channels of each network, receiver and authorizer, which can be claimed together. */
async function groupsOf(channels: Channels): Promise<Iterable<readonly StoredChannel[]>> {
  const groups = new Map<string, StoredChannel[]>();
  let afterId = "";
  for (let seen = 0; seen < channelsPerClaim;) {
    const page = await channels.list("unclaimed", afterId, claimRowsPerCall);
    for (const channel of page) {
      const { receiver, receiverAuthorizer } = channel.config;
      const name = [channel.network, receiver, receiverAuthorizer].join(" ");
      groups.set(name, [...(groups.get(name) ?? []), channel]);
    }
    const last = page.at(-1);
    if (!last) break;
    afterId = last.id;
    seen += page.length;
  }
  return groups.values();
}

interface Caller {
  readonly network: Network;
  readonly authority: ChannelAuthority | undefined;
}

async function callerOf({ authorities }: Deps, id: string): Promise<Caller> {
  const network = findNetwork(id);
  if (!network) throw new Error(`A channel of ${id} is stored, which is no network of ours.`);
  return { network, authority: await authorities.at(network) };
}

function clientOf({ facilitators }: Deps, authority: ChannelAuthority | undefined) {
  return (facilitators[authority?.nth ?? 0] ?? facilitators[0]).client;
}

const chargedOf = ({ charged }: StoredChannel): bigint => charged;

const balanceOf = ({ state }: StoredChannel): bigint => state.balance;

/**
 * Claims rows together. Where the contract refuses them, halves are tried, so one bad row stays alone. Of a
 * channel that holds less than was charged all that it holds is claimed.
 */
async function claimRows(
  deps: Deps,
  channels: Channels,
  rows: readonly StoredChannel[],
  totalOf = chargedOf,
): Promise<readonly ClaimReport[]> {
  const [first] = rows;
  if (!first) return [];
  const { network, authority } = await callerOf(deps, first.network);
  const claims = rows.map((row) => claimOf(row, totalOf(row)));
  const { receiver, receiverAuthorizer } = first.config;
  const isOwn = authority?.address === receiverAuthorizer;
  const signature = signClaims(network, isOwn ? authority?.privateKey : undefined, claims);
  const payload = {
    type: "claim",
    claims: claims.map(toWireClaim),
    ...defined({ claimAuthorizerSignature: signature }),
  };
  const request = requestOfSeller(payload, network, receiver);
  const end = await settleCall(callingAt(deps, authority), request);
  const isRowsFault =
    end.kind === "refused" &&
    end.settlement.errorReason === wireChannelCode("claim_simulation_failed");
  if (isRowsFault && rows.length > 1) {
    const half = Math.ceil(rows.length / 2);
    const before = await claimRows(deps, channels, rows.slice(0, half));
    return [...before, ...(await claimRows(deps, channels, rows.slice(half)))];
  }
  if (isRowsFault && totalOf === chargedOf) {
    const short = await readShort(channels, first, clientOf(deps, authority), network);
    if (short) return claimRows(deps, channels, [short], balanceOf);
  }
  if (end.kind === "done") {
    for (const row of rows) await channels.claimed(row.id, totalOf(row));
  }
  const units = rows.reduce((sum, row) => sum + totalOf(row) - row.state.totalClaimed, 0n);
  const channelIds = rows.map(({ id }) => id);
  return [{ ...reportOf(network, receiver, end), channelIds, units }];
}

/** The channel as it is now, where it holds less than was charged and has something to claim. */
async function readShort(
  channels: Channels,
  { id }: StoredChannel,
  client: Facilitator,
  network: Network,
): Promise<StoredChannel | undefined> {
  const holding = await channels.hold(id);
  if (holding.kind !== "held") return undefined;
  const { held } = holding;
  try {
    const channel = await readAgain(held, client, network);
    if ("kind" in channel) return undefined;
    const { balance, totalClaimed } = channel.state;
    return totalClaimed < balance && balance < channel.charged ? channel : undefined;
  } catch (error) {
    if (error instanceof LeaseLostError) return undefined;
    throw error;
  } finally {
    await held.release().catch(() => undefined);
  }
}

function callingAt(deps: Deps, authority: ChannelAuthority | undefined) {
  const { clock } = deps;
  return { client: clientOf(deps, authority), clock, deadlineMs: clock.now() + callMs };
}

function reportOf({ id }: Network, receiver: Address, end: ChannelCallEnd): ChannelCallReport {
  const of = { network: id, receiver };
  if (end.kind === "fault" || end.kind === "account") {
    return { ...of, outcome: "open", transaction: "", reason: end.message };
  }
  const { transaction, errorReason, errorMessage } = end.settlement;
  const reason = reasonOf({ errorReason, errorMessage });
  if (end.kind === "done") return { ...of, outcome: "done", transaction };
  const outcome = end.kind === "refused" ? "refused" : "open";
  return { ...of, outcome, transaction, ...defined({ reason }) };
}

function reasonOf({
  errorReason,
  errorMessage,
}: {
  readonly errorReason: string | undefined;
  readonly errorMessage: string | undefined;
}): string | undefined {
  return errorMessage === undefined ? errorReason : `${errorReason ?? "refused"}: ${errorMessage}`;
}

/** Also where nothing was claimed just now: an earlier sweep may have failed. */
function receiversOf(
  { payees, networks }: Deps,
  claims: readonly ClaimReport[],
): readonly (readonly [Network, Address])[] {
  const pairs = new Map<string, readonly [Network, Address]>();
  const add = (network: Network | undefined, receiver: Address): void => {
    if (network) pairs.set(`${network.id} ${receiver}`, [network, receiver]);
  };
  for (const network of networks) for (const payee of payees()) add(network, payee);
  for (const { network, receiver } of claims) add(findNetwork(network), receiver);
  return [...pairs.values()];
}

/** Returns undefined where nothing was left to send. */
async function sweepTo(
  deps: Deps,
  network: Network,
  receiver: Address,
): Promise<SweepReport | undefined> {
  const { authority } = await callerOf(deps, network.id);
  const payload = { type: "settle", receiver, token: network.usdc };
  const end = await settleCall(
    callingAt(deps, authority),
    requestOfSeller(payload, network, receiver),
  );
  const isEmpty =
    end.kind === "refused" && end.settlement.errorReason === wireChannelCode("nothing_to_settle");
  if (isEmpty) return undefined;
  const units = end.kind === "done" ? unitsOf(end.settlement) : 0n;
  return { ...reportOf(network, receiver, end), units };
}

function unitsOf({ amount }: SettleResponse): bigint {
  return amount !== undefined && /^\d+$/.test(amount) ? BigInt(amount) : 0n;
}

/** Reads what the chain says of a channel now, since a refund needs the nonce of today. */
async function readAgain(
  held: HeldChannel,
  client: Facilitator,
  network: Network,
): Promise<StoredChannel | FacilitatorFailure> {
  const { id, config, voucher } = held.channel;
  const { receiver: payTo, receiverAuthorizer, withdrawDelay } = config;
  const terms = { network, amount: 0n, payTo, maxTimeoutSeconds: 0, minDeposit: 0n };
  const offer = { ...terms, receiverAuthorizer, withdrawDelay };
  const asked = { type: "refund", config, voucher } as const;
  const outcome = await verifyCall(client, asked, offer, callMs);
  if (outcome.kind !== "verdict") return outcome;
  // Also where the message is refused: the state is told all the same.
  const state = parseWireChannelState(id, outcome.verdict.extra);
  if (!state) {
    const message = "The facilitator's answer does not tell the state of the channel.";
    return { kind: "fault", reason: "unreadable", message };
  }
  const channel = await held.mirror(state);
  if (!channel) throw new LeaseLostError();
  return channel;
}

async function refundOwn(
  deps: Deps,
  channels: Channels,
  channelId: string,
): Promise<ChannelRefundReport> {
  if (!isBytes32(channelId)) return { outcome: "unknown" };
  const id = toLowerHex(channelId);
  const known = await channels.find(id);
  if (!known) return { outcome: "unknown" };
  const { network, authority } = await callerOf(deps, known.network);
  const { receiver, receiverAuthorizer } = known.config;
  const calling = callingAt(deps, authority);
  const { deadlineMs } = calling;
  const { vault } = deps;
  const total = await totalBeforeRefund(channels, id, { vault, authority, deadlineMs });
  if (typeof total === "object") {
    return { ...reportOf(network, receiver, total), channelId: id, units: 0n };
  }
  const holding = await channels.hold(id);
  if (holding.kind === "busy") return { outcome: "busy" };
  if (holding.kind !== "held") return { outcome: "unknown" };
  const { held } = holding;
  try {
    if (isBehindVault(held, total)) return { outcome: "busy" };
    const privateKey = authority?.address === receiverAuthorizer ? authority.privateKey : undefined;
    const channel = await readAgain(held, calling.client, network);
    if ("kind" in channel) {
      return { ...reportOf(network, receiver, channel), channelId: id, units: 0n };
    }
    const end = await refundHeld(held, channel, { ...calling, network, privateKey });
    if (end.kind === "empty") return { outcome: "empty" };
    const units = end.kind === "done" ? unitsOf(end.settlement) : 0n;
    return { ...reportOf(network, receiver, end), channelId: id, units };
  } catch (error) {
    if (error instanceof LeaseLostError) return { outcome: "busy" };
    throw error;
  } finally {
    await held.release().catch(() => undefined);
  }
}
