/** The settings by which payments are found again that the database has lost. */
export const recoverySettings = {
  FARTHING_FORMER_WALLETS: {
    shape:
      "addresses of relayer wallets that are no longer configured, comma-separated: payments that they sent and the database has lost are recognised",
    example: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  },
  FARTHING_SHARED_WALLETS: {
    shape:
      "addresses of relayer wallets from which other software sends as well, comma-separated: their nonces are not compared with the database, and what they sent is recorded only when a caller repeats it",
    example: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  },
  FARTHING_ID_SECRET: {
    shape:
      "secret of at least 32 characters from which settlements get their ids, so that a payment that the database lost is recovered under the id that was told; the same in all processes, never changed, and kept apart from the database's backups; without it ids are random",
    example: "64 hex digits (keep them in a file: FARTHING_ID_SECRET_FILE=/run/secrets/id-secret)",
    isSecret: true,
  },
} as const;
