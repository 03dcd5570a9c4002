/* Numbers that several rooms of the authorization server share. */

/** Wrong verifiers after which a code is dead. */
export const maxCodeFails = 5;
export const maxFormBytes = 16 * 1024;
