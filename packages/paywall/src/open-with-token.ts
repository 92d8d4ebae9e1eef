/** Opens the page with what was paid for earlier. */
import { randomHex, systemRuntime, type ReplayableRequest } from "@farthing/buyer/steps";
import { isObject, member, parseJson, passHeaders } from "@farthing/protocol";
import { forgetToken, keepToken, keptTokens } from "./kept-tokens.ts";

/** Reasons of a 402 after which the token opens nothing any more; other paths may take the rest. */
const ended = /^(pass_(unknown|void|expired|exhausted)|balance_unknown)$/;

/** "Try again" repeats the same request, which takes no other use. */
const idempotencyKey = randomHex(systemRuntime, 16);

/** Undefined when no kept token opens the page. */
export async function openWithToken(
  request: ReplayableRequest,
  signal: AbortSignal,
): Promise<Response | undefined> {
  for (const token of keptTokens()) {
    const response = await request.send(fetch, {
      headers: [
        [passHeaders.token, token],
        ["Idempotency-Key", idempotencyKey],
      ],
      // A redirect would carry the token to another address.
      redirect: "manual",
      signal,
    });
    if (response.status !== 402) {
      keepToken(token);
      return response;
    }
    const body = parseJson(await response.text())?.value;
    const error = isObject(body) ? member(body, "error") : undefined;
    if (ended.test(String(error))) forgetToken(token);
  }
  return undefined;
}
