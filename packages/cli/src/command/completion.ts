/** `farthing completion <shell>`: completions, from the declarations of the commands themselves. */
import { writeTo } from "@farthing/protocol";
import { Argument, Command, type Option } from "commander";
import type { CommandModule, CommandTable } from "./command-table.ts";

/** A command as shells complete it. */
export interface CompletedCommand {
  /** Of the words after the program: "" for itself, `/keys/list`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  /** Values of the first argument, where they are known. */
  readonly choices: readonly string[];
}

export interface CompletedOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly summary: string;
  /** What follows it. */
  readonly value: "none" | "text" | "file" | readonly string[];
}

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** The command; `commands` are those of the program without it. */
export function completionOf(program: string, commands: CommandTable): CommandModule {
  return {
    register(root) {
      root
        .command("completion")
        .description(
          `Prints a script that completes commands, options and their values in a shell. Put its line into the shell's start file: for bash, eval "$(${program} completion bash)" in ~/.bashrc; for zsh, source <(${program} completion zsh) in ~/.zshrc; for fish, ${program} completion fish | source in ~/.config/fish/config.fish.`,
        )
        .addArgument(new Argument("<shell>", "your shell").choices(shells))
        .action(async (shell: Shell) => {
          const root = await declareAll(program, commands);
          completionOf(program, commands).register(root);
          writeTo(process.stdout, scripts[shell](program, describe(root)));
        });
    },
  };
}

/** All commands of a program. One that cannot be loaded here has a name and nothing else. */
export async function declareAll(program: string, commands: CommandTable): Promise<Command> {
  const root = new Command(program).helpCommand(false).version("0");
  for (const [name, { summary, load }] of Object.entries(commands)) {
    try {
      (await load()).register(root);
    } catch {
      // The operator's package is not installed, or this Node.js is too old for the command.
      root.command(name).description(summary);
    }
    // The summary of the program's help is the shorter one.
    root.commands.at(-1)?.summary(summary);
  }
  return root;
}

