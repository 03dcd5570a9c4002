/* Names of objects in a backup: one encrypted block with kind and number, so that a list alone says what there is. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

/** `claim`: who may write. `log`: changed pages. `index`: where all pages are. `probe`: tries what the store can do. */
export const objectKinds = { claim: 1, log: 2, index: 3, probe: 4 } as const;
export type ObjectKind = keyof typeof objectKinds;

/** `seq`: its number in the log; an index has that of the state which it describes. */
export type ObjectPlace = { kind: ObjectKind; seq: number };

export type BackupNames = ReturnType<typeof createBackupNames>;

const nameForm = /^[0-9a-f]{32}$/;

/** Whether it may be a name, under any secret. */
export const looksLikeName = (name: string): boolean => nameForm.test(name);

export function createBackupNames(secret: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'hooktape backup 1 names', 32));
  return {
    name: ({ kind, seq }: ObjectPlace): string => {
      const block = Buffer.alloc(16);
      block[0] = objectKinds[kind];
      block.writeBigUInt64BE(BigInt(seq), 8);
      return createCipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(block).toString('hex');
    },
    read: (name: string): ObjectPlace | undefined => {
      if (!looksLikeName(name)) return undefined;
      const block = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false).update(Buffer.from(name, 'hex'));
      const kind = (Object.keys(objectKinds) as ObjectKind[]).find(one => objectKinds[one] === block[0]);
      if (!kind || block.subarray(1, 10).some(byte => byte !== 0)) return undefined;
      return { kind, seq: Number(block.readBigUInt64BE(8)) };
    },
  };
}
