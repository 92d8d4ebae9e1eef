/** The command that buys from a listing. All of it but the flags was written by its seller. */
import { apothem, networkOfChain, shellCommand, shellUrl, shortUsdc } from "@farthing/protocol";
import { sampleUrlOf, type Listing } from "./model.ts";

type Sold = Pick<Listing, "resource" | "method" | "chainId" | "amount" | "sample">;

export function buyCommand(sold: Sold): string {
  const { method, chainId, amount, sample } = sold;
  const hasBody = sample.body !== undefined && method !== "GET";
  const network = networkOfChain(chainId);
  return shellCommand([
    "npx",
    "farthing",
    "pay",
    ...(method === (hasBody ? "POST" : "GET") ? [] : ["-X", method]),
    ...(hasBody ? ["-H", "Content-Type: application/json", "-d", toAscii(sample.body)] : []),
    ...(network === apothem ? ["--network", network.id] : []),
    "--max-amount",
    shortUsdc(amount),
    shellUrl(sampleUrlOf(sold)),
  ]);
}

/**
 * JSON without characters that a terminal would act on, hide or show in another order, and without
 * those that end a quoted word or a command in cmd.exe or PowerShell.
 */
function toAscii(value: unknown): string {
  // First the escapes of quotes, so that every quote in the text begins or ends one of its texts.
  return JSON.stringify(value)
    .replaceAll(/\\["\\]/g, (escape) => escaped(escape.slice(1)))
    .replaceAll(/[\u007f-\uffff'&|<>^%!`$]/g, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
