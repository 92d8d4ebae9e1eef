/** The options of routes that are sold by channels, and the seller's own key for them. */
import {
  addressOfKey,
  isObject,
  member,
  parsePrivateKey,
  withdrawDelayMax,
  withdrawDelayMin,
  type Address,
  type Hex,
} from "@farthing/protocol";
import { parseCostHeader, type CostOf } from "../balance-options.ts";
import { ConfigurationError, parsePrice, type Price } from "../option-values.ts";
import { parseValidFor } from "../pass-options.ts";

/** How a route is sold by channels. */
export interface ChannelOptions {
  /**
   * How long a payer's own withdrawal takes, from 15 minutes to 30 days, such as `"1d"`, the default.
   * What was charged has to be claimed within it.
   */
  readonly withdrawDelay?: string;
  /** What buyers are asked to deposit at least; ten calls when absent. A smaller deposit is taken. */
  readonly minDeposit?: Price;
  /** Sells by channels alone, and takes no single payments. */
  readonly only?: boolean;
  /**
   * The header of a response with the cost of its call, which never reaches the buyer. Without it and
   * without `cost`, a call costs its price.
   */
  readonly costHeader?: string;
}

/** How a seller serves channels. */
export interface ChannelKeys {
  /**
   * The private key that signs claims and refunds of channels, 0x and 64 hex digits. A channel belongs
   * to it for ever. Without it the facilitator has to offer to be the authorizer.
   */
  readonly authorizerKey?: string | undefined;
  /**
   * With an API key, the most that a channel is served beyond what the facilitator has acknowledged to
   * keep, in USDC; 0.10 when absent, and never less than three calls. It is what can be lost with the
   * seller's own records.
   */
  readonly maxUnvaulted?: Price | undefined;
}

export interface ParsedChannelKeys {
  readonly authorizerKey: AuthorizerKey | undefined;
  /** Base units. */
  readonly maxUnvaulted: bigint;
}

/** A key that signs for the seller. */
export interface AuthorizerKey {
  readonly address: Address;
  readonly privateKey: Hex;
}

const dayMs = 86_400_000;

interface RouteOptions {
  readonly channel?: boolean | ChannelOptions | undefined;
  readonly cost?: CostOf | undefined;
  readonly pass?: unknown;
  readonly balance?: unknown;
  readonly payTo?: unknown;
  readonly serveWhen?: unknown;
  readonly requireBinding?: unknown;
}

export type ChannelTermsOfRoute = NonNullable<ReturnType<typeof parseChannel>>;

export function parseChannel({ channel, cost, ...route }: RouteOptions) {
  if (channel === undefined || channel === false) return undefined;
  const options = channel === true ? {} : channel;
  if (!isObject(options)) {
    throw new ConfigurationError("channel", "true, or an object", '{ withdrawDelay: "1d" }');
  }
  refuseBeside(route);
  const { withdrawDelay, minDeposit, only = false, costHeader }: ChannelOptions = options;
  if (typeof only !== "boolean") {
    throw new ConfigurationError("channel.only", "true or false", "true");
  }
  if (cost !== undefined && typeof cost !== "function") {
    const example = "(response) => response.headers.get('X-Cost')";
    throw new ConfigurationError("cost", "a function of the response", example);
  }
  return {
    /** Seconds. */
    withdrawDelay: parseDelay(withdrawDelay),
    /** Base units; undefined for a multiple of the price. */
    minDeposit: minDeposit === undefined ? undefined : parsePrice(minDeposit, "channel.minDeposit"),
    isOnly: only,
    cost: cost ?? (costHeader === undefined ? undefined : costIn(costHeader)),
    costHeader: parseCostHeader("channel.costHeader", costHeader),
  };
}

function costIn(header: string): CostOf {
  return ({ headers }) => headers.get(header);
}

function parseDelay(text: unknown): number {
  const ms = text === undefined ? dayMs : parseValidFor(text);
  const seconds = (ms ?? 0) / 1000;
  if (seconds >= withdrawDelayMin && seconds <= withdrawDelayMax) return seconds;
  const shape = "a whole number with the unit s, m, h or d, from 15 minutes to 30 days";
  throw new ConfigurationError("channel.withdrawDelay", shape, '"1d"');
}

/** A channel has one receiver for ever, and pays for calls as they come. */
function refuseBeside(route: Omit<RouteOptions, "channel" | "cost">): void {
  const where = "on a route with a channel";
  for (const name of ["pass", "balance"] as const) {
    if (route[name] === undefined) continue;
    throw new ConfigurationError(name, `left out ${where}`, "a route of its own");
  }
  if (typeof route.payTo === "function") {
    throw new ConfigurationError("payTo", `a fixed value ${where}`, '"0x209693Bc…"');
  }
  if (route.serveWhen === "queued") {
    throw new ConfigurationError("serveWhen", `confirmed ${where}`, '"confirmed"');
  }
  if (route.requireBinding === true) {
    throw new ConfigurationError("requireBinding", `false ${where}`, "false");
  }
}

/** 0.10 USDC: a hundred calls of 0.001, which is more than come in the second between two batches. */
const maxUnvaultedDefault = 100_000n;

/** Reads the seller's key and its bound. The error does not repeat the key. */
export function parseChannelKeys(given: ChannelKeys | undefined): ParsedChannelKeys {
  const keys: unknown = given ?? {};
  if (!isObject(keys)) {
    throw new ConfigurationError("channels", "an object", "{ authorizerKey: process.env.KEY }");
  }
  const bound = given?.maxUnvaulted;
  const maxUnvaulted =
    bound === undefined ? maxUnvaultedDefault : parsePrice(bound, "channels.maxUnvaulted");
  return { authorizerKey: parseKey(member(keys, "authorizerKey")), maxUnvaulted };
}

function parseKey(key: unknown): AuthorizerKey | undefined {
  if (key === undefined) return undefined;
  const privateKey = parsePrivateKey(key);
  if (privateKey) return { address: addressOfKey(privateKey), privateKey };
  const shape = "a private key of 0x and 64 hex digits";
  throw new ConfigurationError("channels.authorizerKey", shape, "process.env.CHANNEL_KEY");
}
