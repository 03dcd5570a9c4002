import { describe, expect, test } from 'bun:test';
import { readConfig } from './config.ts';

const all = {
  HOOKTAPE_BACKUP_S3: 's3://tapes/one/',
  HOOKTAPE_SECRET: 'x'.repeat(32),
  HOOKTAPE_S3_ACCESS_KEY_ID: 'a',
  HOOKTAPE_S3_SECRET_ACCESS_KEY: 'b',
};
const read = (env: Record<string, string | undefined>) => {
  const result = readConfig({ env, readFile: () => 'from a file\n' });
  return result.ok ? result.config : result.problems;
};

describe('continuous backup', () => {
  test('has a place, a time and keys', () => {
    const backup = { location: { bucket: 'tapes', prefix: 'one' }, everyMs: 10_000, keepMs: 30 * 86_400_000 };
    expect(read(all)).toMatchObject({ backup, s3: { region: 'us-east-1', accessKeyId: 'a', secretAccessKey: 'b' } });
    const others = {
      HOOKTAPE_S3_ENDPOINT: 'http://127.0.0.1:9000',
      HOOKTAPE_S3_REGION: 'eu',
      HOOKTAPE_BACKUP_EVERY: '1s',
    };
    expect(read({ ...all, ...others, HOOKTAPE_S3_SESSION_TOKEN_FILE: '/t', AWS_REGION: 'x' })).toMatchObject({
      backup: { everyMs: 1000 },
      s3: { endpoint: 'http://127.0.0.1:9000/', region: 'eu', sessionToken: 'from a file' },
    });
  });

  test.each(Object.keys(all).slice(1))('needs %s', name => {
    expect(read({ ...all, [name]: undefined })).toEqual([`HOOKTAPE_BACKUP_S3: also needs ${name}`]);
  });

  test('works with an embedded database, an interval up to an hour and a bucket', () => {
    expect(read({ ...all, HOOKTAPE_DATABASE_URL: 'https://db.example.com' })).toHaveLength(1);
    expect(read({ ...all, HOOKTAPE_BACKUP_EVERY: '61m' })).toHaveLength(1);
    expect(read({ ...all, HOOKTAPE_BACKUP_S3: 'tapes/one' })).toEqual([expect.stringContaining('s3://BUCKET')]);
  });
});
