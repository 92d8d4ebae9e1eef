/** Input before money: the seller's own check of a request, before it costs anything. */
import { readBytes } from "../body.ts";
import { ConfigurationError } from "../option-values.ts";
import { refuseRequest, uncharged } from "../responses.ts";

/** Returns the response to a wrong request, of 400 or above; undefined for a right one. */
export type InputCheck = (request: Request) => Response | undefined | Promise<Response | undefined>;

type Bytes = Uint8Array<ArrayBuffer>;

interface UncheckedRequest {
  readonly check: InputCheck | undefined;
  readonly request: Request;
  readonly bodyBytesMax: number;
  readonly readBody?: (bytesMax: number) => Promise<Bytes | undefined>;
}

/** Checks a request whose body has not been read yet. */
export async function checkInput(unchecked: UncheckedRequest): Promise<Response | undefined> {
  const { check, request, bodyBytesMax, readBody } = unchecked;
  if (!check) return undefined;
  const own = readBody ?? ((max: number) => readBytes(request.clone().body, max));
  const body = await own(bodyBytesMax);
  if (body) return runCheck(check, request, body);
  const message = `A request has at most ${bodyBytesMax} bytes of body.`;
  return refuseRequest({ status: 413, error: "request_too_large", message });
}

/** Throws what the check throws. */
export async function runCheck(
  check: InputCheck,
  { url, method, headers }: Request,
  body: Bytes,
): Promise<Response | undefined> {
  const init = { method, headers, ...(body.byteLength > 0 ? { body } : {}) };
  const response = await check(new Request(url, init));
  if (!response) return undefined;
  if (response.status >= 400) return uncharged(response, response.body);
  throw new Error(`The check responded ${response.status}; only 400 and above refuses a request.`);
}

export function parseInputCheck(check: InputCheck | undefined): InputCheck | undefined {
  if (check === undefined || typeof check === "function") return check;
  throw new ConfigurationError("check", "a function of the request", "(request) => undefined");
}

/** Reads a body once for all who need it: the stream of node:http can be read only once. */
export function readOnce<T extends Pick<UncheckedRequest, "readBody">>(options: T): T {
  const { readBody } = options;
  if (!readBody) return options;
  let reading: Promise<Bytes | undefined> | undefined;
  return { ...options, readBody: (bytesMax: number) => (reading ??= readBody(bytesMax)) };
}
