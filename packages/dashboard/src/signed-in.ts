import { createContext, use } from "react";
import type { Account } from "@farthing/facilitator/api";

/** The signed-in account, for everything below the shell. */
export const SignedIn = createContext<Account | null>(null);

export function useAccount(): Account {
  const account = use(SignedIn);
  if (!account) throw new Error("This is shown to signed-in people only.");
  return account;
}
