/** A SQLite file that another process is setting up. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Starts another connection to a file, which writes to it for 100 ms; resolves once it has begun. */
export async function writeMeanwhile(path: string): Promise<void> {
  const code = `
    const { DatabaseSync } = require("node:sqlite");
    const { parentPort, workerData } = require("node:worker_threads");
    const file = new DatabaseSync(workerData);
    file.exec("begin immediate");
    parentPort.postMessage("writing");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    file.exec("commit");
    file.close();`;
  const other = new Worker(code, { eval: true, workerData: path });
  await once(other, "message");
}
