/** A service whose requests are read by workers, as a listener like that of a single process. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock, type LogLevel, type Runtime } from "@farthing/engine/base";
import {
  arrivalTimes,
  callerConnectionsMax,
  type ArrivalTimes,
  type ConnectionBound,
} from "../http/server/connections.ts";
import type { HttpServer, Listener } from "../http/server/server.ts";
import { createCallDesks, type CallDeskDeps } from "./call-desk.ts";
import { Fleet } from "./fleet.ts";
import { createPublicPort } from "./public-port.ts";

export interface WorkersDeps extends Runtime, Omit<CallDeskDeps, "intake" | "limits"> {
  readonly server: HttpServer;
  /** The number of workers. */
  readonly count: number;
  readonly connections: ConnectionBound;
  readonly arrival: ArrivalTimes | undefined;
  readonly logLevel: LogLevel;
  /** The environment of a worker, which holds no secret. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Serves through workers instead of through the server's own port. */
export function withWorkers(deps: WorkersDeps): Listener {
  const { server, connections, context, arrival = arrivalTimes, logLevel, tracing } = deps;
  let folder: string | undefined;
  const connectionsMax = callerConnectionsMax();
  const fleet = new Fleet({
    ...deps,
    // Processes start and end in the machine's time, whatever the service's clock shows.
    clock: systemClock,
    // Each may need a second descriptor, for the request that it passes on.
    connectionsMax: connectionsMax === undefined ? Number.POSITIVE_INFINITY : connectionsMax / 2,
    createDesk: createCallDesks({ ...deps, intake: server.intake, limits: server.limits }),
    settingsOf: (worker) => ({
      basePaths: context.surfaces.map(({ basePath }) => basePath),
      trustedProxies: connections.trustedProxies,
      arrival,
      logLevel,
      isTraced: tracing !== undefined,
      mainPath: join(folder ?? "", "main"),
      ownPath: join(folder ?? "", `${worker}`),
    }),
  });
  const port = createPublicPort(connections, (socket, closed) => fleet.give(socket, closed));
  return {
    async listen(at) {
      const url = await port.listen(at);
      // Only this user may enter it (mode 0700).
      folder = await mkdtemp(join(tmpdir(), "farthing-"));
      await server.listenPrivately(join(folder, "main"));
      await fleet.start();
      return url;
    },
    async close() {
      port.close();
      await fleet.stop();
      await server.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
