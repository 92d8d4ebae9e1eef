/** The channels of an account: what they come to, a list, and each channel with its events. */
import type { TimeCursor } from "@farthing/engine/storage";
import { timeText, type Clock } from "@farthing/engine/base";
import { networkOfChain, type Address, type Hex, type Network } from "@farthing/protocol";
import type { FastifyReply } from "fastify";
import { Type, type Static } from "typebox";
import { checkMode } from "../../http/access/authenticate.ts";
import { accountOf } from "../../http/access/session.ts";
import { Format, jsonOrCsv, sendCsv, wantsCsv, type CsvFile } from "../../http/messages/csv.ts";
import { readLimit, timeCursor } from "../../http/messages/cursor.ts";
import { found } from "../../http/messages/responses.ts";
import {
  AddressText,
  AmountText,
  Cursor,
  exactly,
  HashText,
  Limit,
  nullable,
  oneOf,
  readProblems,
  TimeText,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { linkTo, type Explorers } from "../../http/site/explorers.ts";
import { dayMs, dayOf } from "../history/participant.ts";
import { OneNetworkQuery, readOneNetwork } from "../history/one-network.ts";
import type { AccountChannelStore, ChannelSums } from "./account-store.ts";
import type { ChannelEventStore } from "./event-store.ts";
import {
  channelEventKinds,
  claimDueAt,
  unclaimedOf,
  type KeptVoucher,
  type RecordedEvent,
} from "./model.ts";

/** Days of the chart. */
const days = 30;

/** Events of a channel that are shown; one has four in its life, and a claim a day at most. */
const eventsMax = 200;

const row = {
  channelId: HashText,
  state: oneOf(["open", "closed"], "`closed`: a refund or a withdrawal has left nothing in it"),
  network: Type.String({ description: "CAIP-2" }),
  payer: AddressText,
  balance: { ...AmountText, description: "Deposited, less what went back; claims stay in it" },
  charged: { ...AmountText, description: "As the vault was told last" },
  claimed: AmountText,
  atRisk: { ...AmountText, description: "Charged and not claimed yet" },
  withdrawRequestedAt: nullable(TimeText),
  claimBy: nullable(TimeText),
  openedAt: TimeText,
  closedAt: nullable(TimeText),
};

export const ChannelRow = exactly(row);

export const ChannelSumsResponse = exactly({
  open: Type.Integer({ description: "Channels that are not closed" }),
  charged: AmountText,
  claimed: AmountText,
  settled: { ...AmountText, description: "Claimed and sent to the account, as last read" },
  atRisk: { ...AmountText, description: "Charged and not claimed yet" },
  nextClaimAt: nullable(TimeText),
  days: Type.Array(
    exactly({ date: Type.String({ format: "date" }), charged: AmountText, claimed: AmountText }),
    { description: "The last 30 days (UTC) that have a charge or a claim" },
  ),
});

export const ChannelListResponse = exactly({
  network: Type.String({ description: "CAIP-2" }),
  sums: ChannelSumsResponse,
  channels: Type.Array(ChannelRow),
  next: nullable(Type.String({ description: "For `cursor`, to read on; null at the end" })),
});

export const ChannelResponse = exactly({
  ...row,
  receiverAuthorizer: AddressText,
  withdrawDelay: Type.Integer({ description: "Seconds" }),
  reservedCredits: Type.Integer({ description: "For its next claim" }),
  events: Type.Array(
    exactly({
      what: oneOf(channelEventKinds),
      at: { ...TimeText, description: "When the facilitator has seen it" },
      amount: nullable(AmountText),
      transaction: HashText,
      blockNumber: Type.Integer(),
      isReorganised: Type.Boolean({ description: "It is no longer on the chain" }),
      explorer: nullable(Type.String({ format: "uri" })),
    }),
    { description: "The newest first" },
  ),
});

const channelsFile: CsvFile<KeptVoucher> = {
  name: "channels",
  columns: {
    channel_id: ({ channelId }) => channelId,
    network: ({ chainId }) => networkOfChain(chainId).id,
    state: stateOf,
    payer: ({ config }) => config.payer,
    balance: ({ balance }) => balance.toString(),
    charged: ({ charged }) => charged.toString(),
    claimed: ({ claimed }) => claimed.toString(),
    at_risk: (channel) => unclaimedOf(channel).toString(),
    withdraw_requested_at: ({ withdrawRequestedAt: at }) => timeText(at * 1_000 || null),
    opened_at: ({ openedAt }) => timeText(openedAt),
    closed_at: ({ closedAt }) => timeText(closedAt),
  },
};

const ListQuery = exactly({
  network: OneNetworkQuery,
  state: Type.Optional(oneOf(["open", "closed"])),
  cursor: Cursor,
  limit: Limit,
  format: Format,
});

const security = [{ apiKey: [] }, { session: [] }];

const listed = {
  tags: ["Channels"],
  security,
  summary: "List channels",
  description:
    "The newest first, with what all channels of the network come to. `atRisk` and `nextClaimAt` are of vouchers that the vault has.",
  querystring: ListQuery,
};

type ListWanted = Omit<Static<typeof ListQuery>, "network"> & { readonly network: Network };

export interface AccountChannelDeps {
  readonly store: AccountChannelStore & Pick<ChannelEventStore, "listChannelEvents">;
  readonly networks: readonly Network[];
  readonly explorers: Explorers;
  readonly clock: Clock;
}

export function registerAccountChannels(server: TypedServer, deps: AccountChannelDeps): void {
  server.get("/v1/account/channels", {
    config: { permission: "read", takesKeys: true },
    schema: {
      ...listed,
      operationId: "listChannels",
      response: { 200: jsonOrCsv(ChannelListResponse), ...readProblems() },
    },
    handler: async (request, reply) => {
      const account = accountOf(request);
      const network = readOneNetwork(request.query.network, deps.networks);
      // A session reads all networks, a key those of its kind.
      checkMode(request.apiKey, network);
      const wanted = { ...request.query, network };
      if (wantsCsv(request)) return sendChannels(deps, account, wanted, reply);
      return listChannels(deps, account, wanted);
    },
  });
  server.get("/v1/account/channels/:channelId", {
    config: { permission: "read", takesKeys: true },
    schema: {
      operationId: "readChannel",
      tags: ["Channels"],
      security,
      summary: "Read a channel with its events",
      params: exactly({ channelId: Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" }) }),
      response: { 200: ChannelResponse, ...readProblems("not_found") },
    },
    handler: async (request) => {
      const id: Hex = `0x${request.params.channelId.slice(2)}`;
      const channel = found(await deps.store.findChannel(accountOf(request), id), "channel");
      const { chainId, channelId, config, reservedCredits } = channel;
      checkMode(request.apiKey, networkOfChain(chainId));
      const events = await deps.store.listChannelEvents(chainId, channelId, eventsMax);
      return {
        ...toRow(channel),
        receiverAuthorizer: config.receiverAuthorizer,
        withdrawDelay: config.withdrawDelay,
        reservedCredits,
        events: events.map((event) => toEvent(event, deps.explorers)),
      };
    },
  });
}

function sendChannels(
  { store }: AccountChannelDeps,
  account: Address,
  { network: { chainId }, state }: ListWanted,
  reply: FastifyReply,
) {
  return sendCsv<KeptVoucher, TimeCursor>(reply, channelsFile, (paging) =>
    store.listChannels(account, { chainId, state }, paging),
  );
}

async function listChannels(
  { store, clock }: AccountChannelDeps,
  account: Address,
  { network: { id, chainId }, state, cursor, limit }: ListWanted,
) {
  const paging = { from: timeCursor.read(cursor), limit: readLimit(limit) };
  const since = dayOf(clock.nowMs()) - days + 1;
  const [{ items, next }, sums, ofDays] = await Promise.all([
    store.listChannels(account, { chainId, state }, paging),
    store.sumChannels(account, chainId),
    store.listChannelDays(account, chainId, since),
  ]);
  return {
    network: id,
    sums: {
      ...toSums(sums),
      days: ofDays.map(({ day, charged, claimed }) => ({
        date: new Date(day * dayMs).toISOString().slice(0, "2026-11-20".length),
        charged: `${charged}`,
        claimed: `${claimed}`,
      })),
    },
    channels: items.map(toRow),
    next: timeCursor.write(next),
  };
}

function toSums({ open, charged, claimed, settled, nextClaimAt }: ChannelSums) {
  return {
    open,
    charged: `${charged}`,
    claimed: `${claimed}`,
    settled: `${settled}`,
    atRisk: `${charged > claimed ? charged - claimed : 0n}`,
    nextClaimAt: timeText(nextClaimAt),
  };
}

function stateOf({ closedAt }: KeptVoucher): "open" | "closed" {
  return closedAt === null ? "open" : "closed";
}

function toRow(channel: KeptVoucher) {
  const { channelId, chainId, config, balance, charged, claimed } = channel;
  const dueAt = claimDueAt(channel);
  return {
    channelId,
    state: stateOf(channel),
    network: networkOfChain(chainId).id,
    payer: config.payer,
    balance: `${balance}`,
    charged: `${charged}`,
    claimed: `${claimed}`,
    atRisk: `${unclaimedOf(channel)}`,
    withdrawRequestedAt: timeText(channel.withdrawRequestedAt * 1_000 || null),
    claimBy: Number.isFinite(dueAt) ? timeText(dueAt) : null,
    openedAt: timeText(channel.openedAt) ?? "",
    closedAt: timeText(channel.closedAt),
  };
}

function toEvent(event: RecordedEvent, explorers: Explorers) {
  const { kind, chainId, transactionHash, amount, blockNumber, isReorganised } = event;
  return {
    what: kind,
    at: timeText(event.createdAt) ?? "",
    amount: amount === null ? null : `${amount}`,
    transaction: transactionHash,
    blockNumber,
    isReorganised,
    explorer: linkTo(explorers, chainId, transactionHash),
  };
}
