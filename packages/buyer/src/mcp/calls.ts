/** Calls of tools that may pay: their time limit, and the owner's approval. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Quote } from "../offer/quote.ts";
import { quoteText } from "../offer/read-challenge.ts";

/** Hosts commonly give up after 60 s; the owner's time is not counted. */
const callMs = 50_000;

export class OpenCall {
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Aborted by the host or the time limit. */
  readonly signal: AbortSignal;
  #isSigned = false;
  /** The earlier call of the same request, whose payment this one waits for. */
  #joined: OpenCall | undefined;
  /** Absent when the owner was not asked. */
  approval?: { readonly quote: Quote; readonly answer: Approval };

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
    this.go();
  }

  /** After a signature no result may say "not paid". */
  get isSigned(): boolean {
    return this.#isSigned || this.#joined?.isSigned === true;
  }

  noteSigned(): void {
    this.#isSigned = true;
  }

  join(other: OpenCall): void {
    this.#joined = other;
  }

  go(): void {
    this.#timer = setTimeout(() => {
      this.#stop.abort(new Error(`No answer within ${callMs / 1000} s.`));
    }, callMs);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }
}

export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** Runs a call; a second one of the same request joins the first one's payment. */
  async run<T>(requestId: string, call: OpenCall, work: () => Promise<T>): Promise<T> {
    const first = this.#calls.get(requestId);
    if (first) {
      call.join(first);
      return work();
    }
    this.#calls.set(requestId, call);
    try {
      return await work();
    } finally {
      this.#calls.delete(requestId);
    }
  }

  noteSigned(requestId: string): void {
    this.#calls.get(requestId)?.noteSigned();
  }

  async approve(server: Server, quote: Quote): Promise<boolean> {
    const call = this.#calls.get(quote.requestId);
    if (!call) return false;
    call.pause();
    const answer = await askOwner(server, quote, call.signal);
    call.go();
    call.approval = { quote, answer };
    return answer === "granted";
  }
}

/** Only `granted` pays. */
export type Approval = "granted" | "declined" | "unavailable";

/** A person needs to read, and may be away; then the agent is told to come back. */
const approvalMs = 3 * 60 * 1000;

/** Asks for one quote, which binds method, address, body, payee and amount. */
async function askOwner(server: Server, quote: Quote, signal: AbortSignal): Promise<Approval> {
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
    // No answer in time, or a malformed one.
    return "unavailable";
  }
}

/** Only our text and the terms that would be signed, nothing that the seller wrote. */
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
