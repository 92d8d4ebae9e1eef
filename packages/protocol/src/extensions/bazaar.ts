/** The extension `bazaar`: what challenges declare for catalogues, and listings keep of it. */

export const bazaarKey = "bazaar";

/** A path is cut at 2 KiB by frameworks and logs. */
const maxTemplateChars = 2048;

/**
 * Whether a text is a path with a colon before each parameter, `/users/:id`. Catalogues add it to an
 * origin, so it must not lead to another address in any way of reading it.
 */
export function isRouteTemplate(value: unknown): value is string {
  if (typeof value !== "string" || value.length > maxTemplateChars) return false;
  if (!/^\/(?!\/)[\w/:.~%-]+$/.test(value)) return false;
  return !/\.\.|:\/\/|%(?:25|2e|2f|3a|5c)/i.test(value);
}
