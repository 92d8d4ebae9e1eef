/** Cursors of ledger pages as text for URLs. */
import { badCursor } from "../../http/messages/cursor.ts";
import type { LedgerCursor } from "./model.ts";

export const ledgerCursor = {
  write: (cursor: LedgerCursor | null) => cursor && `${cursor.id}.${cursor.balanceAfter}`,
  read(text: string | undefined): LedgerCursor | undefined {
    if (text === undefined) return undefined;
    const [, id, balanceAfter] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
    if (id === undefined || balanceAfter === undefined) throw badCursor();
    return { id: Number(id), balanceAfter: Number(balanceAfter) };
  },
};
