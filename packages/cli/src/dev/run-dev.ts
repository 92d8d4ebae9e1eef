/** Chain, facilitator, gateway, wallet and page of `farthing dev`, started and ended together. */
import { once } from "node:events";
import { privateKeySigner, wrapFetch, type PayingFetch } from "@farthing/buyer";
import { describeDevnet, startDevnet, type Devnet } from "@farthing/devnet";
import {
  checkServices,
  inProcessFacilitator,
  readOneUpstream,
  startGateway,
  type Finding,
  type GatewayConfig,
  type OneUpstreamSetting,
  type RequestStep,
} from "@farthing/gateway";
import { printableLine, writeTo } from "@farthing/protocol";
import { exitCodes } from "../command/exit-codes.ts";
import type { OperatorPackage } from "../command/operator-package.ts";
import { startProblem } from "../command/start-problem.ts";
import { listenForSignals } from "../command/stop-signals.ts";
import { startWaiting } from "../output/waiting.ts";
import { createDevEvents, type DevEvent } from "./dev-events.ts";
import { startDevPage, type PaidAnswer, type WantedRequest } from "./page-server.ts";
import { watchPayments } from "./watch-payments.ts";

export interface DevOptions {
  readonly to: string;
  readonly price: string;
  readonly port: number;
  readonly pagePort: number;
  readonly blockTimeSeconds: number;
  readonly anvilFolder: string;
}

/** What the page shows of a response. */
const shownCharsMax = 4096;

/** Ends the process after SIGINT (Ctrl-C), SIGTERM or SIGHUP, when nothing of it is left. */
export async function runDev(operator: OperatorPackage, options: DevOptions): Promise<void> {
  const stopping = listenForSignals();
  // Everything goes on when the reader of the output leaves, or its disk is full.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  const stack = new AsyncDisposableStack();
  let code: number = exitCodes.success;
  try {
    const devnet = await start(operator, options, stack, stopping);
    const ended = devnet.ended.then(() => {
      throw new Error("The local chain ended by itself.");
    });
    await Promise.race([stopping.aborted ? undefined : once(stopping, "abort"), ended]);
  } catch (error) {
    if (error !== stopping.reason) {
      const problem = startProblem(error, "--port or --page-port");
      writeTo(process.stderr, `farthing dev cannot go on:\n${problem}\n`);
      code = exitCodes.configuration;
    }
  }
  await stack.disposeAsync();
  // Connections that are kept alive are not waited for.
  process.exit(code);
}

async function start(
  operator: OperatorPackage,
  options: DevOptions,
  stack: AsyncDisposableStack,
  stopping: AbortSignal,
) {
  const waiting = startWaiting("Starting the local chain");
  stack.defer(() => waiting.end());
  const { blockTimeSeconds, pagePort, anvilFolder } = options;
  const devnet = await startDevnet({
    blockTimeSeconds,
    anvilFolder,
    buyers: 1,
    relayers: 1,
    isGuarded: true,
  });
  stack.defer(() => devnet.stop());
  stopping.throwIfAborted();
  const config = readConfig(options, devnet);
  waiting.now("Starting the facilitator");
  const embedded = await operator.startEmbedded(stopping, {
    ...describeDevnet(devnet).environment,
    DATABASE_URL: "sqlite::memory:",
    FARTHING_LOG_LEVEL: "error",
  });
  stack.defer(() => embedded.stop());
  waiting.now("Starting the gateway");
  const events = createDevEvents();
  const gateway = await startGateway({
    config,
    facilitator: watchPayments(inProcessFacilitator(embedded), events),
    rpcUrl: devnet.rpcUrl,
    onRequest: (step) => events.add(...described(step)),
  });
  stack.defer(() => gateway.stop());
  const payingFetch = createPayer(devnet);
  const page = await startDevPage({
    port: pagePort,
    facts: { gatewayUrl: gateway.url, apiUrl: apiOf(config), price: options.price },
    events,
    pay: (wanted) => pay(payingFetch, gateway.url, wanted),
  });
  stack.defer(() => page.stop());
  const findings = await checkServices(config);
  stopping.throwIfAborted();
  waiting.end();
  const addresses = { api: apiOf(config), page: page.url, gateway: gateway.url };
  print(startText(options, devnet, addresses));
  print(readyText(findings));
  for (const event of events.kept()) printEvent(event);
  events.listen(printEvent);
  return devnet;
}

