/*
 * The two ceremonies of WebAuthn: making a passkey and signing in with it. The library that verifies responses is loaded for the first
 * response. Its errors contain what the client sent: they are for the log.
 */
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { challengeMs } from './challenges.ts';

/** `rpId`: the host that passkeys belong to. `useChallenge` uses up a challenge and returns whether it was valid. */
type Expected = { rpId: string; origin: string; useChallenge: (challenge: string) => boolean };
/** A passkey as browsers refer to it. */
type Descriptor = { credentialId: Buffer; transports: string[] };
type Credential = Descriptor & { publicKey: Buffer; counter: number };

/** Ed25519, ES256 and RS256. The library's own list begins with ML-DSA, which not every version of the runtime can verify. */
const algorithms = [-8, -7, -257];
const transportNames = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];
/** WebAuthn level 3, section 4. */
const maxCredentialIdBytes = 1023;
const maxPublicKeyBytes = 2048;

const toExpected = ({ rpId, origin, useChallenge }: Expected) => ({
  expectedRPID: rpId,
  expectedOrigin: origin,
  expectedChallenge: useChallenge,
  requireUserVerification: true,
});

export function creationOptions(given: {
  rpId: string;
  challenge: string;
  account: { id: string; email: string };
  existing: readonly Descriptor[];
}): PublicKeyCredentialCreationOptionsJSON {
  const { rpId, challenge, account, existing } = given;
  return {
    challenge,
    rp: { id: rpId, name: 'Hooktape' },
    user: { id: Buffer.from(account.id).toString('base64url'), name: account.email, displayName: account.email },
    pubKeyCredParams: algorithms.map(alg => ({ alg, type: 'public-key' })),
    timeout: challengeMs,
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      type: 'public-key',
      transports: transports as AuthenticatorTransport[],
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  };
}

/** They name no passkeys: the browser offers its passkeys for the host. */
export const requestOptions = (rpId: string, challenge: string): PublicKeyCredentialRequestOptionsJSON => ({
  challenge,
  rpId,
  timeout: challengeMs,
  allowCredentials: [],
  userVerification: 'required',
});

/** @throws if it is not a valid response to `creationOptions` */
export async function verifyCreation(response: RegistrationResponseJSON, expected: Expected): Promise<Credential> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  // To check certificates the library would fetch revocation lists. The options ask for none.
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
  const format = attestation.get('fmt');
  if (!['none', 'packed'].includes(format) || attestation.get('attStmt').get('x5c') !== undefined)
    throw new Error(`the attestation has the format ${format} or certificates`);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    ...toExpected(expected),
    supportedAlgorithmIDs: algorithms,
  });
  if (!verified) throw new Error('wrong signature');
  const { id, publicKey, counter } = registrationInfo.credential;
  const credentialId = Buffer.from(id, 'base64url');
  if (credentialId.length > maxCredentialIdBytes || publicKey.length > maxPublicKeyBytes)
    throw new Error('the id or the public key is too long');
  const given: unknown = response.response.transports;
  const transports = transportNames.filter(name => Array.isArray(given) && given.includes(name));
  return { credentialId, publicKey: Buffer.from(publicKey), counter, transports };
}

/** @returns the counter of the authenticator @throws if it is not a valid response to `requestOptions` by this passkey */
export async function verifySignIn(
  response: AuthenticationResponseJSON,
  { credentialId, publicKey, counter }: Omit<Credential, 'transports'>,
  expected: Expected,
): Promise<number> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    ...toExpected(expected),
    credential: { id: credentialId.toString('base64url'), publicKey: Uint8Array.from(publicKey), counter },
  });
  if (!verified) throw new Error('wrong signature');
  return authenticationInfo.newCounter;
}
