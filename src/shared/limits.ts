/* Limits of several features that the server checks and forms show. */

/** Of an endpoint, a key, an alert and the like. */
export const maxNameCharacters = 100;

export const minPasswordCharacters = 12;
