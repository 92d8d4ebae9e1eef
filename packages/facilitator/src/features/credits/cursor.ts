/** Where pages of the ledger begin, as text that travels in addresses. */
import { badCursor } from "../../http/cursor.ts";
import type { LedgerCursor } from "./model.ts";

/** A place in the ledger. */
export const ledgerCursor = {
  write: (cursor: LedgerCursor | null) => cursor && `${cursor.id}.${cursor.balanceAfter}`,
  read(text: string | undefined): LedgerCursor | undefined {
    if (text === undefined) return undefined;
    const [, id, balanceAfter] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
    if (id === undefined || balanceAfter === undefined) throw badCursor();
    return { id: Number(id), balanceAfter: Number(balanceAfter) };
  },
};
