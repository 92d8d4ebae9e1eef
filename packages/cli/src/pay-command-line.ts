/** The command with which the owner pays what an agent may not: for him to read and run. */
import type { Quote } from "@farthing/buyer";
import type { RequestInput } from "@farthing/buyer/mcp-server";

/** No person reads a longer body before running the command. In characters. */
const bodyCharsMax = 2000;

/** Control and format characters: they make a line look like another. */
const hidden = /[\p{Cc}\p{Cf}]/u;

/** What the agent's server was started with, and the owner's own command must not leave open. */
export interface PaidFrom {
  readonly wallet?: string;
  readonly walletContract?: string;
  readonly network?: string;
}

/**
 * Writes the command for a POSIX shell. Undefined for a request that cannot be shown as it is: a
 * body that is long, looks like `-d`'s word for a file, or holds what a terminal does not show.
 */
export function payCommandLine(
  quote: Quote,
  { headers, body }: RequestInput,
  { wallet, walletContract, network }: PaidFrom = {},
): string | undefined {
  const { url, method, requestId, amountUsdc, payTo, checks } = quote;
  const isMoved = checks.some(({ name, verdict }) => name === "pin" && verdict === "ask");
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const words = [
    "farthing",
    "pay",
    ...(method === (body === undefined ? "GET" : "POST") ? [] : ["-X", method]),
    ...lines.flatMap((line) => ["-H", line]),
    ...(body === undefined ? [] : ["-d", body]),
    ...(wallet === undefined ? [] : ["--wallet", wallet]),
    ...(walletContract === undefined ? [] : ["--wallet-contract", walletContract]),
    ...(network === undefined ? [] : ["--network", network]),
    "--max-amount",
    amountUsdc,
    "--request-id",
    requestId,
    ...(isMoved ? ["--accept-payee", payTo] : []),
    url,
  ];
  const isUnfit = body !== undefined && (body.startsWith("@") || body.length > bodyCharsMax);
  return isUnfit || words.some((word) => hidden.test(word))
    ? undefined
    : words.map(quoted).join(" ");
}

function quoted(word: string): string {
  if (/^[A-Za-z0-9_./:=-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
