/** Commands to a program that is measured: it listens, does what it is told, and returns figures. */
import { createServer } from "node:http";
import { addressOf } from "@farthing/seller/testing/listen";
import type { Server } from "../processes.ts";

/** What a program does for each name, with the values that it is sent. */
export type Commands = Readonly<Record<string, (input: URLSearchParams) => Promise<unknown>>>;

/** Prints where it listens, as `startServer` reads it. */
export function serveCommands(commands: Commands): void {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const run = commands[pathname.slice(1)] ?? (() => Promise.reject(new Error("Unknown command")));
    void run(searchParams)
      .then((result) => response.end(JSON.stringify(result)))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1", () => {
    process.stderr.write(`It listens on ${addressOf(server)}\n`);
  });
}

/** Sends a command and returns its figures. Rejects with the program's error. */
export async function command<Figures>(
  { url }: Server,
  name: string,
  input: Readonly<Record<string, string>> = {},
): Promise<Figures> {
  const response = await fetch(`${url}/${name}?${new URLSearchParams(input)}`);
  if (!response.ok) throw new Error(`${name} failed: ${await response.text()}`);
  // The program is part of the benchmark, which knows the type.
  const figures: Figures = await response.json();
  return figures;
}
