/** The settings of payment channels. */
export const channelSettings = {
  FARTHING_CHANNEL_SECRET: {
    shape:
      "secret of at least 32 characters from which each account gets the key that signs its channels' claims and refunds; the same in all processes and never changed, because channels name that key for ever; without it sellers sign for themselves",
    example:
      "64 hex digits (keep them in a file: FARTHING_CHANNEL_SECRET_FILE=/run/secrets/channel-secret)",
    isSecret: true,
  },
} as const;
