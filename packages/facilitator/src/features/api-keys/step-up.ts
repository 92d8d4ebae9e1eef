/** The actions of API keys that require a step-up signature. */
import { keyOverlaps } from "@farthing/protocol";
import { Type } from "typebox";
import { KeyId, KeyModeText, nullable, oneOf } from "../../http/messages/schemas.ts";
import type { StepUpAction } from "../sign-in/step-up.ts";

/** The longest lifetime of a key that expires: ten years. */
const maxKeyDays = 3_650;

export const createKey = {
  action: "create_key",
  permission: "manage_keys",
  details: {
    label: Type.String({
      pattern: "^\\P{C}+$",
      maxLength: 64,
      description: "What the key is for; no control characters",
    }),
    mode: KeyModeText,
    expiresInDays: nullable(Type.Integer({ minimum: 1, maximum: maxKeyDays })),
  },
  sentence({ label, mode, expiresInDays }) {
    const end = expiresInDays === null ? "does not expire" : `expires in ${expiresInDays} days`;
    return `create the API key '${label}' for ${mode} payments, which ${end}.`;
  },
} as const satisfies StepUpAction<"create_key">;

export const rotateKey = {
  action: "rotate_key",
  permission: "manage_keys",
  details: {
    id: KeyId,
    overlap: oneOf(keyOverlaps, "How long the replaced key works on"),
  },
  sentence({ id, overlap }) {
    const end = overlap === "0" ? "ends at once" : `works for ${overlap} more`;
    return `replace the API key ${id}, which ${end}.`;
  },
} as const satisfies StepUpAction<"rotate_key">;
