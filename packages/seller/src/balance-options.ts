/** The options of routes that are sold by use: a balance that payments top up, and what requests cost. */
import { isObject } from "@farthing/protocol";
import { ConfigurationError, parsePrice, parseScope, type Price } from "./option-values.ts";

/** What payments top up, and what one request can cost. */
export interface BalanceOptions {
  /** The price of the route: what one payment adds. */
  readonly topUp: Price;
  /** Held before the work; no request costs more. */
  readonly reserve: Price;
  /** Routes with the same name share their balances. Without it a balance pays for its path. */
  readonly scope?: string;
  /** The header of a response with its cost, `X-Cost` by default. It never reaches the buyer. */
  readonly costHeader?: string;
  /**
   * With `stop`, a stream whose counted cost exceeds the reserve ends there: an event stream with an
   * event of the type `error`, any other by breaking off. Otherwise it goes on, and costs the reserve.
   */
  readonly overrun?: "stop";
  /**
   * A top-up above this price pays for requests only once its payment is final, which the facilitator
   * has to report; the request that comes with the payment is served before. It is void if its
   * settlement fails after all.
   */
  readonly finalAbove?: Price;
}

/** How the work for a request has ended. */
export type WorkEnd = "complete" | "buyer-left" | "failed" | "reserve-spent";

/** What is known of a request besides its response. */
export interface MeteredUse {
  /** Base units that the handler has added with `payment.meter`. */
  readonly metered: bigint;
  /** Only streams, and work whose buyer has disconnected, end otherwise than `complete`. */
  readonly end: WorkEnd;
}

/**
 * Returns the cost of a request in USDC as text, with any number of decimals, or in base units. The
 * body of a stream is not in the response. Anything else is unreadable, and costs the reserve.
 */
export type CostOf = (
  response: Response,
  use: MeteredUse,
) => Price | null | undefined | Promise<Price | null | undefined>;

interface Options {
  readonly balance?: BalanceOptions;
  readonly cost?: CostOf;
  readonly pass?: unknown;
  readonly payTo?: unknown;
  readonly settle?: unknown;
  readonly head?: unknown;
  readonly serveWhen?: unknown;
  readonly channel?: unknown;
}

/** The header of a response with its cost, where a route names no other. */
export const defaultCostHeader = "X-Cost";

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Returns the name of the header with the cost, `X-Cost` when absent. */
export function parseCostHeader(option: string, header: unknown = defaultCostHeader): string {
  if (typeof header === "string" && headerName.test(header)) return header;
  throw new ConfigurationError(option, "the name of a header", '"X-Cost"');
}

export type BalanceTermsOfRoute = NonNullable<ReturnType<typeof parseBalance>>;

export function parseBalance({ balance, cost, channel, ...route }: Options) {
  if (balance === undefined) {
    const isForChannel = channel !== undefined && channel !== false;
    if (cost === undefined || isForChannel) return undefined;
    const shape = "left out, or given with balance or channel";
    throw new ConfigurationError("cost", shape, "balance: { … }");
  }
  if (!isObject(balance)) {
    const example = '{ topUp: "5.00", reserve: "0.05" }';
    throw new ConfigurationError("balance", "an object", example);
  }
  refuseBeside(route);
  const { overrun, finalAbove } = balance;
  const topUp = parsePrice(balance.topUp, "balance.topUp");
  const reserve = parsePrice(balance.reserve, "balance.reserve");
  if (reserve > topUp) {
    throw new ConfigurationError("balance.reserve", "at most balance.topUp", '"0.05"');
  }
  const scope = parseScope("balance.scope", balance.scope, '"models"');
  const costHeader = parseCostHeader("balance.costHeader", balance.costHeader);
  if (overrun !== undefined && overrun !== "stop") {
    throw new ConfigurationError("balance.overrun", "stop, or left out", '"stop"');
  }
  if (cost !== undefined && typeof cost !== "function") {
    const example = "(response) => response.headers.get('X-Cost')";
    throw new ConfigurationError("cost", "a function of the response", example);
  }
  const isFinalOnly =
    finalAbove !== undefined && topUp > parsePrice(finalAbove, "balance.finalAbove");
  const stopsAtReserve = overrun === "stop";
  return { topUp, reserve, scope, costHeader, cost, stopsAtReserve, isFinalOnly };
}

/** A payment that tops up a balance buys no single response, so rules about that one do not fit. */
function refuseBeside({
  pass,
  payTo,
  settle,
  head,
  serveWhen,
}: Omit<Options, "balance" | "channel" | "cost">): void {
  const where = "on a route with a balance";
  if (pass !== undefined) {
    throw new ConfigurationError("pass", `left out ${where}`, "a route of its own");
  }
  if (typeof payTo === "function") {
    throw new ConfigurationError("payTo", `a fixed value ${where}`, '"0x209693Bc…"');
  }
  if (settle === "after-success") {
    const shape = `before-work ${where}, where work that fails costs nothing`;
    throw new ConfigurationError("settle", shape, '"before-work"');
  }
  if (head === "free") {
    // It would be work without a charge, and its response would tell what it has cost.
    throw new ConfigurationError("head", `challenge or charge ${where}`, '"challenge"');
  }
  if (serveWhen === "queued") {
    throw new ConfigurationError("serveWhen", `confirmed ${where}`, '"confirmed"');
  }
}

/** USDC has 6 decimals. */
const decimals = 6;

const costText = /^([+-]?)\$?(\d{1,30})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i;

/**
 * Reads a cost in base units; undefined for what is none. Parts of a base unit are rounded up, and a
 * text may have an exponent, because programs print small numbers so.
 */
export function parseCost(cost: unknown): bigint | undefined {
  if (typeof cost === "bigint") return cost;
  const found = typeof cost === "string" ? costText.exec(cost.trim()) : null;
  if (!found) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = found;
  const digits = BigInt(whole + fraction);
  const scale = decimals + Number(exponent) - fraction.length;
  if (scale >= 0) return signed(sign, digits * 10n ** BigInt(scale));
  const divisor = 10n ** BigInt(-scale);
  return signed(sign, (digits + divisor - 1n) / divisor);
}

function signed(sign: string | undefined, amount: bigint): bigint {
  return sign === "-" ? -amount : amount;
}
