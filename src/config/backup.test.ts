import { describe, expect, test } from 'bun:test';
import { readConfig } from './config.ts';

const given = {
  HOOKTAPE_BACKUP_S3: 's3://tapes/one',
  HOOKTAPE_SECRET: 's'.repeat(32),
  HOOKTAPE_S3_ACCESS_KEY_ID: 'AKIA1',
  HOOKTAPE_S3_SECRET_ACCESS_KEY: 'quiet-river',
};

function read(env: Record<string, string>) {
  const result = readConfig({ env, readFile: path => `in ${path}\n` });
  if (!result.ok) return result.problems;
  const { backup, s3 } = result.config;
  return { backup, s3 };
}

describe('the continuous backup', () => {
  test('is off without a store, and has defaults with one', () => {
    expect(read({})).toEqual({ backup: undefined, s3: undefined });
    expect(read(given)).toEqual({
      backup: { bucket: 'tapes', prefix: 'one', everyMs: 10_000, keepMs: 30 * 86_400_000 },
      s3: { region: 'us-east-1', accessKeyId: 'AKIA1', secretAccessKey: 'quiet-river' },
    });
  });

  test('takes keys from files', () => {
    const { HOOKTAPE_BACKUP_S3 } = given;
    const s3 = {
      HOOKTAPE_S3_ENDPOINT: 'http://127.0.0.1:9000',
      HOOKTAPE_S3_REGION: 'auto',
      HOOKTAPE_S3_ACCESS_KEY_ID_FILE: 'id',
      HOOKTAPE_S3_SECRET_ACCESS_KEY_FILE: 'key',
      HOOKTAPE_S3_SESSION_TOKEN_FILE: 'token',
    };
    expect(read({ HOOKTAPE_BACKUP_S3, HOOKTAPE_SECRET_FILE: 'secret', ...s3 })).toMatchObject({
      s3: {
        endpoint: 'http://127.0.0.1:9000/',
        region: 'auto',
        accessKeyId: 'in id',
        secretAccessKey: 'in key',
        sessionToken: 'in token',
      },
    });
  });

  test.each([
    [{ HOOKTAPE_SECRET: '' }, 'HOOKTAPE_BACKUP_S3: also needs HOOKTAPE_SECRET'],
    [
      { HOOKTAPE_S3_ACCESS_KEY_ID: '', HOOKTAPE_S3_SECRET_ACCESS_KEY: '' },
      'HOOKTAPE_BACKUP_S3: also needs HOOKTAPE_S3_ACCESS_KEY_ID',
    ],
    [{ HOOKTAPE_S3_SECRET_ACCESS_KEY: '' }, 'HOOKTAPE_S3_ACCESS_KEY_ID: also needs HOOKTAPE_S3_SECRET_ACCESS_KEY'],
    [
      { HOOKTAPE_DATABASE_URL: 'http://127.0.0.1:8080' },
      'HOOKTAPE_BACKUP_S3: only the embedded database can be backed up; back up the libSQL server there',
    ],
    [{ HOOKTAPE_BACKUP_S3: 'tapes' }, 'HOOKTAPE_BACKUP_S3 (environment): must be s3://BUCKET or s3://BUCKET/PREFIX'],
    [
      { HOOKTAPE_BACKUP_EVERY: '2h' },
      'HOOKTAPE_BACKUP_EVERY (environment): must be a duration such as 30s, 15m, 12h or 7d, 1s to 1h',
    ],
    [
      { HOOKTAPE_S3_ENDPOINT: 'http://me:pw@127.0.0.1' },
      'HOOKTAPE_S3_ENDPOINT (environment): must be an http or https URL without a user name, password or query',
    ],
    [{ HOOKTAPE_S3_REGION: 'eu west' }, 'HOOKTAPE_S3_REGION (environment): must be a region such as us-east-1 or auto'],
  ])('%j is a problem', (change, problem) => {
    expect(read({ ...given, ...change } as Record<string, string>)).toEqual([problem]);
  });
});
