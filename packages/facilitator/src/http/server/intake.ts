/**
 * Admission of requests. During the start all are refused, because chain and database are unknown.
 * During the shutdown new ones are refused, those in progress get their responses, and each
 * connection closes after its response instead of delaying the shutdown.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpProblem } from "../messages/responses.ts";

export interface Intake {
  /**
   * Refuses new requests from now on. Resolves when none is in progress, or with `sleep`, which the
   * signal ends early. May be called again to wait longer.
   */
  drain(sleep: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** After these seconds another process has taken over. */
const retryAfterSeconds = 5;

const stoppingText = "The service is being stopped; nothing was evaluated, try again shortly.";
const startingText = "The service is being started; nothing was evaluated, try again shortly.";

/** Prepares a server. Must be called before its routes are added. */
export function createIntake(server: FastifyInstance, hasStarted: () => boolean): Intake {
  let isDraining = false;
  let underWay = 0;
  let emptied = new AbortController();

  server.addHook("onRequest", (request, reply, done) => {
    // Liveness does not depend on the start, and readiness is requested during it.
    if (isDraining && !isFor(request, "/health")) return done(refusal(stoppingText));
    if (!hasStarted() && !isFor(request, "/health") && !isFor(request, "/ready")) {
      return done(refusal(startingText));
    }
    underWay++;
    // This also runs when the caller disconnects before the response.
    reply.raw.once("close", () => {
      underWay--;
      if (underWay === 0) emptied.abort();
    });
    done();
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
