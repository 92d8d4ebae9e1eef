/** Plays the steps of a story, one after the other, and notes how each was played. */
import type { SimEnvironment } from "../environment.ts";
import { createEventInjector } from "../event-injector.ts";
import { createMachineEvents } from "../machine-events.ts";
import type { Director } from "../run.ts";
import { actOf, type Act } from "./acts.ts";
import { createBlockActs } from "./block-acts.ts";
import { createModelChain } from "./model-chain.ts";
import { createServiceActs } from "./service-acts.ts";
import { createIsSoon } from "./wait.ts";

/** A step of the story, and how it was played. */
export interface Played {
  readonly step: string;
  /** "played", "by itself", "with its block", or "not played" with the reason. */
  readonly how: string;
}

/** A block is followed and its tasks are made within this: a look at the chain every second, and their writes. */
const tasksMs = 3_000;

/** What the base fee steps to: above what is sent before, and what the service pays. */
const dearWei = 625n * 10n ** 9n;

export function createStoryDirector(steps: readonly string[], played: Played[]) {
  return async (environment: SimEnvironment): Promise<Director> => {
    const injector = createEventInjector(environment);
    const story = await createStory(environment, steps.map(actOf));
    return {
      async play() {
        for (const [index, step] of steps.entries()) {
          environment.trace.note(`story: ${step}`);
          const how = await story.play(index);
          played.push({ step, how });
          if (how !== "played") environment.trace.note(`story: ${how}`);
        }
        story.end();
      },
      heal: () => injector.heal(),
      isDone: () => story.isDone() && injector.isDone(),
    };
  };
}

async function createStory(environment: SimEnvironment, acts: readonly Act[]) {
  const { clock, world, seenBlocks } = environment;
  const { client } = environment.database;
  if (!client) throw new Error("A story is played with PostgreSQL");
  const isSoon = createIsSoon(clock);
  const chain = createModelChain(environment);
  const service = await createServiceActs(environment, client, isSoon);
  const blocks = await createBlockActs(environment, chain, isSoon);
  const machineEvents = createMachineEvents(environment);

  async function playAct(act: Act): Promise<string> {
    switch (act.do) {
      case "claim":
        return service.claim(act.payment);
      case "expire":
        return blocks.expire(act.payment);
      case "reserve":
      case "sign":
        return service.write(act.do);
      case "close":
      case "conclude":
        return service.task(act.do);
      case "send":
        return service.send(act.reply);
      case "block":
        if (act.content) return blocks.contain(act.content);
        await chain.add();
        return "played";
      case "reorganise": {
        const how = await chain.reorganise(act.depth);
        await clock.sleep(tasksMs);
        return how;
      }
      case "raise-price":
        world.stepBaseFee(dearWei);
        return "played";
      case "follow": {
        const number = chain.follow(act.height);
        await isSoon(() => seenBlocks.some((seen) => seen.number === number));
        await clock.sleep(tasksMs);
        return "played";
      }
      case "start":
        chain.followAll();
        return service.start(act.process);
      case "crash":
        return service.crash(act.process);
      case "copy":
      case "fail-over":
        await machineEvents.inject({ block: world.head(), what: act.do });
        return "played";
      case "end-leases":
        return service.endLeases();
      case "fall-behind":
      case "catch-up":
        chain.setBehind(act.do === "fall-behind" ? act.blocks : 0);
        return "played";
      case "offer":
        return "with its block";
      case "by-itself":
        return "by itself";
      case "nothing":
        return `not played: ${act.why}`;
      default:
        return act satisfies never;
    }
  }

  await service.hold(acts);
  return {
    async play(index: number): Promise<string> {
      const act = acts[index];
      const how = act ? await playAct(act) : "";
      await service.hold(acts.slice(index + 1));
      return how;
    },
    /** The faults may last, and the service sees all blocks. */
    end: () => chain.followAll(),
    isDone: () => service.isDone(),
  };
}
