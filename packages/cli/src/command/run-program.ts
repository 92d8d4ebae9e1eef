/** A command with subcommands, such as `farthing`; it loads only the one that is run. */
import { readFileSync } from "node:fs";
import { isObject, writeTo } from "@farthing/protocol/output";
import { Command, CommanderError, Help } from "commander";
import type { CommandEntry, CommandTable } from "./command-table.ts";
import { CanceledError, ConfigurationError, messageOf } from "./command-errors.ts";
import { addExamples } from "./examples.ts";
import { exitCodes } from "./exit-codes.ts";
import { isClosedPipe } from "../output/terminal.ts";

/** Runs the program that stands in the package of `manifest` and sets the exit code. */
export async function runProgram(
  name: string,
  description: string,
  manifest: URL,
  commands: CommandTable,
): Promise<void> {
  // The reader may leave before the end (`farthing doctor | head`), which is not an error. A service
  // listens too and outlives its output, on a full disk for one.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error) => {
      if (!isClosedPipe(error) && stream.listenerCount("error") === 1) throw error;
    });
  }
  const args = process.argv.slice(2);
  try {
    const program = new Command(name)
      .description(description)
      .version(versionIn(manifest))
      .helpCommand(false)
      .exitOverride();
    const completion: CommandEntry = {
      summary: "print completions for bash, zsh or fish",
      group: "Shell",
      load: async () => (await import("./completion.ts")).completionOf(name, commands),
    };
    for (const [command, entry] of Object.entries({ ...commands, completion })) {
      const { summary, nodeMin, group, load } = entry;
      if (command === args[0]) {
        if (nodeMin !== undefined) demandNode(`${name} ${command}`, nodeMin);
        (await load()).register(program);
      }
      // For the list in the help; it is never run.
      else program.command(command).description(summary).helpGroup(`${group}:`);
    }
    for (const command of program.commands) {
      setHelp(command, name);
      addExamples(command, command.name(), name);
    }
    if (args.length === 0) {
      program.outputHelp({ error: true });
      process.exitCode = exitCodes.usage;
      return;
    }
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = exitOf(error, name);
  }
}

const plainHelp = new Help();

/** Makes the help of a command and of those below it look the same everywhere. */
function setHelp(command: Command, above: string): void {
  const path = `${above} ${command.name()}`;
  command.showHelpAfterError(`For its arguments and options: ${path} --help`);
  // `--help` says the same.
  command.helpCommand(false);
  command.configureHelp({
    // In the list above it a command has a summary, in its own help the same is a sentence.
    commandDescription: (one) => sentence(plainHelp.commandDescription(one)),
    // That a flag is off by default is what everybody expects.
    optionDescription: (option) =>
      option.defaultValue === false ? option.description : plainHelp.optionDescription(option),
  });
  for (const one of command.commands) setHelp(one, path);
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) || whole === "" ? whole : `${whole}.`;
}

/** Throws a ConfigurationError on an older Node.js. */
function demandNode(command: string, nodeMin: string): void {
  const present = process.versions.node;
  const [major = 0, minor = 0] = present.split(".").map(Number);
  const [majorMin = 0, minorMin = 0] = nodeMin.split(".").map(Number);
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  throw new ConfigurationError(
    `${command} needs Node.js ${nodeMin} or newer; this is ${present}. Install it from https://nodejs.org.`,
  );
}

function versionIn(manifest: URL): string {
  const parsed: unknown = JSON.parse(readFileSync(manifest, "utf8"));
  return isObject(parsed) ? String(parsed["version"]) : "unknown";
}

function exitOf(error: unknown, name: string): number {
  // Commander has printed its message; help and version end with 0, all else is usage.
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  }
  writeTo(process.stderr, `${name}: ${messageOf(error)}\n`);
  if (error instanceof CanceledError) return exitCodes.canceled;
  return error instanceof ConfigurationError ? exitCodes.configuration : exitCodes.general;
}
