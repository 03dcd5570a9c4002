/* Secrets for signing samples, in the form of a platform's secrets. */
import type { RandomBytes } from '../../core/ids/ids.ts';
import type { Platform } from './platform.ts';
import type { KeyFormat } from './signature-scheme.ts';

const keyBytes = 32;

/** Marks test events. Test secrets verify only events with this header. */
export const testEventHeader = 'X-Hooktape-Test';

/** Samples cannot be signed if the platform does not sign, or signs with a private key that only it has. */
export const canTestSign = (platform: Platform): boolean => signingFormat(platform) !== undefined;

/** A random secret for a platform for which `canTestSign` is true. */
export const createTestSecret = (platform: Platform, random: RandomBytes): string =>
  secretOf(signingFormat(platform) ?? 'text', random(keyBytes));

const signingFormat = ({ signatures }: Platform): KeyFormat | undefined =>
  signatures.find(({ keyFormat }) => isSymmetric(keyFormat))?.keyFormat;

/** Whether the registered secret can also sign. */
export const isSymmetric = (format: KeyFormat): boolean =>
  format !== 'id-and-certificate' && format !== 'ed25519' && format !== 'public-key';

function secretOf(format: KeyFormat, key: Uint8Array): string {
  const bytes = Buffer.from(key);
  switch (format) {
    case 'hex':
      return bytes.toString('hex');
    case 'base64':
      return bytes.toString('base64');
    case 'whsec':
    case 'whsec-or-text':
      return `whsec_${bytes.toString('base64')}`;
    case 'after-colon':
      return `test.key:${bytes.toString('base64url')}`;
    case 'pair':
      return `test_public|${bytes.toString('hex')}`;
    default:
      return `test_${bytes.toString('hex')}`;
  }
}
