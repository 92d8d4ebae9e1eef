/** Repeats of what fails at once at a node that is half broken. */
import type { Clock } from "../../base/clock.ts";
import { lateTimes } from "./asked-endpoint.ts";
import { classifyNodeError } from "./node-errors.ts";
import { isUnexplained } from "./reply-content.ts";
import { rpcTimeoutMsDefault, type RpcReply } from "./rpc-endpoint.ts";

/** Attempts of a read: at a node that fails 45 % of its requests, one of a hundred fails all. */
export const triesMax = 6;

/** Of a send, which is sent again with the next block anyhow. */
const sendsMax = 4;

/** A failure that took longer is no momentary one. */
export const momentaryMs = 1_000;

const firstPauseMs = 25;

export function repeatPauseMs(tries: number): number {
  return firstPauseMs * 2 ** (tries - 1);
}

/** A read that is repeated soon anyhow: how long it is waited for beyond what is usual. */
const promptMs = 2_000;

/** For reads that are worth nothing late. */
export function promptly(chain: { usualMs(): number }): { readonly withinMs: number } {
  return { withinMs: Math.min(rpcTimeoutMsDefault, promptMs + lateTimes * chain.usualMs()) };
}

/**
 * Sends signed bytes until there is a reply. A node that has them from an earlier attempt says so; any
 * other refusal after an attempt without a reply does not tell what became of that one.
 */
export async function sendAgain(
  send: () => Promise<RpcReply[] | undefined>,
  deps: { readonly clock: Clock; isWorthIt(tries: number, triedMs: number): boolean },
): Promise<RpcReply[] | undefined> {
  const isAgain = (tries: number, triedMs: number) =>
    tries < sendsMax && deps.isWorthIt(tries, triedMs);
  let wasUnclear = false;
  for (let tries = 1; ; tries++) {
    const triedMs = deps.clock.nowMs();
    try {
      const replies = await send();
      const isClear = !replies?.every(isUnexplained) || !isAgain(tries, triedMs);
      if (isClear) return wasUnclear ? replies?.map(clearOnly) : replies;
    } catch (error) {
      if (!isAgain(tries, triedMs)) throw error;
    }
    wasUnclear = true;
    await deps.clock.sleep(repeatPauseMs(tries));
  }
}

function clearOnly(reply: RpcReply): RpcReply {
  return reply.ok || classifyNodeError(reply.error) === "already_known" ? reply : unclear;
}

const unclear: RpcReply = {
  ok: false,
  error: { code: 0, message: "an earlier attempt had no reply", data: undefined },
};
