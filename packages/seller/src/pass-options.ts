/** The options of a pass: how many requests one payment opens, and for how long. */
import { isObject } from "@farthing/protocol";
import {
  ConfigurationError,
  parseInteger,
  parsePrice,
  parseScope,
  type Price,
} from "./option-values.ts";

/** What one payment buys: a number of requests, within a time. */
export interface PassOptions {
  /** Requests that the payment opens, the paid one among them. */
  readonly uses: number;
  /** A number with a unit, `s`, `m`, `h` or `d`, such as `"30d"`. */
  readonly validFor: string;
  /**
   * Routes with the same name share their passes. Without it a pass opens the path that it was
   * bought at, with any query.
   */
  readonly scope?: string;
  /**
   * Above this price a pass opens requests only once its payment is final, which the facilitator
   * has to report, and is void if its settlement fails after all.
   */
  readonly finalAbove?: Price;
}

/** More than one request a second for a week: an account with the seller serves such buyers better. */
export const maxPassUses = 1_000_000;

/** A year, and a month to renew it. */
const maxPassMs = 400 * 24 * 60 * 60 * 1000;

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** What the rest of the route says, as the seller has written it. */
interface RouteTerms {
  readonly price?: Price | ((...values: never[]) => unknown);
  readonly payTo?: unknown;
  readonly serveWhen?: unknown;
}

export function parsePass({ price, payTo, serveWhen }: RouteTerms, pass: PassOptions) {
  if (typeof price === "function" || typeof payTo === "function") {
    const field = typeof price === "function" ? "price" : "payTo";
    throw new ConfigurationError(field, "a fixed value on a route that sells a pass", '"1.00"');
  }
  if (serveWhen === "queued") {
    throw new ConfigurationError(
      "serveWhen",
      "confirmed on a route that sells a pass",
      '"confirmed"',
    );
  }
  if (!isObject(pass)) {
    throw new ConfigurationError("pass", "an object", '{ uses: 100, validFor: "30d" }');
  }
  const { finalAbove } = pass;
  const scope = parseScope("pass.scope", pass.scope, '"reports"');
  const uses = parseInteger("pass.uses", pass.uses, 0, 1, maxPassUses);
  const validForMs = parseValidFor(pass.validFor);
  const isFinalOnly =
    finalAbove !== undefined && parsePrice(price) > parsePrice(finalAbove, "pass.finalAbove");
  if (validForMs !== undefined) return { uses, validForMs, scope, isFinalOnly };
  const shape = "a whole number with the unit s, m, h or d, at most 400 days";
  throw new ConfigurationError("pass.validFor", shape, '"30d"');
}

/** Returns how long a pass is valid, in milliseconds; undefined for a text that says no such time. */
export function parseValidFor(text: unknown): number | undefined {
  const [, count, unit = ""] =
    typeof text === "string" ? (/^(\d{1,9})([smhd])$/.exec(text) ?? []) : [];
  const ms = Number(count) * (unitMs[unit] ?? NaN);
  return ms > 0 && ms <= maxPassMs ? ms : undefined;
}
