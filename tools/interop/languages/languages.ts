/**
 * Programs in other languages, on published SDKs or from our guides: each buys from our seller and our
 * gateway, and sells through the hosted and the public surface. Payments are real, on a local chain.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { memoryLedger, privateKeySigner, wrapFetch } from "@farthing/buyer";
import type { DevnetWallet } from "@farthing/devnet";
import { startServerProcess } from "@farthing/lab/server-process";
import { isObject, parseJson } from "@farthing/protocol";
import { buyOnce, transfersText, type Purchase } from "../buyers.ts";
import { startDeployment, type Deployment, type SurfaceName } from "../deployment.ts";
import { stockClient } from "../matrix.ts";
import { openGateway, openShop } from "../own-sellers.ts";
import { headerOf } from "../scenarios/scenario.ts";
import { readChallenge } from "../stock-sellers.ts";
import { go } from "./go.ts";
import { followGuide } from "./guide.ts";
import type { Language, Program, Programs, SellingProgram } from "./language.ts";
import { python } from "./python.ts";
import { rust } from "./rust.ts";
import { installMs } from "./toolchains.ts";

const run = promisify(execFile);

/** In the order of the run. */
export const languages: readonly Language[] = [python, go, rust];

/** A purchase takes a few blocks; the start of an interpreter on a busy machine takes seconds. */
const purchaseMs = 90_000;

/** Where programs buy. */
const ownSellers = { seller: openShop, gateway: openGateway };

/** The surfaces through which a program sells; the public one speaks version 2 only. */
function surfacesOf({ x402Version }: SellingProgram): readonly SurfaceName[] {
  return x402Version === 1 ? ["hosted"] : ["hosted", "public"];
}

/** Buys and sells in every language that is installed; prints what it does, and each result. */
export async function tryLanguages(print: (line: string) => void): Promise<readonly Purchase[]> {
  const results: Purchase[] = [];
  const add = (result: Purchase): void => {
    results.push(result);
    print(result.line);
  };
  for (const language of languages) {
    const { name, guide, packages } = language;
    const reason = language.missing();
    if (reason !== undefined) {
      print(`${name} is left out: ${reason}`);
      continue;
    }
    print(`${name}: installs ${packages.join(", ")}; the first run takes minutes`);
    const programs = await language.install().catch((error: unknown) => describeFailure(error));
    if (typeof programs === "string") {
      add({ name, isOk: false, line: `FAIL ${name} was not installed: ${programs}` });
      continue;
    }
    await tryLanguage(programs, add);
    if (guide === undefined) continue;
    print(`${name}: follows ${guide.path}`);
    add(await followGuide(guide));
  }
  return results;
}

/** Returns what a person needs to know of an installation or a program that failed. */
function describeFailure(error: unknown): string {
  if (!isObject(error) || error["killed"] !== true) return String(error);
  const limit = `${installMs / 60_000} minutes`;
  return `${String(error["cmd"])} was stopped after ${limit}. The next run continues.`;
}

async function tryLanguage(
  { buyers, sellers }: Programs,
  add: (result: Purchase) => void,
): Promise<void> {
  const sales = sellers.flatMap((seller) =>
    surfacesOf(seller).map((surface) => ({ seller, surface })),
  );
  const purchases = buyers.length * Object.keys(ownSellers).length;
  const deployment = await startDeployment({ buyers: purchases + 2 * sales.length });
  try {
    for (const [place, open] of Object.entries(ownSellers)) {
      const shop = await open(deployment, "hosted");
      for (const buyer of buyers) {
        const wallet = deployment.newBuyer();
        const name = `${buyer.name} at our ${place}`;
        const pay = () => buyWith(buyer, wallet, shop.url);
        add(await buyOnce(deployment, { name, wallet, pay }));
      }
      await shop.close();
    }
    for (const { seller, surface } of sales) {
      const name = `our buyer at ${seller.name}, ${surface}`;
      const sold = buyFrom(deployment, seller, surface).catch((error: unknown) => [
        { name, isOk: false, line: `FAIL ${name}: ${describeFailure(error)}` },
      ]);
      for (const result of await sold) add(result);
    }
  } finally {
    await deployment.stop();
  }
}

/** Lets a program buy; returns the response that it printed. */
async function buyWith(
  { command, settings }: Program,
  { privateKey }: DevnetWallet,
  url: string,
): Promise<Response> {
  const [file = "", ...args] = command;
  const env = environment({ ...settings, privateKey, url });
  const { stdout } = await run(file, args, { env, timeout: purchaseMs });
  const printed = parseJson(stdout)?.value;
  if (!isObject(printed)) throw new Error(`The program printed no response: ${stdout}`);
  const { status, text, receipts } = printed;
  const hasReceipt = Array.isArray(receipts) && receipts.length > 0;
  if (status === 200 && !hasReceipt) throw new Error("The response had no receipt.");
  return new Response(String(text), { status: Number(status) });
}

/** Lets our buyer buy from a program that sells through a surface, and presents a payment often. */
async function buyFrom(
  deployment: Deployment,
  seller: SellingProgram,
  surface: SurfaceName,
): Promise<readonly Purchase[]> {
  const { command, settings, x402Version } = seller;
  const { url: facilitatorUrl, apiKey } = deployment.surfaces[surface];
  const headers = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  const network = x402Version === 1 ? "xdc-apothem" : "eip155:51";
  const payTo = deployment.devnet.seller.address;
  const [runtime = "", ...argv] = command;
  const program = startServerProcess({
    runtime,
    argv,
    env: environment({ ...settings, facilitatorUrl, headers, network, payTo }),
    addressLine: /^The program listens on (http\S+)$/,
  });
  const name = `our buyer at ${seller.name}, ${surface}`;
  try {
    const url = `${await program.listening}/report`;
    const wallet = deployment.newBuyer();
    const signer = privateKeySigner(wallet.privateKey);
    const pay = wrapFetch(fetch, { signer, ledger: memoryLedger() });
    const bought = await buyOnce(deployment, { name, wallet, pay: () => pay(url) });
    return x402Version === 1
      ? [bought]
      : [bought, await presentOften(deployment, `${seller.name}, ${surface}`, url)];
  } finally {
    await program.kill();
  }
}

/** Requests at once with one payment. */
const requestsAtOnce = 4;

/** Sends one payment several times at once: one response has the report, and money moves once. */
async function presentOften(deployment: Deployment, place: string, url: string): Promise<Purchase> {
  const wallet = deployment.newBuyer();
  const client = await stockClient("2.27", wallet);
  const headers = headerOf(await client.createPaymentPayload(await readChallenge(url)));
  const sent = Array.from({ length: requestsAtOnce }, async () => {
    const response = await fetch(url, { headers });
    return response.status === 200 && (await response.text()).includes('"report"');
  });
  const served = (await Promise.all(sent)).filter(Boolean).length;
  const transfers = (await deployment.transfers(wallet.address)).length;
  const name = `one payment sent ${requestsAtOnce} times to ${place}`;
  const isOk = served === 1 && transfers === 1;
  const line = `${isOk ? "ok  " : "FAIL"} ${name}: ${served} served, ${transfersText(transfers)}`;
  return { name, isOk, line };
}

/** The variables that programs need: their own settings, and what their runtimes look for. */
function environment(settings: object): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  // Python would write its compiled modules beside the sources.
  return { PATH, HOME, PYTHONDONTWRITEBYTECODE: "1", SETTINGS: JSON.stringify(settings) };
}
