/** Careful reading of third parties' JSON: bounded depth, and nothing here throws. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Deeper than any x402 message: a bazaar schema stays below 16 levels. */
export const jsonDepthMax = 32;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object's own member, so that `__proto__` and the like find nothing. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The members that are text, as an object to spread. */
export function textMembers<K extends string>(object: JsonObject, ...keys: readonly K[]) {
  return pickMembers(object, keys, (value) => typeof value === "string");
}

/** The members that are objects, as an object to spread. */
export function objectMembers<K extends string>(object: JsonObject, ...keys: readonly K[]) {
  return pickMembers(object, keys, isObject);
}

function pickMembers<K extends string, T>(
  object: JsonObject,
  keys: readonly K[],
  isWanted: (value: unknown) => value is T,
): { readonly [key in K]?: T } {
  const picked: { [key in K]?: T } = {};
  for (const key of keys) {
    const value = member(object, key);
    if (isWanted(value)) picked[key] = value;
  }
  return picked;
}

/** The given object without members that are undefined, for optional members of another object. */
export function defined<T extends object>(members: T): Defined<T>;
export function defined(members: object): object {
  const present: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) present[key] = value;
  return present;
}

type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Parses JSON of at most {@link jsonDepthMax} levels; undefined for any other text. */
export function parseJson(text: unknown): { readonly value: unknown } | undefined {
  if (typeof text !== "string") return undefined;
  if (isDeeperThan(text, jsonDepthMax)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Whether a JSON text has more levels of objects and lists. Counts brackets outside strings. */
export function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at + 1);
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** The position of the quotation mark that ends a string; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    // An even number of backslashes before it escapes each other.
    let first = quote;
    while (first > start && text.charCodeAt(first - 1) === 0x5c) first--;
    if ((quote - first) % 2 === 0) return quote;
    from = quote + 1;
  }
}

/** JSON with the keys of every object sorted: the same text for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}
