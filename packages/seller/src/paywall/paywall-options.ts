/** The option `paywall`: whose page it is, and in which language. */
import { isObject } from "@farthing/protocol";
import { ConfigurationError } from "../option-values.ts";
import { isLanguage, languages, type Language } from "./language.ts";

export interface PaywallOptions {
  /** The seller's name, in one line above the price. The host is always shown too. */
  readonly name?: string;
  /**
   * A square picture beside the name: an image in a `data:` URL, or an `https:` address, which is then
   * all that the page loads from elsewhere.
   */
  readonly icon?: string;
  /** The language of the page; the browser's `Accept-Language` decides when absent. */
  readonly language?: Language;
}

/** A seller's name: a few lines on a phone. */
const maxNameChars = 200;

/** Every page carries the icon: enough for a picture of 26 pixels, also on dense screens. */
const maxIconChars = 16 * 1024;

/** Addresses of pictures are short, and the address is in a header as well. */
const maxIconUrlChars = 500;

/** Images that browsers show. A script in an SVG does not run in an `img`. */
const imageData = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

export function parsePaywall(paywall: unknown): PaywallOptions | false {
  if (paywall === false) return false;
  if (!isObject(paywall)) throw new ConfigurationError("paywall", "false or an object", example);
  const { name, icon, language } = paywall;
  return {
    ...(name === undefined ? {} : { name: parseName(name) }),
    ...(icon === undefined ? {} : { icon: parseIcon(icon) }),
    ...(language === undefined ? {} : { language: parseLanguage(language) }),
  };
}

const example = '{ name: "Weather Ltd" }';

function parseName(name: unknown): string {
  if (typeof name === "string" && name !== "" && name.length <= maxNameChars) return name;
  throw new ConfigurationError("paywall.name", `1 to ${maxNameChars} characters`, '"Weather Ltd"');
}

/** What an icon must be, in words. */
export const paywallIconShape = `an https address of at most ${maxIconUrlChars} characters without a query, or a base64 data URL of an image (PNG, JPEG, GIF, WebP, AVIF, SVG) of at most ${maxIconChars} characters`;

/** Returns the text if it is an icon that the page can show. */
export function parsePaywallIcon(icon: string): string | undefined {
  if (icon.length <= maxIconChars && imageData.test(icon)) return icon;
  const isAddress = icon.length <= maxIconUrlChars && iconSource(icon) !== undefined;
  return isAddress ? icon : undefined;
}

function parseIcon(icon: unknown): string {
  const parsed = typeof icon === "string" ? parsePaywallIcon(icon) : undefined;
  if (parsed !== undefined) return parsed;
  const example = '"https://weather.example/icon.png"';
  throw new ConfigurationError("paywall.icon", paywallIconShape, example);
}

/** The icon as a source of a content security policy. Undefined when it is no such address. */
export function iconSource(icon: string): string | undefined {
  if (!URL.canParse(icon)) return undefined;
  const { protocol, username, password, origin, pathname, search, hash } = new URL(icon);
  const isPlain = [username, password, search, hash].every((part) => part === "");
  // These characters would end the source, or the directive, in the header.
  if (protocol !== "https:" || !isPlain || /[;,'*\s]/.test(`${origin}${pathname}`))
    return undefined;
  return `${origin}${pathname}`;
}

function parseLanguage(language: unknown): Language {
  if (isLanguage(language)) return language;
  const shape = languages.map((one) => `"${one}"`).join(" or ");
  throw new ConfigurationError("paywall.language", shape, '"es"');
}
