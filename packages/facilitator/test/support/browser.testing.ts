/** A browser with a wallet, for tests of the account API: keeps cookies, says where it comes from. */
import type { DevnetWallet } from "@farthing/devnet";
import {
  isObject,
  type Address,
  type ChainId,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as OxHex from "ox/Hex";
import * as PersonalMessage from "ox/PersonalMessage";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { textAt, type Answer } from "./facilitator.testing.ts";

/** The cookies of the account API. */
export const cookieNames = {
  session: "__Host-farthing",
  signIn: "__Host-farthing-signin",
} as const;

/** What a request may carry besides its path and body. */
export type Headers = Readonly<Record<string, string>>;

/** A browser window on the dashboard. */
export interface Browser {
  readonly cookies: Map<string, string>;
  /** Every `Set-Cookie` that it was given. */
  readonly setCookies: string[];
  send(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Downloads a CSV file; returns its lines. */
  download(path: string): Promise<string[]>;
  post(path: string, body: unknown, headers?: Headers): Promise<Answer>;
}

/** Opens a window on a service, as its own pages would be. `always` are headers of each request. */
export function openBrowser({ url }: { readonly url: string }, always: Headers = {}): Browser {
  const cookies = new Map<string, string>();
  const setCookies: string[] = [];

  async function send(method: string, path: string, body?: unknown, headers: Headers = {}) {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        origin: url,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...always,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      setCookies.push(line);
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    // Files and empty answers have no members.
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    const parsed: unknown = isJson ? JSON.parse(text) : {};
    if (!isObject(parsed)) throw new Error(`HTTP ${response.status} without a JSON object`);
    return { status: response.status, headers: response.headers, body: parsed };
  }

  return {
    cookies,
    setCookies,
    send,
    get: (path) => send("GET", path),
    async download(path) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(`${url}${path}`, { headers: { cookie } });
      const type = response.headers.get("content-type");
      if (type !== "text/csv; charset=utf-8") throw new Error(`${path} is ${String(type)}`);
      return (await response.text()).trimEnd().split("\r\n");
    },
    post: (path, body, headers) => send("POST", path, body, headers),
  };
}

/** Signs a text as wallets do (`personal_sign`). */
export function signText(text: string, { privateKey }: Pick<DevnetWallet, "privateKey">): Hex {
  const payload = PersonalMessage.getSignPayload(OxHex.fromString(text));
  return Signature.toHex(Secp256k1.sign({ payload, privateKey }));
}

/** Who signs in, where, for which account. */
export interface SignInAs {
  readonly wallet: DevnetWallet;
  /** The contract wallet whose owner signs. */
  readonly address?: Address;
  readonly chainId?: ChainId;
  readonly account?: Address;
}

/** Asks for the text of a sign-in. */
export async function askSignIn(browser: Browser, as: SignInAs): Promise<JsonObject> {
  const { wallet, address = wallet.address, chainId = 51, account } = as;
  const input = { address, chainId, ...(account === undefined ? {} : { account }) };
  const asked = await browser.post("/v1/account/sign-in", input);
  if (asked.status !== 200) throw new Error(`no text: ${JSON.stringify(asked.body)}`);
  return asked.body;
}

/** The signature of a text that was asked for. */
export function answerTo(asked: JsonObject, wallet: DevnetWallet) {
  return {
    requestId: textAt(asked, "requestId"),
    signature: signText(textAt(asked, "message"), wallet),
  };
}

/** Signs in, and gives the answer. */
export async function signIn(browser: Browser, as: SignInAs): Promise<Answer> {
  const asked = await askSignIn(browser, as);
  return browser.post("/v1/account/sign-in/complete", answerTo(asked, as.wallet));
}

/** A window that is signed in. */
export async function openSignedIn(
  served: { readonly url: string },
  as: SignInAs,
): Promise<Browser> {
  const browser = openBrowser(served);
  const answer = await signIn(browser, as);
  if (answer.status !== 200) throw new Error(`not signed in: ${JSON.stringify(answer.body)}`);
  return browser;
}

/** Asks for the text of an action and signs it. */
export async function stepUp(
  browser: Browser,
  wallet: DevnetWallet,
  action: string,
  details: object,
) {
  const asked = await browser.post("/v1/account/step-up", { action, details });
  if (asked.status !== 200) throw new Error(`no text: ${JSON.stringify(asked.body)}`);
  return answerTo(asked.body, wallet);
}
