/** A way to a database that can fall silent without closing, as a broken network does. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Starts a wire to a database's server. */
export async function startSilentWire(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const { hostname } = target;
  const port = Number(target.port || 5432);
  const silenced = new Set<Socket>();
  const open = new Set<Socket>();
  let isSilent = false;
  const wire = createServer((near) => {
    const far = connect(port, hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("data", (bytes) => {
        // What fell silent stays so: its packets are lost, not late.
        if (isSilent) silenced.add(near);
        if (!silenced.has(near)) to.write(bytes);
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
    stop: () => {
      for (const socket of open) socket.destroy();
      wire.close();
    },
  };
}
