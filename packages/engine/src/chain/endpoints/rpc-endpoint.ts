/**
 * One JSON-RPC endpoint over HTTP, with several calls per request. It never retries: only the
 * caller knows whether repeating is safe. Faults name the endpoint by number, never by its URL,
 * which may hold a key.
 */
import { unescape } from "node:querystring";
import { isObject, type Hex, type JsonObject } from "@farthing/protocol";
import { systemClock, type Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { Secret } from "../../base/secret.ts";
import { postToNode, type NodeRequest, type NodeResponse } from "./rpc-connection.ts";
import { classifyNodeError, revertCode, type NodeError } from "./node-errors.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export type RpcReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: NodeError };

/** An `eth_call` on top of a block, which is given by its number so that a node without it fails. */
export function ethCall(call: object, block: number | "latest" = "latest"): RpcCall {
  return { method: "eth_call", params: [call, blockParameter(block)] };
}

/** A number in the form of JSON-RPC. */
export function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

export function blockParameter(block: number | "latest" | "finalized"): string {
  return typeof block === "number" ? hexOf(block) : block;
}

/** Why an endpoint processed no call of a request. */
export type RequestRefusal =
  | "rate_limited"
  | "batch_too_large"
  | "body_too_large"
  /** One error for several calls, which does not give the reason. */
  | "batch_not_read";

export type RpcResponse =
  | { readonly kind: "answered"; readonly answers: readonly RpcReply[] }
  | {
      readonly kind: "refused";
      readonly refusal: RequestRefusal;
      readonly error: NodeError;
      /** Bytes of the request's body. */
      readonly bodyBytes: number;
      /** The pause that the endpoint asks for, if any. */
      readonly retryAfterMs: number | undefined;
    };

export interface RpcEndpoint {
  readonly index: number;
  /** Makes one HTTP request. After `rpc_unavailable` the effect of the calls is unknown. */
  send(calls: readonly RpcCall[]): Promise<RpcResponse>;
}

/** Largest response that is read; the logs of a full block stay below it. */
const responseBytesMax = 64 * 1024 * 1024;

/** Of a node's error text. */
const errorCharsMax = 300;

/** XDC nodes stop an `eth_call` after 5 s. */
export const rpcTimeoutMsDefault = 10_000;

let nextId = 1;

export function createRpcEndpoint(options: {
  url: Secret;
  index: number;
  timeoutMs?: number;
  clock?: Clock;
}): RpcEndpoint {
  const { url, index, timeoutMs = rpcTimeoutMsDefault, clock = systemClock } = options;
  const unavailable = (what: string) =>
    new Fault("rpc_unavailable", `RPC endpoint ${index}: ${what}`);
  const scrub = createScrubber(url);
  const target = targetOf(url);

  async function post(body: string): Promise<NodeResponse & { text: string }> {
    try {
      const response = await postToNode({ ...target, body, timeoutMs, bytesMax: responseBytesMax });
      const { status, text } = response;
      if (isRedirect(status)) throw unavailable("no answer (it redirects to another address)");
      if (text === undefined) throw unavailable("the answer is too large");
      return { ...response, text };
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw unavailable(`no answer (${transportCause(error)})`);
    }
  }

  async function send(calls: readonly RpcCall[]): Promise<RpcResponse> {
    if (calls.length === 0) return { kind: "answered", answers: [] };
    const requests = calls.map((call) => ({ jsonrpc: "2.0", id: nextId++, ...call }));
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
    const response = await post(body);
    const { status, text } = response;
    const parsed = parseJson(text);
    const whole = errorOfWhole(parsed, requests.length, scrub);
    const refusal = refusalOf(response, whole, requests.length);
    if (refusal) {
      const error = whole ?? { code: status, message: `HTTP ${status}`, data: undefined };
      const retryAfterMs = retryAfter(response.header("retry-after"), clock.nowMs());
      return { kind: "refused", refusal, error, bodyBytes: Buffer.byteLength(body), retryAfterMs };
    }
    if (status === 401 || status === 403) {
      throw unavailable(`HTTP ${status}: the endpoint does not let us in; is its key still valid?`);
    }
    if (parsed === undefined) throw unavailable(`HTTP ${status} without JSON`);
    const answers = Array.isArray(parsed) ? parsed : [parsed];
    const byId = new Map(answers.filter(isObject).map((reply) => [reply["id"], reply]));
    const [first] = answers;
    const read = ({ id, method }: { id: number; method: string }): RpcReply => {
      const reply = requests.length === 1 ? first : byId.get(id);
      if (!isObject(reply)) throw unavailable("an answer is missing");
      const { error, result } = reply;
      if (isObject(error)) return { ok: false, error: readError(error, scrub) };
      if (!("result" in reply)) throw unavailable("an answer has neither result nor error");
      if (method === "eth_call" && typeof result === "string" && revertResult.test(result)) {
        return { ok: false, error: revertError(result) };
      }
      return { ok: true, result };
    };
    return { kind: "answered", answers: requests.map(read) };
  }

  return { index, send };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Of a whole request: one object, a list of it alone (geth), or the same refusal for every call. */
function errorOfWhole(parsed: unknown, count: number, scrub: (text: string) => string) {
  const answers = Array.isArray(parsed) ? parsed : [parsed];
  const errors = answers.flatMap((reply) =>
    isObject(reply) && isObject(reply["error"]) ? [readError(reply["error"], scrub)] : [],
  );
  const [first] = errors;
  if (!first || errors.length < answers.length) return undefined;
  if (answers.length < count || count === 1) return first;
  return errors.find((error) => !isOfRequest(error)) ? undefined : first;
}

function isOfRequest(error: NodeError): boolean {
  const problem = classifyNodeError(error);
  return problem === "rate_limited" || problem === "batch_too_large";
}

function refusalOf({ status, header }: NodeResponse, whole: NodeError | undefined, count: number) {
  const problem = whole && classifyNodeError(whole);
  if (problem === "batch_too_large" && count > 1) return "batch_too_large";
  if (status === 429 || problem === "rate_limited") return "rate_limited";
  if (status === 503 && header("retry-after") !== undefined) return "rate_limited";
  if (status === 413 || (whole && bodyTooLarge.test(whole.message))) return "body_too_large";
  // Internal errors of a node say nothing about the number of calls.
  const isNodes = whole?.code === internalErrorCode || status >= 500 || status === 401;
  return whole && count > 1 && !isNodes && status !== 403 ? "batch_not_read" : undefined;
}

/** How endpoints report a request with too many bytes, other than by HTTP 413. */
const bodyTooLarge =
  /(request|body|payload|content|entity)( entity| size| length| body)?( is)? (too (large|big|long)|exceed)/i;

const internalErrorCode = -32_603;

/** Returns `Retry-After`, a number of seconds or a date, as milliseconds from now. */
function retryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Whether a response redirects the request. The operator has not configured that address. */
function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** A name and a password inside a URL become a header. */
function targetOf(url: Secret): Pick<NodeRequest, "origin" | "path" | "headers"> {
  const { origin, pathname, search, username, password } = new URL(url.expose());
  const login = `${unescape(username)}:${unescape(password)}`;
  const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
  const path = `${pathname}${search}`;
  if (login === ":") return { origin, path, headers };
  const authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  return { origin, path, headers: { ...headers, authorization } };
}

/** Nested causes to inspect: a failed connection is at most three deep. */
const causesMax = 5;

/** Returns a code such as ECONNREFUSED, never a text: that may quote the URL with its key. */
function transportCause(error: unknown): string {
  let cause = error;
  for (let depth = 0; depth < causesMax && cause instanceof Error; depth++) {
    const code = "code" in cause ? cause.code : undefined;
    if (typeof code === "string") return code;
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return error instanceof Error ? error.name : "unknown";
}

/** Redacts node texts: providers quote the URL with its key, nodes the payer's signature. */
function createScrubber(url: Secret): (text: string) => string {
  const { href, host, username, password, pathname, search } = new URL(url.expose());
  const parts = [username, password, ...pathname.split("/"), ...search.split(/[?&=]/)];
  const secrets = [url.expose(), href, ...parts.filter((part) => part.length >= secretCharsMin)];
  return (text) =>
    secrets
      .toSorted((one, other) => other.length - one.length)
      .reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text)
      .replaceAll(/[.:]/.test(host) ? host : href, "[host]")
      .replaceAll(/\bhttps?:\/\/\S+/g, "[url]")
      .replaceAll(/[0-9a-fA-F]{100,}/g, "[bytes]")
      .slice(0, errorCharsMax);
}

/** Path segments this long may be a key; shorter ones are words such as `rpc` and `v2`. */
const secretCharsMin = 8;

/** A revert as a result: the selector of `Error(string)` or `Panic(uint256)`, and words. */
const revertResult = /^0x(08c379a0|4e487b71)([0-9a-f]{64})+$/i;

function revertError(result: string): NodeError {
  return { code: revertCode, message: "execution reverted", data: readRevertData(result) };
}

function readError(error: JsonObject, scrub: (text: string) => string): NodeError {
  const { code, message, data } = error;
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? scrub(message) : "",
    data: readRevertData(data),
  };
}

function readRevertData(data: unknown): Hex | undefined {
  if (typeof data === "string" && /^0x[0-9a-fA-F]*$/.test(data)) return `0x${data.slice(2)}`;
  return isObject(data) ? readRevertData(data["data"]) : undefined;
}
