/** A feature of the service is a folder of its own, registered by one line in features.ts. */
import type { Database, Migrations, SettlementParticipant } from "@farthing/engine/storage";
import type { StepUpAction } from "./sign-in/step-up.ts";
import type { Tag } from "../http/openapi/openapi.ts";
import type { KeyedCall } from "../http/server/observe-calls.ts";
import type { RouteLimits } from "../http/access/limits.ts";
import type { Surface } from "../http/access/surface.ts";
import type { TypedServer } from "../http/messages/type-provider.ts";

export interface Feature {
  readonly name: string;
  readonly participant?: SettlementParticipant;
  /** Run after the engine's migrations in the order of the features, as `<feature>/<name>`. */
  readonly migrations?: Migrations;
  /** The actions that require a fresh signature of the session's wallet. */
  readonly stepUps?: readonly StepUpAction[];
  readonly tags?: readonly Tag[];
  readonly createStore?: (database: Database) => object;
  /** Starts the feature's services; `deps` are the members of `FeaturesDeps` that it names. */
  readonly create: (deps: never) => RunningFeature;
}

export interface RunningFeature {
  /** Observes every call with an API key, after its response. */
  readonly observe?: (call: KeyedCall) => void;
  readonly routes?: FeatureRoutes;
  readonly jobs?: readonly Job[];
}

export interface FeatureRoutes {
  /** Below `/v1/account`: every route requires a session unless its `config.isOpen` is set. */
  readonly account?: (server: TypedServer, limits: RouteLimits) => void;
  /** For callers with an API key, outside the account API. */
  readonly keyed?: (server: TypedServer, limits: RouteLimits) => void;
  /** Public, below the path of each surface. */
  readonly surface?: (server: TypedServer, surface: Surface, limits: RouteLimits) => Promise<void>;
}

/** Starts background work once the database is open; returns a function that stops it. */
export type Job = () => () => Promise<void>;
