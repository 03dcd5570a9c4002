/* What the claims of an ID token or of UserInfo say about a person. They come from the provider, so each is checked. */
import { isPlainText, readEmail } from '../../core/text.ts';

export type Claims = Readonly<Record<string, unknown>>;

const maxSubjectCharacters = 255;

/** Whether it is a `sub`: text that is stored and compared exactly. */
export const isSubject = (sub: unknown): sub is string =>
  typeof sub === 'string' && sub !== '' && sub.length <= maxSubjectCharacters && isPlainText(sub);

/** Whether the address and its verification are both there, so that no other source may say something else. */
export const saysEmail = ({ email, email_verified }: Claims): boolean =>
  typeof email === 'string' && email_verified !== undefined;

/** The address, only if the provider has verified it. The text "true" does not count. */
export function verifiedEmail({ email, email_verified }: Claims): string | undefined {
  if (typeof email !== 'string' || email_verified !== true) return undefined;
  try {
    return readEmail(email);
  } catch {
    return undefined;
  }
}

/** A list of names, or one name. @returns undefined without the claim */
export function groupsIn(claims: Claims, name: string): readonly string[] | undefined {
  if (!Object.hasOwn(claims, name)) return undefined;
  return [claims[name]].flat().filter(group => typeof group === 'string');
}
