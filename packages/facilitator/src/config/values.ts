/** Readers of single values; each returns undefined for a text that it does not accept. */
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { parseUsdc, unitsPerCredit } from "@farthing/protocol";
import { isMessageDomain } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";

export function whole(least: number, most: number) {
  return (text: string): number | undefined => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
}

export function yesOrNo(text: string): boolean | undefined {
  return text === "yes" ? true : text === "no" ? false : undefined;
}

export function certificates(text: string): string | undefined {
  const each = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const read = each.map((one) => new X509Certificate(one));
    return read.length > 0 ? text : undefined;
  } catch {
    return undefined;
  }
}

export function oneOf<const T extends string>(choices: readonly T[]) {
  return (text: string): T | undefined => choices.find((choice) => choice === text);
}

export function listOf<T>(parse: (text: string) => T | undefined) {
  return (text: string): T[] | undefined => {
    const parts = text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const values = parts.map(parse).filter((value) => value !== undefined);
    return parts.length > 0 && values.length === parts.length ? values : undefined;
  };
}

export function databaseLocation(text: string): string | undefined {
  return /^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(text) ? text : undefined;
}

export function postgresLocation(text: string): string | undefined {
  return text.startsWith("sqlite:") ? undefined : databaseLocation(text);
}

/** Accepts `smtp://` and `smtps://` with a host, and a user and password where needed. */
export function smtpUrl(text: string): Secret | undefined {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") return undefined;
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return undefined;
  }
  return (url.username === "") === (url.password === "") ? new Secret(text) : undefined;
}

export function httpUrl(text: string): Secret | undefined {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? new Secret(text) : undefined;
}

/** Accepts the id, ARN or alias of a key in AWS KMS, without the characters that separate keys. */
export function kmsKey(text: string): string | undefined {
  return /^[\w:/-]{1,2048}$/.test(text) ? text : undefined;
}

/** Accepts what may stand in an HTTP header. */
export function headerValue(text: string): Secret | undefined {
  return /^[\x20-\x7e]{1,4096}$/.test(text) ? new Secret(text) : undefined;
}

/** Accepts an origin without a path, with plain http for this machine only. */
export function publicOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || `${url.origin}/` !== url.href) return undefined;
  // Wallets sign texts that contain it, in a format without IPv6 and without names without a dot.
  if (!isMessageDomain(url.host)) return undefined;
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+)$/.test(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isLocal)
    ? url.origin
    : undefined;
}

/** Accepts the https address of a page. */
export function publicPage(text: string): string | undefined {
  const url = URL.parse(text);
  return url?.protocol === "https:" && text.length <= 200 ? url.href : undefined;
}

/** Accepts an e-mail address or a URL. */
export function contactAddress(text: string): string | undefined {
  const isContact = /^([^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text) && text.length <= 200;
  return isContact ? text : undefined;
}

/** Accepts USDC for a whole number of credits, at least one. */
export function creditUnits(text: string): bigint | undefined {
  const units = parseUsdc(text);
  return units !== undefined && units > 0n && units % unitsPerCredit === 0n ? units : undefined;
}

/** Accepts an address, or a range such as 10.0.0.0/8. */
export function proxyAddress(text: string): string | undefined {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const maxBits = { 4: 32, 6: 128 }[isIP(address)];
  return maxBits !== undefined && Number(bits ?? 0) <= maxBits ? text : undefined;
}

/** A daily budget of gas in gwei, exact as a number up to nine million XDC; 0 is no bound. */
export function gasBudget(text: string): number | null | undefined {
  const match = /^(\d{1,6})(?:\.(\d{1,9}))?$/.exec(text);
  return match ? Number(`${match[1]}${(match[2] ?? "").padEnd(9, "0")}`) || null : undefined;
}

/** An amount of XDC in wei, with up to nine decimals; more than nothing. */
export function xdc(text: string): bigint | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) return undefined;
  const wei = BigInt(`${match[1]}${(match[2] ?? "").padEnd(9, "0")}`) * 1_000_000_000n;
  return wei > 0n ? wei : undefined;
}

/** 128 bits, written in hexadecimal digits. */
const secretCharactersMin = 32;

export function longSecret(text: string): Secret | undefined {
  return text.length >= secretCharactersMin ? new Secret(text) : undefined;
}
