/** The texts in the form of a listing, and their problems. */
import { formatUsdc, isObject, parseJson, parseUsdc } from "@farthing/protocol";
import type { ListingJson } from "@farthing/facilitator/api";

export interface ListingDraft {
  readonly resource: string;
  readonly method: string;
  readonly network: string;
  readonly price: string;
  readonly title: string;
  readonly description: string;
  readonly tags: string;
  /** As in an address: `city=Rome&days=2`. */
  readonly query: string;
  /** JSON. */
  readonly body: string;
  /** Kept as it is: tools are listed by the API. */
  readonly tool?: ListingJson["sample"]["tool"];
}

export const listingMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const tagsMax = 8;

export function draftOf(listing: ListingJson | undefined, network: string): ListingDraft {
  if (!listing) {
    const empty = { resource: "", price: "", title: "", description: "", tags: "" };
    return { ...empty, method: "GET", network, query: "", body: "" };
  }
  const { resource, method, title, description, tags, sample, advertised } = listing;
  return {
    resource,
    method,
    title,
    description,
    network: advertised.network,
    price: formatUsdc(BigInt(advertised.amount)).replace(/(\.\d\d\d*?)0+$/, "$1"),
    tags: tags.join(", "),
    query: new URLSearchParams(sample.query ?? {}).toString(),
    body: sample.body === undefined ? "" : JSON.stringify(sample.body, undefined, 2),
    ...(sample.tool && { tool: sample.tool }),
  };
}

/** Problems by field. Empty fields have none yet. */
export type DraftProblems = { readonly [Key in keyof ListingDraft]?: string | undefined };

/** Checks a draft. The service checks more. */
export function problemsOf({ resource, price, tags, body }: ListingDraft): DraftProblems {
  const units = parseUsdc(price);
  return {
    resource: resource === "" ? undefined : problemOfAddress(resource),
    price:
      price === "" || (units !== undefined && units > 0n)
        ? undefined
        : "Enter an amount such as 0.01, with at most six decimals.",
    tags: tagsOf(tags).length > tagsMax ? `At most ${tagsMax} tags.` : undefined,
    body: body.trim() === "" || parseJson(body) ? undefined : "Enter valid JSON.",
  };
}

function problemOfAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || url.protocol !== "https:") return "Enter an address that begins with https://.";
  if (text.includes("?"))
    return "Remove everything from the question mark on; add it as an example below.";
  return url.hash === "" ? undefined : "Remove the # and everything after it.";
}

function tagsOf(text: string): string[] {
  const tags = text.split(",").map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

/** The endpoint as the API takes it; undefined while something is wrong or missing. */
export function endpointOf(draft: ListingDraft) {
  const { resource, method, network, price, query, body, tool } = draft;
  const amount = parseUsdc(price);
  const isWrong = Object.values(problemsOf(draft)).some((problem) => problem !== undefined);
  if (isWrong || resource === "" || amount === undefined) return undefined;
  const given = Object.fromEntries(new URLSearchParams(query));
  const json = method === "GET" ? undefined : parseJson(body);
  const sample = {
    ...(Object.keys(given).length === 0 ? {} : { query: given }),
    ...(json && { body: json.value }),
    ...(tool && { tool }),
  };
  return { resource, method, network, amount: amount.toString(), sample };
}

/** The listing as the API takes it; undefined while something is wrong or missing. */
export function listingOf(draft: ListingDraft, mimeType: string | null) {
  const endpoint = endpointOf(draft);
  const title = draft.title.trim();
  if (!endpoint || title === "") return undefined;
  const description = draft.description.trim();
  return { ...endpoint, title, description, tags: tagsOf(draft.tags), mimeType };
}

export function hasSample({ sample }: ListingJson): boolean {
  return isObject(sample) && Object.keys(sample).length > 0;
}
