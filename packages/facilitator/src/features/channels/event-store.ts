/** What the contract says of channels, and what has happened to them on chain. */
import { atomic, textList, type Database, type Work } from "@farthing/engine/storage";
import { toLowerHex, type ChainId, type ChannelState, type Hex } from "@farthing/protocol";
import { sql } from "kysely";
import { addChannelChanges } from "./sums-store.ts";
import { eventKeyOf, type ChainEvent, type RecordedEvent } from "./model.ts";
import { tellEvents } from "./open-channels.ts";
import { releaseReservations } from "./reservations.ts";
import { findVouchers, lockVouchers } from "./store.ts";
import { eventTable, unitsText } from "./tables.ts";

/** A channel as it was read from the contract. */
export interface ReadState {
  readonly channelId: Hex;
  readonly state: ChannelState;
}

/** What a look at the chain has found of known channels. */
export interface Look {
  readonly chainId: ChainId;
  /** The last block of the events. */
  readonly block: number;
  /** Those that are not recorded yet, or at another block. */
  readonly events: readonly ChainEvent[];
  /** Those that are recorded and no longer on the chain. */
  readonly reorganised: readonly ChainEvent[];
  readonly states: readonly ReadState[];
}

export interface ChannelEventStore {
  /** The last block whose events are recorded; undefined where none is. */
  findWatchedBlock(chainId: ChainId): Promise<number | undefined>;
  /** Recorded events of a range of blocks, both included, without those that were reorganised out. */
  listEventsBetween(chainId: ChainId, fromBlock: number, toBlock: number): Promise<RecordedEvent[]>;
  /** Events of one channel, the newest first. */
  listChannelEvents(chainId: ChainId, channelId: Hex, limit: number): Promise<RecordedEvent[]>;
  /** Records what the contract says, and ends the claim of those channels. */
  recordChannels(chainId: ChainId, channels: readonly ReadState[], now: number): Promise<void>;
  /** Records a look, and tells the accounts of each new event once. */
  recordLook(look: Look, now: number): Promise<void>;
}

export function createChannelEventStore(database: Database): ChannelEventStore {
  const { db } = database;
  return {
    findWatchedBlock: async (chainId) => {
      const row = await db
        .selectFrom("channel_watches")
        .select("block_number")
        .where("chain_id", "=", chainId)
        .executeTakeFirst();
      return row && Number(row.block_number);
    },
    listEventsBetween: async (chainId, fromBlock, toBlock) => {
      const rows = await db
        .selectFrom("channel_events")
        .select(eventTable.columns)
        .where("chain_id", "=", chainId)
        .where("block_number", ">=", fromBlock)
        .where("block_number", "<=", toBlock)
        .where("is_reorganised", "=", 0)
        .execute();
      return rows.map((row) => eventTable.read(row));
    },
    listChannelEvents: async (chainId, channelId, limit) => {
      const rows = await db
        .selectFrom("channel_events")
        .select(eventTable.columns)
        .where("chain_id", "=", chainId)
        .where("channel_id", "=", toLowerHex(channelId))
        .orderBy("block_number", "desc")
        .orderBy("created_at", "desc")
        .orderBy("kind")
        .limit(limit)
        .execute();
      return rows.map((row) => eventTable.read(row));
    },
    recordChannels: atomic(database, recordChannels),
    recordLook: atomic(database, recordLook),
  };
}

const recordChannels: Work<ChannelEventStore["recordChannels"]> = async (
  inside,
  chainId,
  channels,
  now,
) => {
  if (channels.length === 0) return;
  const ids = channels.map(({ channelId }) => channelId);
  const before = await lockVouchers(inside, chainId, ids);
  for (const { channelId, state } of channels) {
    const balance = unitsText(state.balance);
    const claimed = unitsText(state.totalClaimed);
    const isEmpty = state.balance <= state.totalClaimed;
    await inside.db
      .updateTable("channel_vouchers")
      .set({
        balance,
        claimed,
        withdraw_requested_at: state.withdrawRequestedAt,
        read_at: now,
        claiming_until: 0,
        // A claim may have been reorganised out, so that there is something to claim again.
        unclaimed_since: isEmpty
          ? null
          : sql<
              number | null
            >`case when charged > ${claimed} then coalesce(unclaimed_since, ${now}) end`,
        ...(!isEmpty && { closed_at: null }),
      })
      .where("chain_id", "=", chainId)
      .where("channel_id", "=", toLowerHex(channelId))
      .execute();
  }
  const known = await findVouchers(inside, chainId, ids);
  await releaseReservations(inside, [...known.values()], now);
  const changes = [...known.values()].flatMap(({ channelId, claimed, closedAt, ...row }) => {
    const earlier = before.get(channelId);
    if (!earlier) return [];
    const open = earlier.closedAt !== null && closedAt === null ? 1 : 0;
    return [{ account: row.account, chainId, open, claimed: claimed - earlier.claimed }];
  });
  await addChannelChanges(inside, changes, now);
};

