import { createContext, use } from "react";
import type { AccountJson, Permission, Role } from "@farthing/facilitator/api";

/** The signed-in account, for everything below the shell. */
export const SignedIn = createContext<AccountJson | null>(null);

/** Links a transaction of a network; undefined where no explorer shows it, as on a devnet. */
export function useExplorer(): (network: string, transaction: string) => string | undefined {
  const { networks } = useAccount();
  return (network, transaction) => {
    const explorer = networks.find(({ id }) => id === network)?.explorer;
    return explorer ? `${explorer}/tx/${transaction}` : undefined;
  };
}

export function useAccount(): AccountJson {
  const account = use(SignedIn);
  if (!account) throw new Error("This is shown to signed-in people only.");
  return account;
}

export const roleNames: Readonly<Record<Role, string>> = {
  owner: "Owner",
  developer: "Developer",
  read_only: "Read only",
};

/** Tells whether the role of the session allows something; without a permission it is allowed. */
export function useMay(permission: Permission | undefined): boolean {
  const account = use(SignedIn);
  return permission === undefined || account?.permissions.includes(permission) === true;
}
