/** A browser wallet (EIP-1193) and the meaning of its errors. */
import { isObject, member, parseWireAddress, type Address } from "@farthing/protocol";

export interface Provider {
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
  on?(event: string, listener: (value: unknown) => void): unknown;
  removeListener?(event: string, listener: (value: unknown) => void): unknown;
}

export type WalletErrorCode =
  /** No wallet has been selected. */
  | "not_chosen"
  /** The person rejected the request: 4001. */
  | "rejected"
  /** An earlier request is still open in the wallet: -32002. */
  | "already_open"
  /** Another account is selected than the one that has to sign. */
  | "other_account"
  /** The account changed during the request. */
  | "account_changed"
  /** The wallet stays on another network. */
  | "other_network"
  /** The wallet does not support the request. */
  | "unable"
  | "failed";

/** A wallet did not do what it was asked; the message says what to do. */
export class WalletProblem extends Error {
  readonly code: WalletErrorCode;
  /** The values in the message, for those who write it in another language. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: WalletErrorCode, message: string, details = {}) {
    super(message);
    this.name = "WalletProblem";
    this.code = code;
    this.details = details;
  }
}

/** The code in a wallet's error. Some wrap their node's error, and its code with it. */
export function codeOf(error: unknown): number | undefined {
  if (!isObject(error)) return undefined;
  const inner = member(error, "data");
  const original = isObject(inner) ? member(inner, "originalError") : undefined;
  // Wallets throw instances of Error, whose `code` may be inherited.
  for (const one of [original, error]) {
    const code = isObject(one) ? one["code"] : undefined;
    if (typeof code === "number") return code;
  }
  return undefined;
}

/** Throws {@link WalletProblem}, or the signal's reason when it aborts first. */
export async function ask(
  provider: Provider,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  signal?.throwIfAborted();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
  });
  try {
    // A wallet whose window is closed may never respond: the signal ends the wait.
    return await Promise.race([provider.request({ method, params }), aborted]);
  } catch (error) {
    signal?.throwIfAborted();
    throw toProblem(error);
  } finally {
    if (abort) signal?.removeEventListener("abort", abort);
  }
}

function toProblem(error: unknown): unknown {
  switch (codeOf(error)) {
    case 4001:
      return new WalletProblem("rejected", "Nothing was signed. Try again when you are ready.");
    case -32002:
      return new WalletProblem(
        "already_open",
        "An earlier request is still open in your wallet. Approve or reject it there, then try again.",
      );
    // switchNetwork handles an unknown network itself.
    case 4902:
      return error;
    case 4200:
    case -32601:
      return new WalletProblem(
        "unable",
        "This wallet does not support the request. Try a different wallet.",
      );
    default:
      return failed(messageOf(error));
  }
}

function failed(reason: string): WalletProblem {
  const message = `Your wallet reported a problem: ${reason}. Try again, or use a different wallet.`;
  return new WalletProblem("failed", message, { reason });
}

/** Enough of a wallet's text to recognise it. */
const messageCharactersMax = 160;

function messageOf(error: unknown): string {
  const message = isObject(error) ? error["message"] : error;
  const text = typeof message === "string" && message !== "" ? message : "no reason given";
  return text.slice(0, messageCharactersMax).replace(/\.$/, "");
}

/** The valid addresses in an `eth_accounts` response or an `accountsChanged` event. */
export function readAddresses(value: unknown): Address[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [];
  return texts.map(parseWireAddress).filter((address) => address !== undefined);
}

/** Wallets write a chain id as `0x33`. */
export function readChainId(value: unknown): number | undefined {
  const chainId = typeof value === "string" || typeof value === "number" ? Number(value) : NaN;
  return Number.isSafeInteger(chainId) ? chainId : undefined;
}
