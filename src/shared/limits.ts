/* Limits that forms show and that belong to no endpoint's settings (api-contract "Limits"). */

/** The longest name of an endpoint, an API key, an alert, a forward or a filter. */
export const maxNameCharacters = 100;

export const minPasswordCharacters = 12;
export const maxPasswordBytes = 1024;

export const maxPinNameCharacters = 64;
export const maxPinNoteCharacters = 280;
export const maxTagsPerEvent = 10;
export const maxTagCharacters = 32;

export const maxKeysPerAccount = 10;
export const maxPasskeysPerAccount = 20;
/** `expiresIn` and `expiresAt` of an API key. */
export const maxKeyExpiryMs = 3650 * 24 * 3_600_000;

/** Events that an export can be given by id: they have to fit into its URL. */
export const maxExportedIds = 200;

export const maxJobEvents = 100_000;
/** The most events that a replay job can be given by id. */
export const maxChosenEvents = 1000;
export const maxJobConcurrency = 32;
/** The pace of a replay job. */
export const minJobPerSecond = 0.001;
export const maxJobPerSecond = 10_000;

/** The longest text to search for in captured text. */
export const maxSearchCharacters = 1000;

/** The length of a text to erase. */
export const minErasedCharacters = 8;
export const maxErasedCharacters = 200;
/** The most deliveries of one question whether they were erased. */
export const maxErasedGuids = 100;
