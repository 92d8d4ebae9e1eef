/**
 * Returns an `Error` for any thrown value. Frameworks read other values as control flow: Express
 * continues with the handler after `next(undefined)` and skips it after `next("route")`.
 */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(`The seller's code failed with a value that is no Error: ${nameOf(thrown)}.`, {
    cause: thrown,
  });
}

/** Returns the kind of a value; its text may be a secret. */
function nameOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
