/*
 * Encrypts the objects of a backup with AES-256-GCM under a key derived from HOOKTAPE_SECRET. Each object is bound to its kind and
 * number, and its body to its head, so that an older or another object is noticed. Uses Web Crypto, which works in other threads.
 */
import { hkdfSync } from 'node:crypto';
import { type ObjectPlace, objectKinds } from './names.ts';

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;
const prefixBytes = 5;

/** An object was encrypted with another secret, is damaged, or was replaced by a different object. */
export class SealError extends Error {
  override name = 'SealError';
}

/** `tag`: identifies the object's content; hex. */
export type OpenHead = { head: Uint8Array; tag: string; bodyAt: number };

export type BackupSeal = ReturnType<typeof createBackupSeal>;

export function createBackupSeal(secret: string) {
  const raw = new Uint8Array(hkdfSync('sha256', secret, '', 'hooktape backup 1 objects', 32));
  const imported = crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);

  const encrypt = async (content: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>) => {
    const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, await imported, content);
    return [iv, new Uint8Array(sealed)] as const;
  };
  const decrypt = async (part: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>) => {
    const iv = part.subarray(0, nonceBytes);
    try {
      const content = part.subarray(nonceBytes);
      return new Uint8Array(
        await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, await imported, content),
      );
    } catch {
      throw new SealError('it was encrypted with another secret, is damaged, or is another object');
    }
  };

  return {
    async seal(place: ObjectPlace, head: Uint8Array<ArrayBuffer>, body?: Uint8Array<ArrayBuffer>) {
      const sealedHead = await encrypt(head, headData(place));
      const tag = tagOf(sealedHead[1]);
      const sealedBody = body ? await encrypt(body, bodyData(place, tag)) : [];
      const prefix = Buffer.alloc(prefixBytes);
      prefix[0] = version;
      prefix.writeUInt32BE(nonceBytes + sealedHead[1].length, 1);
      return { bytes: Buffer.concat([prefix, ...sealedHead, ...sealedBody]), tag };
    },

    /** @param bytes the first ones of the object @returns `needs`: how many are needed, if these are too few @throws SealError */
    async openHead(place: ObjectPlace, bytes: Uint8Array): Promise<OpenHead | { needs: number }> {
      const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) as Buffer<ArrayBuffer>;
      if (given.length < prefixBytes || given[0] !== version) throw new SealError('it is not an object of a backup');
      const bodyAt = prefixBytes + given.readUInt32BE(1);
      if (given.length < bodyAt) return { needs: bodyAt };
      const part = given.subarray(prefixBytes, bodyAt);
      return { head: await decrypt(part, headData(place)), tag: tagOf(part).slice(), bodyAt };
    },

    /** @param bytes the whole object @throws SealError */
    openBody(place: ObjectPlace, bytes: Uint8Array, { tag, bodyAt }: OpenHead): Promise<Uint8Array<ArrayBuffer>> {
      return decrypt(bytes.subarray(bodyAt) as Uint8Array<ArrayBuffer>, bodyData(place, tag));
    },
  };
}

const tagOf = (part: Uint8Array): string => Buffer.from(part.subarray(-tagBytes)).toString('hex');

function headData({ kind, seq }: ObjectPlace): Buffer<ArrayBuffer> {
  const place = Buffer.alloc(10);
  place[0] = objectKinds[kind];
  place.writeBigUInt64BE(BigInt(seq), 1);
  return Buffer.concat([Buffer.from('hooktape-backup/1\0'), place]);
}

function bodyData(place: ObjectPlace, tag: string): Buffer<ArrayBuffer> {
  const data = headData(place);
  data[data.length - 1] = 1;
  return Buffer.concat([data, Buffer.from(tag, 'hex')]);
}
