/**
 * Step-up: sensitive actions require a fresh signature of the session's wallet over a text that
 * names the action and its details, which it allows once.
 */
import { assert } from "@farthing/engine/base";
import { isSameAddress } from "@farthing/protocol";
import type { TSchema } from "typebox";
import type { Permission } from "../../http/access/permissions.ts";
import { demandPermission } from "../../http/access/session.ts";
import type { MemberSession, Session, StepUpDetails, StepUpName } from "./model.ts";
import {
  askToSign,
  bindingOf,
  takeSigned,
  type SignAnswer,
  type SigningDeps,
} from "./sign-requests.ts";

export interface StepUpAction<Name extends StepUpName = StepUpName> {
  readonly action: Name;
  /** That of the routes which take the signature. */
  readonly permission: Permission;
  readonly details: Readonly<Record<string, TSchema>>;
  /** The sentence that the wallet shows. */
  sentence(details: StepUpDetails[Name]): string;
  /** Returns valid details in their signed form. Throws 400. */
  read?(details: StepUpDetails[Name]): StepUpDetails[Name];
}

export interface Step<Name extends StepUpName = StepUpName> {
  readonly action: Name;
  readonly details: StepUpDetails[Name];
}

export type StepUp = ReturnType<typeof createStepUp>;

export function createStepUp(deps: SigningDeps & { readonly actions: readonly StepUpAction[] }) {
  const byName = new Map(deps.actions.map((one) => [one.action, one]));
  return {
    /** Throws 403 when the role of the session does not allow the action. */
    ask(session: MemberSession, step: Step) {
      const known = byName.get(step.action);
      assert(known, `no feature declares the action ${step.action}`);
      demandPermission(session, known.permission);
      const { wallet: address, chainId, account } = session;
      return askToSign(deps, {
        purpose: step.action,
        address,
        chainId,
        account,
        binding: bindingOf(session.id),
        statement: `Account ${account}: ${known.sentence(step.details)}`,
        details: canonical(step),
        fragment: fragmentOf(step),
      });
    },
    /** Returns whether the signature allows this, and consumes it. Throws RPC faults. */
    async confirm<Name extends StepUpName>(session: Session, step: Step<Name>, answer: SignAnswer) {
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

/** Serialises an action with its details independently of the order of members. */
function canonical({ action, details }: Step): string {
  return JSON.stringify([action, ...membersOf(details)]);
}

/** The exact details for people who read the signed text; the sentence may omit characters. */
function fragmentOf({ action, details }: Step): string {
  const members = membersOf(details).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return [action, ...members].join("&");
}

function membersOf(details: object): [string, unknown][] {
  return Object.entries(details).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
