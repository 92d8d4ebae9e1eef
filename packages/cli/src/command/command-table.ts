/** The subcommands of a program. */
import type { Command } from "commander";

export interface CommandModule {
  /** Adds the subcommand, its options and its action. */
  register(program: Command): void;
}

/** A line of the help, and the module behind it. */
export interface CommandEntry {
  readonly summary: string;
  /** The heading above it in the help of the program. */
  readonly group: string;
  /** The oldest Node.js that runs it, where that is newer than the package's. */
  readonly nodeMin?: `${number}.${number}`;
  readonly load: () => Promise<CommandModule>;
}

/** Subcommands in the order of the help. */
export type CommandTable = Readonly<Record<string, CommandEntry>>;
