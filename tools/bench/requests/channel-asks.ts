/** Calls over channels: a voucher each, signed when it is asked for, on channels that were opened before. */
import {
  addressOfKey,
  channelIdOf,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
  networkOfChain,
  parseAddress,
  signDigest,
  toWireBuyerPayload,
  voucherDigest,
  type BuyerChannelPayload,
  type ChannelConfig,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import { compileSignatures } from "@farthing/protocol/compile-signatures";
import { generatePrivateKey } from "viem/accounts";
import type { Server } from "../processes.ts";
import type { Ask } from "./http-load.ts";

const network = networkOfChain(50);

/** More than any run charges, in base units. */
const depositUnits = 1_000_000_000_000n;

/** Opened at the same time. */
const openedAtOnce = 20;

interface OpenChannel {
  readonly config: ChannelConfig;
  /** What its last voucher says. */
  total: bigint;
}

/**
 * Opens so many channels at a server. Returns the next call of a connection: each connection has
 * channels of its own and uses them in turn, since a channel serves one call at a time.
 */
export async function openChannels(
  { url }: Server,
  path: string,
  count: number,
): Promise<(connections: number) => (connection: number) => Ask> {
  await compileSignatures();
  const key = generatePrivateKey();
  const entry = await readEntry(`${url}${path}`);
  const price = BigInt(String(entry["amount"]));
  const next = (channel: OpenChannel, type: "deposit" | "voucher"): Ask => {
    channel.total += price;
    const headers = { [headerNames.paymentSignature]: headerOf(entry, key, channel, type) };
    return { path, headers, status: 200 };
  };
  const channels: OpenChannel[] = [];
  for (let first = 0; first < count; first += openedAtOnce) {
    const salts = Array.from(
      { length: Math.min(openedAtOnce, count - first) },
      (_, at) => first + at,
    );
    const opened = salts.map(async (salt) => {
      const channel = { config: configOf(entry, key, salt), total: 0n };
      const { headers = {} } = next(channel, "deposit");
      const response = await fetch(`${url}${path}`, { headers });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`No channel: HTTP ${response.status}: ${text}`);
      return channel;
    });
    channels.push(...(await Promise.all(opened)));
  }
  return (connections) => {
    const turns = Array.from({ length: connections }, () => 0);
    return (connection) => {
      const own = Math.max(1, Math.floor(channels.length / connections));
      const turn = turns[connection] ?? 0;
      turns[connection] = turn + 1;
      const channel = channels[(turn % own) * connections + connection];
      if (!channel) throw new Error("There are fewer channels than connections.");
      return next(channel, "voucher");
    };
  };
}

async function readEntry(url: string): Promise<JsonObject> {
  const challenge = await fetch(url);
  await challenge.text();
  const value = decodeHeader(challenge.headers.get(headerNames.paymentRequired) ?? "")?.value;
  const accepts = isObject(value) ? member(value, "accepts") : undefined;
  const entry = Array.isArray(accepts)
    ? accepts.filter(isObject).find(({ scheme }) => scheme === "batch-settlement")
    : undefined;
  if (!entry) throw new Error(`Nothing is sold by channels: HTTP ${challenge.status}`);
  return entry;
}

function configOf(entry: JsonObject, key: Hex, salt: number): ChannelConfig {
  const { extra, payTo } = entry;
  const receiver = parseAddress(payTo);
  const authorizer = isObject(extra) ? parseAddress(extra["receiverAuthorizer"]) : undefined;
  if (!isObject(extra) || !receiver || !authorizer) throw new Error("The entry is incomplete.");
  const payer = addressOfKey(key);
  return {
    payer,
    payerAuthorizer: payer,
    receiver,
    receiverAuthorizer: authorizer,
    token: network.usdc,
    withdrawDelay: Number(extra["withdrawDelay"]),
    salt: `0x${salt.toString(16).padStart(64, "0")}`,
  };
}

function headerOf(
  accepted: JsonObject,
  key: Hex,
  { config, total }: OpenChannel,
  type: "deposit" | "voucher",
): string {
  const signed = { channelId: channelIdOf(network, config), maxClaimableAmount: total };
  const signature = signDigest(key, voucherDigest(network.chainId, signed));
  const base = { config, voucher: { ...signed, signature } };
  // The facilitator of the race believes every deposit.
  const authorization = { validAfter: 0n, validBefore: 9_999_999_999n, salt: 1n, signature };
  const payload: BuyerChannelPayload =
    type === "deposit"
      ? { type, ...base, deposit: { amount: depositUnits, ...authorization } }
      : { type, ...base };
  return encodeHeader({ x402Version: 2, accepted, payload: toWireBuyerPayload(payload) });
}
