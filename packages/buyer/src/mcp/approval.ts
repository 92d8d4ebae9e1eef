/**
 * Asks the owner before a payment that needs a yes: through the host of the MCP client, where it
 * can put a question to its person. The model is never asked, and cannot answer.
 */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Quote } from "../offer/quote.ts";
import { quoteText } from "../offer/read-challenge.ts";

/** How a question ended. Only `granted` pays. */
export type Approval = "granted" | "declined" | "unavailable";

/** A person needs to read, and may be away; after that the agent is told to come back. */
const approvalMs = 3 * 60 * 1000;

/** Asks for one quote, which binds method, address, body, payee and amount. */
export async function askOwner(
  server: Server,
  quote: Quote,
  signal: AbortSignal,
): Promise<Approval> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return "unavailable";
  try {
    const answer = await server.elicitInput(
      {
        mode: "form",
        message: questionOf(quote),
        requestedSchema: {
          type: "object",
          properties: {
            approve: { type: "boolean", title: `Pay ${quote.amountUsdc} USDC`, default: false },
          },
          required: ["approve"],
        },
      },
      { timeout: approvalMs, signal },
    );
    const isYes = answer.action === "accept" && answer.content?.["approve"] === true;
    return isYes ? "granted" : "declined";
  } catch {
    // No answer in time, or one that is none.
    return "unavailable";
  }
}

/** Our own words and the terms that would be signed; nothing that the seller has written. */
function questionOf(quote: Quote): string {
  const { amountUsdc, network, payTo, method, url, bodyHash, checks } = quote;
  const why = checks.filter(({ verdict }) => verdict === "ask").map(({ message }) => message);
  const lines = [
    `Pay ${amountUsdc} USDC on ${network.name}?`,
    `To: ${payTo}`,
    `For: ${method} ${quoteText(url)}`,
    ...(method === "GET" || method === "HEAD" ? [] : [`Body: SHA-256 ${bodyHash}`]),
    ...why,
  ];
  return lines.join("\n");
}
