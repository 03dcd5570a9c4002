/* Redaction: what a rule can look at, and what it does with what it finds. */

export const maxRedactionRules = 50;
export const maxRedactionPathCharacters = 500;

export const redactionPlaces = ['body', 'header', 'query'] as const;
export type RedactionPlace = (typeof redactionPlaces)[number];

export const detections = ['card', 'email', 'ip'] as const;
export type Detection = (typeof detections)[number];

export const treatments = ['remove', 'mask', 'hash'] as const;
export type Treatment = (typeof treatments)[number];

export const keepOrDrop = ['keep', 'drop'] as const;
export type KeepOrDrop = (typeof keepOrDrop)[number];

/** A path that begins so means a key at any depth of a body. */
export const anyDepth = '*.';
