/** Careful reading of JSON that strangers send: bounded depth, and nothing here throws. */

/** A JSON object, its values not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Deeper than any x402 message: a bazaar schema stays below 16 levels. */
export const jsonDepthMax = 32;

/** Tells whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member of an object by its own key only, so that `__proto__` and the like find nothing. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The member `key` as an object to spread: there when it is text, empty when it is not. */
export function textMember<K extends string>(
  object: JsonObject,
  key: K,
): { readonly [key in K]?: string };
export function textMember(object: JsonObject, key: string): Record<string, string> {
  const value = member(object, key);
  return typeof value === "string" ? { [key]: value } : {};
}

/** The member `key` as an object to spread: there when it is an object, empty when it is not. */
export function objectMember<K extends string>(
  object: JsonObject,
  key: K,
): { readonly [key in K]?: JsonObject };
export function objectMember(object: JsonObject, key: string): Record<string, JsonObject> {
  const value = member(object, key);
  return isObject(value) ? { [key]: value } : {};
}

/** Parses JSON text of at most {@link jsonDepthMax} levels; undefined when it is not such text. */
export function parseJson(text: unknown): { readonly value: unknown } | undefined {
  if (typeof text !== "string") return undefined;
  if (isDeeperThan(text, jsonDepthMax)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Counts brackets outside strings, without building anything. */
function isDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > depthMax) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** JSON text with the keys of every object in order, the same for equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}
