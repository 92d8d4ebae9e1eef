/**
 * What this process remembers of its own work for the status page: how long settlements took in the
 * last hour, how the endpoints answered, and when a check of /ready failed. All of it is bounded.
 */
import type { ChainId, Network } from "@farthing/protocol";
import type { RpcEndpoint } from "@farthing/engine";
import { startPoll, type Clock } from "@farthing/engine/base";
import type { EngineStore } from "@farthing/engine/storage";
import { RecentDurations, type DurationSummary } from "./recent-durations.ts";
import { latencyBounds } from "./service-history.ts";
import type { ReadyCheck } from "./ready-check.ts";

/** Far more often than an alarm fires, and each look asks the database one question. */
const lookMs = 15_000;

/** Weeks of a service that fails now and then, and a page that can be read. */
const incidentsMax = 30;

/** A node's message can be longer; the log has all of it. */
const textCharsMax = 300;

/** Seconds of a request to a node. */
const requestBounds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** A time in which a check of /ready failed. Times in milliseconds since 1970. */
export interface Incident {
  /** `database`, or a network. */
  readonly name: string;
  /** The first reason. */
  readonly text: string;
  readonly since: number;
  /** Null while it lasts. */
  readonly until: number | null;
}

export interface EndpointRecord {
  /** The HTTP requests of the last hour that were answered. */
  readonly answered: DurationSummary | undefined;
  /** How many were not answered, or were refused. */
  readonly failed: number;
}

export type ServiceRecord = ReturnType<typeof createServiceRecord>;

/** `onSettled` is told how long each settlement took from its claim to its confirmation. */
export function createServiceRecord(
  clock: Clock,
  onSettled: (chainId: ChainId, seconds: number) => void = () => {},
) {
  const startedAt = clock.nowMs();
  const settled = new Map<ChainId, RecentDurations>();
  const endpoints = new Map<string, { answered: RecentDurations; failed: RecentDurations }>();
  const incidents: Incident[] = [];

  function durationsOf(chainId: ChainId): RecentDurations {
    const durations = settled.get(chainId) ?? new RecentDurations(clock, latencyBounds);
    settled.set(chainId, durations);
    return durations;
  }

  function endpointOf(chainId: ChainId, index: number) {
    const key = `${chainId}/${index}`;
    const record = endpoints.get(key) ?? {
      answered: new RecentDurations(clock, requestBounds),
      failed: new RecentDurations(clock, requestBounds),
    };
    endpoints.set(key, record);
    return record;
  }

  /** Begins, continues or ends the incident of each check. */
  function note(checks: readonly ReadyCheck[]): void {
    const now = clock.nowMs();
    for (const { name, ok, text = "" } of checks) {
      const at = incidents.findIndex((one) => one.name === name && one.until === null);
      const open = incidents[at];
      if (ok && open) incidents[at] = { ...open, until: now };
      if (ok || open) continue;
      incidents.unshift({ name, text: text.slice(0, textCharsMax), since: now, until: null });
      incidents.length = Math.min(incidents.length, incidentsMax);
    }
  }

  return {
    startedAt,
    note,
    /** Newest first. */
    incidents: (): readonly Incident[] => [...incidents],
    settlements: (chainId: ChainId) => settled.get(chainId)?.summary(),
    endpoint(chainId: ChainId, index: number): EndpointRecord {
      const { answered, failed } = endpointOf(chainId, index);
      return { answered: answered.summary(), failed: failed.summary()?.count ?? 0 };
    },
    watchStore<S extends Pick<EngineStore, "recordConfirmed">>(store: S): S {
      return {
        ...store,
        recordConfirmed: async (...args: Parameters<EngineStore["recordConfirmed"]>) => {
          const moved = await store.recordConfirmed(...args);
          for (const { chainId, createdAt, confirmedAt } of moved) {
            const seconds = Math.max(0, ((confirmedAt ?? createdAt) - createdAt) / 1000);
            durationsOf(chainId).note(seconds);
            onSettled(chainId, seconds);
          }
          return moved;
        },
      };
    },
    watchEndpoint({ chainId }: Network, endpoint: RpcEndpoint): RpcEndpoint {
      const record = endpointOf(chainId, endpoint.index);
      return {
        ...endpoint,
        async send(calls) {
          const from = clock.nowMs();
          const seconds = () => Math.max(0, clock.nowMs() - from) / 1000;
          try {
            const reply = await endpoint.send(calls);
            record[reply.kind === "refused" ? "failed" : "answered"].note(seconds());
            return reply;
          } catch (error) {
            record.failed.note(seconds());
            throw error;
          }
        },
      };
    },
  };
}

/**
 * Looks at the checks of /ready at intervals, first after one: at the start the wallets are still being
 * taken. `noted` receives each look.
 */
export function startRecord(
  record: Pick<ServiceRecord, "note">,
  deps: {
    readonly clock: Clock;
    read(): Promise<readonly ReadyCheck[]>;
    noted(checks: readonly ReadyCheck[]): void;
  },
): { stop(): Promise<void> } {
  return startPoll({ clock: deps.clock, pauseMs: lookMs, isDelayed: true }, async () => {
    const checks = await deps.read();
    record.note(checks);
    deps.noted(checks);
  });
}
