/** A configuration without a file: one API, every path of it at one price. */
import { isIP } from "node:net";
import { GatewayConfigError, readGatewayConfig, type ConfigProblem } from "./read-configuration.ts";
import { listenAddress } from "./parse-setting.ts";
import type { Environment } from "./secret-texts.ts";

/** Texts as they would stand in the file. */
export interface OneUpstream {
  /** The API's base address, or a folder of files. */
  readonly to: string;
  /** USDC for each request. */
  readonly price: string;
  readonly payTo: string;
  /** Base addresses, or `embedded`, in the order in which they are asked. */
  readonly facilitator: readonly string[];
  readonly network: string;
  /** host:port. */
  readonly listen: string;
  /** Without it, buyers reach the gateway where it listens, which must be this machine. */
  readonly publicUrl?: string;
  readonly store?: string;
}

export type OneUpstreamSetting = keyof OneUpstream | "apiKey";

/**
 * The key of the first facilitator is used where this variable is set. Each further one has a
 * variable of its own, such as FARTHING_API_KEY_2: no facilitator gets the key of another one.
 */
const apiKeyVariable = "FARTHING_API_KEY";

/** Writes the file that stands for the settings. Invalid values are written as they are. */
export function writeOneUpstreamFile(settings: OneUpstream, environment: Environment): string {
  const { to, price, payTo, facilitator, network, listen, store } = settings;
  const publicUrl = settings.publicUrl ?? addressOnThisMachine(listen);
  const places = facilitator.map((one, index) => placeOf(one, index, environment));
  return [
    "version: 1",
    ...(publicUrl === undefined ? [] : [`publicUrl: ${quote(publicUrl)}`]),
    `listen: { http: ${quote(listen)} }`,
    `facilitator: ${places.length === 1 ? places.join("") : `[${places.join(", ")}]`}`,
    `network: ${quote(network)}`,
    `payTo: ${quote(payTo)}`,
    ...(store === undefined ? [] : [`store: ${quote(store)}`]),
    "upstreams:",
    `  api: { ${isFolderPath(to) ? "folder" : "url"}: ${quote(to)} }`,
    "routes:",
    `  - { match: "* /*", upstream: api, price: ${quote(price)} }`,
    "",
  ].join("\n");
}

function placeOf(facilitator: string, index: number, environment: Environment): string {
  if (facilitator === "embedded") return facilitator;
  const variable = index === 0 ? apiKeyVariable : `${apiKeyVariable}_${index + 1}`;
  const apiKey = environment[variable] === undefined ? "" : `, apiKey: "\${${variable}}"`;
  return `{ url: ${quote(facilitator)}${apiKey} }`;
}

/**
 * Reads the settings as the file would be read. Throws {@link GatewayConfigError}, whose problems
 * have the names that `nameOf` returns.
 */
export function readOneUpstream(
  settings: OneUpstream,
  environment: Environment,
  nameOf: (setting: OneUpstreamSetting) => string,
) {
  try {
    return readGatewayConfig(writeOneUpstreamFile(settings, environment), environment);
  } catch (error) {
    if (!(error instanceof GatewayConfigError)) throw error;
    throw new GatewayConfigError(error.problems.map((one) => rename(one, nameOf)));
  }
}

const settingsByPath: Readonly<Record<string, OneUpstreamSetting>> = {
  "upstreams.api.url": "to",
  "upstreams.api.folder": "to",
  "routes[0].price": "price",
  payTo: "payTo",
  facilitator: "facilitator",
  "facilitator.url": "facilitator",
  "facilitator.apiKey": "apiKey",
  network: "network",
  "listen.http": "listen",
  publicUrl: "publicUrl",
  store: "store",
};

function rename(
  { path, message }: ConfigProblem,
  nameOf: (setting: OneUpstreamSetting) => string,
): ConfigProblem {
  const setting = settingsByPath[path.replace(/^facilitator\[\d+\]/, "facilitator")];
  const name = setting === undefined ? path : nameOf(setting);
  return { path: name, line: undefined, message: messageOf(setting, message) };
}

/** What options take, where a file would have it in other words. */
const optionShapes: Readonly<Partial<Record<OneUpstreamSetting, string>>> = {
  to: "the address of an API such as http://localhost:3000, localhost:3000 or 3000, or a folder such as ./reports",
  price: "USDC with a decimal point and at most 6 decimals, such as 0.01",
};

const shapeMark = ", but must be: ";

function messageOf(setting: OneUpstreamSetting | undefined, message: string): string {
  // A file would have a free route instead.
  if (setting === "price" && message.startsWith("is 0;")) return "is 0; it must be above 0.";
  const shape = setting && optionShapes[setting];
  const at = message.indexOf(shapeMark);
  return shape === undefined || at < 0 ? message : `${message.slice(0, at)}${shapeMark}${shape}`;
}

/** Tells a path, such as ./reports or /srv/reports, from an address. */
const isFolderPath = (to: string): boolean => /^(\.{0,2}[/\\]|\.{1,2}$|~)/.test(to);

/** Undefined where buyers need another address: every address of the machine, or a port by chance. */
function addressOnThisMachine(listen: string): string | undefined {
  const address = listenAddress(listen);
  if (!address || !(address.port > 0)) return undefined;
  const { host, port } = address;
  const isLoopback = host === "localhost" || host === "::1" || host.startsWith("127.");
  if (!isLoopback) return undefined;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** A JSON string is a YAML string. */
function quote(text: string): string {
  return JSON.stringify(text);
}
