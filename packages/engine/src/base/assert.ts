/**
 * Assertions: conditions whose failure can only be a bug. They are caught on purpose only where one of
 * many records must not hold the others, and then said in the log.
 */

export class AssertionError extends Error {}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(`Assertion failed: ${message}`);
}
