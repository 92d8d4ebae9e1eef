/**
 * Requests that need not be a `Request` of the Fetch API: the commonest ones, which are answered with
 * less work. Whatever is not of this kind takes the whole exchange.
 */
import { addressCharsMax, isSimpleTarget } from "./request-address.ts";

/** A request as Node has it: names of headers in lower case, the target checked and in origin form. */
export interface PlainRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** HEAD and OPTIONS get other responses. */
const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Whether the address is one that no parser reads in another way, and none of these headers is there. */
export function isOrdinary(
  { method, target, headers }: PlainRequest,
  otherHeaders: readonly string[],
  targetCharsMax = addressCharsMax,
): boolean {
  if (!methods.has(method) || otherHeaders.some((name) => headers[name] !== undefined))
    return false;
  // A URL does not keep a question mark without a query.
  return target.length <= targetCharsMax && !target.endsWith("?") && isSimpleTarget(target);
}
