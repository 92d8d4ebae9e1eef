/** The request log: the calls that were made with an account's API keys. */
import type { Runtime } from "@farthing/engine/base";
import type { Feature, RunningFeature } from "../feature.ts";
import { describeCall } from "./describe-call.ts";
import { migrations } from "./migrations.ts";
import { createRecorder } from "./recorder.ts";
import { registerRequestLog } from "./routes.ts";
import { createCallStore, type CallStore } from "./store.ts";

export const requestLog = {
  name: "request-log",
  createStore: createCallStore,
  migrations,
  tags: [{ name: "Request log", description: "The calls made with an account's API keys" }],
  create: (deps: Runtime & { readonly store: CallStore }): RunningFeature => {
    const recorder = createRecorder(deps);
    return {
      observe: (call) => recorder.note(describeCall(call, deps.clock.nowMs())),
      routes: { account: (server) => registerRequestLog(server, deps) },
      jobs: [recorder.start],
    };
  },
} satisfies Feature;
