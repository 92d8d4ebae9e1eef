/**
 * Signing in where this wallet has paid before (extension `sign-in-with-x`): the seller's text is
 * signed only for the address that was asked, in the one form that is known word for word.
 */
import {
  decodeHeader,
  encodeSignIn,
  findNetwork,
  headerNames,
  isObject,
  member,
  readSignInDeclaration,
  signInText,
} from "@farthing/protocol";
import { checkRequestUrl, type Allow } from "./offer/check-offer.ts";
import type { Signer } from "./signer.ts";

interface SigningTools {
  readonly signer: Signer;
  readonly allow: Allow;
  readonly now: () => number;
}

/** Signs the text of a challenge; undefined where there is none that may be signed. */
export async function signInFor(
  { signer, allow, now }: SigningTools,
  asked: { readonly url: string; readonly method: string },
  challenge: Response,
): Promise<string | undefined> {
  const value = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
  const extensions = isObject(value) ? member(value, "extensions") : undefined;
  const declared = isObject(extensions) ? readSignInDeclaration(extensions) : undefined;
  if (!declared || !signer.signMessage) return undefined;
  const { info, chainIds } = declared;
  const url = new URL(asked.url);
  url.hash = "";
  const isHere = URL.canParse(info.uri) && new URL(info.uri).href === url.href;
  if (!isHere || info.domain !== url.host) return undefined;
  const checks = checkRequestUrl(asked.url, challenge, allow, asked.method, now());
  if (checks.some(({ verdict }) => verdict === "fail")) return undefined;
  const chainId = chainIds.find((one) => findNetwork(one)?.id === one);
  if (chainId === undefined) return undefined;
  const { address } = signer;
  try {
    const signature = await signer.signMessage({ message: signInText(info, address, chainId) });
    return encodeSignIn({ ...info, address, chainId, signature });
  } catch {
    // The person refused: the request can still be paid for.
    return undefined;
  }
}
