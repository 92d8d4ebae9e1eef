/** The processes that signed with each wallet, by their own logs, in the order of the clock. */
import { isObject } from "@farthing/protocol";

/** A transaction that a process signed. */
export interface Signed {
  /** Relayer wallet, lower case. */
  readonly wallet: string;
  readonly nonce: number;
  readonly pid: number;
  /** Milliseconds since 1970, by the one clock of this machine. */
  readonly at: number;
}

const isSigning = /"msg":"Transaction signed and stored"/;

/** Reads a line of a process's log; undefined unless it is about a signed transaction. */
export function parseSigned(pid: number, line: string): Signed | undefined {
  if (!isSigning.test(line)) return undefined;
  const read: unknown = JSON.parse(line);
  if (!isObject(read)) return undefined;
  const { relayer, nonce, time } = read;
  return { wallet: String(relayer).toLowerCase(), nonce: Number(nonce), pid, at: Number(time) };
}

/** How often each wallet changed its writer, the first one included. */
export function countWriters(signed: readonly Signed[]): ReadonlyMap<string, number> {
  const inOrder = signed.toSorted((one, other) => one.at - other.at || one.nonce - other.nonce);
  const turns = new Map<string, number>();
  for (const [wallet, ofWallet] of Map.groupBy(inOrder, (one) => one.wallet)) {
    const begun = ofWallet.filter(({ pid }, index) => ofWallet[index - 1]?.pid !== pid);
    turns.set(wallet, begun.length);
  }
  return turns;
}
