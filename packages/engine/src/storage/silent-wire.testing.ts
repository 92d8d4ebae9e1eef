/** A way to a database that can fall silent without closing, as a broken network does. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Starts a wire to a database's server. */
export async function startSilentWire(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let server = serverOf(target);
  const silenced = new Set<Socket>();
  /** Connections that hear what processes tell each other. */
  const listening = new Set<Socket>();
  const near = new Set<Socket>();
  const open = new Set<Socket>();
  let isSilent = false;
  const wire = createServer((caller) => {
    const far = connect(server.port, server.hostname);
    near.add(caller);
    for (const [from, to] of [
      [caller, far],
      [far, caller],
    ] as const) {
      open.add(from);
      from.on("data", (bytes) => {
        if (bytes.includes("listen farthing_changes")) listening.add(caller);
        // What fell silent stays so: its packets are lost, not late.
        if (isSilent) silenced.add(caller);
        if (!silenced.has(caller)) to.write(bytes);
      });
      from.on("close", () => to.destroy());
      from.on("error", () => {});
    }
  });
  wire.listen(0, "127.0.0.1");
  await once(wire, "listening");
  const address = wire.address();
  if (typeof address !== "object" || !address) throw new Error("a listening server has a port");
  target.hostname = "127.0.0.1";
  target.port = String(address.port);
  return {
    /** Of the database, by way of the wire. */
    databaseUrl: target.href,
    /** From then on connections that carry anything lose it, and keep losing it afterwards. */
    hush: (silent: boolean) => {
      isSilent = silent;
    },
    /**
     * Leads new connections to another server, as an address does that a standby takes over. Of the
     * others, those that listen fall silent, and the rest are cut.
     */
    moveTo: (url: string) => {
      server = serverOf(new URL(url));
      for (const one of near) {
        if (listening.has(one)) silenced.add(one);
        else one.destroy();
      }
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      wire.close();
    },
  };
}

function serverOf({ hostname, port }: URL) {
  return { hostname, port: Number(port || 5432) };
}
