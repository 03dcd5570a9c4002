/* A WebAuthn authenticator in software, with the browser around it. Each property of a response can be wrong. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** What it says or signs instead of the truth. */
export type Wrong = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isVerified?: boolean;
  userHandle?: string | null;
  id?: string;
  counter?: number;
  signature?: Buffer;
  attestation?: { fmt: string; attStmt: Record<string, unknown> };
};

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** CBOR of whole numbers, texts, bytes, lists and maps. */
function encode(value: unknown): Buffer {
  const head = (major: number, n: number): Buffer => {
    if (n < 24) return Buffer.of((major << 5) | n);
    return n < 256 ? Buffer.of((major << 5) | 24, n) : Buffer.of((major << 5) | 25, n >> 8, n & 255);
  };
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  const entries = value instanceof Map ? [...value] : Object.entries(value as object);
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(pair => pair.map(encode))]);
}

function newKey(algorithm: Algorithm): { key: KeyObject; cose: Buffer } {
  const part = (text = ''): Buffer => Buffer.from(text, 'base64url');
  if (algorithm === 'ES256') {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const cose = new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, part(x)], [-3, part(y)]]); // biome-ignore format: a table
    return { key: privateKey, cose: encode(cose) };
  }
  if (algorithm === 'EdDSA') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x } = publicKey.export({ format: 'jwk' });
    return { key: privateKey, cose: encode(new Map<number, unknown>([[1, 1], [3, -8], [-1, 6], [-2, part(x)]])) }; // biome-ignore format: a table
  }
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e } = publicKey.export({ format: 'jwk' });
  return { key: privateKey, cose: encode(new Map<number, unknown>([[1, 3], [3, -257], [-1, part(n)], [-2, part(e)]])) }; // biome-ignore format: a table
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** @param options `counts`: without it the counter stays 0, as that of synchronised passkeys does */
export function createAuthenticator(
  site: string,
  {
    algorithm = 'ES256',
    counts = false,
    counter = 0,
  }: { algorithm?: Algorithm; counts?: boolean; counter?: number } = {},
) {
  const { key, cose } = newKey(algorithm);
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let count = counter;
  let userHandle: string | undefined;

  const clientData = (type: string, challenge: string, wrong: Wrong): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? site,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (wrong: Wrong, attested = Buffer.alloc(0)): Buffer => {
    if (counts) count++;
    const counterBytes = Buffer.alloc(4);
    counterBytes.writeUInt32BE(wrong.counter ?? count);
    const flags = 0x01 | (wrong.isVerified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    return Buffer.concat([sha256(wrong.rpId ?? new URL(site).hostname), Buffer.of(flags), counterBytes, attested]);
  };
  const signed = (data: Buffer, client: Buffer): Buffer =>
    sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.concat([data, sha256(client)]), key);
  const response = { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };

  return {
    id,
    /** A copy of the authenticator as it is now: both count on from here. */
    get counter(): number {
      return count;
    },
    set counter(value: number) {
      count = value;
    },

    create({ user, challenge }: PublicKeyCredentialCreationOptionsJSON, wrong: Wrong = {}): RegistrationResponseJSON {
      userHandle = user.id;
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, credentialId.length), credentialId, cose]);
      const { fmt, attStmt } = wrong.attestation ?? { fmt: 'none', attStmt: {} };
      const attestation = encode({ fmt, attStmt, authData: authenticatorData(wrong, attested) });
      return {
        ...response,
        response: {
          clientDataJSON: clientData('webauthn.create', challenge, wrong).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal', 'hybrid'],
        },
      };
    },

    get({ challenge }: PublicKeyCredentialRequestOptionsJSON, wrong: Wrong = {}): AuthenticationResponseJSON {
      const client = clientData('webauthn.get', challenge, wrong);
      const data = authenticatorData(wrong);
      const handle = wrong.userHandle === undefined ? userHandle : (wrong.userHandle ?? undefined);
      return {
        ...response,
        ...(wrong.id !== undefined && { id: wrong.id, rawId: wrong.id }),
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: (wrong.signature ?? signed(data, client)).toString('base64url'),
          ...(handle !== undefined && { userHandle: handle }),
        },
      };
    },
  };
}
