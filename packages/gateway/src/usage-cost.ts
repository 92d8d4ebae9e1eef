/**
 * The cost of a response from the `usage` object of OpenAI-shaped upstreams, which JSON has once and
 * an event stream in its last events. The buyer may leave a stream: it is then read to its end
 * without them, because only the end tells what the upstream charges.
 */
import { isObject, member, parseJson } from "@farthing/protocol";

/** USDC base units for a million tokens. */
export interface TokenPrices {
  readonly inputPerMillion: bigint;
  readonly outputPerMillion: bigint;
}

export interface CostRules {
  readonly prices: TokenPrices;
  /** Whether a stream counts each event with text as one token of output until its usage is there. */
  readonly estimates: boolean;
}

/** Sets the cost of the request until now, in base units; returns false once its reserve is spent. */
export type SetCost = (cost: bigint) => boolean;

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
  const units = input * prices.inputPerMillion + output * prices.outputPerMillion;
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

/** Asks a chat completion that is streamed for its usage, which it reports only then. */
export function withUsageAsked(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const value = parseJson(new TextDecoder().decode(body))?.value;
  if (!isObject(value) || member(value, "stream") !== true || !("messages" in value)) return body;
  const given = member(value, "stream_options");
  const options = { ...(isObject(given) ? given : {}), include_usage: true };
  return new TextEncoder().encode(JSON.stringify({ ...value, stream_options: options }));
}

/** Reads the cost of a whole body. */
export function readUsage(body: Uint8Array, { prices }: CostRules, set: SetCost): void {
  const cost = costOfUsage(parseJson(new TextDecoder().decode(body))?.value, prices);
  if (cost !== undefined) set(cost);
}

/** What a delta of a chat completion has of new text, beside its role. */
const textNames = ["content", "reasoning_content", "refusal", "tool_calls"];

function isText(given: unknown): boolean {
  return (typeof given === "string" || Array.isArray(given)) && given.length > 0;
}

/** Counts the new texts of an event: those of chat completions, of completions and of responses. */
function textsIn(value: unknown): bigint {
  if (!isObject(value)) return 0n;
  const choices = member(value, "choices");
  if (!Array.isArray(choices)) return isText(member(value, "delta")) ? 1n : 0n;
  const withText = choices.filter((choice: unknown) => {
    if (!isObject(choice)) return false;
    const delta = member(choice, "delta");
    const names = isObject(delta) && textNames.some((name) => isText(member(delta, name)));
    return names || isText(member(choice, "text"));
  });
  return BigInt(withText.length);
}

/** Reads the cost of a body while it passes. */
export function watchUsage(
  body: ReadableStream<Uint8Array>,
  isEventStream: boolean,
  rules: CostRules,
  set: SetCost,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isSpent = false;
  const usage = createReader(isEventStream, rules, (cost) => (isSpent = !set(cost)));
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
  { prices, estimates }: CostRules,
  set: (cost: bigint) => void,
) {
  const decoder = new TextDecoder();
  let text = "";
  let reported: bigint | undefined;
  let texts = 0n;
  let isTooLong = false;

  function count(json: string): void {
    const value = parseJson(json)?.value;
    const cost = costOfUsage(value, prices);
    if (cost !== undefined && (reported === undefined || cost > reported)) {
      reported = cost;
      set(cost);
    }
    const added = estimates && reported === undefined ? textsIn(value) : 0n;
    texts += added;
    if (added > 0n) set((texts * prices.outputPerMillion) / million);
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
      if (text.length <= maxLineChars) return;
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
