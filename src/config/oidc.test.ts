import { describe, expect, test } from 'bun:test';
import { readConfig } from './config.ts';

const read = (env: Record<string, string>) =>
  readConfig({
    env: { HOOKTAPE_OIDC_ISSUER: 'https://id.example.com', HOOKTAPE_OIDC_CLIENT_ID: 'hooktape', ...env },
    readFile: () => 'from a file\n',
  });
const oidc = (env: Record<string, string> = {}) => {
  const result = read(env);
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config.oidc;
};
const problems = (env: Record<string, string>): readonly string[] => {
  const result = read(env);
  return result.ok ? [] : result.problems;
};

describe('HOOKTAPE_OIDC_*', () => {
  test('the issuer and the client ID suffice', () => {
    expect(oidc()).toEqual({
      issuer: 'https://id.example.com/',
      clientId: 'hooktape',
      name: 'id.example.com',
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      createAccounts: false,
    });
  });

  test('all settings', () => {
    const all = oidc({
      HOOKTAPE_OIDC_ISSUER: 'https://id.example.com:8443/realms/one/',
      HOOKTAPE_OIDC_CLIENT_SECRET_FILE: '/run/secrets/oidc',
      HOOKTAPE_OIDC_NAME: ' Example ID ',
      HOOKTAPE_OIDC_SCOPES: 'openid  groups',
      HOOKTAPE_OIDC_GROUPS_CLAIM: 'roles',
      HOOKTAPE_OIDC_ALLOWED_GROUPS: 'staff, /admins',
      HOOKTAPE_OIDC_OWNER_GROUPS: '/admins',
      HOOKTAPE_OIDC_CREATE_ACCOUNTS: 'on',
      HOOKTAPE_OIDC_TEAM_OF: 'Ada@example.com',
    });
    expect(all).toEqual({
      issuer: 'https://id.example.com:8443/realms/one/',
      clientId: 'hooktape',
      clientSecret: 'from a file',
      name: 'Example ID',
      scopes: 'openid groups',
      groupsClaim: 'roles',
      allowedGroups: ['staff', '/admins'],
      ownerGroups: ['/admins'],
      createAccounts: true,
      teamOf: 'ada@example.com',
    });
  });

  test.each(['http://localhost:9000', 'http://127.0.0.1:9000/a', 'http://[::1]', 'http://id.localhost'])(
    'the issuer may be %s',
    issuer => expect(problems({ HOOKTAPE_OIDC_ISSUER: issuer })).toEqual([]),
  );

  test.each([
    ['HOOKTAPE_OIDC_ISSUER', 'http://id.example.com'],
    ['HOOKTAPE_OIDC_ISSUER', 'http://10.0.0.1'],
    ['HOOKTAPE_OIDC_ISSUER', 'ftp://localhost'],
    ['HOOKTAPE_OIDC_ISSUER', 'https://user:secret@id.example.com'],
    ['HOOKTAPE_OIDC_ISSUER', 'https://id.example.com/?tenant=1'],
    ['HOOKTAPE_OIDC_ISSUER', 'https://id.example.com/#x'],
    ['HOOKTAPE_OIDC_ISSUER', 'https://id.example.com/.well-known/openid-configuration'],
    ['HOOKTAPE_OIDC_ISSUER', 'id.example.com'],
    ['HOOKTAPE_OIDC_CLIENT_ID', 'é'],
    ['HOOKTAPE_OIDC_NAME', 'two\nlines'],
    ['HOOKTAPE_OIDC_NAME', 'x'.repeat(61)],
    ['HOOKTAPE_OIDC_SCOPES', 'email profile'],
    ['HOOKTAPE_OIDC_SCOPES', 'openid "x"'],
    ['HOOKTAPE_OIDC_ALLOWED_GROUPS', ','],
    ['HOOKTAPE_OIDC_ALLOWED_GROUPS', 'staff,'],
    ['HOOKTAPE_OIDC_OWNER_GROUPS', ' '],
    ['HOOKTAPE_OIDC_CREATE_ACCOUNTS', 'perhaps'],
    ['HOOKTAPE_OIDC_TEAM_OF', 'nobody'],
  ])('%s=%j is a problem', (name, value) => {
    expect(problems({ [name]: value })).toEqual([expect.stringContaining(`${name} (environment): must be`)]);
  });
});
