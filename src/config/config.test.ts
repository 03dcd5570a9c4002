import { describe, expect, test } from 'bun:test';
import { type Config, type ConfigInput, type ConfigResult, describeConfig, readConfig } from './config.ts';
import { renderEnvExample } from './example.ts';
import { settingNames } from './settings.ts';

type Input = { env?: ConfigInput['env']; file?: string; files?: Record<string, string> };

const read = ({ env = {}, file, files = {} }: Input = {}): ConfigResult =>
  readConfig({
    env,
    envFile: file === undefined ? undefined : { path: './hooktape.env', text: file },
    readFile: path => {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
  });

function config(input: Input = {}): Config {
  const result = read(input);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
}

function problems(input: Input): readonly string[] {
  const result = read(input);
  return result.ok ? [] : result.problems;
}

function source(name: string, input: Input): string | undefined {
  const result = read(input);
  return result.ok ? result.sources.find(setting => setting.name === name)?.source : undefined;
}

describe('defaults', () => {
  test('nothing set', () => {
    expect(config()).toEqual({
      host: '127.0.0.1',
      port: 4665,
      baseUrl: 'http://localhost:4665',
      dataDir: './data',
      databaseUrl: 'file:./data/hooktape.db',
      fixedAddresses: false,
      maxBodyBytes: 32 * 1024 * 1024,
      rateLimitPerMinute: 120,
      freeEndpoints: 1,
      proEndpoints: 0,
      freeRetentionMs: 7 * 86_400_000,
      proRetentionMs: 90 * 86_400_000,
      sweepEveryMs: 300_000,
      replayAllow: [],
      replayTimeoutMs: 30_000,
      trustedProxies: [],
      s3: { region: 'us-east-1' },
      oauthIssuers: [],
      oauthCimd: true,
      passwordSignIn: true,
      logLevel: 'info',
      logFormat: 'auto',
    });
  });

  test('the base URL follows port and TLS', () => {
    expect(config({ env: { HOOKTAPE_PORT: '8080' } }).baseUrl).toBe('http://localhost:8080');
    const tls = { HOOKTAPE_TLS_CERT: 'c.pem', HOOKTAPE_TLS_KEY: 'k.pem' };
    expect(config({ env: tls })).toMatchObject({
      baseUrl: 'https://localhost:4665',
      tls: { certFile: 'c.pem', keyFile: 'k.pem' },
    });
    expect(config({ env: { ...tls, HOOKTAPE_PORT: '443' } }).baseUrl).toBe('https://localhost');
  });

  test('the database follows the data directory, also when its name means something in a URL', () => {
    expect(config({ env: { HOOKTAPE_DATA_DIR: '/var/lib/hooktape/' } }).databaseUrl).toBe(
      'file:/var/lib/hooktape/hooktape.db',
    );
    expect(config({ env: { HOOKTAPE_DATA_DIR: '/d/50%?#' } }).databaseUrl).toBe('file:/d/50%25%3F%23/hooktape.db');
  });
});

describe('precedence', () => {
  const env = { HOOKTAPE_PORT: '1' };
  const file = 'HOOKTAPE_PORT=2\nHOOKTAPE_HOST=::1';

  test('environment over file over default', () => {
    expect(config({ env, file })).toMatchObject({ port: 1, host: '::1', rateLimitPerMinute: 120 });
    expect(source('HOOKTAPE_PORT', { env, file })).toBe('environment');
    expect(source('HOOKTAPE_HOST', { env, file })).toBe('file ./hooktape.env');
    expect(source('HOOKTAPE_RATE_LIMIT', { env, file })).toBe('default');
  });

  test('empty is unset', () => {
    expect(config({ env: { HOOKTAPE_PORT: '' }, file }).port).toBe(2);
    expect(config({ file: 'HOOKTAPE_PORT=' }).port).toBe(4665);
  });

  test('a bad value does not fall through to a good one below it', () => {
    expect(problems({ env: { HOOKTAPE_PORT: 'x' }, file })).toEqual([
      expect.stringContaining('HOOKTAPE_PORT (environment)'),
    ]);
  });
});

describe('secrets from files', () => {
  const files = { '/run/s': 'from file\n', '/run/crlf': 'x\r\n', '/run/two': 'a\n\n', '/run/empty': '\n' };

  test('without the final newline, and only that one', () => {
    expect(config({ env: { HOOKTAPE_SECRET_FILE: '/run/s' }, files }).secret).toBe('from file');
    expect(config({ env: { HOOKTAPE_SECRET_FILE: '/run/crlf' }, files }).secret).toBe('x');
    expect(config({ env: { HOOKTAPE_SECRET_FILE: '/run/two' }, files }).secret).toBe('a\n');
  });

  test('the source is the NAME_FILE setting', () => {
    expect(source('HOOKTAPE_SECRET', { file: 'HOOKTAPE_SECRET_FILE=/run/s', files })).toBe('HOOKTAPE_SECRET_FILE');
  });

  test('NAME_FILE in the environment beats NAME in the file, and the other way round', () => {
    expect(config({ env: { HOOKTAPE_SECRET_FILE: '/run/s' }, file: 'HOOKTAPE_SECRET=low', files }).secret).toBe(
      'from file',
    );
    expect(config({ env: { HOOKTAPE_SECRET: 'high' }, file: 'HOOKTAPE_SECRET_FILE=/nowhere', files }).secret).toBe(
      'high',
    );
  });

  test('both at one level is a problem', () => {
    expect(problems({ env: { HOOKTAPE_SECRET: 'a', HOOKTAPE_SECRET_FILE: '/run/s' }, files })).toEqual([
      'HOOKTAPE_SECRET and HOOKTAPE_SECRET_FILE (environment): set only one of them',
    ]);
  });

  test('unreadable and empty files are problems, once each', () => {
    const env = {
      HOOKTAPE_OWNER_EMAIL: 'a@b.de',
      HOOKTAPE_OWNER_PASSWORD_FILE: '/nowhere',
      HOOKTAPE_SECRET_FILE: '/run/empty',
    };
    expect(problems({ env, files })).toEqual([
      'HOOKTAPE_SECRET_FILE: the file "/run/empty" is empty',
      'HOOKTAPE_OWNER_PASSWORD_FILE: the file "/nowhere" cannot be read (ENOENT)',
    ]);
  });

  test('settings that are no secrets have no NAME_FILE', () => {
    expect(problems({ env: { HOOKTAPE_PORT_FILE: '/run/s' }, files })[0]).toStartWith(
      'HOOKTAPE_PORT_FILE (environment): no such setting',
    );
  });
});

describe('unknown names', () => {
  test('did you mean', () => {
    expect(
      problems({ env: { HOOKTAPE_PROT: '1' }, file: 'HOOKTAPE_LOGLEVEL=debug\nHOOKTAPE_ZZZZZZZZZZZZZZZZ=1' }),
    ).toEqual([
      'HOOKTAPE_PROT (environment): no such setting; did you mean HOOKTAPE_PORT?',
      'HOOKTAPE_LOGLEVEL (file ./hooktape.env): no such setting; did you mean HOOKTAPE_LOG_LEVEL?',
      'HOOKTAPE_ZZZZZZZZZZZZZZZZ (file ./hooktape.env): no such setting',
    ]);
  });

  test('names of others are none of our business', () => {
    expect(problems({ env: { PATH: '/bin', HOOKTAP: '1' }, file: 'TZ=UTC' })).toEqual([]);
  });

  test('the name of the env file is known in the environment and useless inside it', () => {
    expect(
      problems({ env: { HOOKTAPE_ENV_FILE: 'x', HOOKTAPE_COMMIT: 'abc', HOOKTAPE_REQUIRE_BROWSER: '1' } }),
    ).toEqual([]);
    expect(problems({ file: 'HOOKTAPE_ENV_FILE=x' })).toEqual([
      expect.stringContaining('works only in the process environment'),
    ]);
  });

  test('what Kubernetes sets for a service of this name is ignored, except where it hides a setting', () => {
    const links = {
      HOOKTAPE_SERVICE_HOST: '10.0.0.1',
      HOOKTAPE_SERVICE_PORT: '80',
      HOOKTAPE_SERVICE_PORT_HTTP: '80',
      HOOKTAPE_PORT_80_TCP_ADDR: '10.0.0.1',
      HOOKTAPE_PORT_80_TCP: 'tcp://10.0.0.1:80',
    };
    expect(problems({ env: links })).toEqual([]);
    expect(problems({ env: { ...links, HOOKTAPE_PORT: 'tcp://10.0.0.1:80' } })).toEqual([
      expect.stringContaining('enableServiceLinks'),
    ]);
  });
});

describe('problems', () => {
  test('all at once', () => {
    const found = problems({
      env: { HOOKTAPE_PORT: '70000', HOOKTAPE_TLS_CERT: 'c.pem', HOOKTAPE_MAX_BODY: '1 lot', HOOKTAPE_BOGUS: '1' },
      file: 'nonsense\nHOOKTAPE_LOG_LEVEL=loud',
    });
    expect(found.map(problem => /HOOKTAPE_[A-Z_]+|line \d/.exec(problem)?.[0])).toEqual([
      'line 1',
      'HOOKTAPE_BOGUS',
      'HOOKTAPE_PORT',
      'HOOKTAPE_MAX_BODY',
      'HOOKTAPE_LOG_LEVEL',
      'HOOKTAPE_TLS_CERT',
    ]);
  });

  test.each([
    ['HOOKTAPE_TLS_CERT', 'HOOKTAPE_TLS_KEY'],
    ['HOOKTAPE_TLS_KEY', 'HOOKTAPE_TLS_CERT'],
    ['HOOKTAPE_OWNER_EMAIL', 'HOOKTAPE_OWNER_PASSWORD'],
    ['HOOKTAPE_OWNER_PASSWORD', 'HOOKTAPE_OWNER_EMAIL'],
    ['HOOKTAPE_OIDC_ISSUER', 'HOOKTAPE_OIDC_CLIENT_ID'],
    ['HOOKTAPE_OIDC_CLIENT_ID', 'HOOKTAPE_OIDC_ISSUER'],
  ])('%s needs %s', (one, other) => {
    const value = one.endsWith('ISSUER') ? 'https://id.example.com' : 'someone@example.com';
    expect(problems({ env: { [one]: value } })).toEqual([`${one}: also needs ${other}`]);
  });

  const header = { HOOKTAPE_AUTH_HEADER: 'Remote-Email', HOOKTAPE_AUTH_HEADER_PROXIES: '10.0.0.0/8' };
  test.each<[Record<string, string>, string]>([
    [{ HOOKTAPE_AUTH_HEADER: 'Remote-Email' }, 'HOOKTAPE_AUTH_HEADER: also needs HOOKTAPE_AUTH_HEADER_PROXIES'],
    [{ HOOKTAPE_AUTH_HEADER_PROXIES: '10.0.0.1' }, 'HOOKTAPE_AUTH_HEADER_PROXIES: also needs HOOKTAPE_AUTH_HEADER'],
    [
      { HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS: 'on' },
      'HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS: also needs HOOKTAPE_AUTH_HEADER',
    ],
    [
      { ...header, HOOKTAPE_AUTH_HEADER_PROXIES: ',' },
      'HOOKTAPE_AUTH_HEADER_PROXIES: must have at least one address or CIDR',
    ],
    [
      { HOOKTAPE_PASSWORD_SIGN_IN: 'off' },
      'HOOKTAPE_PASSWORD_SIGN_IN: off also needs HOOKTAPE_OIDC_ISSUER or HOOKTAPE_AUTH_HEADER',
    ],
  ])('%j: %s', (env, problem) => expect(problems({ env })).toEqual([problem]));

  test.each([
    ...['Authorization', 'cookie', 'HOST', 'X-Forwarded-For', 'Content-Type', 'Set-Cookie', 'Sec-Fetch-Site', 'Origin'],
    ...['Remote Email', 'Remote-Email:', 'Rémote', 'x'.repeat(101)],
  ])('no header for a person: %j', text => {
    expect(problems({ env: { ...header, HOOKTAPE_AUTH_HEADER: text } })).toEqual([
      expect.stringMatching(/^HOOKTAPE_AUTH_HEADER \(environment\): must be the name of a header/),
    ]);
  });

  test.each(['Remote-Email', 'X-Forwarded-Email', 'X-Auth-Request-Email', 'X-WEBAUTH-USER', 'Remote_User'])(
    'a header for a person: %s',
    text => {
      const { authHeader, passwordSignIn } = config({
        env: { ...header, HOOKTAPE_AUTH_HEADER: text, HOOKTAPE_PASSWORD_SIGN_IN: 'off' },
      });
      expect([authHeader?.name, authHeader?.createAccounts, passwordSignIn]).toEqual([
        text.toLowerCase(),
        false,
        false,
      ]);
    },
  );

  test('the owner’s password is not the address', () => {
    const env = { HOOKTAPE_OWNER_EMAIL: 'Someone@example.com', HOOKTAPE_OWNER_PASSWORD: 'someone@Example.com' };
    expect(problems({ env })).toEqual(['HOOKTAPE_OWNER_PASSWORD: must not be the email address']);
  });

  test('never repeat a secret', () => {
    const found = problems({
      env: {
        HOOKTAPE_OWNER_EMAIL: 'a@b.de',
        HOOKTAPE_OWNER_PASSWORD: 'hunter2',
        HOOKTAPE_METRICS_TOKEN: 'hunter2 x',
        HOOKTAPE_PORT: 'hunter2',
        HOOKTAPE_DATABASE_URL: 'libsql://u:hunter2@x',
      },
    });
    expect(found).toHaveLength(4);
    expect(found.join()).not.toContain('hunter2');
  });
});

describe('describeConfig', () => {
  test('every setting with value and source; secrets as [set]; derived values', () => {
    const result = read({ env: { HOOKTAPE_SECRET: 'hunter2', HOOKTAPE_PORT: '8080' } });
    const lines = result.ok ? describeConfig(result.sources).map(line => line.replace(/ +/g, ' ')) : [];
    expect(lines).toHaveLength(settingNames.length);
    expect(lines).toContain('HOOKTAPE_SECRET=[set] (environment)');
    expect(lines).toContain('HOOKTAPE_METRICS_TOKEN= (default)');
    expect(lines).toContain('HOOKTAPE_BASE_URL=http://localhost:8080 (default)');
    expect(lines.join()).not.toContain('hunter2');
  });
});

describe('.env.example', () => {
  const text = renderEnvExample();

  test('the file is current (bun run env-example)', async () => {
    expect(await Bun.file(new URL('../../.env.example', import.meta.url)).text()).toBe(text);
  });

  test('documents every setting', () => {
    for (const name of settingNames) expect(text).toContain(`\n#${name}=`);
  });

  test('shows the defaults: uncommenting it changes only settings without a default', () => {
    const withoutSecrets = text
      .replace(/^#(HOOKTAPE_\w+=)/gm, '$1')
      .replace(
        /^HOOKTAPE_(\w+_FILE|OWNER_EMAIL|ALERT_EMAIL|INGEST_URL|TLS_\w+|AUTH_HEADER\w*|OIDC_ISSUER|OIDC_CLIENT_ID|BACKUP_S3|S3_ENDPOINT|S3_ACCESS_KEY_ID|S3_SECRET_ACCESS_KEY|S3_SESSION_TOKEN)=.*$/gm,
        '',
      );
    expect(config({ file: withoutSecrets })).toEqual(config());
  });
});
