/** The batch contract, for tools that put it on a chain themselves. */
export { encodeLimitedBatch } from "./batch-contract.ts";
export { batcherCode } from "./generated/batcher.ts";
