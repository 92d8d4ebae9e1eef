/** Requests a second that pay, that show a token, and that sign in: by the same callers, at one shop. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDevnet } from "@farthing/devnet";
import {
  decodeHeader,
  encodeSignIn,
  headerNames,
  isObject,
  member,
  networkOfChain,
  passHeaders,
  readSignInDeclaration,
  signInHeader,
  signInText,
} from "@farthing/protocol";
import { pay } from "@farthing/seller/testing/buyer";
import { privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts";
import { farthingWallets, startFarthing } from "./contenders.ts";
import { cores, pin, startServer } from "./processes.ts";
import { short, table } from "./report-table.ts";

/** Its heading. */
export const passesHeading = "## Passes";

export interface PassPlan {
  /** Each asks again as soon as the response is there, with a wallet of its own. */
  readonly callers: number;
  readonly warmUpMs: number;
  readonly countMs: number;
}

/** Ten blocks for those who pay. */
export const passPlan: PassPlan = { callers: 32, warmUpMs: 3_000, countMs: 20_000 };

/** How a request is opened. */
export const openings = ["a payment each", "a sign-in each", "a token"] as const;

export interface PassFigures {
  readonly opening: (typeof openings)[number];
  readonly perSecond: number;
}

/** How often more requests a token opens than payments do, at least. */
const ratioMin = 20;

const shop = fileURLToPath(new URL("./pass-shop.ts", import.meta.url));

/** Starts chain, service and shop, and measures one opening after the other. */
export async function measurePasses(
  plan: PassPlan,
  tell: (line: string) => void,
): Promise<readonly PassFigures[]> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { callers } = plan;
  const options = { blockTimeSeconds: 2, buyers: callers, relayers: farthingWallets };
  const devnet = await startDevnet(options);
  stack.defer(() => devnet.stop());
  pin(devnet.pid, cores.others);
  const service = await startFarthing(devnet, devnet.rpcUrl);
  stack.defer(async () => void (await service.stop()));
  const network = networkOfChain(devnet.chainId);
  const selling = [devnet.seller.address, network.id, join(folder, "grants.db")];
  const seller = await startServer([shop, service.url, ...selling], {});
  stack.defer(async () => void (await seller.stop()));
  const accounts = devnet.buyers.map(({ privateKey }) => privateKeyToAccount(privateKey));
  const tokens = await Promise.all(
    accounts.map((account) => buyPass(`${seller.url}/pass`, account)),
  );
  const asks: Readonly<Record<PassFigures["opening"], (nth: number) => Promise<Response>>> = {
    "a payment each": (nth) => payFor(`${seller.url}/once`, at(accounts, nth)),
    "a token": (nth) => fetch(`${seller.url}/pass`, showing(passHeaders.token, at(tokens, nth))),
    "a sign-in each": (nth) => signIn(`${seller.url}/pass`, at(accounts, nth)),
  };
  const figures: PassFigures[] = [];
  for (const opening of ["a payment each", "a token", "a sign-in each"] as const) {
    const perSecond = await loop(plan, asks[opening]);
    tell(`${opening}: ${short(perSecond)} requests a second`);
    figures.push({ opening, perSecond });
  }
  return figures;
}

/** Writes the section. */
export function passSection(plan: PassPlan, figures: readonly PassFigures[]): string {
  const speedOf = (wanted: string) =>
    figures.find(({ opening }) => opening === wanted)?.perSecond ?? NaN;
  const base = speedOf("a payment each");
  const ratio = speedOf("a token") / base;
  const rows = openings.map((opening) => [
    opening,
    short(speedOf(opening)),
    opening === "a payment each" ? "" : `${short(speedOf(opening) / base)} times`,
  ]);
  const verdict = ratio >= ratioMin ? "reached" : "**not reached**";
  return [
    passesHeading,
    "",
    `\`npm run bench -- --passes\` measures this part alone: ${plan.callers} callers with a wallet each ask one shop in a closed loop, on a chain with a block every 2 s. The shop keeps its records in SQLite. A payment and a sign-in begin with the challenge. The callers sign on the CPU core that runs the chain. The target is at least ${ratioMin} times as many requests with a token as with a payment each: ${verdict}. A caller that pays for each request waits for a block each time, so ${plan.callers} callers make at most ${plan.callers / 2} payments a second, however fast the facilitator is. A pass needs no block.`,
    "",
    table(["opened by", "requests a second", "beside a payment each"], rows),
    "",
  ].join("\n");
}

/** Good responses a second while it counts. Throws for a response that is not good. */
async function loop(
  { callers, warmUpMs, countMs }: PassPlan,
  ask: (nth: number) => Promise<Response>,
): Promise<number> {
  const begin = performance.now() + warmUpMs;
  const end = begin + countMs;
  let good = 0;
  const run = async (nth: number): Promise<void> => {
    while (performance.now() < end) {
      const response = await ask(nth);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${text}`);
      const now = performance.now();
      if (now >= begin && now < end) good += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_one, nth) => run(nth)));
  return good / (countMs / 1_000);
}

async function payFor(url: string, account: PrivateKeyAccount): Promise<Response> {
  return fetch(url, { headers: await pay(await fetch(url), "v2", { account }) });
}

async function buyPass(url: string, account: PrivateKeyAccount): Promise<string> {
  const response = await payFor(url, account);
  await response.text();
  const token = response.headers.get(passHeaders.token);
  if (token === null) throw new Error(`No pass was sold: HTTP ${response.status}`);
  return token;
}

async function signIn(url: string, account: PrivateKeyAccount): Promise<Response> {
  const challenge = await fetch(url);
  await challenge.text();
  const value = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
  const extensions = isObject(value) ? member(value, "extensions") : undefined;
  const declared = isObject(extensions) ? readSignInDeclaration(extensions) : undefined;
  const [chainId] = declared?.chainIds ?? [];
  if (!declared || chainId === undefined) throw new Error("The challenge asks for no sign-in.");
  const { info } = declared;
  const { address } = account;
  const message = signInText(info, address, chainId);
  const signature = await account.signMessage({ message });
  return fetch(url, showing(signInHeader, encodeSignIn({ ...info, address, chainId, signature })));
}

const showing = (name: string, value: string) => ({ headers: { [name]: value } });

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`There is no caller ${index}.`);
  return found;
}
