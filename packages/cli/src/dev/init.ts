/** `farthing init`: writes a folder that runs, from one of the repository's examples. */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defined, findNetwork, parseAddress, parseUsdc, shellCommand } from "@farthing/protocol";
import { Argument, type Command } from "commander";
import { ConfigurationError, UsageError } from "../command/command-errors.ts";
import { apiAddress, parseHttpUrl } from "../input/http-url.ts";
import { runCommand } from "../command/run-command.ts";

/** The example behind each name. */
const templates = { seller: "express", gateway: "gateway", agent: "agent-mcp" } as const;
const templateNames = ["seller", "gateway", "agent"] as const;

type TemplateName = (typeof templateNames)[number];

/** Where settings stand, and what the examples say there: a wallet and ports of the local chain. */
const settingsFiles = [".env", "gateway.yaml"];
const exampleValues = [
  ["payTo", "0x7A11830374F9a3aA26C125CAa932520D984B1024"],
  ["price", "0.01"],
  ["network", "eip155:51"],
  ["facilitator", "http://127.0.0.1:8402/api/facilitator"],
  ["to", "http://127.0.0.1:3000"],
] as const;

type Flags = Partial<Record<(typeof exampleValues)[number][0], string>>;

export function register(program: Command): void {
  program
    .command("init")
    .description(
      "Writes a folder that runs: a seller in Express, a gateway in front of an API, or an agent that pays. The settings are in .env or gateway.yaml; those that no option sets are for a local chain with test money. Existing files are never replaced.",
    )
    .addArgument(new Argument("<what>", "what to write").choices(templateNames))
    .argument("[folder]", "the new folder (default: farthing-<what>)")
    .option(
      "--pay-to <address>",
      "address that receives the payments, 0x… or xdc…; required with eip155:50",
    )
    .option("--price <usdc>", "USDC for one request, such as 0.01")
    .option("--network <id>", "eip155:51 (test money, the default) or eip155:50 (XDC mainnet)")
    .option("--facilitator <url>", "address of the facilitator")
    .option(
      "--to <url>",
      "the API that the gateway sells: its address, or its port on this machine",
    )
    .action((what: TemplateName, folder: string | undefined, flags: Flags) =>
      runCommand(async () => init(what, folder ?? `farthing-${what}`, flags)),
    );
}

function init(what: TemplateName, folder: string, flags: Flags): void {
  const target = resolve(folder);
  if (existsSync(target)) {
    const taken = !statSync(target).isDirectory()
      ? "a file"
      : readdirSync(target).length > 0
        ? "not empty"
        : undefined;
    if (taken !== undefined) {
      throw new ConfigurationError(
        `${target} is ${taken}. Nothing was written; name a new folder.`,
      );
    }
  }
  const source = join(templatesFolder(), templates[what]);
  const read = (file: string) => readFileSync(join(source, file), "utf8");
  const files = new Map(
    readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(source.length + 1))
      // What has come about in a checkout's example, where somebody has tried it.
      .filter((file) => !/(^|\/)(node_modules\/|\.env$)/.test(file))
      .sort()
      .map((file) => [file, read(file)]),
  );
  files.set(".env", read(".env.example"));
  // npm packs no file of this name, so it is not among those of the example.
  files.set(".gitignore", "node_modules/\n.env\n*.db*\n");
  if (flags.to !== undefined) sellWholeApi(files);
  fillIn(files, checkFlags(flags));
  for (const [file, text] of files) {
    const path = join(target, file);
    mkdirSync(dirname(path), { recursive: true });
    // `.env` may hold keys later.
    writeFileSync(path, text, { flag: "wx", mode: file === ".env" ? 0o600 : 0o644 });
  }
  process.stdout.write(`${[...files.keys()].join("\n")}\n`);
  process.stderr.write(
    `Written to ${target}. Next: ${shellCommand(["cd", folder])}, npm install, npm start. See ${basename(target)}/README.md.\n`,
  );
}

/** The examples are packed with the command; a checkout has them in its own folder. */
function templatesFolder(): string {
  const found = ["../templates/", "../../../../examples/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new ConfigurationError("This installation of farthing has no templates. Install it anew.");
}

/** Returns what is to be written; throws a UsageError. */
function checkFlags({ payTo, price, network, facilitator, to: api }: Flags): Flags {
  const to = api === undefined ? undefined : apiAddress(api);
  const address = payTo === undefined ? undefined : parseAddress(payTo);
  if (payTo !== undefined && address === undefined) {
    throw new UsageError("--pay-to must be an address, 0x… or xdc….");
  }
  if (network === "eip155:50" && address === undefined) {
    throw new UsageError(
      "--network eip155:50 is XDC mainnet, where buyers pay real money: name your address with --pay-to.",
    );
  }
  if (price !== undefined && (parseUsdc(price) ?? 0n) === 0n) {
    throw new UsageError("--price must be USDC above 0 with at most six decimals, such as 0.01.");
  }
  if (network !== undefined && findNetwork(network)?.id !== network) {
    throw new UsageError("--network must be eip155:51 or eip155:50.");
  }
  for (const [flag, url] of Object.entries({ facilitator, to })) {
    if (url !== undefined && (/["\s]/.test(url) || parseHttpUrl(url) === undefined)) {
      throw new UsageError(`--${flag} must be an http or https URL.`);
    }
  }
  return defined({ payTo: address, price: price?.trim(), network, facilitator, to });
}

/** The routes of the example's API are not those of another one. */
function sellWholeApi(files: Map<string, string>): void {
  const text = files.get("gateway.yaml");
  const whole = '{ match: "* /*", upstream: api, price: "0.01" } # all else, at one price';
  if (text !== undefined)
    files.set("gateway.yaml", text.replace(/\{ match: "GET \/report".*\}/, whole));
}

/** Puts values in the place of the examples', except in comments; throws a UsageError. */
function fillIn(files: Map<string, string>, flags: Flags): void {
  const unused = new Map(Object.entries(flags));
  for (const file of settingsFiles) {
    const lines = files.get(file)?.split("\n");
    if (lines === undefined) continue;
    const filled = lines.map((line) => {
      // One value a line: a value that was put in may look like another example.
      const found = exampleValues.find(([, example]) => line.includes(example));
      if (line.startsWith("#") || found === undefined) return line;
      const [name, example] = found;
      const value = flags[name];
      if (value === undefined) return line;
      unused.delete(name);
      return line.replace(example, () => value);
    });
    files.set(file, filled.join("\n"));
  }
  for (const name of unused.keys()) {
    const flag = name === "payTo" ? "pay-to" : name;
    throw new UsageError(`--${flag} is no setting of this template; leave it out.`);
  }
}
