/** A request as a model writes it. */
import { isIP } from "node:net";
import { defined, isLoopback, isPublicAddress } from "@farthing/protocol";
import * as z from "zod/v4";
import { InvalidInputError } from "./tool-result.ts";

/** In characters; servers accept 8 KiB with all headers. */
const urlCharsMax = 4096;
/** In characters: a model asks questions, it does not upload files. */
const bodyCharsMax = 256 * 1024;
const headersMax = 32;

export const requestShape = {
  url: z.string().max(urlCharsMax).describe("https address"),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  headers: z
    .record(z.string().max(100), z.string().max(4096))
    .refine((headers) => Object.keys(headers).length <= headersMax, "too many headers")
    .optional(),
  body: z.string().max(bodyCharsMax).optional(),
};

export type RequestInput = Readonly<z.infer<z.ZodObject<typeof requestShape>>>;

/**
 * Whether an address is of this machine or its network; where a name leads is looked at when it is
 * connected to.
 */
function isInside({ hostname }: URL): boolean {
  const name = hostname.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1");
  return isLoopback(name) || (isIP(name) !== 0 && !isPublicAddress(name));
}

/**
 * This machine and its network need the owner's permission, and plain http needs this machine. Throws
 * {@link InvalidInputError}.
 */
export function requestOf(
  input: RequestInput,
  allowsLocal: boolean,
  signal: AbortSignal,
): [string, RequestInit] {
  const url = URL.canParse(input.url) ? new URL(input.url) : undefined;
  const isPlain = url?.protocol === "http:" && isLoopback(url.hostname);
  if (!url || (url.protocol !== "https:" && !isPlain) || (isInside(url) && !allowsLocal)) {
    throw new InvalidInputError("url is an https address of the internet.");
  }
  const { headers, body } = input;
  const method = input.method ?? (body === undefined ? "GET" : "POST");
  const init = {
    method,
    signal,
    // The model sees a redirect and may request the new address, which is checked anew.
    redirect: "manual" as const,
    ...defined({ headers: headers && { ...headers }, body }),
  };
  try {
    // Throws for a malformed header, and for a body with GET.
    return [new Request(url, init).url, init];
  } catch (cause) {
    throw new InvalidInputError(cause instanceof Error ? cause.message : "It is no request.");
  }
}
