/** Requests to key services: each attempt and their number are bounded, because a wallet waits. */
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, misconfigured } from "../../base/fault.ts";

/** A key service answers in well under a second; the wallet's lease runs for 15 s meanwhile. */
const attemptMs = 2_000;

/** A second attempt helps against a lost connection; more would only keep payments waiting. */
const attemptsMax = 2;

/** Long enough for a throttled or restarted service to accept one more request. */
const pauseMs = 100;

/** A reply after which asking again would get the same one. */
export class SignerRefusal extends Error {}

/**
 * Returns what `ask` returns; `sentenceOf` describes a failure without any secret. Throws the fault
 * `signer_unavailable`, and at the start, where only another configuration helps, `configuration`.
 */
export async function askSigner<T>(
  service: string,
  ask: (signal: AbortSignal) => Promise<T>,
  sentenceOf: (error: unknown) => string,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const signal = AbortSignal.timeout(attemptMs);
    try {
      return await orTimedOut(ask(signal), signal);
    } catch (error) {
      if (attempt < attemptsMax && !(error instanceof SignerRefusal)) {
        await sleep(pauseMs);
        continue;
      }
      const problem = signal.aborted ? `no reply within ${attemptMs} ms` : sentenceOf(error);
      throw new Fault("signer_unavailable", `${service}: ${problem}`);
    }
  }
}

/** Ends the wait also when a client ignores its signal. */
function orTimedOut<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("timed out")), { once: true });
    work.then(resolve, reject);
  });
}

/** Makes a failure of the start a fault of the configuration, which names what to change. */
export async function atStart<T>(work: Promise<T>, fix: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault && error.code === "signer_unavailable") {
      throw misconfigured(`${error.message}; ${fix}`);
    }
    throw error;
  }
}
