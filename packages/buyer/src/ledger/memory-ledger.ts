/** A ledger in memory. Settled and released records are dropped after a day. */
import { LedgerBook, withHeard } from "./ledger-book.ts";
import type {
  ChannelChange,
  ChannelsView,
  HeardToken,
  Ledger,
  Reservation,
  ReserveOutcome,
  ReserveRules,
} from "./ledger.ts";

export function memoryLedger(): Ledger {
  const book = new LedgerBook();
  let tokens: readonly HeardToken[] = [];

  // Runs without a pause between check and write, so it is atomic.
  function reserve(reservation: Reservation, rules: ReserveRules): ReserveOutcome {
    book.forget(reservation.reservedAt, 0);
    const outcome = book.evaluate(reservation, rules);
    if (!outcome.ok) return outcome;
    book.put(outcome.record);
    if (rules.payeePin !== "off") book.pin(reservation);
    return outcome;
  }

  function changeChannels<T>(decide: (view: ChannelsView) => ChannelChange<T>): T {
    const { put, pin, result } = decide(book.channelsView());
    if (put) book.channels.put(put);
    if (pin) book.pin(pin);
    return result;
  }

  return {
    reserve: async (reservation, rules) => reserve(reservation, rules),
    transition: async (requestId, next) => book.put(book.transitioned(requestId, next)),
    find: async (requestId) => book.find(requestId),
    usage: async (scope, since) => book.usage(scope, since),
    pinnedPayee: async (host, network) => book.pinnedPayee(host, network),
    list: async (states) => book.list(states),
    keepHeard: async (heard) => {
      tokens = withHeard(tokens, heard);
    },
    listHeard: async () => tokens,
    changeChannels: async (decide) => changeChannels(decide),
    listChannels: async () => book.channels.list(),
  };
}
