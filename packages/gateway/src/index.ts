/** The gateway as a library: a reverse proxy that charges for the routes of an API. */
export {};
