/** The facilitators in a seller's options. Error messages never repeat a key. */
import { createFacilitatorOrder, type FacilitatorOrder } from "./facilitator-order.ts";
import {
  callTimeoutMsDefault,
  createFacilitatorClient,
  type Facilitator,
  type FacilitatorOptions,
} from "./facilitator.ts";
import { ConfigurationError, isHttpUrl, parseInteger } from "./option-values.ts";

type OneFacilitator = FacilitatorOptions | Facilitator;

/** One facilitator, or several in the order in which they are asked. */
export type GivenFacilitators = OneFacilitator | readonly OneFacilitator[];

/** A longer wait could no longer help a buyer. */
const maxTimeoutMs = 60_000;

/** Each of them may be asked before a buyer gets a response. */
export const maxFacilitators = 5;

export function parseFacilitators(given: GivenFacilitators | undefined): FacilitatorOrder {
  const list = isList(given) ? given : [given];
  const [first, ...others] = list.map((one) => parseFacilitator(one));
  if (!first || list.length > maxFacilitators) {
    const shape = `one facilitator, or a list of at most ${maxFacilitators}`;
    throw new ConfigurationError("facilitator", shape, '{ url: "https://facilitator.example" }');
  }
  const names = [first, ...others].map(({ name }) => name);
  if (others.length > 0 && (names.includes(undefined) || new Set(names).size < names.length)) {
    const shape = "a list of facilitators with a name or address each, none of them twice";
    throw new ConfigurationError("facilitator", shape, '[{ url: "https://facilitator.example" }]');
  }
  return createFacilitatorOrder([first, ...others]);
}

function isList<T>(given: T | readonly T[]): given is readonly T[] {
  return Array.isArray(given);
}

/** Longer than addresses of facilitators are. */
const maxNameChars = 200;

function parseFacilitator(facilitator: OneFacilitator | undefined): Facilitator {
  if (facilitator && "verify" in facilitator) return facilitator;
  if (!facilitator || !isHttpUrl(facilitator.url)) {
    const shape = "the facilitator's base address, http or https";
    throw new ConfigurationError("facilitator.url", shape, '"https://facilitator.example"');
  }
  const { name } = facilitator;
  if (
    name !== undefined &&
    !(typeof name === "string" && name !== "" && name.length <= maxNameChars)
  ) {
    const shape = `text of at most ${maxNameChars} characters`;
    throw new ConfigurationError("facilitator.name", shape, '"main"');
  }
  const { apiKey, timeoutMs, fetch, inProcess } = facilitator;
  // A header with a line break would otherwise fail at the first payment.
  if (apiKey !== undefined && !(typeof apiKey === "string" && /^[\x21-\x7e]+$/.test(apiKey))) {
    const shape = "the key as the dashboard shows it, without spaces or line breaks";
    throw new ConfigurationError("facilitator.apiKey", shape, '"fk_live_…"');
  }
  if (timeoutMs !== undefined) {
    parseInteger("facilitator.timeoutMs", timeoutMs, callTimeoutMsDefault, 1, maxTimeoutMs);
  }
  if (fetch !== undefined && typeof fetch !== "function") {
    throw new ConfigurationError("facilitator.fetch", "a function such as fetch", "fetch");
  }
  if (inProcess === true && fetch === undefined) {
    const shape = "left out, or given with the fetch of an engine in this process";
    throw new ConfigurationError("facilitator.inProcess", shape, "{ fetch: engine.fetch }");
  }
  return createFacilitatorClient(facilitator);
}
