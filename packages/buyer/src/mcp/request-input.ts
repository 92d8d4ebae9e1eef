/** A request as a model writes it: what it may ask, and what is made of it. */
import * as z from "zod/v4";
import { isLoopback } from "../offer/check-offer.ts";
import { InvalidInputError } from "./tool-result.ts";

/** Longest address that is asked, in characters; servers take 8 KiB with all headers. */
const urlCharsMax = 4096;
/** A model asks questions, it does not upload files. In characters. */
const bodyCharsMax = 256 * 1024;
const headersMax = 32;

/** The input of tools that send a request. */
export const requestShape = {
  url: z.string().max(urlCharsMax).describe("https address"),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  headers: z
    .record(z.string().max(100), z.string().max(4096))
    .refine((headers) => Object.keys(headers).length <= headersMax, "too many headers")
    .optional(),
  body: z.string().max(bodyCharsMax).optional(),
};

/** A request as the model writes it. */
export interface RequestInput {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

/**
 * Makes the request. Throws {@link InvalidInputError}: plain http is asked on this machine alone, and
 * only where the owner allows that, so that a model cannot be sent around his network.
 */
export function requestOf(
  input: RequestInput,
  allowsLocal: boolean,
  signal: AbortSignal,
): [string, RequestInit] {
  const url = URL.canParse(input.url) ? new URL(input.url) : undefined;
  const isLocal = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url?.protocol !== "https:" && !(isLocal && allowsLocal)) {
    throw new InvalidInputError("url is an https address.");
  }
  const { headers, body } = input;
  const method = input.method ?? (body === undefined ? "GET" : "POST");
  const init = {
    method,
    signal,
    // A redirect is shown to the model, which may ask the new address: its limits are checked anew.
    redirect: "manual" as const,
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(body === undefined ? {} : { body }),
  };
  try {
    // Throws for a header that is none, and for a body with GET.
    return [new Request(url, init).url, init];
  } catch (cause) {
    throw new InvalidInputError(cause instanceof Error ? cause.message : "It is no request.");
  }
}
