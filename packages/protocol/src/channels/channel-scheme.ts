/** The name of channels in `accepts[]`; apart, so that the page for people has it without their code. */
export const channelScheme = "batch-settlement";
