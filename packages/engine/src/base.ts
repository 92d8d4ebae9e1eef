/** Small things that every part of the engine and of the service around it stands on. */
export { assert } from "./base/assert.ts";
export { createBatcher } from "./base/batcher.ts";
export { type CheckLine, type CheckStatus, fail, ok, sentenceOf, warn } from "./base/check-line.ts";
export { type Clock, steadyClockOf, systemClock, timeText } from "./base/clock.ts";
export { Fault, type FaultCode, messageOf, misconfigured } from "./base/fault.ts";
export {
  type Log,
  type LogLevel,
  type Runtime,
  createLog,
  logLevels,
  silentLog,
  warning,
} from "./base/log.ts";
export { orAborted } from "./base/or-aborted.ts";
export { startPoll } from "./base/poll.ts";
export { readText } from "./base/read-text.ts";
export { Secret } from "./base/secret.ts";
export { activeTraceId, failSpan } from "./base/tracing.ts";