export function describe(command: Command, path = ""): CompletedCommand[] {
  const subcommands = command.commands.filter((one) => one.name() !== "help");
  const own = {
    path,
    commands: subcommands.map((one) => ({
      name: one.name(),
      summary: oneLine(one.summary() || one.description()),
    })),
    options: [...[command, ...defaultOf(command)].flatMap(optionsOf), help],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [own, ...subcommands.flatMap((one) => describe(one, `${path}/${one.name()}`))];
}

/** The subcommand that runs when none is named, as `gateway run`; its options may follow at once. */
function defaultOf(command: Command): Command[] {
  // Commander tells it nowhere else; a test completes such a command.
  const name: unknown = Reflect.get(command, "_defaultCommandName");
  return command.commands.filter((one) => one.name() === name);
}

function optionsOf(command: Command): CompletedOption[] {
  return command.options.filter((option) => !option.hidden).flatMap(optionOf);
}

const help: CompletedOption = {
  long: "--help",
  short: "-h",
  summary: "display help for command",
  value: "none",
};

function optionOf(option: Option): CompletedOption[] {
  const { long, short, flags, argChoices, description } = option;
  if (long === undefined || long === null) return [];
  const value =
    argChoices ?? (/<(file|keys)>/.test(flags) ? "file" : /[<[]/.test(flags) ? "text" : "none");
  return [{ long, short: short ?? undefined, summary: oneLine(description), value }];
}

/** Shells show one line: the first sentence, without what follows a semicolon. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").split(/; |\. /)[0] ?? "";
}

const scripts: Readonly<Record<Shell, (program: string, all: CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Words as one quoted list; names and choices have no spaces and no quotes. */
const listed = (words: readonly string[]) => `"${words.join(" ")}"`;
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The paths below the program, as patterns of `case`. */
function pathPattern(all: readonly CompletedCommand[]): string {
  return all.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join("|");
}

/** The lines of `case "$place $previous"`, which complete the value of an option. */
function valueLines(
  all: readonly CompletedCommand[],
  act: (value: "file" | "text" | readonly string[]) => string,
): string[] {
  return all.flatMap(({ path, options }) =>
    options.flatMap(({ long, short, value }) => {
      if (value === "none") return [];
      const names = [long, ...(short === undefined ? [] : [short])];
      return [
        `    ${names.map((name) => `"${path} ${name}"`).join("|")}) ${act(value)}; return ;;`,
      ];
    }),
  );
}

function bashScript(program: string, all: CompletedCommand[]): string {
  const name = `_${program.replaceAll("-", "_")}`;
  const values = valueLines(all, (value) => {
    if (value === "text") return "COMPREPLY=()";
    const words = value === "file" ? '-f -- "$current"' : `-W ${listed(value)} -- "$current"`;
    return `COMPREPLY=($(compgen ${words}))`;
  });
  const offers = all.map(({ path, commands, options, choices }) => {
    const flags = options.flatMap(({ long, short }) =>
      short === undefined ? [long] : [long, short],
    );
    const words = [...commands.map((one) => one.name), ...choices];
    return `    "${path}") words=${listed(words)} flags=${listed(flags)} ;;`;
  });
  return `# Completions of ${program} for bash. Load them with: eval "$(${program} completion bash)"
${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} place= words= flags= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place/\${COMP_WORDS[i]}" in
    ${pathPattern(all)}) place=$place/\${COMP_WORDS[i]} ;;
    esac
  done
  case "$place $previous" in
${values.join("\n")}
  esac
  case "$place" in
${offers.join("\n")}
  esac
  if [[ $current == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F ${name} ${program}
`;
}

/** A word with its description, as `_describe` of zsh reads it. */
function described(word: string, summary: string): string {
  return quoted(`${word.replaceAll(":", "\\:")}:${summary}`);
}

function zshScript(program: string, all: CompletedCommand[]): string {
  const name = `_${program.replaceAll("-", "_")}`;
  const values = valueLines(all, (value) => {
    if (value === "text") return "_message value";
    return value === "file" ? "_files" : `compadd -- ${value.join(" ")}`;
  });
  const offers = all.map(({ path, commands, options, choices }) => {
    const words = [
      ...commands.map((one) => described(one.name, one.summary)),
      ...choices.map((choice) => quoted(choice)),
    ];
    const flags = options.map(({ long, summary }) => described(long, summary));
    return `    "${path}") entries=(${words.join(" ")}) flags=(${flags.join(" ")}) ;;`;
  });
  return `#compdef ${program}
# Completions of ${program} for zsh. Load them with: source <(${program} completion zsh)
${name}() {
  local place= i
  local -a entries flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$place/\${words[i]}" in
    ${pathPattern(all)}) place=$place/\${words[i]} ;;
    esac
  done
  case "$place \${words[CURRENT - 1]}" in
${values.join("\n")}
  esac
  case "$place" in
${offers.join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option flags
  elif (( $#entries )); then
    _describe command entries
  else
    _files
  fi
}
if [[ $funcstack[1] == ${name} ]]; then
  ${name} "$@"
else
  # A start file that has not initialized completion, as that of a new user.
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef ${name} ${program}
fi
`;
}

function fishScript(program: string, all: CompletedCommand[]): string {
  const at = `__${program.replaceAll("-", "_")}_at`;
  const paths = all.flatMap(({ path }) => (path === "" ? [] : [quoted(path)])).join(" ");
  const lines = all.flatMap(({ path, commands, options, choices }) => {
    const here = `complete -c ${program} -n '${at} "${path}"'`;
    const isLeaf = commands.length === 0;
    return [
      ...commands.map((one) => `${here} -f -a ${one.name} -d ${quoted(one.summary)}`),
      ...(choices.length > 0 ? [`${here} -f -a ${quoted(choices.join(" "))}`] : []),
      ...(isLeaf ? [] : [`${here} -f`]),
      ...options.map(({ long, short, summary, value }) => {
        const names = `${short === undefined ? "" : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
        return `${here}${names}${fishValue(value)} -d ${quoted(summary)}`;
      }),
    ];
  });
  return `# Completions of ${program} for fish. Load them with: ${program} completion fish | source
function ${at}
    set -l place ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$place/$word" ${paths}
            set place "$place/$word"
        end
    end
    test "$place" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function fishValue(value: CompletedOption["value"]): string {
  if (value === "none") return "";
  if (value === "file") return " -r -F";
  return value === "text" ? " -x" : ` -x -a ${quoted(value.join(" "))}`;
}
