/** One ordinary node without its network: a request's text in, a response out. */
import { callOddities, distort, makeAbsurd, numberOf, refuseCall } from "./call-answers.ts";
import {
  requestFailures,
  type AbsurdHeads,
  type NodeConditions,
  type RateLimit,
} from "./conditions.ts";
import {
  readRequest,
  respond,
  type NodeCall,
  type NodeReply,
  type NodeRequest,
  type NodeResponse,
  type NodeUpstream,
} from "@farthing/devnet/rpc-proxy";
import { createNodeRecord, type NodeRecord } from "./node-record.ts";
import { withPoolRules } from "./pool-gate.ts";
import { admit, createTokenBucket, lateCall, type TokenBucket } from "./rate-limit.ts";
import { refusalKinds, refuseRequest } from "./request-limits.ts";

/** The time that limits are counted in, such as that of a simulation. */
export interface LabClock {
  nowMs(): number;
  sleep(ms: number): Promise<void>;
}

/** What a client can meet: refusals of whole requests, odd replies, a backend behind, a slow answer. */
export const nodeOddities = [
  ...refusalKinds,
  ...callOddities,
  "lag",
  "latency",
  "failure",
] as const;

/** One of {@link nodeOddities}. */
export type NodeOddity = (typeof nodeOddities)[number];

/** An ordinary node. */
export interface OrdinaryNode {
  /** May be replaced at any time; a new rate limit begins with a full bucket. */
  conditions: NodeConditions;
  readonly record: NodeRecord;
  /** Answers one HTTP request by its body. Throws where the body is no JSON or the node fails. */
  handle(text: string): Promise<NodeResponse>;
}

/** Creates a node in front of another. */
export function createOrdinaryNode(options: {
  readonly upstream: NodeUpstream;
  readonly clock: LabClock;
  readonly conditions?: NodeConditions;
  /** Told of each refusal and each odd reply. */
  readonly onOddity?: (kind: NodeOddity) => void;
}): OrdinaryNode {
  const { clock, onOddity = () => undefined } = options;
  const upstream = withPoolRules(options.upstream, () => node.conditions.pool);
  const record = createNodeRecord();
  let meter: { readonly limit: RateLimit; readonly bucket: TokenBucket } | undefined;
  const makeAbsurdReply = createAbsurdReplies();
  const nextBackend = createRotation();
  const nextFailure = createFailures();

  function bucketOf(limit: RateLimit): TokenBucket {
    if (meter?.limit !== limit) {
      meter = { limit, bucket: createTokenBucket(limit, clock.nowMs()) };
    }
    return meter.bucket;
  }

  /** How far the backend whose turn it is lags. */
  function nextLag(): number {
    const lag = nextBackend(node.conditions.backends);
    if (lag > 0) onOddity("lag");
    return lag;
  }

  async function answerAll(calls: readonly NodeCall[]): Promise<NodeReply[]> {
    const { conditions } = node;
    const lag = nextLag();
    const head = needsHead(conditions, calls) ? await readHead(lag) : 0;
    const refusals = calls.map((call) => refuseCall(conditions, call, head));
    const passed = calls.filter((_, index) => !refusals[index]);
    const replies = [...(passed.length > 0 ? await upstream.answer(passed, lag) : [])];
    return calls.map((call, index) => {
      const refusal = refusals[index];
      const reply = refusal ? refusal.reply : (replies.shift() ?? noReply);
      const odd =
        refusal ??
        makeAbsurdReply(node.conditions.absurd, call, reply) ??
        distort(node.conditions, call, reply);
      if (odd) onOddity(odd.kind);
      return odd ? odd.reply : reply;
    });
  }

  async function readHead(lag: number): Promise<number> {
    const call = { id: 0, method: "eth_blockNumber", params: [] };
    const [reply] = await upstream.answer([call], lag);
    return (reply && "result" in reply && numberOf(reply.result, 0)) || 0;
  }

  /** Notes the request, and says how many of its calls are answered, or with what none is. */
  function admitOne(request: NodeRequest): NodeResponse | number {
    const atMs = clock.nowMs();
    const { rateLimit } = node.conditions;
    const refusal = refuseRequest(node.conditions, request);
    const admitted = rateLimit
      ? admit(rateLimit, bucketOf(rateLimit), request, atMs)
      : request.calls.length;
    const lateCalls = typeof admitted === "number" ? request.calls.length - admitted : 0;
    const kind = typeof admitted === "number" ? refusal?.kind : "rate";
    record.note(request, { atMs, refusal: kind, lateCalls });
    if (kind !== undefined || lateCalls > 0) onOddity(kind ?? "rate");
    return typeof admitted === "number" ? (refusal?.response ?? admitted) : admitted;
  }

  const node: OrdinaryNode = {
    conditions: options.conditions ?? {},
    record,
    async handle(text) {
      const request = readRequest(text);
      const admitted = admitOne(request);
      if (typeof admitted !== "number") return admitted;
      const failure = nextFailure(node.conditions.failingShare);
      if (failure) {
        onOddity("failure");
        return fail(request, failure);
      }
      const { latencyMs = 0 } = node.conditions;
      const answered = await answerAll(request.calls.slice(0, admitted));
      if (latencyMs > 0) {
        onOddity("latency");
        await clock.sleep(latencyMs);
      }
      const late = request.calls.slice(admitted).map(() => lateCall);
      return respond(request, [...answered, ...late]);
    },
  };
  return node;
}

/** Absurd heads, as many times as the conditions say. */
function createAbsurdReplies() {
  let absurdity: { readonly heads: AbsurdHeads; left: number } | undefined;
  return (heads: AbsurdHeads | undefined, call: NodeCall, reply: NodeReply) => {
    if (!heads) return undefined;
    if (absurdity?.heads !== heads) absurdity = { heads, left: heads.times ?? Infinity };
    const absurd = absurdity.left > 0 ? makeAbsurd(heads, call, reply) : undefined;
    if (absurd) absurdity.left--;
    return absurd;
  };
}

/** The backend whose turn it is: each request goes to the next. */
function createRotation() {
  let rotation: { readonly backends: readonly number[]; turn: number } | undefined;
  return (backends: NodeConditions["backends"]): number => {
    if (!backends) return 0;
    if (rotation?.backends !== backends) rotation = { backends, turn: 0 };
    return backends[rotation.turn++ % backends.length] ?? 0;
  };
}

type RequestFailure = (typeof requestFailures)[number];

/** How the next request fails; undefined: it is answered. */
function createFailures() {
  const nextRandom = createRandom();
  let failures = 0;
  return (failingShare = 0): RequestFailure | undefined => {
    if (failingShare === 0 || nextRandom() >= failingShare) return undefined;
    return requestFailures[failures++ % requestFailures.length];
  };
}

function fail(request: NodeRequest, failure: RequestFailure): NodeResponse {
  if (failure === "cut") throw new Error("the connection is cut");
  if (failure === "http_503") return { status: 503, headers: {}, body: "no backend" };
  const error = { error: { code: -32_603, message: "internal error" } };
  return respond(
    request,
    request.calls.map(() => error),
  );
}

/** The same sequence in each run, with runs of failures as chance has them (Park and Miller). */
function createRandom(): () => number {
  let state = 20_261_127;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const noReply: NodeReply = { error: { code: -32_000, message: "no backend" } };

/** Only an open-ended range of logs is measured from the head. */
function needsHead({ logs }: NodeConditions, calls: readonly NodeCall[]): boolean {
  return logs?.maxRangeBlocks !== undefined && calls.some(({ method }) => method === "eth_getLogs");
}
