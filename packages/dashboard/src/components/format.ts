import { formatUsdc } from "@farthing/protocol";

/** The interface is in English, and so are its numbers and dates. */
const locale = "en-GB";

const wholeNumber = new Intl.NumberFormat(locale);
const rough = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });

/** `12,480` */
export const countText = (count: number) => wholeNumber.format(count);

/** `12.5k`, where there is little room. */
export const roughText = (count: number) => rough.format(count);

/** Base units as `1,250.00`: at least cents, and every digit that is not zero. */
export function usdcText(units: string | bigint): string {
  const [whole = "0", fraction = ""] = formatUsdc(BigInt(units)).split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const grouped = wholeNumber.format(BigInt(whole.replace("-", "")));
  return `${sign}${grouped}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, "")}`;
}

/** Digits behind the decimal point of {@link usdcText}. */
export function fractionDigits(units: string | bigint): number {
  return usdcText(units).split(".")[1]?.length ?? 0;
}

/** The change of an amount: `+25%`, `−4%`; undefined where there was none before. */
export function changeText(now: string, before: string): string | undefined {
  const [to, from] = [BigInt(now), BigInt(before)];
  if (from === 0n) return undefined;
  const percent = Number(((to - from) * 1000n) / from) / 10;
  const size = Math.abs(percent);
  const text = size < 10 && size > 0 ? size.toFixed(1) : countText(Math.round(size));
  return percent === 0 ? "±0%" : `${percent < 0 ? "−" : "+"}${text}%`;
}

/** Wei as XDC with six digits: gas on XDC costs thousandths of one. */
export function xdcText(wei: string): string {
  const micro = BigInt(wei) / 10n ** 12n;
  return micro === 0n && BigInt(wei) > 0n ? "< 0.000001 XDC" : `${formatUsdc(micro)} XDC`;
}

const dayAndTime = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const withYear = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const dayOnly = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** Local time: with seconds in this year, with the year in others. */
export function timeText(at: string): string {
  const time = new Date(at);
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  return (isThisYear ? dayAndTime : withYear).format(time);
}

const clock = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });
const localDay = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

/** Local time of day: `13:05:31`. */
export const clockText = (at: string) => clock.format(new Date(at));

/** `20 Nov 2026` */
export const localDayText = (at: string) => localDay.format(new Date(at));

/** For comparison with logs: `2026-11-20 13:05:31 UTC`. */
export function utcText(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** `20 Nov`, for a UTC day such as `2026-11-20`. */
export const dayText = (day: string) => dayOnly.format(new Date(`${day}T00:00:00Z`));

export function daysAgo(days: number): string {
  const dayMs = 86_400_000;
  return new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
}

/** The UTC month so many months ago, as `2026-11`. */
export function monthsAgo(months: number): string {
  const now = new Date();
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months);
  return new Date(month).toISOString().slice(0, "2026-11".length);
}

/** `2026-10` for `2026-11`. */
export function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 2)).toISOString().slice(0, "2026-11".length);
}

/** The last UTC day of a month such as `2026-11`. */
export function lastDayOf(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

const monthAndYear = new Intl.DateTimeFormat(locale, {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** `November 2026`, for a UTC month such as `2026-11`. */
export const monthText = (month: string) => monthAndYear.format(new Date(`${month}-01T00:00:00Z`));

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `240 ms`, `1.4 s`, `3 min`, `2 days`: a unit is used from two of it on. */
export function spanText(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 2 * minute) return `${Math.round(seconds)} s`;
  if (seconds < 2 * hour) return `${Math.round(seconds / minute)} min`;
  return seconds < 2 * day
    ? `${Math.round(seconds / hour)} h`
    : `${Math.round(seconds / day)} days`;
}

const foreseenDaysMax = 365;

/** How long something lasts: `≈ 12 days`, `≈ 5 hours`, `less than an hour`, `more than a year`. */
export function daysLeftText(days: number): string {
  if (days > foreseenDaysMax) return "more than a year";
  if (days >= 2) return `≈ ${plural(Math.floor(days), "day")}`;
  const hours = Math.floor(days * 24);
  return hours === 0 ? "less than an hour" : `≈ ${plural(hours, "hour")}`;
}

/** `0x1234…cdef` */
export function shortText(hex: string): string {
  return hex.length > 14 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex;
}

/** `3 keys`, `1 key` */
export function plural(count: number, one: string): string {
  return `${countText(count)} ${one}${count === 1 ? "" : "s"}`;
}
