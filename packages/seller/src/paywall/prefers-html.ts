/** Tells people in front of a browser from programs. */

/** How much a request wants a media type, and how exactly it says so. */
interface Preference {
  /** 0 to 1; RFC 9110, section 12.4.2. */
  readonly quality: number;
  /** 2 names the type, 1 its kind (`text/*`), 0 anything. */
  readonly exactness: number;
}

/**
 * Whether a request is a browser's navigation that wants HTML rather than JSON. Programs say
 * `application/json` or anything at all; only what names HTML, and names it first, is a person.
 * A script of a page says by `Sec-Fetch-Mode` that it is none.
 */
export function prefersHtml({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  // A POST cannot be repeated by a page that does not have its body.
  if (method !== "GET") return false;
  if ((headers.get("Sec-Fetch-Mode") ?? "navigate") !== "navigate") return false;
  const accept = headers.get("Accept") ?? "";
  const html = preferenceFor("text/html", accept);
  const json = preferenceFor("application/json", accept);
  if (html.exactness < 2 || html.quality === 0) return false;
  if (html.quality !== json.quality) return html.quality > json.quality;
  return html.exactness > json.exactness;
}

function preferenceFor(type: string, accept: string): Preference {
  const ranges = [type, type.replace(/\/.*/, "/*"), "*/*"];
  const preferences = accept.split(",").flatMap((part) => {
    const [range = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const place = ranges.indexOf(range);
    if (place < 0) return [];
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return [{ quality: quality === undefined ? 1 : Number(quality) || 0, exactness: 2 - place }];
  });
  const none: Preference = { quality: 0, exactness: -1 };
  return preferences.reduce(
    (best, preference) => (preference.exactness > best.exactness ? preference : best),
    none,
  );
}
