/* Limits of custom answers that the dashboard does not need (shared/answers.ts has the others). They protect memory, connections, and the size of an endpoint's row in memory. */

/** The most bytes of a sent body. A placeholder whose value would exceed it is empty. */
export const maxRenderedBytes = 256 << 10;
export const maxHeaderCharacters = 4096;
export const stallMs = 60_000;
export const maxHeldPerEndpoint = 200;
/** In the whole process. A team alone gets 800; the last 400 are for teams that hold fewer than one endpoint may. */
export const heldConnections = { total: 2000, reserved: 400, assured: maxHeldPerEndpoint };
/** Memory of bodies with placeholders that wait to be sent, in the whole process. One team has half of it at most. */
export const maxHeldBodyBytes = 64 << 20;
/** Larger bodies have no fields for placeholders. */
export const maxPlaceholderBodyBytes = 1 << 20;
/** A larger body is `null` as a whole (`{{json body}}`), so that a request that wraps it stays below `maxSentBodyBytes`. */
export const maxWholeBodyBytes = 960 << 10;
