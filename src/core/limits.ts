/* The contract's fixed numbers (api-contract "Limits") that no form shows; shared/limits.ts has the others. Limits that an operator may change are in the settings. */

export const apiVersion = '2026.09.17';
export const maxPinsPerTeam = 1000;
export const maxFiltersPerEndpoint = 100;
export const defaultPageSize = 25;
/** Older attempts are deleted, so that the size of an event is limited. */
export const maxAttemptsPerEvent = 100;
export const maxReplaysShown = 20;
export const replayPreviewCharacters = 500;
/** The most that is stored of the body of a response to a replay, and of its headers. */
export const keptResponseBytes = 4096;
export const maxReportedAttempts = 100;
export const maxEventTypeCharacters = 200;
export const payloadPreviewCharacters = 200;
export const maxHighlights = 4;
export const maxHighlightCharacters = 60;
export const maxMatches = 3;
export const maxMatchCharacters = 80;
/** Larger bodies are not parsed for EventDetail.payload; `payloadRaw` has the text. */
export const maxParsedBodyBytes = 8 * 1024 * 1024;
/** Larger bodies are read, checked and written in slices, by a few requests at a time. */
export const largeBodyBytes = 256 * 1024;
/** A JSON API request body; deliveries have their own limit. */
export const maxRequestBytes = 256 * 1024;
/** A JSON API request body without credentials. */
export const maxAnonymousRequestBytes = 16 * 1024;
/** The longest destination that a signing secret may name. Longer than every host name with a scheme and a port. */
export const maxOriginCharacters = 300;
export const maxSigningSecretCharacters = 16 * 1024;

export const maxRedactedFields = 100;
