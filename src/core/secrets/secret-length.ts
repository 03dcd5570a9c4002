/* How long HOOKTAPE_SECRET must be: keys are derived from it without stretching, so the secret itself must be unguessable. */

const minSecretCharacters = 32;

export const isShortSecret = (secret: string): boolean => [...secret].length < minSecretCharacters;

/** The rest of a sentence that begins with the name of the secret. */
export const secretMustBe = `must have at least ${minSecretCharacters} characters: make one with \`openssl rand -hex 32\`, or leave it unset, and Hooktape makes one`;
