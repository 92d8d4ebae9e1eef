/** The command that buys from a listing. All of it but the flags was written by its seller. */
import { apothem, networkOfChain, shellCommand, shortUsdc } from "@farthing/protocol";
import type { Listing } from "./model.ts";

type Sold = Pick<Listing, "resource" | "method" | "chainId" | "amount" | "sample">;

export function buyCommand({ resource, method, chainId, amount, sample }: Sold): string {
  const url = new URL(resource);
  for (const [name, value] of Object.entries(sample.query ?? {})) url.searchParams.set(name, value);
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
    url.href,
  ]);
}

/** JSON without characters that a terminal would act on, hide or show in another order. */
function toAscii(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
