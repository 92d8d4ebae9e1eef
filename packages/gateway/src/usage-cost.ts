/**
 * The cost of a response from the `usage` object of OpenAI-shaped upstreams, which JSON has once and
 * an event stream in its last events. The buyer may leave a stream: it is then read to its end
 * without them, because only the end tells what the upstream charges.
 */
import { isObject, member, parseJson } from "@farthing/protocol";
import type { Meter } from "@farthing/seller";
import { tokensOfText } from "./usage-request.ts";

/** USDC base units for a million tokens. */
export interface TokenPrices {
  readonly inputPerMillion: bigint;
  readonly outputPerMillion: bigint;
}

export interface CostRules {
  readonly prices: TokenPrices;
  /** Tokens of the request by estimate, where a stream is counted until its usage is there. */
  readonly inputEstimate: bigint | undefined;
}

/** Takes the cost of the request until now, in base units; false once its reserve is spent. */
export type CostMeter = Pick<Meter, "set" | "estimate">;

const million = 1_000_000n;

/** Longest line of an event stream that is read: some hundred times an event of a usual model. */
const maxLineChars = 1024 * 1024;

/** Longest time that a stream is read without its buyer; the reserve is held for longer. */
const maxDrainMs = 10 * 60 * 1000;

/** Returns the cost of a JSON value with a `usage`; parts of a base unit are rounded up. */
export function costOfUsage(value: unknown, prices: TokenPrices): bigint | undefined {
  const usage = usageIn(value);
  // Chat completions, and responses.
  const input = usage && (tokensIn(usage, "prompt_tokens") ?? tokensIn(usage, "input_tokens"));
  if (!usage || input === undefined) return undefined;
  // Embeddings have no output.
  const output = tokensIn(usage, "completion_tokens") ?? tokensIn(usage, "output_tokens") ?? 0n;
  return costOf({ input, output }, prices);
}

function costOf(tokens: { input: bigint; output: bigint }, prices: TokenPrices): bigint {
  const units = tokens.input * prices.inputPerMillion + tokens.output * prices.outputPerMillion;
  return (units + million - 1n) / million;
}

function usageIn(value: unknown): object | undefined {
  if (!isObject(value)) return undefined;
  const usage = member(value, "usage");
  if (isObject(usage)) return usage;
  // The last event of a stream of responses has the whole response.
  const response = member(value, "response");
  const inner = isObject(response) ? member(response, "usage") : undefined;
  return isObject(inner) ? inner : undefined;
}

function tokensIn(usage: object, name: string): bigint | undefined {
  const count: unknown = Reflect.get(usage, name);
  const isCount = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
  return isCount ? BigInt(count) : undefined;
}

/** Reads the cost of a whole body, which may hold the events of a stream. */
export function readUsage(
  body: Uint8Array,
  isEventStream: boolean,
  rules: CostRules,
  meter: CostMeter,
): void {
  const usage = createReader(isEventStream, rules, meter, body.byteLength);
  usage.read(body);
  usage.end();
}

/** Returns the cost of a whole body; undefined where it reports no usage. */
export function costOfBody(
  body: Uint8Array,
  isEventStream: boolean,
  prices: TokenPrices,
): bigint | undefined {
  let reported: bigint | undefined;
  const meter: CostMeter = {
    set: (cost) => {
      reported = typeof cost === "bigint" ? cost : undefined;
      return true;
    },
    estimate: () => true,
  };
  readUsage(body, isEventStream, { prices, inputEstimate: undefined }, meter);
  return reported;
}

/** What a delta of a chat completion has of new text, beside its role. */
const textNames = ["content", "reasoning_content", "refusal", "tool_calls"];

/** Estimates the tokens of an event: of chat completions, of completions and of responses. */
function outputEstimate(value: unknown): bigint {
  if (!isObject(value)) return 0n;
  const choices = member(value, "choices");
  if (!Array.isArray(choices)) return tokensOfText(member(value, "delta"));
  return choices.reduce((sum: bigint, choice: unknown) => {
    if (!isObject(choice)) return sum;
    const delta = member(choice, "delta");
    const texts = isObject(delta) ? textNames.map((name) => member(delta, name)) : [];
    return [member(choice, "text"), ...texts].reduce<bigint>(
      (tokens, text) => tokens + tokensOfText(text),
      sum,
    );
  }, 0n);
}

/** Reads the cost of a body while it passes. */
export function watchUsage(
  body: ReadableStream<Uint8Array>,
  isEventStream: boolean,
  rules: CostRules,
  meter: CostMeter,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isSpent = false;
  const usage = createReader(isEventStream, rules, {
    set: (cost) => !(isSpent = !meter.set(cost)),
    estimate: (cost) => !(isSpent = !meter.estimate(cost)),
  });
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (done) usage.end();
    else usage.read(value);
    return value;
  };
  async function drain(): Promise<void> {
    const timer = setTimeout(() => void reader.cancel().catch(() => undefined), maxDrainMs);
    try {
      while (await next());
    } catch {
      // What was read until now counts.
    } finally {
      clearTimeout(timer);
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      // More than the reserve is not charged, whatever the upstream still says.
      cancel: (reason) => (isSpent ? reader.cancel(reason) : drain()),
    },
    { highWaterMark: 0 },
  );
}

/** Collects lines, or a JSON body, and sets the cost to that of the highest usage. */
function createReader(
  isEventStream: boolean,
  { prices, inputEstimate }: CostRules,
  meter: CostMeter,
  maxChars = maxLineChars,
) {
  const decoder = new TextDecoder();
  let text = "";
  let reported: bigint | undefined;
  let output = 0n;
  let isTooLong = false;

  function estimate(tokens: bigint): void {
    if (inputEstimate === undefined || reported !== undefined || tokens === 0n) return;
    output += tokens;
    meter.estimate(costOf({ input: inputEstimate, output }, prices));
  }
  function count(json: string): void {
    const value = parseJson(json)?.value;
    const cost = costOfUsage(value, prices);
    if (cost !== undefined && (reported === undefined || cost > reported)) {
      reported = cost;
      meter.set(cost);
    }
    estimate(outputEstimate(value));
  }
  function readLines(): void {
    const lines = text.split(/\r\n|\n|\r/);
    text = lines.pop() ?? "";
    for (const line of lines) {
      if (!isTooLong && line.startsWith("data:")) count(line.slice("data:".length));
      isTooLong = false;
    }
  }
  return {
    read(chunk: Uint8Array): void {
      text += decoder.decode(chunk, { stream: true });
      if (isEventStream) readLines();
      if (text.length <= maxChars) return;
      isTooLong = true;
      text = "";
    },
    end(): void {
      if (isEventStream) {
        text += "\n";
        readLines();
      } else if (!isTooLong) count(text);
    },
  };
}
