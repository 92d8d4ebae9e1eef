/** The settings of payment channels. */
export const channelSettings = {
  FARTHING_CHANNEL_SECRET: {
    shape:
      "secret of at least 32 characters from which each account gets the key that signs its channels' claims and refunds; the same in all processes and never changed, because channels name that key for ever; without it sellers sign for themselves",
    example:
      "64 hex digits (keep them in a file: FARTHING_CHANNEL_SECRET_FILE=/run/secrets/channel-secret)",
    isSecret: true,
  },
  FARTHING_CHANNEL_KMS_KEY: {
    shape:
      "key in AWS KMS (spec ECC_SECG_P256K1) that signs for the channels of all accounts that are opened from then on, an id, ARN or alias; never changed, because channels name its address for ever; beside FARTHING_CHANNEL_SECRET, which goes on signing for the channels that name its keys",
    example: "alias/farthing-channels",
  },
} as const;
