/* Continuous backup of the embedded database, if HOOKTAPE_BACKUP_S3 is set. Loaded only then (backup-service.ts). */
import { invalid } from '../core/errors.ts';
import type { BackupService } from '../features/backup/service.ts';
import type { Infrastructure } from './infrastructure.ts';

export type ContinuousBackup = ReturnType<typeof wireBackup>;

type Options = { infrastructure: Infrastructure; secret: string; trusted: () => number };

export function wireBackup({ infrastructure, secret, trusted }: Options) {
  const { log, backsUp } = infrastructure;
  let loading: Promise<BackupService> | undefined;

  const load = async (): Promise<BackupService> => {
    const { createBackup } = await import('./backup-service.ts');
    const service = createBackup(infrastructure, secret, trusted);
    service.start();
    return service;
  };
  /** Undefined without a continuous backup. */
  const service = (): Promise<BackupService> | undefined => loading;

  return {
    service,
    /** Returns at once, without waiting for the store. */
    start(): void {
      if (!backsUp) return;
      loading = load();
      loading.catch(cause => log.error('continuous backup cannot be started', { cause }));
    },
    /** Takes some seconds at most. */
    stop: async (): Promise<void> => (await loading?.catch(() => undefined))?.stop(),
    /** @throws invalid without a continuous backup */
    configured: (): Promise<BackupService> => {
      if (!loading) throw invalid('continuous backup is not configured: set HOOKTAPE_BACKUP_S3');
      return loading;
    },
    /** Age of the oldest change that is not in the store. Undefined without a continuous backup. */
    ageS: async (): Promise<number | undefined> => (await loading)?.ageS(),
    /** Resolves when no restore can bring back what was deleted before; at once without a continuous backup. */
    forgetDeleted: async (): Promise<void> => (await loading)?.forget(),
  };
}
