/**
 * Bounds on the arrival time of requests and on the connections of one address. Both keep a client
 * that sends little from holding sockets and memory.
 */
import type { Socket } from "node:net";
import type { Server } from "node:http";
import { connectionsWithin, networkOfAddress, openFilesIn } from "@farthing/protocol";
import { compile as compileTrust } from "@fastify/proxy-addr";

/** Time limits for the arrival of a request, in milliseconds. */
export interface ArrivalTimes {
  /** Until the headers are complete. It must not exceed `requestMs`: Node swaps the two then. */
  readonly headersMs: number;
  /** Until the body is complete. */
  readonly requestMs: number;
  /** The interval of the check; a slow request lives at most that much longer. */
  readonly checkMs: number;
}

/**
 * A request of 64 KiB arrives within 15 s over any line that can carry a sale, and its headers
 * within 10 s. Node's own defaults are 60 s for headers and a check every 30 s.
 */
export const arrivalTimes: ArrivalTimes = { headersMs: 10_000, requestMs: 15_000, checkMs: 5_000 };

/** Returns Fastify's options for the times. Fastify itself also sets `requestTimeout`. */
export function toServerOptions({ headersMs, requestMs, checkMs }: ArrivalTimes) {
  const http = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
  };
  return { http, requestTimeout: requestMs };
}

export interface ConnectionBound {
  /** Connections that one address may hold (IPv6: one /64); 0 for no bound. */
  readonly max: number;
  /** Exempt, because every client reaches the server through them. */
  readonly trustedProxies: readonly string[];
}

/** Counts the connections of addresses. */
export interface ConnectionCount {
  /** Counts one until the returned function is called; undefined beyond the bound. */
  take(remote: string): (() => void) | undefined;
}

export function createConnectionCount({ max, trustedProxies }: ConnectionBound): ConnectionCount {
  const trusted = compileTrust([...trustedProxies]);
  const open = new Map<string, number>();
  return {
    take(remote) {
      if (max === 0) return () => undefined;
      const caller = networkOfAddress(remote);
      const count = open.get(caller) ?? 0;
      if (count >= max && !trusted(remote, 0)) return undefined;
      open.set(caller, count + 1);
      return () => {
        const left = (open.get(caller) ?? 1) - 1;
        if (left > 0) open.set(caller, left);
        else open.delete(caller);
      };
    },
  };
}

/** Closes connections beyond the bound of their address. */
export function capConnections(server: Server, bound: ConnectionBound): void {
  const count = createConnectionCount(bound);
  server.on("connection", (socket: Socket) => {
    const release = count.take(socket.remoteAddress ?? "");
    if (release) socket.once("close", release);
    else socket.destroy();
  });
}

/** The header in which a worker names the address whose request it passes on. */
export const callerHeader = "x-farthing-caller";

/** For a server that only workers reach: their requests come from the addresses that they name. */
export function believeWorkers(server: Server): void {
  server.prependListener("request", ({ socket, headers }) => {
    // Requests of a connection follow each other, so the name holds until the next one.
    Object.defineProperty(socket, "remoteAddress", {
      value: headers[callerHeader],
      configurable: true,
    });
  });
}

/** Node.js has raised it before any module runs, and the report takes some ten milliseconds. */
let openFiles: { readonly max: number | undefined } | undefined;

/** The file descriptors that this process may open; undefined where the platform does not tell. */
export function openFilesMax(): number | undefined {
  if (!process.report) return undefined;
  // It would look up the names of all connections.
  const report = Object.assign(process.report, { excludeNetwork: true });
  openFiles ??= { max: openFilesIn(report.getReport()) };
  return openFiles.max;
}

/**
 * Leaves descriptors for nodes and the database when callers open more connections than
 * the process may: the newest are closed at once.
 */
export function keepDescriptors(server: Server, filesMax = openFilesMax()): void {
  if (filesMax !== undefined) server.maxConnections = connectionsWithin(filesMax);
}

/** Connections that callers may hold of a process; undefined where the platform does not tell. */
export function callerConnectionsMax(): number | undefined {
  const filesMax = openFilesMax();
  return filesMax === undefined ? undefined : connectionsWithin(filesMax);
}
