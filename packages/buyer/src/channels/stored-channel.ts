/** Reads a channel from a ledger's file, where amounts are decimal digits. */
import {
  isBytes32,
  isHexBytes,
  isObject,
  member,
  parseChannelConfig,
  parseChannelUnits,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import type { ChannelCall, ChannelRecord, OpenDeposit, SpentInHour } from "./channel-record.ts";

/** Undefined for anything that this version did not write. */
export function readStoredChannel(value: unknown): ChannelRecord | undefined {
  if (!isObject(value)) return undefined;
  try {
    return readRecord(value);
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}

class UnreadableError extends Error {
  override readonly name = "UnreadableError";
}

function readRecord(value: JsonObject): ChannelRecord {
  const config = parseChannelConfig(member(value, "config"));
  if (!config.ok) throw new UnreadableError();
  const { lastVoucher, call, stopped } = value;
  return {
    channelId: bytes32(value, "channelId"),
    network: text(value, "network"),
    config: config.value,
    host: text(value, "host"),
    url: text(value, "url"),
    method: text(value, "method"),
    chargedUnits: units(value, "chargedUnits"),
    signedUnits: units(value, "signedUnits"),
    unansweredUnits: units(value, "unansweredUnits"),
    balanceUnits: units(value, "balanceUnits"),
    claimedUnits: units(value, "claimedUnits"),
    withdrawRequestedAt: number(value, "withdrawRequestedAt"),
    ...(lastVoucher === undefined ? {} : { lastVoucher: readVoucher(object(lastVoucher)) }),
    openDeposits: list(value, "openDeposits").map((one) => readDeposit(object(one))),
    ...(call === undefined ? {} : { call: readCall(object(call)) }),
    unexplained: number(value, "unexplained"),
    ...(stopped === undefined ? {} : { stopped: text(value, "stopped") }),
    spent: list(value, "spent").map((one) => readSpent(object(one))),
    namedCalls: list(value, "namedCalls").map(String),
    openedAt: number(value, "openedAt"),
    usedAt: number(value, "usedAt"),
  };
}

function readVoucher(value: JsonObject): NonNullable<ChannelRecord["lastVoucher"]> {
  const { signature } = value;
  if (!isHexBytes(signature, 65)) throw new UnreadableError();
  return { units: units(value, "units"), signature };
}

function readDeposit(value: JsonObject): OpenDeposit {
  return {
    units: units(value, "units"),
    validBefore: number(value, "validBefore"),
    salt: bytes32(value, "salt"),
  };
}

function readCall(value: JsonObject): ChannelCall {
  return {
    requestId: text(value, "requestId"),
    holder: text(value, "holder"),
    until: number(value, "until"),
    totalUnits: units(value, "totalUnits"),
    opensDeposit: member(value, "opensDeposit") === true,
  };
}

function readSpent(value: JsonObject): SpentInHour {
  return { until: number(value, "until"), units: units(value, "units") };
}

function object(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw new UnreadableError();
}

function list(value: JsonObject, name: string): readonly unknown[] {
  const found = member(value, name);
  if (Array.isArray(found)) return found;
  throw new UnreadableError();
}

function text(value: JsonObject, name: string): string {
  const found = member(value, name);
  if (typeof found === "string") return found;
  throw new UnreadableError();
}

function number(value: JsonObject, name: string): number {
  const found = member(value, name);
  if (typeof found === "number" && Number.isFinite(found)) return found;
  throw new UnreadableError();
}

function units(value: JsonObject, name: string): bigint {
  const found = parseChannelUnits(member(value, name));
  if (found !== undefined) return found;
  throw new UnreadableError();
}

function bytes32(value: JsonObject, name: string): Hex {
  const found = member(value, name);
  if (isBytes32(found)) return found;
  throw new UnreadableError();
}
