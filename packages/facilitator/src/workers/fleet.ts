/**
 * The workers of a main process: they are started, given the connections of callers, replaced when they
 * end, and stopped. Each process ends with the other end of its channel, so none outlives the service.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, messageOf, misconfigured, type Runtime } from "@farthing/engine/base";
import type { CallDesk } from "./call-desk.ts";
import {
  tells,
  wireDescriptor,
  type AnswerMessage,
  type FromWorker,
  type Order,
  type WorkerSettings,
} from "./messages.ts";
import { openWire } from "./wire.ts";

/** The program of a worker: source here, compiled where this file is. */
const suffix = extname(import.meta.url);
const program = fileURLToPath(new URL(`worker-process${suffix}`, import.meta.url));

/** Sources import each other's packages as sources. */
const sourceArguments = suffix === ".ts" ? ["--conditions=@farthing/source"] : [];

/** The first replacement starts at once; each that does not last waits twice as long. */
const firstPauseMs = 100;
const maxPauseMs = 10_000;

/** A worker that has served for so long did not fail for want of something at its start. */
const lastedMs = 60_000;

/** A start loads the program, which takes a second, or many on a busy machine. */
const maxStartMs = 60_000;

/** Responses have been sent when workers are stopped; a reader that is slower is cut off. */
const maxStopMs = 3_000;

export interface FleetDeps extends Runtime {
  readonly count: number;
  /** Connections of one worker. */
  readonly connectionsMax: number;
  readonly environment: NodeJS.ProcessEnv;
  /** The settings of the worker with a number. */
  settingsOf(worker: number): WorkerSettings;
  createDesk(send: (message: AnswerMessage) => void): CallDesk;
}

interface Worker {
  readonly child: ChildProcess;
  readonly startedMs: number;
  readonly desk: CallDesk;
  readonly connections: Map<number, GivenConnection>;
  isReady: boolean;
}

/** A connection of a worker. */
interface GivenConnection {
  /** Kept until the worker has it: another one takes it when this one ends before. */
  socket: Socket | undefined;
  /** Called when it has closed. */
  closed(): void;
}

/** A connection that waits for a worker. */
interface Arrival {
  readonly socket: Socket;
  closed(): void;
}

export class Fleet {
  readonly #deps: FleetDeps;
  readonly #workers = new Set<Worker>();
  /** Connections that came while no worker was ready; bounded as all connections are. */
  #waiting: Arrival[] = [];
  #started = 0;
  #lastConnection = 0;
  #pauseMs = 0;
  readonly #stopping = new AbortController();

  constructor(deps: FleetDeps) {
    this.#deps = deps;
  }

