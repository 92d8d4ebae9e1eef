/** What status and headers of a response tell about its body. */

const bodiless = new Set([204, 205, 304]);

/** Whether a response of this status has no body; a `Response` cannot be made with one. */
export function isBodiless(status: number): boolean {
  return bodiless.has(status);
}

/** Whether the body is a stream of events, which is of no use when it arrives at its end. */
export function isEventStream(headers: Pick<Headers, "get">): boolean {
  return (headers.get("Content-Type") ?? "").startsWith("text/event-stream");
}
