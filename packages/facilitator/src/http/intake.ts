/**
 * Which requests are taken. During the start none is judged, since neither chain nor database is
 * known yet. During the stop new ones are told to come back, those under way are answered, and each
 * connection ends with its answer: kept alive, it would hold the stop up until the client lets go
 * of it, a minute or more.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpProblem } from "./responses.ts";

export interface Intake {
  /**
   * From now on new requests are refused. Resolves when none is under way, or with `sleep`, which
   * the signal ends early. Can be called again to wait on.
   */
  drain(sleep: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** After these seconds another process has taken over. */
const retryAfterSeconds = 5;

const stoppingText = "The service is being stopped; nothing was judged, try again shortly.";
const startingText = "The service is being started; nothing was judged, try again shortly.";

/** Prepares a server. Must be called before its routes are added. */
export function createIntake(server: FastifyInstance, hasStarted: () => boolean): Intake {
  let isDraining = false;
  let underWay = 0;
  let emptied = new AbortController();

  server.addHook("onRequest", async (request, reply) => {
    // Liveness does not depend on the start, and readiness is requested during it.
    if (isDraining && !isFor(request, "/health")) throw refusal(stoppingText);
    if (!hasStarted() && !isFor(request, "/health") && !isFor(request, "/ready")) {
      throw refusal(startingText);
    }
    underWay++;
    // This also runs when the caller disconnects before the response.
    reply.raw.once("close", () => {
      underWay--;
      if (underWay === 0) emptied.abort();
    });
  });
  server.addHook("onSend", (_request, reply, payload, done) => {
    if (isDraining) reply.header("Connection", "close");
    done(null, payload);
  });
  server.addHook("preClose", async () => {
    isDraining = true;
  });

  return {
    async drain(sleep) {
      isDraining = true;
      emptied = new AbortController();
      if (underWay > 0) await sleep(emptied.signal);
    },
  };
}

/** Tells whether a request is for this route of any surface. */
function isFor({ routeOptions }: FastifyRequest, route: string): boolean {
  return routeOptions.url?.endsWith(route) ?? false;
}

function refusal(message: string): HttpProblem {
  return new HttpProblem("service_unavailable", message, retryAfterSeconds);
}
