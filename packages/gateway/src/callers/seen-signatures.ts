/**
 * Which signatures of agents have opened something, so that one that was overheard opens nothing more.
 * A repeat of the same payment is let through: its buyer may have lost the response.
 */

/** Signatures of one host that are remembered until they expire; more are not let through. */
const perHostMax = 10_000;

/** Hosts with signatures in force. */
const hostsMax = 1_000;

/** What a signature opens: nothing yet, or what is paid with the credential; "" for what is free. */
export interface SignatureUse {
  readonly signature: string;
  /** Undefined where nothing is served for the signature yet. */
  readonly credential: string | undefined;
  /** Unix seconds until which the signature is accepted. */
  readonly until: number;
}

export interface SeenSignatures {
  /** Whether the signature may be used so; if so, what it opens is remembered. */
  take(host: string, use: SignatureUse): boolean;
}

interface Seen {
  /** Unix seconds. */
  readonly until: number;
  readonly credential: string;
}

/** `now` is Unix milliseconds. */
export function createSeenSignatures(now: () => number): SeenSignatures {
  const hosts = new Map<string, Map<string, Seen>>();

  function makeRoom(): void {
    for (const [host, seen] of hosts) {
      for (const [signature, { until }] of seen) {
        if (until * 1000 < now()) seen.delete(signature);
      }
      if (seen.size === 0) hosts.delete(host);
    }
  }

  return {
    take(host, { signature, credential, until }) {
      const before = hosts.get(host)?.get(signature);
      if (before) return before.credential === credential && credential !== "";
      if (credential === undefined) return true;
      const isFull = () =>
        (hosts.get(host)?.size ?? 0) >= perHostMax || (!hosts.has(host) && hosts.size >= hostsMax);
      if (isFull()) makeRoom();
      if (isFull()) return false;
      const seen = hosts.get(host) ?? new Map<string, Seen>();
      seen.set(signature, { credential, until });
      hosts.set(host, seen);
      return true;
    },
  };
}
