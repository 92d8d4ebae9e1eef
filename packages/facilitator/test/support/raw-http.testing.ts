/** HTTP as no well-behaved client sends it: bytes to a socket, and what comes back. */
import { connect } from "node:net";
import { isObject, type JsonObject } from "@farthing/protocol";

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: JsonObject;
}

/** Sends bytes and reads until the server closes; an answer must be a JSON object. */
export async function sendRaw(url: string, text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<string>((resolve) => {
    let got = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding("utf8").on("data", (part: string) => (got += part));
    // A server that has said no may close while we still write.
    socket.on("error", () => {});
    socket.on("close", () => resolve(got));
  });
  const [head = "", body = ""] = received.split("\r\n\r\n", 2);
  const parsed: unknown = body === "" ? {} : JSON.parse(body.slice(body.indexOf("{")));
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: isObject(parsed) ? parsed : {},
  };
}

/** A POST with the given header lines and body, closed by the server after its answer. */
export function rawPost(path: string, headers: readonly string[], body: string): string {
  const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
