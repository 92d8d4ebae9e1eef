/**
 * Bounds on connections: how slowly a request may arrive, and how many connections one address may
 * hold. Both keep a client that sends little from holding sockets and memory of the gateway.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { connectionsWithin, networkOfAddress, openFilesIn } from "@farthing/protocol";
import { compile as compileTrust } from "@fastify/proxy-addr";

/** Longest times for the parts of a request to arrive, in milliseconds. */
export interface ArrivalTimes {
  /** Until the headers are complete. Node swaps the two values when it exceeds `requestMs`. */
  readonly headersMs: number;
  /** Until the body is complete as well. */
  readonly requestMs: number;
  /** Interval of the checks; a slow request lives that much longer at most. */
  readonly checkMs: number;
}

/** A body may be a large upload over a slow line. Node's own limit for headers is 60 s. */
export const arrivalTimes: ArrivalTimes = { headersMs: 10_000, requestMs: 300_000, checkMs: 5_000 };

/** Times of the metrics port, which takes no bodies. */
export const metricsArrivalTimes: ArrivalTimes = { ...arrivalTimes, requestMs: 15_000 };

/** More than a company behind one address opens, and few of the process's descriptors. */
export const maxConnectionsPerAddress = 1_000;

/** Returns the options of Fastify for these times; it sets `requestTimeout` once more. */
export function toServerOptions({ headersMs, requestMs, checkMs }: ArrivalTimes) {
  const http = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
  };
  return { http, requestTimeout: requestMs };
}

/** Closes connections beyond `max` from one address (IPv6: /64), except trusted proxies. */
export function capConnections(
  server: Server,
  { max, trustedProxies }: { readonly max: number; readonly trustedProxies: readonly string[] },
): void {
  const trusted = compileTrust([...trustedProxies]);
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const remote = socket.remoteAddress ?? "";
    const caller = networkOfAddress(remote);
    const count = open.get(caller) ?? 0;
    if (count >= max && !trusted(remote, 0)) {
      socket.destroy();
      return;
    }
    open.set(caller, count + 1);
    socket.once("close", () => {
      const left = (open.get(caller) ?? 1) - 1;
      if (left > 0) open.set(caller, left);
      else open.delete(caller);
    });
  });
}

/** The file descriptors that this process may open; undefined where the platform does not tell. */
export function openFilesMax(): number | undefined {
  if (!process.report) return undefined;
  // It would look up the names of all connections.
  return openFilesIn(Object.assign(process.report, { excludeNetwork: true }).getReport());
}

/**
 * Leaves descriptors for the upstream and the facilitators when callers open more connections than
 * the process may: the newest are closed at once.
 */
export function keepDescriptors(server: Server, filesMax = openFilesMax()): void {
  if (filesMax !== undefined) server.maxConnections = connectionsWithin(filesMax);
}
