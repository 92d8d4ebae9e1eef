/**
 * The HTTP server of a worker. It reads requests to /verify and /settle and writes their responses;
 * what lies in between is the main process's, which also serves every other path.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "@farthing/engine/base";
import { settleNotEvaluated, verifyNotEvaluated } from "@farthing/engine/x402";
import { HttpProblem, problemResponse } from "../http/messages/responses.ts";
import { requireBody } from "../http/server/read-body.ts";
import { logProblem } from "../http/server/send-problem.ts";
import { cleanTarget, nameRequests, openHttp, translate } from "../http/server/open-http.ts";
import { traceHeaders } from "../http/server/trace-requests.ts";
import { callHeaders, readAsked } from "../payments/payment-call.ts";
import { writeAsked } from "./asked-message.ts";
import {
  routeNames,
  tells,
  type AnswerMessage,
  type AskedMessage,
  type FromWorker,
  type ProblemMessage,
  type WorkerSettings,
} from "./messages.ts";
import { createPassOn } from "./pass-on.ts";

/**
 * Calls of a worker that wait for their response. The main process lets as many payments wait for one
 * statement of its database.
 */
const openCallsMax = 10_000;

export interface WorkerServer {
  /** Writes the responses that the main process has made. */
  answer(messages: readonly AnswerMessage[]): void;
  /** Serves a connection that the main process has accepted. */
  take(connection: number, socket: Socket): void;
  /** Closes idle connections now and each other one after its response; resolves without any. */
  close(): Promise<void>;
}

interface WorkerDeps {
  readonly settings: WorkerSettings;
  readonly log: Log;
  send(message: FromWorker): void;
}

export async function openWorkerServer(deps: WorkerDeps): Promise<WorkerServer> {
  const { settings, log, send } = deps;
  const context = { log, surfaces: [] };
  const server = openHttp(context, settings);
  const calls = createOpenCalls(deps);
  nameRequests(server);
  for (const [surface, basePath] of settings.basePaths.entries()) {
    for (const [route, name] of routeNames.entries()) {
      server.post(`${basePath}/${name}`, {
        // It runs after those of all routes, whose refusals do not concern the caller.
        onRequest: (request, _reply, done) => {
          calls.expect(request);
          done();
        },
        preHandler: requireBody,
        handler: (request, reply) => {
          const asked = writeAsked(readAsked(request.body), hasKey(request));
          calls.open({ request, reply, surface, route, asked });
        },
        errorHandler: (error, request, reply) => {
          const asked = calls.problemOf(request, translate(error, context));
          calls.open({ request, reply, surface, route, asked });
        },
      });
    }
  }
  passOthersOn(server, settings);
  await server.listen({ path: settings.ownPath });
  const sockets = new Set<Socket>();
  return {
    answer: calls.answer,
    take(connection, socket) {
      sockets.add(socket);
      send([tells.taken, connection]);
      socket.once("close", () => {
        sockets.delete(socket);
        send([tells.closed, connection]);
      });
      // A server that accepts by itself does so, too.
      socket.setNoDelay(true);
      server.server.emit("connection", socket);
    },
    async close() {
      await server.close();
      await Promise.all([...sockets].map((socket) => closed(socket)));
    },
  };
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
}

/** Whether the account of a key may have a log of its calls. */
function hasKey({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined;
}

/** Has requests to other paths passed on before anything else is done with them. */
function passOthersOn(server: FastifyInstance, { basePaths, mainPath }: WorkerSettings): void {
  const paths = new Set(basePaths.flatMap((base) => routeNames.map((name) => `${base}/${name}`)));
  const passOn = createPassOn(mainPath);
  const { server: http } = server;
  const own = http.listeners("request");
  http.removeAllListeners("request");
  http.on("request", (request, response) => {
    if (!isCall(request, paths)) return passOn(request, response);
    for (const listener of own) listener.call(http, request, response);
  });
}

/** A form that a browser sends gets a page, which the main process writes. */
function isCall({ method, url = "/", headers }: IncomingMessage, paths: ReadonlySet<string>) {
  if (method !== "POST" || headers["sec-fetch-mode"] === "navigate") return false;
  const [path = ""] = cleanTarget(url).split("?", 1);
  return paths.has(path);
}

interface OpenedCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly surface: number;
  readonly route: number;
  readonly asked: AskedMessage | ProblemMessage;
}

/** The calls that wait for the main process. */
function createOpenCalls({ settings, log, send }: WorkerDeps) {
  const open = new Map<number, FastifyReply>();
  /** Requests that the main process has to look at before they are refused. */
  const expected = new WeakSet<FastifyRequest>();
  const headerNames = settings.isTraced ? [...callHeaders, ...traceHeaders] : callHeaders;
  let last = 0;

  return {
    expect: (request: FastifyRequest) => void expected.add(request),
    problemOf(request: FastifyRequest, error: unknown): ProblemMessage {
      const isEarly = expected.has(request) ? 0 : 1;
      if (error instanceof HttpProblem) return ["problem", error.code, error.message, isEarly];
      logProblem(log, request.id, error);
      return ["problem", "internal_error", "", isEarly];
    },
    open({ request, reply, surface, route, asked }: OpenedCall): void {
      if (open.size >= openCallsMax) return refuse(reply, request.id, route);
      const call = ++last;
      open.set(call, reply);
      const { id, ip, url } = request;
      const headers = headersOf(request, headerNames);
      send([tells.call, call, route === 0 ? 0 : 1, surface, id, ip, url, headers, asked]);
      // This also runs when the caller disconnects before the response.
      const { raw } = reply;
      raw.once("close", () => {
        open.delete(call);
        const isWhole = raw.writableFinished ? 1 : 0;
        const isBegun = raw.headersSent ? 1 : 0;
        const durationMs = Math.round(reply.elapsedTime * 100) / 100;
        send([tells.end, call, isWhole, isBegun, raw.statusCode, durationMs]);
      });
    },
    answer(messages: readonly AnswerMessage[]): void {
      for (const [call, status, headers, body] of messages) {
        const reply = open.get(call);
        if (!reply || reply.raw.destroyed) continue;
        reply.code(status).header("Content-Type", "application/json; charset=utf-8");
        if (headers !== 0) reply.headers(headers);
        reply.send(JSON.stringify(body));
      }
    },
  };
}

function headersOf({ headers }: FastifyRequest, names: readonly string[]) {
  const found: Record<string, string> = {};
  let isEmpty = true;
  for (const name of names) {
    const value = headers[name];
    if (typeof value !== "string") continue;
    found[name] = value;
    isEmpty = false;
  }
  return isEmpty ? 0 : found;
}

/** The members that clients read beside any status, by route. */
const shapes = [verifyNotEvaluated, settleNotEvaluated("")];

function refuse(reply: FastifyReply, requestId: string, route: number): void {
  const message = "Too many payments wait here; nothing was evaluated, try again shortly.";
  const problem = new HttpProblem("service_unavailable", message);
  const { status, body, retryAfterSeconds } = problemResponse(problem, requestId);
  reply.code(status).header("Retry-After", retryAfterSeconds ?? 1);
  reply.send({ ...body, ...shapes[route] });
}
