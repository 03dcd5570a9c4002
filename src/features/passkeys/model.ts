/* Schemas of passkeys. Options and responses are the JSON of WebAuthn, as browsers make and read it. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { type Static, Type as t } from '@sinclair/typebox';
import { Name, nullable } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';

const webAuthn = <T>(title: string, description: string) =>
  t.Unsafe<T>({ ...t.Object({}, { title, description, additionalProperties: true }) });

export const PasskeyCreationOptions = webAuthn<PublicKeyCredentialCreationOptionsJSON>(
  'PasskeyCreationOptions',
  'the argument of `PublicKeyCredential.parseCreationOptionsFromJSON`',
);
export const PasskeyRequestOptions = webAuthn<PublicKeyCredentialRequestOptionsJSON>(
  'PasskeyRequestOptions',
  'the argument of `PublicKeyCredential.parseRequestOptionsFromJSON`',
);
/** Whether it has the form of its type is only known when it is verified. */
const response = <T>(title: string, call: string) =>
  webAuthn<T>(title, `\`toJSON()\` of what \`navigator.credentials.${call}\` returned`);

export const Passkey = t.Object(
  { id: t.String(), name: t.String(), createdAt: Timestamp, lastUsedAt: nullable(Timestamp) },
  { title: 'Passkey' },
);
export type Passkey = Static<typeof Passkey>;
export const PasskeyList = t.Object({ passkeys: t.Array(Passkey) }, { title: 'PasskeyList' });

const name = { name: Name };
export const PasskeyInput = t.Object(
  { ...name, response: response<RegistrationResponseJSON>('PasskeyRegistration', 'create()') },
  { title: 'PasskeyInput', examples: [{ name: 'laptop', response: {} }] },
);
export const PasskeyChange = t.Object(name, { title: 'PasskeyChange', examples: [{ name: 'laptop' }] });
export const PasskeySignIn = t.Object(
  { response: response<AuthenticationResponseJSON>('PasskeyAssertion', 'get()') },
  { title: 'PasskeySignIn', examples: [{ response: {} }] },
);
