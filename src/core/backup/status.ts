/* What is known about a continuous backup: `hooktape backup s3 status --json` prints it. */

export type BackupStatus = {
  /**
   * `behind`: changes wait for longer than they should. `refused`: another server writes to this place, or the claim was lost.
   * `failing`: the store cannot be used, or the backup in it cannot be restored.
   */
  state: 'ok' | 'behind' | 'refused' | 'failing';
  /** `s3://BUCKET/PREFIX` */
  store: string;
  /** The age of the oldest change that is not in the store; 0 without such a change. */
  ageS: number;
  pendingBytes: number;
  oldest: number | null;
  problem: string | null;
};
