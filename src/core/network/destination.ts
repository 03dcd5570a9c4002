/* Which URLs may be a destination: absolute http and https URLs. The URL parser also accepts URLs that readers misread. */
import { shownSecret } from '../../shared/guard.ts';
import { destinationRefusalOf } from '../../shared/problem-codes.ts';
import { AppError, invalid } from '../errors.ts';

const absolute = /^https?:\/\/[^/?#]/i;
const neverInUri = /[\s\\\p{Cc}\p{Cs}]/u;
export const maxUrlCharacters = 8192;

/** Whether a destination has accepted a request; `status` is null without a response. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status <= 299;

/** @returns the destination as given @throws invalid, without the name of the field (`inField`) */
export function readDestination(given: string): string {
  if (given.length > maxUrlCharacters) throw invalid(`must be at most ${maxUrlCharacters} characters`);
  if (!absolute.test(given) || neverInUri.test(given) || !URL.canParse(given))
    throw invalid('must be an absolute http or https URL');
  return given;
}

/** What a read-only key sees: only the server, because the rest of the URL lets anyone send. Names of listeners stay. */
export const withoutPath = (destination: string): string =>
  absolute.test(destination) ? `${new URL(destination).origin}/${shownSecret}` : destination;

/** The error for a destination that the operator's settings do not permit. @param error the whole message */
export function refusedDestination(field: string, reason: string, error = `${field}: ${reason}`): AppError {
  const code = destinationRefusalOf(reason);
  return new AppError('invalid', error, { problems: [{ path: [field], message: reason, ...(code && { code }) }] });
}

/** Reads a destination that is stored and shown to the team: it must not contain credentials. @throws invalid */
export function readKeptDestination(given: string): string {
  const { username, password } = new URL(readDestination(given));
  if (username !== '' || password !== '') throw invalid('must not contain a user name or password');
  return given;
}
