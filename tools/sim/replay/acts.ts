/**
 * What a step of the model is in the simulator. The steps are read by their words, which a test holds to
 * the model: a step that has no line here, or two, fails it.
 */

/** What a block contains. */
export type Content =
  | { readonly kind: "relay" | "intrude"; readonly nonce: number; readonly wallet: number }
  | { readonly kind: "submit" | "cancel" | "drain" | "refill"; readonly payment: number };

/** How a node answers a send. */
export type SendReply = "plain" | "lost-after" | "lost-before" | "dropped";

export type Act =
  | { readonly do: "claim" | "expire"; readonly payment: number }
  /** A write of a process to its database: a nonce is reserved, or signed bytes are stored. */
  | { readonly do: "reserve" | "sign" }
  /** A task that may write: the end of a nonce, or the outcome of a payment. */
  | { readonly do: "close" | "conclude" }
  | { readonly do: "send"; readonly reply: SendReply }
  | { readonly do: "block"; readonly content: Content | undefined }
  | { readonly do: "reorganise"; readonly depth: number }
  | { readonly do: "raise-price" }
  | { readonly do: "follow"; readonly height: number }
  | { readonly do: "start" | "crash"; readonly process: number }
  | { readonly do: "copy" | "fail-over" | "catch-up" | "end-leases" }
  | { readonly do: "fall-behind"; readonly blocks: number }
  /** A third party's transaction reaches the nodes: what it does begins with its block. */
  | { readonly do: "offer" }
  /** The service does it by itself, and nothing in the simulator decides when. */
  | { readonly do: "by-itself" }
  | { readonly do: "nothing"; readonly why: string };

type Read = (...parts: string[]) => Act;

const paymentOf = (name = "") => ["A", "B"].indexOf(name);
const placeOf = (number = "") => Number(number) - 1;

const byItself: Read = () => ({ do: "by-itself" });
const concludes: Read = () => ({ do: "conclude" });

/** Tasks whose writes nothing holds. */
const others =
  "(?:close resolved|requeue|finalize|reopen from|revert|reopen carriers|reload|compare)";

const replies: Readonly<Record<string, SendReply>> = {
  "no reply, and the node has it": "lost-after",
  "no reply, and the node lacks it": "lost-before",
  "accepted, and dropped": "dropped",
};

const who = "process (\\d)";
const wallet = `${who} and wallet (\\d):`;
const nonce = `${who} and nonce (\\d+) of wallet (\\d):`;

/** The words of steps, and what they are. */
const readings: readonly (readonly [words: string, Read])[] = [
  ["a block without a payment is made", () => ({ do: "block", content: undefined })],
  ["a block contains (.*)", blockOf],
  [
    "a block is made after the time of (A|B)",
    (name) => ({ do: "expire", payment: paymentOf(name) }),
  ],
  [
    "a reorganisation takes out (\\d) blocks",
    (depth) => ({ do: "reorganise", depth: Number(depth) }),
  ],
  ["the least price rises", () => ({ do: "raise-price" })],
  ["someone sends .*", () => ({ do: "offer" })],
  [`${who} claims (A|B)`, (_, name) => ({ do: "claim", payment: paymentOf(name) })],
  [`${who} starts`, (which) => ({ do: "start", process: placeOf(which) })],
  [`${who} crashes`, (which) => ({ do: "crash", process: placeOf(which) })],
  [
    `${who} follows the block at height (\\d)`,
    (_, height) => ({ do: "follow", height: Number(height) }),
  ],
  [`${wallet} a nonce is reserved for .*`, () => ({ do: "reserve" })],
  [`${nonce} another transaction takes its place \\(\\w+\\)`, () => ({ do: "reserve" })],
  [`${wallet} nonce \\d+ with .* is signed and stored`, () => ({ do: "sign" })],
  [
    `${nonce} sent, (.*)`,
    (_, _nonce, _wallet, reply = "") => ({ do: "send", reply: replies[reply] ?? "plain" }),
  ],
  ["the standby falls behind", () => ({ do: "copy" })],
  ["the standby takes over", () => ({ do: "fail-over" })],
  [
    "the node falls behind by (\\d) blocks",
    (blocks) => ({ do: "fall-behind", blocks: Number(blocks) }),
  ],
  ["the node catches up", () => ({ do: "catch-up" })],
  [`the lease of ${who} on wallet \\d ends`, () => ({ do: "end-leases" })],
  [`${who} takes (A|B) into its queue`, byItself],
  [`${who} makes its next task: (?:close|drop)`, () => ({ do: "close" })],
  [`${who} makes its next task: (?:conclude|check used|fail expired|search)`, concludes],
  [`${who} looks at failed payments`, concludes],
  [`${who} makes its next task: ${others}`, byItself],
  [`${who} notices the reorganisation from height \\d`, byItself],
  [`${who} looks (?:at payments that wait|for nonces that are open)`, byItself],
  [`${who} hears of changes`, byItself],
  [`${who} drops bytes that were signed too late`, byItself],
  [`${wallet} the lease is (taken|lost)`, byItself],
  [`${wallet} stored transactions are loaded`, byItself],
  [`${wallet} the database is seen to have gone back`, byItself],
];

const contents: readonly (readonly [words: string, (...parts: string[]) => Content])[] = [
  ["nonce (\\d+) of wallet (\\d) with .*", (at, of) => relayOf("relay", at, of)],
  ["another program's use of nonce (\\d+) of wallet (\\d)", (at, of) => relayOf("intrude", at, of)],
  ["(A|B), submitted by a third party", (name) => ({ kind: "submit", payment: paymentOf(name) })],
  ["the payer's cancellation of (A|B)", (name) => ({ kind: "cancel", payment: paymentOf(name) })],
  [
    "the end of the balance of (A|B)'s payer",
    (name) => ({ kind: "drain", payment: paymentOf(name) }),
  ],
  ["new balance for (A|B)'s payer", (name) => ({ kind: "refill", payment: paymentOf(name) })],
];

function relayOf(kind: "relay" | "intrude", at = "", of = ""): Content {
  return { kind, nonce: Number(at), wallet: placeOf(of) };
}

function blockOf(words = ""): Act {
  const content = firstOf(contents, words);
  if (content) return { do: "block", content };
  return { do: "nothing", why: `the simulator does not know ${words}` };
}

function firstOf<T>(
  all: readonly (readonly [words: string, (...parts: string[]) => T])[],
  step: string,
): T | undefined {
  for (const [words, read] of all) {
    const parts = new RegExp(`^${words}$`).exec(step);
    if (parts) return read(...parts.slice(1));
  }
  return undefined;
}

/** How many lines of the table read a step: one, unless the model has other words now. */
export function countReadings(step: string): number {
  return readings.filter(([words]) => new RegExp(`^${words}$`).test(step)).length;
}

export function actOf(step: string): Act {
  return firstOf(readings, step) ?? { do: "nothing", why: "the simulator does not know this step" };
}
