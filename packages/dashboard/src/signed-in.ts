import { createContext, use } from "react";
import type { AccountJson } from "@farthing/facilitator/api";

/** The signed-in account, for everything below the shell. */
export const SignedIn = createContext<AccountJson | null>(null);

export function useAccount(): AccountJson {
  const account = use(SignedIn);
  if (!account) throw new Error("This is shown to signed-in people only.");
  return account;
}
