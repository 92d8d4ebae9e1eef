/**
 * Wallets in the page, as extensions put them there: announced by EIP-6963, asked by EIP-1193. The
 * page holds a thin shell only; keys stay in Node, and a test turns their moods from there.
 */
import { numberToHex, type Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { BrowserContext, Page } from "playwright-core";
import { isObject, type Address } from "@farthing/protocol";

/** How a wallet takes the next requests that need its person. */
export type Mood = "sign" | "reject" | "busy" | "hang";

/** A wallet in the page, as a test sees it. */
export interface MockWallet {
  readonly name: string;
  /** The accounts it holds; the first is the one in use. */
  keys: readonly Hex[];
  mood: Mood;
  chainId: number;
  /** Chains that it knows; others have to be added first. */
  readonly known: number[];
  /** Its own connection to the chain; without one it knows nothing of it. */
  readonly rpc: Rpc | undefined;
  /** Methods that it does not want to hear of. */
  readonly refuses: string[];
  /** A contract that its first key owns: the account that it shows. */
  readonly speaksFor: Address | undefined;
  /** Every method that it was asked, with the parameters. */
  readonly asked: { readonly method: string; readonly params: readonly unknown[] }[];
}

/** What a test says of a wallet. */
export interface WalletGiven {
  readonly name: string;
  readonly keys: readonly Hex[];
  readonly chainId?: number;
  readonly known?: readonly number[];
  /** At `window.ethereum`, without announcing itself. */
  readonly isOld?: boolean;
  readonly rpc?: Rpc;
  readonly speaksFor?: Address;
}

/** Asks a node. */
export type Rpc = (method: string, params: unknown[]) => Promise<unknown>;

/** What goes back into the page. Errors travel as data: a thrown one would lose its number. */
interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  /** An event that the wallet fires after this. */
  readonly emit?: readonly [event: string, value: unknown];
}

const no = (code: number, message: string): Reply => ({ error: { code, message } });

const needsPerson = /^(eth_requestAccounts|personal_sign|eth_signTypedData_v4|wallet_)/;

/** Puts wallets into every page of a context that is opened from now on. */
export async function installWallets(
  context: BrowserContext,
  given: readonly WalletGiven[],
): Promise<readonly MockWallet[]> {
  const wallets = given.map(
    ({ name, keys, chainId = 51, known = [50, 51], rpc, speaksFor }): MockWallet => ({
      name,
      keys,
      mood: "sign",
      chainId,
      known: [...known],
      rpc,
      refuses: [],
      speaksFor,
      asked: [],
    }),
  );
  const connected = new Set<MockWallet>();
  await context.exposeFunction("__ask", async (name: string, method: string, params: unknown) => {
    const wallet = wallets.find((one) => one.name === name);
    if (!wallet) throw new Error(`There is no wallet ${name}.`);
    const list: readonly unknown[] = Array.isArray(params) ? params : [];
    wallet.asked.push({ method, params: list });
    return answer(wallet, connected, method, list);
  });
  const shells = given.map(({ name, isOld = false }) => ({ name, isOld }));
  await context.addInitScript(putShells, shells);
  return wallets;
}

