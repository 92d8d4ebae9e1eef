/** Errors from code that may throw anything. */

/**
 * An `Error` for whatever was thrown or rejected with. Frameworks read other values as control
 * flow: Express goes on to the handler after `next(undefined)` and skips it after `next("route")`.
 */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(`The seller's code failed with a value that is no Error: ${nameOf(thrown)}.`, {
    cause: thrown,
  });
}

/** The kind of a value; never its text, which may hold a secret or fail to become text. */
function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
