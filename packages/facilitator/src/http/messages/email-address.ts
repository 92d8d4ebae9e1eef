/** E-mail addresses from people and from the configuration, parsed by one strict function. */
import { domainToASCII } from "node:url";

/** RFC 5321: the path of a message holds 254 characters of address. */
const addressCharsMax = 254;
const localCharsMax = 64;
const domainCharsMax = 253;

/** RFC 5322 `dot-atom`; quoted names are not accepted. No character of it ends a header line. */
const localForm = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** A name on the internet: two labels at least, and no IP address, which ends in a number. */
const domainForm = /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;

/** Returns the address with its domain in lower case and punycode; undefined for anything else. */
export function parseEmailAddress(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const [local, name] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || local.length > localCharsMax || !localForm.test(local)) return undefined;
  // The function itself accepts escapes and strips line ends.
  if (name.length > domainCharsMax || /[^\p{L}\p{M}\p{N}.-]/u.test(name)) return undefined;
  const domain = domainToASCII(name);
  const address = `${local}@${domain}`;
  const isShort = domain.length <= domainCharsMax && address.length <= addressCharsMax;
  return isShort && domainForm.test(domain) ? address : undefined;
}

/**
 * Names the mailbox of an address for limits: variants that many providers deliver to one mailbox
 * count together. Never used to send.
 */
export function mailboxOf(address: string): string {
  const [local = "", domain = ""] = address.toLowerCase().split("@");
  return `${(local.split("+", 1)[0] ?? "").replaceAll(".", "")}@${domain}`;
}

export interface Sender {
  /** Empty for none. */
  readonly name: string;
  readonly address: string;
}

/** Accepts `support@pay.example` and `Farthing <support@pay.example>`. */
export function parseSender(text: string): Sender | undefined {
  const [, name = "", inner] = /^([^<>"\p{C}]{1,64})\s<([^<>]+)>$/u.exec(text) ?? [];
  const address = parseEmailAddress(inner ?? text);
  return address === undefined ? undefined : { name: name.trim(), address };
}
