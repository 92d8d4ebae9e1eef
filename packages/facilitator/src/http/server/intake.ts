/**
 * Admission of requests. During the start all are refused, because chain and database are unknown.
 * During the shutdown new ones are refused, those in progress get their responses, and each
 * connection closes after its response instead of delaying the shutdown.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpProblem } from "../messages/responses.ts";

export interface Intake {
  /** Whether new requests are refused because the service stops. */
  isDraining(): boolean;
  /** The refusal of a new request, where there is one. */
  refuse(): HttpProblem | undefined;
  /** Counts a request as in progress until the returned function is called. */
  begin(): () => void;
  /** Refuses new requests from now on. */
  stop(): void;
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

export function createIntake(hasStarted: () => boolean): Intake {
  let isDraining = false;
  let underWay = 0;
  let emptied = new AbortController();
  return {
    isDraining: () => isDraining,
    refuse() {
      if (isDraining) return refusal(stoppingText);
      return hasStarted() ? undefined : refusal(startingText);
    },
    begin() {
      underWay++;
      return () => {
        underWay--;
        // Only a shutdown waits for it. Each abort creates an exception, also one without effect.
        if (isDraining && underWay === 0) emptied.abort();
      };
    },
    stop() {
      isDraining = true;
    },
    async drain(sleep) {
      isDraining = true;
      emptied = new AbortController();
      if (underWay > 0) await sleep(emptied.signal);
    },
  };
}

/** Prepares a server. Must be called before its routes are added. */
export function guardServer(server: FastifyInstance, intake: Intake): void {
  server.addHook("onRequest", (request, reply, done) => {
    const refused = intake.refuse();
    // Liveness does not depend on the start, and readiness is requested during it.
    const isProbe = isFor(request, "/health") || (!intake.isDraining() && isFor(request, "/ready"));
    if (refused && !isProbe) return done(refused);
    // This also runs when the caller disconnects before the response.
    reply.raw.once("close", intake.begin());
    done();
  });
  server.addHook("onSend", (_request, reply, payload, done) => {
    if (intake.isDraining()) reply.header("Connection", "close");
    done(null, payload);
  });
  server.addHook("preClose", async () => intake.stop());
}

/** Tells whether a request is for this route of any surface. */
function isFor({ routeOptions }: FastifyRequest, route: string): boolean {
  return routeOptions.url?.endsWith(route) ?? false;
}

function refusal(message: string): HttpProblem {
  return new HttpProblem("service_unavailable", message, retryAfterSeconds);
}
