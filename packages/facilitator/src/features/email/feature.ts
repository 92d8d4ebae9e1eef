/** E-mail notices: the events of the outbox, sent to confirmed addresses of an account. */
import type { Runtime, Secret } from "@farthing/engine/base";
import type { Sender } from "../../http/messages/email-address.ts";
import type { Explorers } from "../../http/site/explorers.ts";
import { createMailer } from "../../http/outbound/mailer.ts";
import type { SiteAddress } from "../../http/site/site.ts";
import type { WebhookStore } from "../webhooks/store.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { startEmails } from "./delivery.ts";
import { migrations } from "./migrations.ts";
import type { EmailOutcome } from "./model.ts";
import { registerEmailPages } from "./page-routes.ts";
import { registerEmails } from "./routes.ts";
import { createEmails } from "./service.ts";
import { createEmailStore, type EmailStore } from "./store.ts";

export interface EmailFeatureDeps extends Runtime {
  readonly config: {
    /** Undefined if no e-mail is sent. */
    readonly mail: { readonly url: Secret; readonly from: Sender } | undefined;
    readonly outboundCa: string | undefined;
  };
  readonly store: EmailStore & WebhookStore;
  readonly site: SiteAddress["site"];
  readonly explorers: Explorers;
  readonly metrics: {
    /** Counts what becomes of a mail. */
    noteEmail(outcome: EmailOutcome): void;
  };
}

export const email = {
  name: "email",
  createStore: createEmailStore,
  migrations,
  tags: [{ name: "E-mail", description: "Notices of events, sent to confirmed addresses" }],
  create,
} satisfies Feature;

function create(deps: EmailFeatureDeps): RunningFeature {
  const { config, site, explorers, metrics } = deps;
  const { noteEmail } = metrics;
  const mailer = config.mail && createMailer({ ...config.mail, extraCa: config.outboundCa });
  const emails = createEmails({ ...deps, noteEmail, mailer: mailer ?? noMailer });
  const isEnabled = mailer !== undefined;
  const context = () => ({ origin: site().origin, explorers });
  return {
    routes: {
      account: (server, { makeLimit }) => registerEmails(server, { emails, isEnabled }, makeLimit),
      async surface(server, { basePath }, { throttle }) {
        if (basePath === "") await registerEmailPages(server, { emails, site, throttle });
      },
    },
    jobs: mailer ? [() => startEmails({ ...deps, noteEmail, mailer, context })] : [],
  };
}

/** Its routes are refused before anything is sent. */
const noMailer = {
  send: async () =>
    ({ kind: "failed", status: null, problem: "This service sends no e-mail." }) as const,
};
