/** Where the facilitator serves the dashboard. */
export const basePath = "/account/facilitator/";
