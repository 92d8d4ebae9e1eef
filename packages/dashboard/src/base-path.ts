/** Where the facilitator serves the dashboard; every address of a screen begins with it. */
export const basePath = "/account/facilitator/";
