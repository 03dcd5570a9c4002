/* HOOKTAPE_BACKUP_* and HOOKTAPE_S3_*: continuous backup, and the object store that it uses. */
import type { SettingName, SettingValues } from './settings.ts';

/** @returns undefined without a backup */
export function backupConfig(values: SettingValues) {
  const location = values.HOOKTAPE_BACKUP_S3;
  return location && { location, everyMs: values.HOOKTAPE_BACKUP_EVERY, keepMs: values.HOOKTAPE_BACKUP_KEEP };
}

type S3Config = {
  /** AWS's endpoint of the region by default. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** A backup and a restore need both keys. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  readonly sessionToken?: string | undefined;
};

export const s3Config = (values: SettingValues): S3Config => ({
  endpoint: values.HOOKTAPE_S3_ENDPOINT,
  region: values.HOOKTAPE_S3_REGION,
  accessKeyId: values.HOOKTAPE_S3_ACCESS_KEY_ID,
  secretAccessKey: values.HOOKTAPE_S3_SECRET_ACCESS_KEY,
  sessionToken: values.HOOKTAPE_S3_SESSION_TOKEN,
});

const backupNeeds: readonly SettingName[] = [
  'HOOKTAPE_SECRET',
  'HOOKTAPE_S3_ACCESS_KEY_ID',
  'HOOKTAPE_S3_SECRET_ACCESS_KEY',
];

/** A generated secret would be lost with the disk, and a libSQL server keeps its own backups. */
export function backupProblems(isSet: (name: SettingName) => boolean, databaseUrl: unknown): string[] {
  if (!isSet('HOOKTAPE_BACKUP_S3')) return [];
  const missing = backupNeeds.filter(name => !isSet(name));
  const problems = missing.map(name => `HOOKTAPE_BACKUP_S3: also needs ${name}`);
  if (typeof databaseUrl === 'string' && !databaseUrl.startsWith('file:'))
    problems.push(
      'HOOKTAPE_BACKUP_S3: works only with the embedded database, and HOOKTAPE_DATABASE_URL names a server',
    );
  return problems;
}
