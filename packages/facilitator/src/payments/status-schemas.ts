/** Schemas of the status routes. */
import { Type } from "typebox";
import { batchingStates } from "@farthing/engine";
import { exactly, nullable, oneOf, TimeText } from "../http/messages/schemas.ts";

export const HealthResponseBody = exactly(
  { status: Type.Literal("ok") },
  "Check that the process responds",
);

export const ReadinessResponseBody = exactly(
  {
    status: oneOf(["ready", "not ready"]),
    checks: Type.Array(
      exactly({
        name: Type.String({ description: "`database`, or a network" }),
        ok: Type.Boolean(),
        text: Type.Optional(Type.String({ description: "What is wrong" })),
      }),
    ),
  },
  "What was looked at",
);

const EndpointStatus = exactly(
  {
    requestsPerSecond: nullable(
      Type.Number({ description: "Requests, or calls where `countsCalls`, that are made at most" }),
    ),
    countsCalls: Type.Boolean({ description: "Whether it counts the calls inside requests" }),
    batchCalls: nullable(Type.Integer({ description: "Calls in one request" })),
    logRangeBlocks: nullable(Type.Integer({ description: "Blocks of one `eth_getLogs`" })),
    bodyBytes: nullable(Type.Integer({ description: "Bytes of one request" })),
  },
  "What an RPC endpoint was found to take, in the order of the configuration; null where it refused nothing",
);

const Availability = exactly(
  {
    measuredMinutes: Type.Integer({ description: "Minutes in which a process looked" }),
    availableMinutes: Type.Integer({
      description: "Those in which a process found every check passing",
    }),
    share: nullable(
      Type.Number({ description: "Of the measured minutes, 0 to 1; null while none is measured" }),
    ),
  },
  "Availability as the service measures it, which sees nothing of what keeps callers away",
);

export const StatusResponseBody = exactly(
  {
    version: Type.String(),
    surfaces: Type.Array(
      exactly({
        name: Type.String(),
        path: Type.String(),
        settle: oneOf(["async", "sync"]),
        auth: oneOf(["api-key", "none"]),
        networks: Type.Array(Type.String()),
        minAmountUsdc: Type.String({
          description: "Smallest payment that is settled now, in USDC; 0 where there is no bound",
        }),
      }),
    ),
    networks: Type.Array(
      exactly({
        network: Type.String({ description: "CAIP-2" }),
        headBlock: nullable(Type.Integer()),
        headAgeSeconds: nullable(Type.Integer()),
        readToBlock: nullable(
          Type.Integer({ description: "The last block whose payments were read, or passed over" }),
        ),
        finalizedBlock: nullable(Type.Integer()),
        clockSkewSeconds: nullable(
          Type.Integer({ description: "This machine's clock minus the chain's" }),
        ),
        relayers: Type.Integer({ description: "Wallets" }),
        inFlight: Type.Integer({ description: "Transactions on their way" }),
        queued: Type.Integer({ description: "Settlements that wait for a transaction" }),
        lanesUsable: Type.Integer({ description: "Wallets of this process that work" }),
        lanesElsewhere: Type.Integer({ description: "Wallets that other processes work" }),
        batching: oneOf(
          batchingStates,
          "Whether settlements share transactions: turned off, on, without a contract for it, or unknown until a node has answered",
        ),
        gasPriceGwei: Type.Number({
          description: "Price of gas that transactions pay now, in gwei",
        }),
        isGasPricePaid: Type.Boolean({
          description:
            "False while the gas price is above the operator's bounds: no payment is accepted or sent",
        }),
        isTokenPaused: Type.Boolean({
          description:
            "True while USDC is paused by its issuer: no transfer succeeds, and accepted payments wait",
        }),
        settlementCostXdc: Type.String({
          description: "Gas of a payment that is alone in its transaction, in XDC",
        }),
        settlementCostUsdc: nullable(
          Type.String({
            description: "The same in USDC; null where the operator gives no price of XDC",
          }),
        ),
        settlementFeeUsdc: Type.String({
          description: "What a settlement with an API key costs its account, in USDC",
        }),
        settlementFeeSince: nullable(TimeText),
        endpoints: Type.Array(EndpointStatus),
        availability: exactly({ last24Hours: Availability, last90Days: Availability }),
      }),
    ),
  },
  "The service, for people",
);
