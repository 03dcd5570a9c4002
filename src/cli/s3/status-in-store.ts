/* The state of a backup as the store shows it, for a machine on which its server does not run. */
import type { BackupStatus } from '../../core/backup/status.ts';
import { type Io, OperationError } from '../io.ts';
import type { StoredBackup } from './stored-backup.ts';

/** A server that has not renewed its claim for this long, and for three intervals, may have died. */
const renewedWithinMs = 30_000;

export async function statusInStore(io: Pick<Io, 'clock'>, stored: StoredBackup): Promise<BackupStatus> {
  const nothingKnown = { store: stored.store.location, ageS: 0, pendingBytes: 0, oldest: null };
  try {
    const { claim, latest, oldest } = await stored.read();
    const silentMs = claim && !claim.released ? io.clock.now() - claim.at : 0;
    const isSilent = silentMs > Math.max(renewedWithinMs, 3 * (claim?.everyMs ?? 0));
    const problems = [
      ...(isSilent ? [`its server has not written since ${new Date(claim?.at ?? 0).toISOString()}`] : []),
      ...((await stored.store.keepsVersions()) ? [versionsWarning] : []),
    ];
    return {
      ...nothingKnown,
      state: isSilent ? 'behind' : 'ok',
      ageS: isSilent ? Math.round((io.clock.now() - latest.at) / 1000) : 0,
      oldest: oldest.at,
      problem: problems[0] ?? null,
    };
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return { ...nothingKnown, state: 'failing', problem: error.message };
  }
}

const versionsWarning =
  'the bucket keeps versions of objects: what retention and erasures delete stays in it, until a rule of the bucket removes it';
