/** Assertions: conditions whose failure can only be a bug. They are never caught on purpose. */

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`);
}
