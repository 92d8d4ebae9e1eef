/**
 * Step-up: what a session may not do by its cookie alone takes a fresh signature of the session's
 * wallet over a text that names the action with all that it does. The signature allows that one
 * action, with exactly those details, once.
 */
import { isSameAddress, type Address } from "@farthing/protocol";
import type { KeyMode } from "../api-keys/model.ts";
import type { Session, SignRequest } from "./model.ts";
import {
  askToSign,
  bindingOf,
  takeSigned,
  type SignAnswer,
  type SigningDeps,
} from "./sign-requests.ts";

/** How long a rotated key goes on beside its successor. */
export const overlaps = ["0", "1h", "24h", "7d"] as const;
export type Overlap = (typeof overlaps)[number];

/** What takes a signature, with what it does. */
export interface StepUpDetails {
  readonly create_key: {
    readonly label: string;
    readonly mode: KeyMode;
    readonly expiresInDays: number | null;
  };
  readonly rotate_key: { readonly id: string; readonly overlap: Overlap };
  readonly link_wallet: { readonly address: Address };
  readonly unlink_wallet: { readonly address: Address };
  readonly webhook_secret: { readonly url: string };
  /** Empty: there is nothing to choose. */
  readonly revoke_sessions: object;
}

export type StepUpAction = keyof StepUpDetails;

/** An action with what it does. */
export type Step = {
  readonly [Action in StepUpAction]: {
    readonly action: Action;
    readonly details: StepUpDetails[Action];
  };
}[StepUpAction];

/** Step-up signatures. */
export interface StepUp {
  /** Composes the text for a session's wallet. */
  ask(session: Session, step: Step): Promise<SignRequest>;
  /** Tells whether the signature allows this; it is used up either way. Throws RPC faults. */
  confirm(session: Session, step: Step, answer: SignAnswer): Promise<boolean>;
}

/** Creates the step-up. */
export function createStepUp(deps: SigningDeps): StepUp {
  return {
    ask(session, step) {
      const { wallet: address, chainId, account } = session;
      return askToSign(deps, {
        purpose: step.action,
        address,
        chainId,
        account,
        binding: bindingOf(session.id),
        statement: `Account ${account}: ${sentenceOf(step)}`,
        details: canonical(step),
        fragment: fragmentOf(step),
      });
    },
    async confirm(session, step, answer) {
      const binding = bindingOf(session.id);
      const outcome = await takeSigned(deps, answer, { purpose: step.action, binding });
      if (!outcome.ok) return false;
      const { request, walletKind } = outcome;
      return (
        request.details === canonical(step) &&
        walletKind === session.walletKind &&
        isSameAddress(request.address, session.wallet) &&
        request.account !== null &&
        isSameAddress(request.account, session.account)
      );
    },
  };
}

function sentenceOf(step: Step): string {
  switch (step.action) {
    case "create_key": {
      const { label, mode, expiresInDays } = step.details;
      const end = expiresInDays === null ? "does not expire" : `expires in ${expiresInDays} days`;
      return `create the API key '${label}' for ${mode} payments, which ${end}.`;
    }
    case "rotate_key": {
      const { id, overlap } = step.details;
      const end = overlap === "0" ? "ends at once" : `works for ${overlap} more`;
      return `replace the API key ${id}, which ${end}.`;
    }
    case "link_wallet":
      return `let the wallet ${step.details.address} sign in and pay.`;
    case "unlink_wallet":
      return `unlink the wallet ${step.details.address}.`;
    case "webhook_secret":
      return `create a webhook, with a new secret, for ${step.details.url}.`;
    case "revoke_sessions":
      return "sign out everywhere else.";
    default:
      return step satisfies never;
  }
}

/** The action and its details as text, the same for the same, whatever the order of the members. */
function canonical({ action, details }: Step): string {
  return JSON.stringify([action, ...membersOf(details)]);
}

/** The same for whoever reads the signed text with care: exact, where the sentence has no signs. */
function fragmentOf({ action, details }: Step): string {
  const members = membersOf(details).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return [action, ...members].join("&");
}

function membersOf(details: object): [string, unknown][] {
  return Object.entries(details).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
