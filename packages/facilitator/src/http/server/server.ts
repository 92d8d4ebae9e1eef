/** The HTTP server: routes, error responses and shared limits. */
import type { FastifyError, FastifyInstance } from "fastify";
import type { Runtime } from "@farthing/engine/base";
import { HttpProblem } from "../messages/responses.ts";
import {
  believeWorkers,
  capConnections,
  keepDescriptors,
  type ArrivalTimes,
} from "./connections.ts";
import { createInProcessFetch } from "./in-process-fetch.ts";
import { createIntake, guardServer, type Intake } from "./intake.ts";
import { createThrottle, prepareLimits, type RouteLimits } from "../access/limits.ts";
import { observeResponses, type HttpObserver } from "./observe.ts";
import { describeRoutes, type Tag } from "../openapi/openapi.ts";
import { nameRequests, openHttp, translate } from "./open-http.ts";
import { sendProblem } from "./send-problem.ts";
import { nothingHere } from "./nothing-here.ts";
import { siteLinks } from "../site/site-links.ts";
import type { Surface } from "../access/surface.ts";
import { traceRequests, type RequestTracing } from "./trace-requests.ts";

export interface Listener {
  /** Returns the resulting base URL. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  close(): Promise<void>;
}

/** The steps of a start, in this order. Requests are accepted when both are done. */
export type StartStep = "chain" | "database" | "done";

export interface ServerContext extends Runtime {
  readonly version: string;
  readonly surfaces: readonly Surface[];
  readonly observer: HttpObserver;
  /** Requests per caller and window; 0 for no limit. */
  readonly limits: { readonly requestsMax: number };
  startStep(): StartStep;
}

/** The server of the surfaces, which can refuse new requests before it closes. */
export interface HttpServer extends Listener {
  readonly intake: Intake;
  readonly limits: RouteLimits;
  /**
   * Listens on a socket that only workers reach, and believes them whose requests they pass on. The
   * folder of `path` must be closed to other users.
   */
  listenPrivately(path: string): Promise<void>;
  /** Sends a request without a socket. */
  readonly fetch: typeof globalThis.fetch;
}

export async function createServer(
  context: ServerContext,
  options: {
    readonly trustedProxies: readonly string[];
    /** Connections that one address may hold; 0 for no bound. */
    readonly connectionsMax: number;
    readonly arrival?: ArrivalTimes | undefined;
    /** Additional sections of the OpenAPI document. */
    readonly tags: readonly Tag[];
    /** Address of the guides that the API reference links to. */
    readonly docsUrl?: string | undefined;
    /** Undefined if nothing is traced. */
    readonly tracing?: RequestTracing | undefined;
    registerRoutes(server: FastifyInstance, limits: RouteLimits): Promise<void>;
  },
): Promise<HttpServer> {
  const { trustedProxies, connectionsMax: max } = options;
  const server = openHttp(context, options);
  keepDescriptors(server.server);
  capConnections(server.server, { max, trustedProxies });
  if (options.tracing) traceRequests(server, options.tracing);
  const hasAccounts = context.surfaces.some(({ name }) => name !== "self-built");
  server.decorate("pageLinks", siteLinks(hasAccounts, options.docsUrl));
  handleErrors(server, context, collectRoutes(server));
  nameRequests(server);
  const intake = createIntake(() => context.startStep() === "done");
  guardServer(server, intake);
  observeResponses(server, context.observer);
  const { version, surfaces } = context;
  const { tags, docsUrl } = options;
  await describeRoutes(server, { version, surfaces, tags, docsUrl });
  const { requestsMax } = context.limits;
  const { clock } = context;
  const makeLimit = prepareLimits(clock, requestsMax > 0);
  const throttle = createThrottle(makeLimit, requestsMax, { clock, isForSettle: false });
  const settleThrottle = createThrottle(makeLimit, requestsMax, { clock, isForSettle: true });
  const limits = { throttle, settleThrottle, makeLimit };
  await options.registerRoutes(server, limits);
  return {
    listen: (at) => server.listen({ ...at }),
    close: () => server.close(),
    intake,
    limits,
    async listenPrivately(path) {
      believeWorkers(server.server);
      await server.listen({ path });
    },
    fetch: createInProcessFetch(server),
  };
}

interface Route {
  readonly method: string;
  readonly pattern: readonly string[];
}

/** Collects the routes that are registered from now on. */
function collectRoutes(server: FastifyInstance): readonly Route[] {
  const routes: Route[] = [];
  server.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, pattern: url.split("/") });
  });
  return routes;
}

/** Returns the methods of a path, or none if no route matches. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  const parts = path.split("/");
  const found = routes.filter(
    ({ pattern }) =>
      pattern.length === parts.length &&
      pattern.every((part, index) => part.startsWith(":") || part === parts[index]),
  );
  return [...new Set(found.map(({ method }) => method))];
}

function handleErrors(
  server: FastifyInstance,
  context: ServerContext,
  routes: readonly Route[],
): void {
  // Not async: Fastify would send a second response while hooks still process the first one.
  server.setErrorHandler((error: FastifyError, request, reply) => {
    sendProblem(context, request, reply, translate(error, context));
  });
  server.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(routes, request.url.split("?")[0] ?? "/");
    if (methods.length > 0) reply.header("Allow", methods.join(", "));
    const problem =
      methods.length > 0
        ? new HttpProblem("method_not_allowed", `Use ${methods.join(" or ")} here.`)
        : nothingHere(context.surfaces);
    sendProblem(context, request, reply, problem);
  });
}
