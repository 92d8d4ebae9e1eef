/**
 * The port of a service with workers. The main process accepts each connection, so that the bounds on
 * connections hold for all workers together, and hands it to a worker before it reads from it.
 */
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { isIPv6 } from "node:net";
import {
  callerConnectionsMax,
  createConnectionCount,
  type ConnectionBound,
} from "../http/server/connections.ts";

export interface PublicPort {
  /** Returns the base URL. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  close(): void;
}

/** `give` passes a connection on; `closed` has to be called when it has closed. */
export function createPublicPort(
  bound: ConnectionBound,
  give: (socket: Socket, closed: () => void) => void,
): PublicPort {
  const count = createConnectionCount(bound);
  const max = callerConnectionsMax() ?? Number.POSITIVE_INFINITY;
  const servers: Server[] = [];
  let open = 0;

  function accept(socket: Socket): void {
    const release = open < max ? count.take(socket.remoteAddress ?? "") : undefined;
    if (!release) return void socket.destroy();
    open++;
    give(socket, () => {
      open--;
      release();
    });
  }

  async function listenAt(host: string, port: number): Promise<Server> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }, accept);
    server.listen(port, host);
    await once(server, "listening");
    servers.push(server);
    return server;
  }

  return {
    async listen({ host, port }) {
      const [address = host, ...others] = host === "localhost" ? await addressesOf(host) : [host];
      const bound = (await listenAt(address, port)).address();
      if (bound === null || typeof bound === "string") throw new Error("The port has no address");
      // A machine may have only one of the two loopback addresses.
      for (const other of others) await listenAt(other, bound.port).catch(() => undefined);
      return urlOf(bound.address, bound.port);
    },
    close() {
      for (const server of servers) server.close();
    },
  };
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** A server that listens everywhere is reached on this machine. */
function urlOf(address: string, port: number): string {
  if (address === "0.0.0.0") return `http://127.0.0.1:${port}`;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}
