/* Operations that decide what counts as genuine are for people and their API keys, never for a connected app. */
import { forbidden } from '../core/errors.ts';
import type { Principal } from './gate.ts';

/** @param what to be done, as in "confirm a secret" @returns the principal @throws forbidden for an app */
export function refuseApp(principal: Principal, what: string): Principal {
  if (principal.credential.kind === 'app')
    throw forbidden(`a connected app may not ${what}: sign in or use an API key`);
  return principal;
}
