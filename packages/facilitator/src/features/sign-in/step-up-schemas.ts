/** What each action that takes a signature does: as it is asked for, and as it is carried out. */
import { Type, type Static } from "typebox";
import { overlaps, type Step } from "./step-up.ts";
import {
  exactly,
  GivenAddress,
  KeyModeText,
  nullable,
  oneOf,
  oneOfBy,
} from "../../http/schemas.ts";
import { readAddress } from "../../http/address-input.ts";

/** Longest life of a key that expires: ten years. */
const keyDaysMax = 3_650;

/** Longest address of a webhook. */
const urlCharsMax = 2_000;

/** The twelve characters that find a key. */
export const KeyId = Type.String({ pattern: "^[0-9A-Za-z]{12}$" });

/** The details of each action, as members of a body. */
export const stepDetails = {
  create_key: {
    label: Type.String({
      pattern: "^\\P{C}+$",
      maxLength: 64,
      description: "What the key is for; no control characters",
    }),
    mode: KeyModeText,
    expiresInDays: nullable(Type.Integer({ minimum: 1, maximum: keyDaysMax })),
  },
  rotate_key: {
    id: KeyId,
    overlap: oneOf(overlaps, "How long the replaced key works on"),
  },
  link_wallet: { address: GivenAddress },
  unlink_wallet: { address: GivenAddress },
  webhook_secret: { url: Type.String({ format: "uri", maxLength: urlCharsMax }) },
  revoke_sessions: {},
};

/** An action with its details, as the body of a request. */
export const StepBody = oneOfBy("action", [
  exactly({ action: Type.Literal("create_key"), details: exactly(stepDetails.create_key) }),
  exactly({ action: Type.Literal("rotate_key"), details: exactly(stepDetails.rotate_key) }),
  exactly({ action: Type.Literal("link_wallet"), details: exactly(stepDetails.link_wallet) }),
  exactly({ action: Type.Literal("unlink_wallet"), details: exactly(stepDetails.unlink_wallet) }),
  exactly({ action: Type.Literal("webhook_secret"), details: exactly(stepDetails.webhook_secret) }),
  exactly({
    action: Type.Literal("revoke_sessions"),
    details: exactly(stepDetails.revoke_sessions),
  }),
]);

/** Reads an action: addresses are checked and brought to the one form. Throws 400. */
export function readStep(body: Static<typeof StepBody>): Step {
  switch (body.action) {
    case "link_wallet":
    case "unlink_wallet": {
      const { action, details } = body;
      return { action, details: { address: readAddress(details.address) } };
    }
    case "create_key":
    case "rotate_key":
    case "webhook_secret":
    case "revoke_sessions":
      return body;
    default:
      return body satisfies never;
  }
}