const flagNames: Partial<Readonly<Record<OneUpstreamSetting, string>>> = {
  to: "--to",
  price: "--price",
  listen: "--port",
};

function readConfig({ to, price, port }: DevOptions, devnet: Devnet): GatewayConfig {
  const settings = {
    to,
    price,
    payTo: devnet.seller.address,
    facilitator: ["embedded"],
    network: `eip155:${devnet.chainId}`,
    listen: `127.0.0.1:${port}`,
    store: "memory",
  };
  return readOneUpstream(settings, {}, (setting) => flagNames[setting] ?? setting);
}

function apiOf({ upstreams }: GatewayConfig): string {
  return [...upstreams.values()].map(({ url }) => url).join(", ");
}

function createPayer(devnet: Devnet): PayingFetch {
  const signer = privateKeySigner(buyerKey(devnet));
  // Test money has no limit but the balance.
  const limits = { perCall: "1000000", perDay: false, askAbove: "1000000" } as const;
  return wrapFetch(fetch, { signer, limits, rpcUrl: devnet.rpcUrl });
}

function buyerKey({ buyers: [buyer] }: Devnet): string {
  if (!buyer) throw new Error("The local chain has no buyer.");
  return buyer.privateKey;
}

/** States that need more words for people. */
const states: Readonly<Partial<Record<string, string>>> = {
  ambiguous: "signed; the response does not say whether it was charged",
};

async function pay(
  payingFetch: PayingFetch,
  gatewayUrl: string,
  { method, target, body }: WantedRequest,
): Promise<PaidAnswer> {
  const content = { headers: { "Content-Type": "application/json" }, body };
  const init = { method, redirect: "manual" as const, ...(body === "" ? {} : content) };
  const response = await payingFetch(gatewayUrl + target, init);
  const { payment, status, headers } = response;
  const paid =
    payment.state === "not_required"
      ? "Nothing was to be paid."
      : `${payment.amountUsdc.replace(/\.?0+$/, "")} USDC, ${states[payment.state] ?? payment.state}${payment.transaction === undefined ? "" : `, transaction ${payment.transaction}`}`;
  const contentType = headers.get("Content-Type") ?? "";
  return { status, contentType, payment: paid, body: await readBeginning(response) };
}

async function readBeginning({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  if (!reader) return "";
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length <= shownCharsMax) continue;
    await reader.cancel();
    return `${text.slice(0, shownCharsMax)}…`;
  }
}

function described(step: RequestStep): readonly [DevEvent["kind"], string] {
  const request = `${step.method} ${step.target}`;
  if (step.step === "arrived") return ["request", request];
  const outcome = step.outcome.replaceAll("_", " ");
  return ["response", `${request}: ${step.status}, ${outcome}, ${Math.round(step.ms)} ms`];
}

function printEvent({ time, kind, text }: DevEvent): void {
  print(`${time.slice(11, 19)}  ${kind.padEnd(8)}  ${printableLine(text)}\n`);
}

interface Addresses {
  readonly api: string;
  readonly gateway: string;
  readonly page: string;
}

function startText(
  { price, blockTimeSeconds }: DevOptions,
  devnet: Devnet,
  { api, gateway, page }: Addresses,
): string {
  const blocks =
    blockTimeSeconds === 0 ? "with each transaction" : `every ${blockTimeSeconds} seconds`;
  return [
    "Farthing dev: an API sold for test money, on a local chain",
    "",
    `  gateway  ${gateway} sells ${api} for ${price} USDC a request`,
    `  page     ${page} shows what happens and pays with a button`,
    `  chain    ${devnet.rpcUrl}, eip155:${devnet.chainId}, a block ${blocks}`,
    `  seller   ${devnet.seller.address}`,
    "",
    "From another terminal, with the buyer's private key, which is public (never send anything of value to it):",
    "",
    `  FARTHING_WALLET_KEY=${buyerKey(devnet)} FARTHING_RPC_URL=${devnet.rpcUrl} npx farthing pay ${gateway}/`,
    "",
    "Ctrl+C stops everything.",
    "",
    "",
  ].join("\n");
}

function readyText(findings: readonly Finding[]): string {
  const missing = findings.filter(({ status }) => status === "fail").map(({ text }) => text);
  return missing.length === 0
    ? "Ready.\n\n"
    : `Ready, except that the API does not take connections yet (${missing.join("; ")}).\n\n`;
}

function print(text: string): void {
  writeTo(process.stdout, text);
}