const recordLook: Work<ChannelEventStore["recordLook"]> = async (inside, look, now) => {
  const { chainId, block, reorganised, states } = look;
  await inside.db
    .insertInto("channel_watches")
    .values({ chain_id: chainId, block_number: block })
    .onConflict((conflict) => conflict.column("chain_id").doUpdateSet({ block_number: block }))
    .execute();
  await recordChannels(inside, chainId, states, now);
  await markReorganised(inside, chainId, reorganised);
  const closing = closingEvents(look);
  const added: RecordedEvent[] = [];
  for (const event of [...look.events, ...closing]) {
    const recorded = { ...event, chainId, createdAt: now, isReorganised: false };
    if (await addEvent(inside, recorded)) added.push(recorded);
  }
  await markClosed(
    inside,
    chainId,
    closing.map(({ channelId }) => channelId),
    now,
  );
  const ids = added.map(({ channelId }) => channelId);
  await tellEvents(inside, added, await findVouchers(inside, chainId, ids), now);
};

/** The events of money that went back and left nothing. */
function closingEvents({ events, states }: Look): ChainEvent[] {
  const empty = new Set(
    states.flatMap(({ channelId, state }) =>
      state.balance <= state.totalClaimed ? [channelId] : [],
    ),
  );
  const last = new Map<Hex, ChainEvent>();
  for (const event of events) {
    const goesBack = event.kind === "refunded" || event.kind === "withdrawn";
    if (goesBack && empty.has(event.channelId)) last.set(event.channelId, event);
  }
  return [...last.values()].map((event) => ({ ...event, kind: "closed", amount: null }));
}

/** Adds an event, or moves it to its new block; returns whether it is a new one. */
async function addEvent({ db }: Database, event: RecordedEvent): Promise<boolean> {
  const row = eventTable.write(event);
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("channel_events")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return true;
  await db
    .updateTable("channel_events")
    .set({ block_number: row.block_number, is_reorganised: 0 })
    .where("chain_id", "=", row.chain_id)
    .where("channel_id", "=", row.channel_id)
    .where("transaction_hash", "=", row.transaction_hash)
    .where("kind", "=", row.kind)
    .where("position", "=", row.position)
    .execute();
  return false;
}

/** With all that the same transactions did to these channels. */
async function markReorganised(
  { db, engine }: Database,
  chainId: ChainId,
  reorganised: readonly ChainEvent[],
): Promise<void> {
  if (reorganised.length === 0) return;
  const hashes = [...new Set(reorganised.map(({ transactionHash }) => transactionHash))];
  const ids = [...new Set(reorganised.map(({ channelId }) => channelId))];
  await db
    .updateTable("channel_events")
    .set({ is_reorganised: 1 })
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .where("transaction_hash", "in", db.selectFrom(textList(engine, hashes)).select("given.of"))
    .execute();
}

async function markClosed(
  inside: Database,
  chainId: ChainId,
  ids: readonly Hex[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  const { db, engine } = inside;
  const closed = await db
    .updateTable("channel_vouchers")
    .set({ closed_at: now })
    .where("chain_id", "=", chainId)
    .where("channel_id", "in", db.selectFrom(textList(engine, ids)).select("given.of"))
    .where("closed_at", "is", null)
    .returning("account")
    .execute();
  const changes = closed.map(({ account }) => ({ account, chainId, open: -1 }));
  await addChannelChanges(inside, changes, now);
}

/** Recorded events that a range of the chain no longer has, and those of the chain that are new there. */
export function compareEvents(
  recorded: readonly RecordedEvent[],
  found: readonly ChainEvent[],
): { readonly events: readonly ChainEvent[]; readonly reorganised: readonly ChainEvent[] } {
  const blocks = new Map(recorded.map((event) => [eventKeyOf(event), event.blockNumber]));
  const keys = new Set(found.map(eventKeyOf));
  const transactions = new Set(found.map(({ transactionHash }) => transactionHash));
  return {
    events: found.filter((event) => blocks.get(eventKeyOf(event)) !== event.blockNumber),
    reorganised: recorded.filter((event) =>
      event.kind === "closed"
        ? !transactions.has(event.transactionHash)
        : !keys.has(eventKeyOf(event)),
    ),
  };
}
