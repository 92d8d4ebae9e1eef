/** Calls to the account API of the facilitator that serves this page. */
import { isObject, member, textMembers } from "@farthing/protocol";

/** Longer than the 30 s for which the service holds a long poll. */
const callTimeoutMs = 45_000;

interface ProblemDetails {
  /** 0 when the service was not reached. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
  readonly retryable: boolean;
}

/** A failed call: what happened, what to do, and the request ID for support. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly details: ProblemDetails;

  constructor(details: ProblemDetails) {
    super(details.message);
    this.details = details;
  }
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the service and returns its JSON response. Throws {@link ApiProblem}. */
export async function call<Result>(path: string, options: CallOptions = {}): Promise<Result> {
  const { method = "GET", body, headers = {}, signal } = options;
  const timeout = AbortSignal.timeout(callTimeoutMs);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: "no-store",
      headers: {
        Accept: "application/json",
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiProblem({
      status: 0,
      code: "unreachable",
      message: "The service did not respond. Check your connection and try again.",
      requestId: "",
      retryable: true,
    });
  }
  if (!response.ok) throw await readProblem(response);
  const result: Result = response.status === 204 ? undefined : await response.json();
  return result;
}

async function readProblem(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => undefined);
  const known = isObject(body) ? body : {};
  const { error, message, requestId } = textMembers(known, "error", "message", "requestId");
  return new ApiProblem({
    status: response.status,
    code: error || `http_${response.status}`,
    message: message || `The service responded with status ${response.status}.`,
    requestId: requestId || (response.headers.get("X-Request-Id") ?? ""),
    retryable: member(known, "retryable") === true || response.status >= 502,
  });
}
