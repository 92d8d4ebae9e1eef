/** Ports for programs that have to be told one. */
import { createServer } from "node:net";

/**
 * Below the ports that a system gives to connections and to listeners without a port (Linux: from
 * 32,768), so that none of those takes one between its choice here and the start of the program.
 */
const firstPort = 20_000;
/** Each worker of the tests has its own. Eight workers are the most, and no file needs a hundred. */
const portsPerWorker = 1_000;
const workerPort = firstPort + Number(process.env["VITEST_POOL_ID"] ?? 0) * portsPerWorker;

/** A file that follows in the same worker is another process, and seldom begins where this one did. */
let turn = process.pid;

/** Ports without a listener. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries++) {
    if (tries === portsPerWorker) throw new Error("no free port");
    const port = workerPort + (turn++ % portsPerWorker);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
