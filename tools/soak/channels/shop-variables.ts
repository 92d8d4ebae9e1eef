/** How a shop's process is told what it sells: one environment variable with all of it, as JSON. */
import { isObject } from "@farthing/protocol";

export interface ShopSettings {
  readonly facilitatorUrl: string;
  readonly apiKey: string;
  readonly payTo: string;
  readonly network: string;
  readonly databasePath: string;
  /** USDC. */
  readonly price: string;
  readonly minDeposit: string;
  readonly maxUnvaulted: string;
}

const variable = "SHOP_SETTINGS";

export function shopEnvironment(settings: ShopSettings): Readonly<Record<string, string>> {
  return { [variable]: JSON.stringify(settings) };
}

/** Reads one setting of this process. */
export function readShopSetting(name: keyof ShopSettings): string {
  const settings: unknown = JSON.parse(process.env[variable] ?? "null");
  const value = isObject(settings) ? settings[name] : undefined;
  if (typeof value !== "string") throw new Error(`${variable} does not have ${name}`);
  return value;
}

/** The line that says where a shop listens. */
export const shopAddressLine = /^The shop listens on (http:\S+)$/;
