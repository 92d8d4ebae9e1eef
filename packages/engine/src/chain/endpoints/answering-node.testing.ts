/** A node of a test: a server on this machine that answers each request as it is told to. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Starts a server, which ends with the test; returns its host and port. */
export async function serveHere(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `127.0.0.1:${address.port}`;
}
