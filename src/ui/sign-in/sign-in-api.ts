/* The calls of signing in, of the ways to do so, and of sessions. */

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/browser';
import type { Me } from '../../features/accounts/model.ts';
import type { Passkey } from '../../features/passkeys/model.ts';
import type { Session } from '../../features/sessions/model.ts';
import type { TotpSecret } from '../../features/totp/model.ts';
import { call, type Ok } from '../kit/api.ts';

const pathOf = (passkey: string): string => `/api/me/passkeys/${encodeURIComponent(passkey)}`;

/** Six digits are a one-time code, anything else a recovery code. */
const secondFactor = (typed: string) => {
  const code = typed.replace(/\s/g, '');
  return /^\d{6}$/.test(code) ? { code } : { recoveryCode: typed.trim() };
};

/** `current` is left out by an account without a password. */
export type PasswordChange = { current?: string; password: string; signOutEverywhere: boolean };

export const signInApi = {
  /** @param code a one-time code or a recovery code; empty without one */
  signIn: (email: string, password: string, code: string) =>
    call<Ok>('POST', '/api/session', { email, password, ...(code !== '' && secondFactor(code)) }),
  signInOptions: () => call<PublicKeyCredentialRequestOptionsJSON>('POST', '/api/session/passkey/options', {}),
  signInWithPasskey: (response: AuthenticationResponseJSON) =>
    call<unknown>('POST', '/api/session/passkey', { response }),
  sessions: () => call<{ sessions: Session[] }>('GET', '/api/sessions').then(answer => answer.sessions),
  endSession: (session: string) => call<Ok>('DELETE', `/api/sessions/${encodeURIComponent(session)}`),

  me: () => call<Me>('GET', '/api/me'),
  setPassword: (change: PasswordChange) => call<Ok>('POST', '/api/password', change),
  startTotp: () => call<TotpSecret>('POST', '/api/me/totp', {}),
  confirmTotp: (code: string) => call<{ recoveryCodes: string[] }>('POST', '/api/me/totp/confirm', { code }),
  turnOffTotp: (typed: string) => call<Ok>('DELETE', '/api/me/totp', secondFactor(typed)),
  /** @returns where the browser goes next */
  connectProvider: () => call<{ url: string }>('POST', '/api/me/oidc', {}),
  disconnectProvider: () => call<Ok>('DELETE', '/api/me/oidc'),
  passkeys: () => call<{ passkeys: Passkey[] }>('GET', '/api/me/passkeys').then(answer => answer.passkeys),
  passkeyOptions: () => call<PublicKeyCredentialCreationOptionsJSON>('POST', '/api/me/passkeys/options', {}),
  addPasskey: (name: string, response: RegistrationResponseJSON) =>
    call<Passkey>('POST', '/api/me/passkeys', { name, response }),
  renamePasskey: (passkey: string, name: string) => call<Passkey>('PATCH', pathOf(passkey), { name }),
  removePasskey: (passkey: string) => call<Ok>('DELETE', pathOf(passkey)),
};
