/* The service of continuous backup with its object store. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { createBackupNames } from '../core/backup/names.ts';
import { createBackupSeal } from '../core/backup/seal.ts';
import { type BackupService, createBackupService } from '../features/backup/service.ts';
import { createBackupStore } from '../features/backup/store.ts';
import { createS3Store } from '../net/object-store/s3-store.ts';
import type { Infrastructure } from './infrastructure.ts';

/** @param trusted a wall clock that does not jump ahead */
export function createBackup(infrastructure: Infrastructure, secret: string, trusted: () => number): BackupService {
  const { config, direct, journal, clock, random, log, overrides } = infrastructure;
  const { backup, s3 } = config;
  const { changedPages, file } = direct;
  if (!backup || !changedPages || file === undefined) throw new Error('continuous backup is not configured');
  const randomHex = (): string => Buffer.from(random(16)).toString('hex');
  return createBackupService({
    objectStore: createS3Store(storeSettings(s3), backup.location, { clock }),
    names: createBackupNames(secret),
    seal: createBackupSeal(secret),
    store: createBackupStore(direct),
    changedPages,
    filed: async () => journal?.filed(),
    unfiledMs: () => journal?.backlog().ageMs ?? 0,
    instance: instanceOf(file),
    run: randomHex(),
    newChain: randomHex,
    everyMs: backup.everyMs,
    keepMs: backup.keepMs,
    clock,
    trusted,
    log,
    limits: overrides.backupLimits,
  });
}

/** @throws if the keys are missing, which the configuration of a backup does not allow */
function storeSettings({ accessKeyId, secretAccessKey, ...others }: Config['s3']) {
  if (accessKeyId === undefined || secretAccessKey === undefined) throw new Error('the keys of the store are missing');
  return { ...others, accessKeyId, secretAccessKey };
}

/** Identifies a database file, and not a copy of it. */
function instanceOf(file: string): string {
  const { dev, ino, birthtimeNs } = statSync(file, { bigint: true });
  return createHash('sha256').update(`${hostname()} ${dev} ${ino} ${birthtimeNs}`).digest('hex').slice(0, 32);
}
