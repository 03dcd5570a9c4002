/* Tries with an object of its own whether the store obeys conditions of writes, and uses only conditions that it obeys. */
import type { BackupSource } from '../../core/backup/read-objects.ts';
import { isStoreFailure } from '../../core/network/object-store.ts';

/** `absent`: an object is not written over. `match`: an object is replaced only if it has not changed since it was read. */
export type Conditions = { absent: boolean; match: boolean };

const maxSeq = 0xffff_ffff;

export async function tryConditions({ store, names, seal, signal }: BackupSource): Promise<Conditions> {
  const place = { kind: 'probe', seq: Math.floor(Math.random() * maxSeq) } as const;
  const name = names.name(place);
  const { bytes } = await seal.seal(place, new Uint8Array(0));
  /** Whether the store refused because of the condition. */
  const isRefused = async (when: 'absent' | { etag: string }): Promise<boolean> => {
    try {
      await store.put(name, bytes, { when, signal });
      return false;
    } catch (error) {
      if (isStoreFailure(error, 'condition')) return true;
      if (isStoreFailure(error, 'unsupported')) return false;
      throw error;
    }
  };
  const etag = await store.put(name, bytes, { signal });
  try {
    const absent = await isRefused('absent');
    const isOtherRefused = await isRefused({ etag: '"00000000000000000000000000000000"' });
    return { absent, match: etag !== undefined && isOtherRefused && !(await isRefused({ etag })) };
  } finally {
    await store.remove(name, { signal }).catch(() => {});
  }
}
