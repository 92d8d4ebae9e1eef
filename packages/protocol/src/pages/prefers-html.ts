/**
 * Whether a request is a browser's navigation that wants HTML rather than JSON. Programs accept
 * `application/json` or anything; only a person's browser names HTML first. A page's script
 * identifies itself by `Sec-Fetch-Mode`.
 */
export function prefersHtml({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  // A page cannot repeat a POST without its body.
  if (method !== "GET") return false;
  if ((headers.get("Sec-Fetch-Mode") ?? "navigate") !== "navigate") return false;
  const accept = headers.get("Accept") ?? "";
  const html = preferenceFor("text/html", accept);
  const json = preferenceFor("application/json", accept);
  if (html.exactness < 2 || html.quality === 0) return false;
  if (html.quality !== json.quality) return html.quality > json.quality;
  return html.exactness > json.exactness;
}

/** Exactness is 2 for the type, 1 for its kind (`text/*`), 0 for anything; RFC 9110, 12.4.2. */
function preferenceFor(type: string, accept: string) {
  const ranges = [type, type.replace(/\/.*/, "/*"), "*/*"];
  const preferences = accept.split(",").flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const place = ranges.indexOf(range);
    if (place < 0) return [];
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return [{ quality: quality === undefined ? 1 : Number(quality) || 0, exactness: 2 - place }];
  });
  const none = { quality: 0, exactness: -1 };
  return preferences.reduce(
    (best, preference) => (preference.exactness > best.exactness ? preference : best),
    none,
  );
}

/** On what `prefersHtml` and `prefersPage` depend, for caches: the value of `Vary`. */
export const pageVary = "Accept, Sec-Fetch-Mode";

/** A request with the headers of Node.js. */
export interface PageRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The same as `prefersHtml` for a request with the headers of Node.js. */
export function prefersPage({ method, headers }: PageRequest): boolean {
  const preferences = new Headers();
  for (const name of ["accept", "sec-fetch-mode"] as const) {
    const value = headers[name];
    if (typeof value === "string") preferences.set(name, value);
  }
  return prefersHtml({ method, headers: preferences });
}
