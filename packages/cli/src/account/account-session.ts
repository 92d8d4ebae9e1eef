/**
 * A seller's session at a facilitator: the sign-in with a wallet (EIP-4361), the file that keeps the
 * session for the next command, and the requests that it carries.
 */
import { join } from "node:path";
import { isLoopback } from "@farthing/buyer";
import {
  buyerVariables,
  findNetwork,
  isObject,
  member,
  parseJson,
  type ChainId,
  type Hex,
  type JsonObject,
  type Network,
} from "@farthing/protocol";
import { Option, type Command } from "commander";
import { buyerFolder, readIfThere, writePrivateJson } from "../input/buyer-settings.ts";
import { ConfigurationError, UsageError } from "../command/command-errors.ts";
import { parseHttpUrl } from "../input/http-url.ts";
import { addPrintFlags, type PrintFlags } from "../output/print-output.ts";
import { readBodyWithin } from "../input/read-body.ts";
import { whileWaiting } from "../output/waiting.ts";
import { readWallet, type Wallet, type WalletFlags } from "../wallet/wallet.ts";

export interface AccountFlags extends PrintFlags, WalletFlags {
  readonly facilitator?: string;
  readonly network?: string;
  /** The account of the session; that of the wallet by default. */
  readonly account?: string;
}

/** Longer than a held response, which the facilitator bounds at 30 s. */
const timeoutMs = 45_000;

/** A page of 200 listings with their schemas is smaller. */
const responseBytesMax = 8 * 1024 * 1024;

const sessionCookie = "__Host-farthing";
const signInCookie = "__Host-farthing-signin";

/** A session as stored, by the origin of its facilitator. */
interface StoredSession {
  readonly token: string;
  readonly account: string;
  readonly chainId: ChainId;
}

/** The flags of a command that uses an account. */
export function addAccountFlags(command: Command): Command {
  return addPrintFlags(command).addOption(
    new Option("--facilitator <url>", "facilitator of the account").env(
      buyerVariables.facilitatorUrl,
    ),
  );
}

/** The flags of a command that signs. */
export function addSigningFlags(command: Command): Command {
  return addAccountFlags(command)
    .option("--wallet <name>", "sign with this keystore; see `farthing wallet`")
    .option("--wallet-contract <address>", "sign for this ERC-1271 wallet; the key is its owner's")
    .option("--password-stdin", "read the password from the first line of standard input");
}

/** Signs in and stores the session; returns what the facilitator says of it. */
export async function signIn(flags: AccountFlags): Promise<JsonObject> {
  const origin = originOf(flags);
  const wallet = await readWallet(flags, false);
  const { address } = wallet.signer;
  const chainId = await chainOf(origin, flags);
  const { account: named } = flags;
  const input = { address, chainId, ...(named !== undefined && { account: named }) };
  const asked = await send(origin, "POST", "/v1/account/sign-in", { body: input });
  const answer = answerTo(asked.body, wallet, origin);
  const cookie = cookieIn(asked.response, signInCookie);
  const signedIn = await send(origin, "POST", "/v1/account/sign-in/complete", {
    body: answer,
    cookie: `${signInCookie}=${cookie}`,
  });
  const token = cookieIn(signedIn.response, sessionCookie);
  const account = String(member(signedIn.body, "account"));
  writeSession(origin, { token, account, chainId });
  return signedIn.body;
}

/** The chain of the sign-in: the named one, or the first that the facilitator lists. */
async function chainOf(origin: string, flags: AccountFlags): Promise<ChainId> {
  const named = namedNetwork(flags);
  if (named) return named.chainId;
  const { body } = await send(origin, "GET", "/supported");
  const kinds = member(body, "kinds");
  const [first] = Array.isArray(kinds) ? kinds.filter(isObject) : [];
  const listed = first && findNetwork(String(member(first, "network")));
  if (listed) return listed.chainId;
  throw new Error("The facilitator lists no network of XDC.");
}

/** The network of the flag; undefined without it. Throws a UsageError for another one. */
export function namedNetwork({ network }: Pick<AccountFlags, "network">): Network | undefined {
  if (network === undefined) return undefined;
  const named = findNetwork(network);
  if (named) return named;
  throw new UsageError("--network must be eip155:50 or eip155:51.");
}

/** Ends the session and forgets it, also one that has ended. */
export async function signOut(flags: AccountFlags): Promise<void> {
  const origin = originOf(flags);
  const session = readSession(origin);
  if (!session) return;
  await send(origin, "POST", "/v1/account/sign-out", { cookie: cookieOf(session) });
  writeSession(origin, undefined);
}

export type Account = ReturnType<typeof openAccount>;

