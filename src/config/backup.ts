/* The settings of the continuous backup, and of the object store that it is in. */
import { parseS3Location, type S3Location } from '../core/network/s3-location.ts';
import type { Kind } from './kinds.ts';

export type BackupConfig = S3Location & {
  readonly everyMs: number;
  /** How far back a restore can go. */
  readonly keepMs: number;
};

export type S3Config = {
  /** AWS's endpoint of the region by default. */
  readonly endpoint?: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

export const s3Location: Kind<S3Location> = text => {
  const value = parseS3Location(text);
  return value ? { value } : { mustBe: 's3://BUCKET or s3://BUCKET/PREFIX' };
};

export const s3Endpoint: Kind<string> = text => {
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#\\\s]/.test(text);
  return isPlain ? { value: url.href } : { mustBe: 'an http or https URL without a user name, password or query' };
};

export const s3Region: Kind<string> = text =>
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text) ? { value: text } : { mustBe: 'a region such as us-east-1 or auto' };

type Values = {
  readonly HOOKTAPE_BACKUP_S3: S3Location | undefined;
  readonly HOOKTAPE_BACKUP_EVERY: number;
  readonly HOOKTAPE_BACKUP_KEEP: number;
  readonly HOOKTAPE_S3_ENDPOINT: string | undefined;
  readonly HOOKTAPE_S3_REGION: string;
  readonly HOOKTAPE_S3_ACCESS_KEY_ID: string | undefined;
  readonly HOOKTAPE_S3_SECRET_ACCESS_KEY: string | undefined;
  readonly HOOKTAPE_S3_SESSION_TOKEN: string | undefined;
};

export function backupConfig(values: Values): { backup?: BackupConfig; s3?: S3Config } {
  const location = values.HOOKTAPE_BACKUP_S3;
  const backup = location && {
    ...location,
    everyMs: values.HOOKTAPE_BACKUP_EVERY,
    keepMs: values.HOOKTAPE_BACKUP_KEEP,
  };
  const {
    HOOKTAPE_S3_ENDPOINT: endpoint,
    HOOKTAPE_S3_REGION: region,
    HOOKTAPE_S3_ACCESS_KEY_ID: accessKeyId,
    HOOKTAPE_S3_SECRET_ACCESS_KEY: secretAccessKey,
    HOOKTAPE_S3_SESSION_TOKEN: sessionToken,
  } = values;
  const hasKeys = accessKeyId !== undefined && secretAccessKey !== undefined;
  const s3 = hasKeys && {
    region,
    accessKeyId,
    secretAccessKey,
    ...(endpoint !== undefined && { endpoint }),
    ...(sessionToken !== undefined && { sessionToken }),
  };
  return { ...(backup && { backup }), ...(s3 && { s3 }) };
}
