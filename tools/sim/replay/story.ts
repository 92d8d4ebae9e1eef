/** A counter-example of the model as a file: the text that the model prints, or its JSON. */
import { isObject, parseJson } from "@farthing/protocol";

/** How large the machine was whose steps these are. */
export interface StorySize {
  readonly payments: number;
  readonly wallets: number;
  readonly processes: number;
  readonly confirmations: number;
  readonly batches: boolean;
}

export interface Story {
  /** The run of the model; undefined where the file does not say it. */
  readonly run: string | undefined;
  /** What is broken at its end. */
  readonly promise: string;
  readonly steps: readonly string[];
  readonly size: StorySize;
}

/** Reads a file; throws where it is no story, or not a whole one. */
export function readStory(text: string): Story {
  const read = parseJson(text)?.value;
  if (isObject(read)) return fromJson(read);
  const lines = text.split("\n").map((line) => line.trim());
  const promise = lines.flatMap((line) => /^Broken: (.*)\.$/.exec(line)?.[1] ?? [])[0];
  const steps = lines.flatMap((line) => /^\d+ +(.*)$/.exec(line)?.[1] ?? []);
  const cut = steps.find((step) => step.startsWith("…"));
  if (cut !== undefined)
    throw new Error(`The story lacks its beginning (${cut}); --json prints the whole one`);
  if (promise === undefined || steps.length === 0)
    throw new Error("The file has no counter-example: neither JSON nor what the model prints");
  return { run: undefined, promise, steps, size: sizeOf(steps) };
}

function fromJson(read: Readonly<Record<string, unknown>>): Story {
  const { run, promise, steps, size } = read;
  if (typeof promise !== "string" || !Array.isArray(steps) || !steps.every(isText))
    throw new Error("The JSON of a story has a promise and steps");
  const guessed = sizeOf(steps);
  const given = isObject(size) ? size : {};
  const count = (name: keyof Omit<StorySize, "batches">) => {
    const value = given[name];
    return typeof value === "number" ? value : guessed[name];
  };
  return {
    run: isText(run) ? run : undefined,
    promise,
    steps,
    size: {
      payments: count("payments"),
      wallets: count("wallets"),
      processes: count("processes"),
      confirmations: count("confirmations"),
      batches: given["batches"] === true,
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** As large as what the steps name; a printed story does not say how many confirmations there were. */
function sizeOf(steps: readonly string[]): StorySize {
  const has = (words: RegExp) => steps.some((step) => words.test(step));
  return {
    payments: has(/\bB\b/) ? 2 : 1,
    wallets: has(/wallet 2\b/) ? 2 : 1,
    processes: has(/process 2\b/) ? 2 : 1,
    confirmations: 1,
    batches: has(/A and B/),
  };
}
