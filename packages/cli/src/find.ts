/** `farthing find <words>`: looks for endpoints that can be paid for, in a facilitator's listings. */
import {
  buyerVariables,
  formatUsdc,
  isObject,
  member,
  parseChallenge,
  parseJson,
  type JsonObject,
  type Requirements,
  writeTo,
} from "@farthing/protocol";
import { Option, type Command } from "commander";
import { ConfigurationError } from "./command-errors.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { parseHttpUrl } from "./http-url.ts";
import { addPrintFlags, printList, type PrintFlags } from "./print-output.ts";
import { readBodyWithin } from "./read-body.ts";
import { runCommand } from "./run-command.ts";

/** How long the facilitator may take. */
const answerMs = 10_000;

/** Longest answer, unpacked: a hundred listings with samples and schemas are a tenth of it. */
const answerBytesMax = 8 * 1024 * 1024;

/** Characters of a title in a table. */
const titleCharsMax = 40;

interface Flags extends PrintFlags {
  readonly facilitator?: string;
  readonly network?: string;
  readonly payTo?: string;
  readonly limit: string;
}

export function register(program: Command): void {
  addPrintFlags(
    program
      .command("find")
      .description(
        "Asks a facilitator for listed endpoints that fit some words, the best first. What is listed was checked by it within the last hours; the challenge at the time of the request is what counts.",
      )
      .argument("<words...>", "what to look for")
      .addOption(
        new Option("--facilitator <url>", "the facilitator to ask").env(
          buyerVariables.facilitatorUrl,
        ),
      )
      .option("--network <name>", "only what is paid on it: eip155:50, eip155:51")
      .option("--pay-to <address>", "only what pays this address")
      .addOption(new Option("-n, --limit <count>", "endpoints at most, 1 to 100").default("20")),
  ).action((words: readonly string[], flags: Flags) => runCommand(() => find(words, flags)));
}

async function find(words: readonly string[], flags: Flags): Promise<ExitCode> {
  const answer = await fetch(searchUrl(words, flags), { signal: AbortSignal.timeout(answerMs) });
  const bytes = await readBodyWithin(answer, answerBytesMax, "ask for fewer with --limit.");
  const body = parseJson(new TextDecoder().decode(bytes))?.value;
  const found = isObject(body) ? member(body, "resources") : undefined;
  if (!answer.ok || !Array.isArray(found)) {
    writeTo(process.stderr, `farthing find: ${problemOf(answer.status, body)}\n`);
    return exitCodes.general;
  }
  const resources: readonly JsonObject[] = found.filter(isObject);
  printList(resources, resources.map(rowOf), "Nothing listed fits these words.", flags);
  return exitCodes.success;
}

function searchUrl(words: readonly string[], { facilitator, network, payTo, limit }: Flags): URL {
  const base = parseHttpUrl(facilitator ?? "");
  if (!base) {
    throw new ConfigurationError(
      "Say which facilitator to ask: --facilitator https://… or FARTHING_FACILITATOR_URL.",
    );
  }
  const url = new URL(`${base.pathname.replace(/\/+$/, "")}/discovery/search`, base);
  const parameters = { query: words.join(" "), network, payTo, limit };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

function problemOf(status: number, body: unknown): string {
  const message = isObject(body) ? member(body, "message") : undefined;
  return typeof message === "string"
    ? shown(message)
    : `the facilitator answered ${status}, and no list of endpoints; is it one with listings?`;
}

/** What a person chooses by. */
function rowOf(resource: JsonObject) {
  const offer = offerOf(resource);
  const metadata = member(resource, "metadata");
  const quality = member(resource, "quality");
  return {
    title: shown(member(resource, "serviceName")).slice(0, titleCharsMax),
    usdc: offer && formatUsdc(offer.amount),
    network: offer?.network.id,
    calls30d: isObject(quality) ? member(quality, "l30DaysTotalCalls") : undefined,
    method: shown(isObject(metadata) ? member(metadata, "method") : undefined),
    resource: shown(member(resource, "resource")),
  };
}

/** The first way to pay that this command's networks know. */
function offerOf(resource: JsonObject): Requirements | undefined {
  const challenge = parseChallenge(resource);
  return challenge.ok ? challenge.value.entries[0]?.requirements : undefined;
}

/** Text of a stranger, as a terminal may show it. */
function shown(text: unknown): string {
  return typeof text === "string" ? text.replaceAll(/\p{C}/gu, "") : "";
}