  /** Resolves when all workers can take connections. Throws when one cannot. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#deps.count }, () => this.#startOne()));
  }

  /** Gives a connection to the worker with the fewest; `closed` is called once it has closed. */
  give(socket: Socket, closed: () => void): void {
    const [worker] = [...this.#workers]
      .filter(({ isReady, child }) => isReady && child.connected)
      .toSorted((a, b) => a.connections.size - b.connections.size);
    if (!worker) return void this.#waiting.push({ socket, closed });
    if (worker.connections.size >= this.#deps.connectionsMax) {
      socket.destroy();
      return closed();
    }
    const connection = ++this.#lastConnection;
    worker.connections.set(connection, { socket, closed });
    const order: Order = { kind: "connection", connection };
    // An error is one of a worker that ends.
    worker.child.send(order, socket, { keepOpen: true }, () => undefined);
  }

  /** Lets each worker finish its responses. No process is left afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { socket, closed } of this.#waiting) {
      socket.destroy();
      closed();
    }
    this.#waiting = [];
    await Promise.all([...this.#workers].map((worker) => this.#stopOne(worker)));
  }

  async #stopOne({ child }: Worker): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    const order: Order = { kind: "stop" };
    // One that has just ended takes no order.
    if (child.connected) child.send(order, () => undefined);
    const waiting = new AbortController();
    void this.#deps.clock
      .sleep(maxStopMs, waiting.signal)
      .then(() => waiting.signal.aborted || child.kill("SIGKILL"));
    await ended;
    waiting.abort();
  }

  async #startOne(): Promise<void> {
    const worker = this.#fork();
    const { child } = worker;
    const late = new AbortController();
    void this.#deps.clock
      .sleep(maxStartMs, late.signal)
      .then(() => late.signal.aborted || child.kill("SIGKILL"));
    const [how]: unknown[] = await Promise.race([once(child, "message"), once(child, "exit")]);
    late.abort();
    if (how !== "ready") {
      throw misconfigured(
        "A worker process ended before it was ready; its last lines say why. FARTHING_WORKERS=1 serves without workers",
      );
    }
    worker.isReady = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { socket, closed } of waiting) this.give(socket, closed);
  }

  #fork(): Worker {
    const { environment, settingsOf, createDesk, clock } = this.#deps;
    const child = fork(program, [], {
      execArgv: sourceArguments,
      env: environment,
      stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
    });
    const socket = child.stdio[wireDescriptor];
    assert(socket instanceof Socket, "a worker has a line to its main process");
    const desk = createDesk((message) => wire.send(message));
    const worker: Worker = {
      child,
      desk,
      startedMs: clock.nowMs(),
      connections: new Map(),
      isReady: false,
    };
    const wire = openWire<FromWorker, AnswerMessage>(socket, (messages) => {
      for (const message of messages) receive(worker, message);
    });
    this.#workers.add(worker);
    child.once("exit", (status, signal) => this.#ended(worker, signal ?? status));
    // A process that cannot be started has no exit.
    child.once("error", () => this.#ended(worker, "error"));
    const order: Order = { kind: "start", settings: settingsOf(++this.#started) };
    child.send(order, () => undefined);
    return worker;
  }

  #ended(worker: Worker, how: string | number | null): void {
    if (!this.#workers.delete(worker)) return;
    worker.desk.abandon();
    const given = [...worker.connections.values()];
    worker.connections.clear();
    for (const { socket, closed } of given) {
      // What did not reach this one is another one's.
      if (socket && !this.#stopping.signal.aborted) {
        this.give(socket, closed);
        continue;
      }
      socket?.destroy();
      closed();
    }
    if (this.#stopping.signal.aborted || !worker.isReady) return;
    const { log, clock } = this.#deps;
    const fields = { pid: worker.child.pid, how };
    log.warn({ event: "worker_ended", ...fields }, "Worker process ended; starting another");
    const hasLasted = clock.nowMs() - worker.startedMs >= lastedMs;
    if (hasLasted) this.#pauseMs = 0;
    void this.#replace();
  }

  async #replace(): Promise<void> {
    const { log, clock } = this.#deps;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await clock.sleep(this.#pauseMs, signal);
      this.#pauseMs = Math.min(maxPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
      if (signal.aborted) return;
      try {
        await this.#startOne();
        return log.info({ event: "worker_started" }, "Worker process started");
      } catch (error) {
        const problem = messageOf(error);
        log.warn({ event: "worker_not_started", problem }, "Worker process not started; retrying");
      }
    }
  }
}

function receive(worker: Worker, message: FromWorker): void {
  switch (message[0]) {
    case tells.call:
      return worker.desk.take(message);
    case tells.end:
      return worker.desk.end(message);
    case tells.taken:
      return passed(worker, message[1]);
    case tells.closed:
      return release(worker, message[1]);
    default:
      return message satisfies never;
  }
}

/** Closes this process's descriptor of a connection that a worker has. */
function passed({ connections }: Worker, connection: number): void {
  const given = connections.get(connection);
  given?.socket?.destroy();
  if (given) given.socket = undefined;
}

function release({ connections }: Worker, connection: number): void {
  const given = connections.get(connection);
  connections.delete(connection);
  given?.socket?.destroy();
  given?.closed();
}
