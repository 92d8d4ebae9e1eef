/** One HTTP call of a kit's client, whose result is a value whatever happens. */
import { isObject, parseJson, type JsonObject } from "@farthing/protocol";

/** What came back. */
export interface HttpAnswer {
  /** Undefined: no response came. */
  readonly status: number | undefined;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is a JSON object. */
  readonly body: JsonObject | undefined;
  /** Why no response came. */
  readonly fault: string;
  /** None came in time. */
  readonly isLate: boolean;
}

/** Posts JSON, or a text that is none. */
export function postJson(
  url: string,
  body: JsonObject | string,
  options: {
    readonly timeoutMs: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signals?: readonly AbortSignal[];
  },
): Promise<HttpAnswer> {
  const { timeoutMs, headers = {}, signals = [] } = options;
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.any([...signals]),
  };
  return request(url, init, timeoutMs);
}

/** Sends a request; the time limit covers the body of the response. */
export async function request(
  url: string,
  init: RequestInit,
  timeoutMs: number,
): Promise<HttpAnswer> {
  try {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
    const response = await fetch(url, { redirect: "manual", ...init, signal });
    const text = await response.text();
    const body = parseJson(text)?.value;
    const read = isObject(body) ? body : undefined;
    const { status, headers } = response;
    return { status, headers, text, body: read, fault: "", isLate: false };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const fault = isLate ? `no answer within ${timeoutMs / 1000} s` : "the connection was cut";
    const headers = new Headers();
    return { status: undefined, headers, text: "", body: undefined, fault, isLate };
  }
}

/** A line about an answer. */
export function describeAnswer({ status, text, fault }: HttpAnswer): string {
  return status === undefined ? fault : `${status} ${shorten(text)}`;
}

const shownCharactersMax = 300;

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= shownCharactersMax ? line : `${line.slice(0, shownCharactersMax)}…`;
}