/** The stored session. Throws a ConfigurationError without one. */
export function openAccount(flags: AccountFlags) {
  const origin = originOf(flags);
  const session = readSession(origin);
  if (!session) throw new ConfigurationError(`Sign in first: farthing account sign-in`);
  const { account, chainId } = session;
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: SendOptions["headers"] = {},
  ): Promise<JsonObject> => {
    const cookie = cookieOf(session);
    return (await send(origin, method, path, { cookie, headers, ...(body && { body }) })).body;
  };
  return {
    account,
    chainId,
    call,
    /** Calls a route that requires a signature which names the action and its details. */
    async callSigned(
      path: string,
      step: { action: string; details: JsonObject },
      body: object,
      method: "POST" | "PATCH" | "DELETE" = "POST",
    ) {
      const wallet = await readWallet(flags, false);
      const asked = await call("POST", "/v1/account/step-up", step);
      const stepUp = answerTo(asked, wallet, origin);
      return call(method, path, { ...body, stepUp });
    },
    /** The objects of a member of a response. */
    async list(path: string, name: string): Promise<readonly JsonObject[]> {
      const found = member(await call("GET", path), name);
      return Array.isArray(found) ? found.filter(isObject) : [];
    },
  };
}

/** The same calls by an API key, for services that have no sessions. */
export function openByKey(flags: AccountFlags, apiKey: string): Pick<Account, "call"> {
  const origin = originOf(flags);
  const authorization = `Bearer ${apiKey}`;
  return {
    call: async (method, path, body, headers) =>
      (
        await send(origin, method, path, {
          headers: { ...headers, authorization },
          ...(body && { body }),
        })
      ).body,
  };
}

/**
 * Signs a text of the facilitator. Another site's text could be passed on for a signature, so it has
 * to be that of the asked host for this wallet.
 */
function answerTo(
  asked: JsonObject,
  { signer, signText }: Wallet,
  origin: string,
): { requestId: string; signature: Hex } {
  const [requestId, message] = [member(asked, "requestId"), member(asked, "message")];
  const { host } = new URL(origin);
  if (typeof requestId !== "string" || typeof message !== "string" || !signText) {
    throw new Error("The facilitator sent no text to sign.");
  }
  const [domain, address] = message.split("\n");
  const isOwn = domain === `${host} wants you to sign in with your Ethereum account:`;
  if (!isOwn || address?.toLowerCase() !== signer.address.toLowerCase()) {
    throw new Error(
      `The facilitator's text is not for ${signer.address} at ${host}; nothing was signed. Use the address that the operator publishes.`,
    );
  }
  return { requestId, signature: signText(message) };
}

interface Sent {
  readonly response: Response;
  readonly body: JsonObject;
}

interface SendOptions {
  readonly body?: object;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(
  origin: string,
  method: string,
  path: string,
  { body, cookie, headers = {} }: SendOptions = {},
): Promise<Sent> {
  const asked = fetch(`${origin}${path}`, {
    method,
    headers: {
      Origin: origin,
      ...headers,
      ...(cookie !== undefined && { Cookie: cookie }),
      ...(body && { "Content-Type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const response = await whileWaiting(`Waiting for ${new URL(origin).host}`, () => asked);
  const bytes = await readBodyWithin(response, responseBytesMax, "ask for less.");
  const value = parseJson(new TextDecoder().decode(bytes))?.value;
  const read = isObject(value) ? value : {};
  if (response.ok) return { response, body: read };
  const message = member(read, "message");
  if (response.status === 401 && cookie?.startsWith(`${sessionCookie}=`)) {
    throw new ConfigurationError("The session has ended. Sign in again: farthing account sign-in");
  }
  throw new Error(
    typeof message === "string"
      ? message.replaceAll(/\p{C}/gu, "")
      : `The facilitator responded with status ${response.status}.`,
  );
}

function cookieIn({ headers }: Response, name: string): string {
  for (const line of headers.getSetCookie()) {
    const value = line.startsWith(`${name}=`) ? /^[^=]+=([^;]+)/.exec(line)?.[1] : undefined;
    if (value !== undefined) return value;
  }
  throw new Error("The facilitator opened no session.");
}

function cookieOf({ token }: StoredSession): string {
  return `${sessionCookie}=${token}`;
}

function originOf({ facilitator }: AccountFlags): string {
  const url = parseHttpUrl(facilitator ?? "");
  if (!url) {
    throw new ConfigurationError(
      "Name the facilitator: --facilitator https://… or FARTHING_FACILITATOR_URL.",
    );
  }
  if (url.protocol === "https:" || isLoopback(url.hostname)) return url.origin;
  throw new ConfigurationError("The session needs HTTPS; name the facilitator by https://….");
}

function readSessions(): JsonObject {
  const value = parseJson(readIfThere(sessionsPath()) ?? "{}")?.value;
  return isObject(value) ? value : {};
}

function readSession(origin: string): StoredSession | undefined {
  const stored = member(readSessions(), origin);
  if (!isObject(stored)) return undefined;
  const { token, account, chainId } = stored;
  if (typeof token !== "string" || typeof account !== "string") return undefined;
  return chainId === 50 || chainId === 51 ? { token, account, chainId } : undefined;
}

function writeSession(origin: string, session: StoredSession | undefined): void {
  const { [origin]: _, ...others } = readSessions();
  const sessions = { ...others, ...(session && { [origin]: session }) };
  writePrivateJson(sessionsPath(), sessions);
}

function sessionsPath(): string {
  return join(buyerFolder(), "sessions.json");
}
