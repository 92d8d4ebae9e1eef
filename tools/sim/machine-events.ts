/** What happens to processes and nodes. */
import type { SimEnvironment } from "./environment.ts";
import { defaultRules, type NodeRules } from "./node-pool.ts";
import { createDatabaseEvents, type DatabaseEvent } from "./database-events.ts";
import type { Event } from "./plan.ts";

/** An event at a process, a node or the chain's block production. */
type MachineEvent = Extract<
  Event,
  {
    what:
      | "no-block"
      | "kill"
      | "stop"
      | "start"
      | "hand-over"
      | "down"
      | "up"
      | "node-restart"
      | "lag"
      | "fee-cap"
      | "nonce-distance"
      | "pool-full"
      | "pool-free"
      | DatabaseEvent["what"]
      | "clock-step"
      | "leap"
      | "signer-down"
      | "signer-up";
  }
>;

/** Wei of a thousandth of an XDC. */
const milliXdc = 10n ** 15n;

/** Prepares the events of processes and nodes. */
export function createMachineEvents(environment: SimEnvironment) {
  const { trace, nodes, processes, observedFaults } = environment;
  const databaseEvents = createDatabaseEvents(environment);
  const { setDown, setRules, setLag, healNodes } = createNodeEvents(environment);

  /** Starts a step beside the blocks: an orderly stop answers its callers first, a start may fail. */
  function aside(step: Promise<void> | undefined): void {
    step?.catch((error: unknown) => trace.note(String(error)));
  }

  return {
    async inject(event: MachineEvent): Promise<void> {
      switch (event.what) {
        case "kill":
          return aside(processes[event.process]?.kill());
        case "stop":
          return aside(processes[event.process]?.stop());
        case "start":
          for (const one of processes) aside(one.start());
          return;
        case "hand-over":
          return aside(processes[event.process]?.handOver());
        case "fee-cap":
          return setRules(event.node, { feeCapWei: BigInt(event.milliXdc) * milliXdc });
        case "nonce-distance":
          return setRules(event.node, { maxNonceDistance: event.nonces });
        case "pool-full":
        case "pool-free":
          return setRules(event.node, { isFull: event.what === "pool-full" });
        case "down":
        case "up":
          return setDown(event.node, event.what === "down");
        case "node-restart":
          return nodes[event.node]?.restart();
        case "lag":
          return setLag(event.node, event.blocks);
        case "read-only":
        case "writable":
        case "copy":
        case "fail-over":
        case "restore":
          return databaseEvents.inject(event);
        case "clock-step":
          return processes[event.process]?.stepClock(event.seconds);
        case "leap":
          return leap(environment, event);
        case "signer-down":
        case "signer-up":
          return setSigner(environment, event.what === "signer-down");
        case "no-block":
          return observedFaults.note("outage: no block");
        default:
          return event satisfies never;
      }
    },
    /** Ends the faults of transports and nodes. */
    async heal(): Promise<void> {
      await databaseEvents.heal();
      setSigner(environment, false);
      for (const one of processes) one.stepClock(0);
      healNodes();
    },
    /** Starts the processes that do not run. */
    startAll: () => Promise.all(processes.map((one) => one.start())),
  };
}

/** What operators do to their nodes. */
function createNodeEvents({ nodes, transports }: SimEnvironment) {
  function setDown(index: number, isDown: boolean): void {
    const transport = transports[index];
    if (transport) transport.isDown = isDown;
  }

  function setRules(index: number, rules: Partial<NodeRules>): void {
    Object.assign(nodes[index]?.rules ?? {}, rules);
  }

  function setLag(index: number, blocks: number): void {
    const node = nodes[index];
    if (node) node.lag = blocks;
  }

  function healNodes(): void {
    for (const transport of transports) {
      transport.faultPercent = 0;
      transport.ordinary.conditions = {};
    }
    for (const { index } of nodes) {
      setDown(index, false);
      setLag(index, 0);
      setRules(index, defaultRules);
    }
  }

  return { setDown, setRules, setLag, healNodes };
}

/** Shows a head that is not there; 0 blocks above the chain's shows the chain's again. */
function leap(
  { transports, world }: SimEnvironment,
  { node, blocks }: Extract<Event, { what: "leap" }>,
): void {
  const ordinary = transports[node]?.ordinary;
  if (!ordinary) return;
  const { absurd: _, ...conditions } = ordinary.conditions;
  const shown = blocks > 0 ? { absurd: { latest: world.head() + blocks } } : {};
  ordinary.conditions = { ...conditions, ...shown };
}

function setSigner({ keyService }: SimEnvironment, isDown: boolean): void {
  if (keyService) keyService.isDown = isDown;
}
