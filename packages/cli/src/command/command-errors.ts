/** Errors that end a command with an exit code of their own. */

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An invalid flag or argument. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something is missing or wrong in the environment or the settings. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** The person at the terminal declined, or pressed Ctrl+C at a prompt. */
export class CanceledError extends Error {
  override readonly name = "CanceledError";
}

/** Ctrl+C while a request was in progress. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** --max-time has passed. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}
