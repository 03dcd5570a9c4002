/* What is told about the continuous backup. */

/**
 * `ok`: what is older than HOOKTAPE_BACKUP_EVERY is in the store. `behind`: not yet. `refused`: another server has the prefix. `failing`: the
 * store does not do what it should.
 */
export type BackupState = 'ok' | 'behind' | 'refused' | 'failing';

export type BackupStatus = {
  state: BackupState;
  /** `s3://BUCKET/PREFIX` */
  store: string;
  /** Age of the oldest change that is not in the store; 0: there is none. */
  ageS: number;
  pendingBytes: number;
  /** The oldest state that can be restored, epoch ms; null without one. */
  oldest: number | null;
  /** What somebody should know; null if everything is well. */
  problem: string | null;
};
