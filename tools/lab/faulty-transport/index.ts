/** A transport on which requests and responses meet faults, and the kinds of them. */
export { startFaultyTransport, type FaultyTransport, type MetFault } from "./faulty-transport.ts";
export { transportFaults, type TransportFault } from "./transport-faults.ts";
