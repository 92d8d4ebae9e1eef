/** What an XDC costs in USDC, from the operator: a number, or a file that another program writes. */
import { readFile, stat } from "node:fs/promises";
import { messageOf, type Runtime } from "@farthing/engine/base";
import { printableLine } from "@farthing/protocol";

/** USDC base units for a million XDC, so that a price has twelve decimals. */
export type UnitsPerMegaXdc = bigint;

export type PriceSource =
  | { readonly kind: "number"; readonly price: UnitsPerMegaXdc }
  | { readonly kind: "file"; readonly path: string };

export interface XdcPrice {
  /** Whether the operator gives a price, whatever its file has now. */
  readonly isGiven: boolean;
  /** Undefined where none is configured, and while the file has none that is young enough. */
  now(): UnitsPerMegaXdc | undefined;
  /** Why the file is not used, or not its present content; undefined while all is well. */
  problem(): string | undefined;
  /** Reads the file again. Throws nothing. */
  look(): Promise<void>;
}

export interface PriceSettings {
  /** Undefined where the operator gives no price. */
  readonly xdcPrice: PriceSource | undefined;
  /** Hours after which a file that was not written again has no price. */
  readonly xdcPriceHoursMax: number;
}

const decimals = 12;

const hourMs = 60 * 60 * 1000;

/** A number and a line's end; more is another file. */
const fileBytesMax = 1_000;

/** Enough of a wrong content to recognise it. */
const shownChars = 40;

/** Reads a price in USDC, more than nothing and less than a million. */
export function parseXdcPrice(text: string): UnitsPerMegaXdc | undefined {
  const [, whole = "", fraction = ""] = /^(\d{1,6})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  const price = whole === "" ? 0n : BigInt(whole + fraction.padEnd(decimals, "0"));
  return price > 0n ? price : undefined;
}

/** Writes a price in USDC, as it is read. */
export function formatXdcPrice(price: UnitsPerMegaXdc): string {
  const text = price.toString().padStart(decimals + 1, "0");
  return `${text.slice(0, -decimals)}.${text.slice(-decimals)}`.replace(/\.?0+$/, "");
}

/** Accepts a price, or the path of a file, which has a slash. */
export function priceSource(text: string): PriceSource | undefined {
  const price = parseXdcPrice(text);
  if (price !== undefined) return { kind: "number", price };
  return text.includes("/") ? { kind: "file", path: text } : undefined;
}

/** Returns the price as it is now; the service starts without one too. */
export async function openXdcPrice(
  { xdcPrice: source, xdcPriceHoursMax }: PriceSettings,
  { clock, log }: Runtime,
): Promise<XdcPrice> {
  if (source?.kind !== "file") {
    const [problem, look] = [() => undefined, async () => undefined];
    return { isGiven: source !== undefined, now: () => source?.price, problem, look };
  }
  const { path } = source;
  let known: { readonly price: UnitsPerMegaXdc; readonly writtenMs: number } | undefined;
  let unread: string | undefined;
  let reported: string | undefined;

  const ageOf = ({ writtenMs }: { readonly writtenMs: number }) => clock.nowMs() - writtenMs;
  const isOld = () => known !== undefined && ageOf(known) > xdcPriceHoursMax * hourMs;
  const problem = () =>
    unread ??
    (isOld()
      ? `${path} was not written for more than ${xdcPriceHoursMax} hours (FARTHING_XDC_PRICE_HOURS_MAX)`
      : undefined);

  async function look(): Promise<void> {
    try {
      known = await readPrice(path);
      unread = undefined;
    } catch (error) {
      unread = messageOf(error);
    }
    const found = problem();
    if (found === reported) return;
    reported = found;
    const rejected =
      "XDC price rejected; costs are shown with the last one while it is young enough";
    if (found !== undefined) {
      log.warn({ event: "xdc_price_rejected", problem: found }, rejected);
    } else if (known) {
      const fields = { event: "xdc_price_read", usdc: formatXdcPrice(known.price) };
      log.info(fields, "XDC price read again");
    }
  }

  await look();
  return { isGiven: true, now: () => (isOld() ? undefined : known?.price), problem, look };
}

/** Throws an error that names the file and its problem. */
async function readPrice(path: string) {
  const { size, mtimeMs } = await stat(path).catch(() => {
    throw new Error(`${path} cannot be read`);
  });
  const text = size > fileBytesMax ? undefined : (await readFile(path, "utf8")).trim();
  const price = text === undefined ? undefined : parseXdcPrice(text);
  if (price !== undefined) return { price, writtenMs: mtimeMs };
  const shown = text === undefined ? `${size} bytes` : printableLine(text.slice(0, shownChars));
  throw new Error(`${path} has no price in USDC such as 0.05, but ${shown || "nothing"}`);
}
