/** The actions of sign-in that require a signature, and the request body for any of them. */
import { Type } from "typebox";
import { exactly, AddressInput, oneOfBy } from "../../http/messages/schemas.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import type { StepUpDetails } from "./model.ts";
import type { Step, StepUpAction } from "./step-up.ts";

const readWallet = ({ address }: StepUpDetails["link_wallet"]) => ({
  address: readAddress(address),
});

export const linkWallet: StepUpAction<"link_wallet"> = {
  action: "link_wallet",
  permission: "manage_members",
  details: { address: AddressInput },
  sentence: ({ address }) => `let the wallet ${address} sign in and pay.`,
  read: readWallet,
};

export const unlinkWallet = {
  action: "unlink_wallet",
  permission: "manage_members",
  details: { address: AddressInput },
  sentence: ({ address }) => `unlink the wallet ${address}.`,
  read: readWallet,
} as const satisfies StepUpAction<"unlink_wallet">;

export const revokeSessions: StepUpAction<"revoke_sessions"> = {
  action: "revoke_sessions",
  permission: "own_access",
  details: {},
  sentence: () => "sign out everywhere else.",
};

/** The published order of actions; those of further features follow. */
const published = [
  "create_key",
  "rotate_key",
  "link_wallet",
  "unlink_wallet",
  "webhook_secret",
  "revoke_sessions",
];

export function stepBodyOf(actions: readonly StepUpAction[]) {
  return Type.Unsafe<Step>(
    oneOfBy(
      "action",
      actions
        .toSorted((one, other) => rankOf(one) - rankOf(other))
        .map(({ action, details }) =>
          exactly({ action: Type.Literal(action), details: exactly(details) }),
        ),
    ),
  );
}

function rankOf({ action }: StepUpAction): number {
  const rank = published.indexOf(action);
  return rank < 0 ? published.length : rank;
}

/** Returns a step with normalised addresses. Throws 400. */
export function readStep(actions: readonly StepUpAction[], body: Step): Step {
  const { action, details } = body;
  const known = actions.find((one) => one.action === action);
  return { action, details: known?.read?.(details) ?? details };
}
