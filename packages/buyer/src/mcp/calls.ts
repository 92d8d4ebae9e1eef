/** Calls of tools that may pay: their time, and the owner's answer to each. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { askOwner, type Approval } from "./approval.ts";
import type { Quote } from "../offer/quote.ts";

/**
 * How long a call may take, in milliseconds, the owner's time not counted: hosts commonly give up
 * after 60 s, and the same request id finds the payment again.
 */
const callMs = 50_000;

/** One call under way. */
export class OpenCall {
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Of the host, and of the time. */
  readonly signal: AbortSignal;
  #isSigned = false;
  /** The call of the same name whose payment this one waits for. */
  #joined: OpenCall | undefined;
  /** What the owner was asked, and said; absent when nobody had to be asked. */
  approval?: { readonly quote: Quote; readonly answer: Approval };

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#stop.signal]);
    this.go();
  }

  /** Whether a signature has been made for it: from then on nobody may say "not paid". */
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

/** The calls under way by their request ids. */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  /** Runs one call under a name; a second one of that name joins the first one's payment. */
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

  /** Asks the owner for the call that a quote belongs to. */
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
