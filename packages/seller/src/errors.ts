/**
 * Returns an `Error` for any thrown value. Frameworks read other values as control flow: Express
 * continues with the handler after `next(undefined)` and skips it after `next("route")`.
 */
export function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  // Its text may be a secret.
  const kind = thrown === null ? "null" : typeof thrown;
  const message = `The seller's code failed with a value that is no Error: ${kind}.`;
  return new Error(message, { cause: thrown });
}
