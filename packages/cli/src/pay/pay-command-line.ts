/** The command that the owner can review and run where the agent may not pay. */
import type { Quote } from "@farthing/buyer";
import type { RequestInput } from "@farthing/buyer/mcp-server";
import { shellCommand } from "@farthing/protocol";
import type { PayerFlags } from "./payer.ts";

/** A longer body would not be reviewed before the command is run. */
const bodyCharsMax = 2000;

/** Control and format characters can make a line look like another. */
const hidden = /[\p{Cc}\p{Cf}]/u;

/** Flags of the agent's server that the command has to repeat. */
type PaidFrom = Pick<PayerFlags, "wallet" | "walletContract" | "network">;

/**
 * The command for a POSIX shell. Undefined for a request that cannot be shown as it is: its body is
 * long, looks like a file to `-d`, or has characters that a terminal does not show.
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
  return isUnfit || words.some((word) => hidden.test(word)) ? undefined : shellCommand(words);
}
