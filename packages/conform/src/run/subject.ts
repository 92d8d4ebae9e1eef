/** The software under test, seen from outside. */

/** What a subject is told, as environment variables. */
export type SubjectEnvironment = Readonly<Record<string, string>>;

/** A server that the kit starts and kills. */
export interface Subject {
  readonly url: string;
  /** Resolves when it answers. Throws a {@link SubjectError}. */
  start(): Promise<void>;
  /** Ends it at once, as a crash does; resolves when it is gone. Its files stay. */
  kill(): Promise<void>;
  isRunning(): boolean;
  /** The last of what it printed. */
  output(): string;
}

/** The subject cannot be tested: its command is wrong, or it does not start. */
export class SubjectError extends Error {
  override readonly name: string = "SubjectError";
}

/** Its command line cannot be run at all: no case would say anything about it. */
export class CommandError extends SubjectError {
  override readonly name = "CommandError";
}
