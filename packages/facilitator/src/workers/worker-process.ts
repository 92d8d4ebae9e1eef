/**
 * The process of a worker. It does what the main process orders and ends with it: a signal for the
 * whole group of processes is the main process's to heed.
 */
import { Socket } from "node:net";
import { createLog } from "@farthing/engine/base";
import { compileSignatures } from "@farthing/protocol/compile-signatures";
import { tells, wireDescriptor } from "./messages.ts";
import type { AnswerMessage, FromWorker, Order } from "./messages.ts";
import { openWire } from "./wire.ts";
import { openWorkerServer, type WorkerServer } from "./worker-server.ts";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

// The main process has ended, so no call can be answered any more.
process.once("disconnect", () => process.exit(0));

let server: WorkerServer | undefined;
const socket = new Socket({ fd: wireDescriptor });
const wire = openWire<AnswerMessage, FromWorker>(socket, (messages) => server?.answer(messages));

process.on("message", (order: Order, connection?: Socket) => {
  if (order.kind === "connection") {
    // A connection may be gone before it gets here.
    if (connection && server) server.take(order.connection, connection);
    else wire.send([tells.closed, order.connection]);
    return;
  }
  void (order.kind === "start" ? start(order) : stop());
});

async function start({ settings }: Extract<Order, { kind: "start" }>): Promise<void> {
  const log = createLog(settings.logLevel);
  await compileSignatures();
  server = await openWorkerServer({ settings, log, send: wire.send });
  process.send?.("ready");
}

async function stop(): Promise<void> {
  await server?.close();
  process.exit(0);
}
