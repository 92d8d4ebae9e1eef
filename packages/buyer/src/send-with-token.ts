/** The request before anything is paid: with the token of a pass or balance, a sign-in, or neither. */
import { defined, passHeaders, signInHeader } from "@farthing/protocol";
import { readUse, type KnownPass, type TokenUse } from "./passes.ts";
import type { PayingOrder, PayingTools } from "./pay-once.ts";
import type { ReplayableRequest } from "./replayable-request.ts";
import { signInFor } from "./sign-in.ts";

export type UnpaidCall = Omit<PayingOrder, "quotation">;

/**
 * Tokens that are tried for one request: the one known to open it, and newer ones of other
 * processes. Top-ups at one time replace each other's tokens, in an order that only the seller knows.
 */
const tokensTriedMax = 4;

/** Sends the request with a token where there is one, else unpaid; a 402 may name another token. */
export async function sendWithToken(
  tools: PayingTools,
  call: UnpaidCall,
): Promise<TokenUse & { readonly response: Response }> {
  const { request } = call;
  const { passes } = tools;
  // The caller may show who they are in their own way.
  if ([passHeaders.token, signInHeader].some((name) => request.headers.has(name))) {
    return { response: await sendUnpaid(tools, request) };
  }
  const known = await passes.for(request.url);
  let response = await (known ? sendPass(tools, call, known) : sendUnpaid(tools, request));
  if (response.status !== 402) return { response, ...(known ? readUse(response) : {}) };
  const url = response.url === "" ? request.url : response.url;
  const tried = new Set(known ? [known.token] : []);
  while (response.status === 402 && tried.size < tokensTriedMax) {
    const other = await passes.after(response, url, tried);
    if (!other) break;
    tried.add(other.token);
    response.body?.cancel().catch(() => {});
    response = await sendPass(tools, call, other, url);
  }
  if (response.status === 402) response = await sendSignIn(tools, call, response, url);
  return response.status === 402 ? { response } : { response, ...readUse(response) };
}

/** Signs in where the challenge asks who it is; else returns the challenge. */
async function sendSignIn(
  tools: PayingTools,
  call: UnpaidCall,
  challenge: Response,
  url: string,
): Promise<Response> {
  const { passes, runtime, signer, allow } = tools;
  if (!passes.maySignIn(url)) return challenge;
  const { method } = call.request;
  const signing = { signer, allow, now: () => runtime.now() };
  const signed = await signInFor(signing, { url: call.request.url, method }, challenge);
  if (signed === undefined) return challenge;
  const response = await sendShowing(tools, call, [signInHeader, signed], url);
  await passes.recordSignIn(url, response);
  challenge.body?.cancel().catch(() => {});
  return response;
}

async function sendPass(
  tools: PayingTools,
  call: UnpaidCall,
  pass: KnownPass,
  url: string = call.request.url,
): Promise<Response> {
  const response = await sendShowing(tools, call, [passHeaders.token, pass.token], url);
  await tools.passes.recordResponse(pass, url, response);
  return response;
}

async function sendShowing(
  { fetch }: PayingTools,
  { request, terms, isNamed }: UnpaidCall,
  shown: [name: string, value: string],
  url: string,
): Promise<Response> {
  const { signal } = request;
  // Repeats of a named request take one use together.
  const key: [string, string][] =
    isNamed && !request.headers.has("Idempotency-Key")
      ? [["Idempotency-Key", terms.requestId]]
      : [];
  return request.send(fetch, {
    headers: [shown, ...key],
    url,
    // A redirect would carry the header to another address.
    redirect: "manual",
    ...defined({ signal }),
  });
}

export function sendUnpaid({ fetch }: PayingTools, request: ReplayableRequest): Promise<Response> {
  return request.send(fetch, request.signal ? { signal: request.signal } : {});
}
