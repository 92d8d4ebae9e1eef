/** A browser wallet as EIP-1193 has it, and what its errors mean. */
import { isObject, member } from "@farthing/protocol";

/** What a wallet puts at our disposal. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
  on?(event: string, listener: (value: unknown) => void): unknown;
  removeListener?(event: string, listener: (value: unknown) => void): unknown;
}

/** Why a wallet did not do what it was asked. */
export type WalletErrorCode =
  /** Nobody has chosen a wallet yet. */
  | "not_chosen"
  /** The person said no: 4001. */
  | "rejected"
  /** An earlier request still waits in the wallet: -32002. */
  | "already_open"
  /** It is on another account than the one that has to sign. */
  | "other_account"
  /** Its account changed while we waited for it. */
  | "account_changed"
  /** It stays on another network. */
  | "other_network"
  /** It cannot do this at all. */
  | "unable"
  | "failed";

/** A wallet did not do what it was asked; the message says what to do. */
export class WalletProblem extends Error {
  readonly code: WalletErrorCode;

  constructor(code: WalletErrorCode, message: string) {
    super(message);
    this.name = "WalletProblem";
    this.code = code;
  }
}

/** The number in an error of a wallet. Some wrap the error of their node and with it the number. */
export function codeOf(error: unknown): number | undefined {
  if (!isObject(error)) return undefined;
  const inner = member(error, "data");
  const original = isObject(inner) ? member(inner, "originalError") : undefined;
  // Wallets throw instances of Error: `code` may be inherited, so it is read as a property.
  for (const one of [original, error]) {
    const code = isObject(one) ? one["code"] : undefined;
    if (typeof code === "number") return code;
  }
  return undefined;
}

/** Asks a wallet; throws {@link WalletProblem}, or the signal's reason when it aborts first. */
export async function ask(
  provider: Provider,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  signal?.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    // A wallet whose window is closed may never answer: the signal is the way out.
    return await Promise.race([provider.request({ method, params }), aborted]);
  } catch (error) {
    signal?.throwIfAborted();
    throw toProblem(error);
  } finally {
    signal?.removeEventListener("abort", abort);
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
    // 4900 and 4901: disconnected, here kept for the caller of switchNetwork as they are.
    case 4902:
      return error;
    case 4200:
    case -32601:
      return new WalletProblem(
        "unable",
        "This wallet does not support the request. Try a different wallet.",
      );
    default:
      return new WalletProblem(
        "failed",
        `Your wallet reported a problem: ${messageOf(error)}. Try again, or use a different wallet.`,
      );
  }
}

/** Enough of a stranger's text to recognise it. */
const messageCharactersMax = 160;

function messageOf(error: unknown): string {
  const message = isObject(error) ? error["message"] : error;
  const text = typeof message === "string" && message !== "" ? message : "no reason given";
  return text.slice(0, messageCharactersMax).replace(/\.$/, "");
}
