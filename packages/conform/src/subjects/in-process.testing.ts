/** A subject that runs in this process: an HTTP server that is started and killed at one address. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { Subject, SubjectEnvironment } from "../run/subject.ts";

/** `open` returns what answers requests of one life, which ends with `onKill`. */
export function createSubjectInProcess(
  env: SubjectEnvironment,
  open: () => { readonly listener: RequestListener; readonly onKill?: () => void },
): Subject {
  const port = Number(env["CONFORM_PORT"]);
  let running: { readonly server: Server; readonly onKill?: () => void } | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    isRunning: () => running !== undefined,
    output: () => "",
    async start() {
      const { listener, ...life } = open();
      const server = createServer(listener);
      running = { server, ...life };
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    },
    async kill() {
      const ended = running;
      running = undefined;
      ended?.onKill?.();
      if (!ended) return;
      const closed = new Promise((resolve) => ended.server.close(resolve));
      ended.server.closeAllConnections();
      await closed;
    },
  };
}
