/*
 * A sign-in that a browser has begun at the provider. It is sealed into a cookie, so that anonymous visitors fill no table, and it
 * binds the provider's answer to that browser. The cookie is Lax, because the answer arrives as a navigation from another site.
 */
import type { Clock } from '../../core/clock.ts';
import { type Sealer, sealPurpose } from '../../core/secrets/seal.ts';
import { safeReturnTo } from '../../shared/return-to.ts';

export type PendingSignIn = {
  state: string;
  nonce: string;
  /** PKCE. */
  verifier: string;
  /** A path of this origin. */
  to: string;
  /** The account that the provider's account will be bound to; without it, a person signs in. */
  binds?: string;
};

export type PendingCookie = ReturnType<typeof createPendingCookie>;

const lifetimeMs = 10 * 60_000;
/** Browsers drop a cookie of more than 4,096 bytes. */
const maxPathCharacters = 2000;

export function createPendingCookie(options: { baseUrl: string; issuer: string; sealer: Sealer; clock: Clock }) {
  const { baseUrl, issuer, sealer, clock } = options;
  const isSecure = baseUrl.startsWith('https:');
  const name = isSecure ? '__Host-hooktape_oidc' : 'hooktape_oidc';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const purpose = sealPurpose.pendingOidc(issuer);

  const open = (value: string): PendingSignIn | undefined => {
    const text = sealer.open(Buffer.from(value, 'base64url'), purpose);
    if (text === undefined) return undefined;
    // Only this server can have sealed it.
    const { begunAt, ...pending } = JSON.parse(text) as PendingSignIn & { begunAt: number };
    return Math.abs(clock.now() - begunAt) < lifetimeMs ? pending : undefined;
  };

  return {
    /** The path to return to, which is untrusted. */
    path: (returnTo: string | null): string =>
      safeReturnTo(returnTo !== null && returnTo.length <= maxPathCharacters ? returnTo : null, baseUrl),
    /** `Set-Cookie` values. */
    set: (pending: PendingSignIn): string => {
      const sealed = sealer.seal(JSON.stringify({ ...pending, begunAt: clock.now() }), purpose);
      return `${name}=${Buffer.from(sealed).toString('base64url')}; ${attributes}; Max-Age=${lifetimeMs / 1000}`;
    },
    clear: (): string => `${name}=; ${attributes}; Max-Age=0`,
    /** Undefined without a sign-in that this server began for this provider within the last 10 minutes. */
    read: (request: Request): PendingSignIn | undefined => {
      for (const pair of request.headers.get('cookie')?.split(';') ?? []) {
        const [key = '', value = ''] = pair.trim().split('=');
        const pending = key === name ? open(value) : undefined;
        if (pending) return pending;
      }
      return undefined;
    },
  };
}
