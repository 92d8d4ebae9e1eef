/** Assertions: what can only be a bug. Never caught on purpose; the request or loop step ends. */

/** Throws when a condition that the program itself guarantees does not hold. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`);
}
