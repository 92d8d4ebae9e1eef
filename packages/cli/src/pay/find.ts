/** `farthing find <words>`: searches a facilitator's listings for endpoints that can be paid for. */
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
import { ConfigurationError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { parseHttpUrl } from "../input/http-url.ts";
import { addPrintFlags, printList, type PrintFlags } from "../output/print-output.ts";
import { readBodyWithin } from "../input/read-body.ts";
import { runCommand } from "../command/run-command.ts";
import { whileWaiting } from "../output/waiting.ts";

const timeoutMs = 10_000;

/** Longest response, decompressed: a hundred listings with samples and schemas are a tenth. */
const responseBytesMax = 8 * 1024 * 1024;

const titleCharsMax = 40;

interface Flags extends PrintFlags {
  readonly facilitator?: string;
  readonly network?: string;
  readonly payTo?: string;
  readonly limit: string;
}

export function register(program: Command): void {
  addPrintFlags(program.command("find"))
    .description(
      "Searches the listings of a facilitator, the best match first. The facilitator has checked each listing within the last hours; the price that counts is that of the challenge.",
    )
    .argument("<words...>", "search words")
    .addOption(
      new Option("--facilitator <url>", "facilitator to search").env(buyerVariables.facilitatorUrl),
    )
    .option("--network <name>", "only endpoints paid on this network: eip155:50 or eip155:51")
    .option("--pay-to <address>", "only endpoints that pay this address")
    .addOption(new Option("-n, --limit <count>", "maximum of results, 1 to 100").default("20"))
    .action((words: readonly string[], flags: Flags) => runCommand(() => find(words, flags)));
}

async function find(words: readonly string[], flags: Flags): Promise<ExitCode> {
  const url = searchUrl(words, flags);
  const response = await whileWaiting(`Searching ${url.host}`, () =>
    fetch(url, { signal: AbortSignal.timeout(timeoutMs) }),
  );
  const bytes = await readBodyWithin(response, responseBytesMax, "request fewer with --limit.");
  const body = parseJson(new TextDecoder().decode(bytes))?.value;
  const found = isObject(body) ? member(body, "resources") : undefined;
  if (!response.ok || !Array.isArray(found)) {
    writeTo(process.stderr, `farthing find: ${problemOf(response.status, body)}\n`);
    return exitCodes.general;
  }
  const resources: readonly JsonObject[] = found.filter(isObject);
  printList(resources, resources.map(rowOf), "No listings match these words.", flags, {
    wide: ["method", "calls30d", "network"],
    whole: ["usdc"],
  });
  return exitCodes.success;
}

function searchUrl(words: readonly string[], { facilitator, network, payTo, limit }: Flags): URL {
  const base = parseHttpUrl(facilitator ?? "");
  if (!base) {
    throw new ConfigurationError(
      "Name a facilitator to search: --facilitator https://… or FARTHING_FACILITATOR_URL.",
    );
  }
  const url = new URL(`${base.pathname.replace(/\/+$/, "")}/discovery/search`, base);
  const parameters = { query: words.join(" "), type: "http", network, payTo, limit };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

function problemOf(status: number, body: unknown): string {
  const message = isObject(body) ? member(body, "message") : undefined;
  return typeof message === "string"
    ? shown(message)
    : `the facilitator answered ${status} without a list of endpoints. Check that it has listings.`;
}

function rowOf(resource: JsonObject) {
  const offer = offerOf(resource);
  const metadata = member(resource, "metadata");
  const quality = member(resource, "quality");
  return {
    title: shown(member(resource, "serviceName")).slice(0, titleCharsMax),
    usdc: offer && formatUsdc(offer.amount),
    method: shown(isObject(metadata) ? member(metadata, "method") : undefined),
    url: shown(member(resource, "resource")),
    calls30d: isObject(quality) ? member(quality, "l30DaysTotalCalls") : undefined,
    network: offer?.network.id,
  };
}

/** The first offer on a network that this command knows. */
function offerOf(resource: JsonObject): Requirements | undefined {
  const challenge = parseChallenge(resource);
  return challenge.ok ? challenge.value.entries[0]?.requirements : undefined;
}

/** Untrusted text without control characters. */
function shown(text: unknown): string {
  return typeof text === "string" ? text.replaceAll(/\p{C}/gu, "") : "";
}