async function answer(
  wallet: MockWallet,
  connected: Set<MockWallet>,
  method: string,
  params: readonly unknown[],
): Promise<Reply> {
  if (needsPerson.test(method)) {
    if (wallet.mood === "reject") return no(4001, "User rejected the request.");
    if (wallet.mood === "busy") return no(-32002, "Request already pending.");
    if (wallet.mood === "hang") return new Promise(() => {});
  }
  if (wallet.refuses.includes(method)) return no(-32603, "Not now.");
  const own = wallet.keys.map((key) => privateKeyToAccount(key).address);
  const addresses = wallet.speaksFor === undefined ? own : [wallet.speaksFor];
  const signer = (address: unknown) =>
    wallet.keys
      .map((key) => privateKeyToAccount(key))
      .find((_one, at) => addresses[at]?.toLowerCase() === String(address).toLowerCase());
  switch (method) {
    case "eth_requestAccounts":
      connected.add(wallet);
      return { result: addresses };
    case "eth_accounts":
      return { result: connected.has(wallet) ? addresses : [] };
    case "eth_chainId":
      return { result: numberToHex(wallet.chainId) };
    case "personal_sign": {
      const raw: Hex = `0x${String(params[0]).slice(2)}`;
      const signed = await signer(params[1])?.signMessage({ message: { raw } });
      return signed === undefined ? no(4100, "Not my account.") : { result: signed };
    }
    case "eth_signTypedData_v4": {
      const typed = JSON.parse(String(params[1]));
      if (Number(typed.domain.chainId) !== wallet.chainId) {
        return no(-32603, "chainId does not match the active chain");
      }
      const signed = await signer(params[0])?.signTypedData(typed);
      return signed === undefined ? no(4100, "Not my account.") : { result: signed };
    }
    case "wallet_addEthereumChain":
      wallet.known.push(chainIn(params));
      return { result: null };
    case "wallet_switchEthereumChain": {
      const chainId = chainIn(params);
      if (!wallet.known.includes(chainId)) return no(4902, "Unrecognized chain ID.");
      wallet.chainId = chainId;
      return { result: null, emit: ["chainChanged", numberToHex(chainId)] };
    }
    default:
      if (wallet.rpc && /^eth_(call|blockNumber|get\w+)$/.test(method)) {
        return { result: await wallet.rpc(method, [...params]) };
      }
      return no(-32601, `${method} is not there.`);
  }
}

function chainIn([first]: readonly unknown[]): number {
  return Number(isObject(first) ? first["chainId"] : NaN);
}

type Listener = (value: unknown) => void;

/** What the shells need of the page. */
interface PageGlobals {
  __ask(name: string, method: string, params: unknown): Promise<Reply>;
  __emit: Record<string, (event: string, value: unknown) => void>;
  ethereum?: object;
}

/** Runs in the page, before its own scripts. */
function putShells(shells: readonly { readonly name: string; readonly isOld: boolean }[]): void {
  // In the page `Object` gives back its global object, of which TypeScript here knows nothing.
  const page: PageGlobals = Object(globalThis);
  page.__emit = {};
  for (const { name, isOld } of shells) {
    const listeners = new Map<string, Listener[]>();
    const of = (event: string) => listeners.get(event) ?? [];
    const emit = (event: string, value: unknown) => {
      for (const listener of of(event)) listener(value);
    };
    page.__emit[name] = emit;
    const provider = {
      async request({ method, params }: { method: string; params?: unknown }) {
        const { result, error, emit: event } = await page.__ask(name, method, params);
        if (error) throw Object.assign(new Error(error.message), error);
        if (event) emit(...event);
        return result;
      },
      on: (event: string, listener: Listener) => listeners.set(event, [...of(event), listener]),
      removeListener: (event: string, listener: Listener) =>
        listeners.set(
          event,
          of(event).filter((one) => one !== listener),
        ),
    };
    if (isOld) {
      page.ethereum = provider;
      continue;
    }
    const info = { uuid: `uuid of ${name}`, name, icon: "", rdns: `test.${name.toLowerCase()}` };
    const announce = () => {
      const detail = Object.freeze({ info, provider });
      dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    };
    addEventListener("eip6963:requestProvider", announce);
    announce();
  }
}

/** Moves a wallet to other accounts, as its person does in its window. */
export async function changeAccount(
  page: Page,
  wallet: MockWallet,
  keys: readonly Hex[],
): Promise<void> {
  wallet.keys = keys;
  const addresses = keys.map((key) => privateKeyToAccount(key).address);
  await page.evaluate(
    ([name, list]) => {
      const emits: unknown = Reflect.get(globalThis, "__emit");
      const emit: unknown = Reflect.get(Object(emits), name);
      if (typeof emit === "function") emit("accountsChanged", list);
    },
    [wallet.name, addresses] as const,
  );
}
