/*
 * Turns the environment and the env file into the Config for everything else, or reports all problems at once. The process
 * environment takes precedence over the env file, and the env file over the defaults; an empty value counts as not set. The
 * only files that it reads are NAME_FILE files, through `readFile`.
 */

import { didYouMean } from '../shared/suggest.ts';
import { backupConfig, backupProblems, s3Config } from './backup.ts';
import { parseEnvFile } from './env-file.ts';
import type { OidcConfig } from './oidc.ts';
import { type Setting, type SettingName, type SettingValues, settingNames, settings } from './settings.ts';

/** The settings as the program uses them. Settings without a value and without a default are left out. */
export type Config = Readonly<ReturnType<typeof buildConfig>>;

/** A setting as `hooktape config` shows it: secrets as `[set]`, source `environment`, `file X`, `NAME_FILE` or `default`. */
export type SettingInForce = { readonly name: SettingName; readonly value: string; readonly source: string };

/** Settings that name files, directories or a database; undefined if not set. */
export type Places = {
  readonly dataDir?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly databaseUrl?: string;
  /** How long it must be depends on the database: an existing one may have a shorter secret. */
  readonly secret?: string;
};

export type ConfigInput = {
  /** The process environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The env file, already read; its path is for messages only. */
  readonly envFile?: { readonly path: string; readonly text: string } | undefined;
  /** The text of the file that a NAME_FILE setting names. @throws if it cannot be read */
  readonly readFile: (path: string) => string;
  /** Checks the files and directories that settings name. If it is missing, they are not checked. */
  readonly placeProblems?: (places: Places) => readonly string[];
};

export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly sources: readonly SettingInForce[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Where values come from: the process environment or the env file. */
type Level = { readonly source: string; readonly get: (name: string) => string | undefined; readonly names: string[] };
/** `text` is undefined if the value cannot be read; the problem is recorded. */
type Found = { readonly text: string | undefined; readonly source: string };

/** Names the env file, so it works only in the process environment and not in that file. */
const envFileVariable = 'HOOKTAPE_ENV_FILE';

/** These are not settings. The build, the tests and client commands read them, and a server may inherit their environment. */
const otherVariables = ['HOOKTAPE_COMMIT', 'HOOKTAPE_REQUIRE_BROWSER', 'HOOKTAPE_URL', 'HOOKTAPE_KEY'];

/** Variables that Kubernetes and Docker set in every container beside a service named "hooktape". */
const serviceLinkName = /^HOOKTAPE_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP))(_|$)/;

const isSecret = (name: SettingName): boolean => (settings[name] as Setting<unknown>).secret === true;

const knownNames: readonly string[] = settingNames.flatMap(name => (isSecret(name) ? [name, `${name}_FILE`] : [name]));

function unknownNames({ source, names }: Level): string[] {
  const isEnvironment = source === 'environment';
  return names
    .filter(name => name.startsWith('HOOKTAPE_') && !knownNames.includes(name))
    .filter(
      name =>
        !isEnvironment || !(name === envFileVariable || otherVariables.includes(name) || serviceLinkName.test(name)),
    )
    .map(name => {
      if (name === envFileVariable) return `${name} (${source}): works only in the process environment`;
      return `${name} (${source}): no such setting${didYouMean(name, knownNames)}`;
    });
}

/** The problem with a file that a setting names. */
export function cannotBeRead(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return `the file ${JSON.stringify(path)} cannot be read${code}`;
}

function createReader(input: ConfigInput, levels: readonly Level[], problems: string[]) {
  const readSecretFile = (name: string, path: string): string | undefined => {
    try {
      const text = input.readFile(path).replace(/\r?\n$/, '');
      if (text !== '') return text;
      problems.push(`${name}: the file ${JSON.stringify(path)} is empty`);
    } catch (error) {
      problems.push(`${name}: ${cannotBeRead(path, error)}`);
    }
    return undefined;
  };

  const find = (name: SettingName): Found | undefined => {
    for (const level of levels) {
      const text = level.get(name);
      const fileName = `${name}_FILE`;
      const path = isSecret(name) ? level.get(fileName) : undefined;
      if (text !== undefined && path !== undefined) {
        problems.push(`${name} and ${fileName} (${level.source}): set only one of them`);
        return { text: undefined, source: level.source };
      }
      if (text !== undefined) return { text, source: level.source };
      if (path !== undefined) return { text: readSecretFile(fileName, path), source: fileName };
    }
    return undefined;
  };

  return (name: SettingName): { value: unknown; shown: SettingInForce } => {
    const setting: Setting<unknown> = settings[name];
    const { text, source } = find(name) ?? { text: setting.default, source: 'default' };
    const shown = { name, value: setting.secret && text !== undefined ? '[set]' : (text ?? ''), source };
    if (text === undefined) return { value: undefined, shown };
    const parsed = setting.kind(text);
    if ('value' in parsed) return { value: parsed.value, shown };
    problems.push(`${name} (${source}): must be ${parsed.mustBe}`);
    return { value: undefined, shown };
  };
}

/** Escapes the characters that libSQL would read as an escape, a query or a fragment of the `file:` URL. */
const escapeFilePath = (path: string): string =>
  path.replace(/[%?#]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function buildConfig(values: SettingValues) {
  const certFile = values.HOOKTAPE_TLS_CERT;
  const keyFile = values.HOOKTAPE_TLS_KEY;
  const tls = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const { HOOKTAPE_AUTH_HEADER: name, HOOKTAPE_AUTH_HEADER_PROXIES: proxies } = values;
  const createAccounts = values.HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS;
  const authHeader = name === undefined || proxies === undefined ? undefined : { name, proxies, createAccounts };
  const email = values.HOOKTAPE_OWNER_EMAIL;
  const password = values.HOOKTAPE_OWNER_PASSWORD;
  const dataDir = values.HOOKTAPE_DATA_DIR;
  const baseUrl = values.HOOKTAPE_BASE_URL ?? defaultBaseUrl(values.HOOKTAPE_PORT, tls !== undefined);
  const smtpUrl = values.HOOKTAPE_SMTP_URL;
  const from = values.HOOKTAPE_SMTP_FROM ?? `hooktape@${new URL(baseUrl).hostname}`;
  return {
    host: values.HOOKTAPE_HOST,
    /** 0 = any free port. */
    port: values.HOOKTAPE_PORT,
    /** Origin without a trailing slash. */
    baseUrl,
    /** The origin of ingest URLs, if it is separate from `baseUrl`. */
    ...defined('ingestUrl', values.HOOKTAPE_INGEST_URL),
    ...defined('tunnel', values.HOOKTAPE_TUNNEL === 'off' ? undefined : values.HOOKTAPE_TUNNEL),
    dataDir,
    databaseUrl: values.HOOKTAPE_DATABASE_URL ?? `file:${escapeFilePath(dataDir.replace(/(.)\/+$/, '$1'))}/hooktape.db`,
    ...defined('databaseAuthToken', values.HOOKTAPE_DATABASE_AUTH_TOKEN),
    ...defined('secret', values.HOOKTAPE_SECRET),
    ...defined('owner', email !== undefined && password !== undefined ? { email, password } : undefined),
    ...defined('endpointsFile', values.HOOKTAPE_ENDPOINTS_FILE),
    fixedAddresses: values.HOOKTAPE_FIXED_ADDRESSES,
    maxBodyBytes: values.HOOKTAPE_MAX_BODY,
    rateLimitPerMinute: values.HOOKTAPE_RATE_LIMIT,
    /** 0 = no limit. */
    freeEndpoints: values.HOOKTAPE_FREE_ENDPOINTS,
    proEndpoints: values.HOOKTAPE_PRO_ENDPOINTS,
    /** 0 = forever. */
    freeRetentionMs: values.HOOKTAPE_FREE_RETENTION,
    proRetentionMs: values.HOOKTAPE_PRO_RETENTION,
    sweepEveryMs: values.HOOKTAPE_SWEEP_EVERY,
    replayAllow: values.HOOKTAPE_REPLAY_ALLOW,
    replayTimeoutMs: values.HOOKTAPE_REPLAY_TIMEOUT,
    /** `url` includes the user and the password. */
    ...defined('smtp', smtpUrl === undefined ? undefined : { url: smtpUrl, from }),
    ...defined('alertEmail', values.HOOKTAPE_ALERT_EMAIL),
    trustedProxies: values.HOOKTAPE_TRUSTED_PROXIES,
    ...defined('tls', tls),
    oauthIssuers: values.HOOKTAPE_OAUTH_ISSUERS,
    oauthCimd: values.HOOKTAPE_OAUTH_CIMD,
    ...defined('authHeader', authHeader),
    passwordSignIn: values.HOOKTAPE_PASSWORD_SIGN_IN,
    ...defined('oidc', oidcConfig(values)),
    ...defined('backup', backupConfig(values)),
    s3: s3Config(values),
    ...defined('metricsToken', values.HOOKTAPE_METRICS_TOKEN),
    ...defined('updateUrl', values.HOOKTAPE_CHECK_UPDATES ? values.HOOKTAPE_UPDATE_URL : undefined),
    logLevel: values.HOOKTAPE_LOG_LEVEL,
    logFormat: values.HOOKTAPE_LOG_FORMAT,
  };
}

/** @returns undefined without a provider */
function oidcConfig(values: SettingValues): OidcConfig | undefined {
  const { HOOKTAPE_OIDC_ISSUER: issuer, HOOKTAPE_OIDC_CLIENT_ID: clientId } = values;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    ...defined('clientSecret', values.HOOKTAPE_OIDC_CLIENT_SECRET),
    name: values.HOOKTAPE_OIDC_NAME ?? new URL(issuer).host,
    scopes: values.HOOKTAPE_OIDC_SCOPES,
    groupsClaim: values.HOOKTAPE_OIDC_GROUPS_CLAIM,
    ...defined('allowedGroups', values.HOOKTAPE_OIDC_ALLOWED_GROUPS),
    ...defined('ownerGroups', values.HOOKTAPE_OIDC_OWNER_GROUPS),
    createAccounts: values.HOOKTAPE_OIDC_CREATE_ACCOUNTS,
    ...defined('teamOf', values.HOOKTAPE_OIDC_TEAM_OF),
  };
}

const defined = <K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } =>
  // The computed key is K by construction, which the compiler widens to string.
  value === undefined ? {} : ({ [key]: value } as { [P in K]: T });

const defaultBaseUrl = (port: number, isTls: boolean): string =>
  new URL(`${isTls ? 'https' : 'http'}://localhost:${port}`).origin;

const hostNameOf = (url: string): string => new URL(url).hostname;

/** Settings that make sense only together. */
const settingPairs: readonly (readonly [SettingName, SettingName])[] = [
  ['HOOKTAPE_TLS_CERT', 'HOOKTAPE_TLS_KEY'],
  ['HOOKTAPE_OWNER_EMAIL', 'HOOKTAPE_OWNER_PASSWORD'],
  ['HOOKTAPE_AUTH_HEADER', 'HOOKTAPE_AUTH_HEADER_PROXIES'],
  ['HOOKTAPE_OIDC_ISSUER', 'HOOKTAPE_OIDC_CLIENT_ID'],
];

/** The first makes sense only with the second. */
const settingNeeds: readonly (readonly [SettingName, SettingName])[] = [
  ['HOOKTAPE_ALERT_EMAIL', 'HOOKTAPE_SMTP_URL'],
  ['HOOKTAPE_AUTH_HEADER_CREATE_ACCOUNTS', 'HOOKTAPE_AUTH_HEADER'],
];

/** Each is a way to sign in for people who have nothing but an email address. */
const otherSignIns: readonly SettingName[] = ['HOOKTAPE_OIDC_ISSUER', 'HOOKTAPE_AUTH_HEADER'];

/** Never throws: `problems` has a sentence for each problem, without secret values. */
export function readConfig(input: ConfigInput): ConfigResult {
  const file = parseEnvFile(input.envFile?.text ?? '');
  const fileSource = `file ${input.envFile?.path ?? ''}`;
  const levels: readonly Level[] = [
    { source: 'environment', get: name => input.env[name] || undefined, names: Object.keys(input.env) },
    { source: fileSource, get: name => file.values.get(name) || undefined, names: [...file.values.keys()] },
  ];
  const problems = [...file.problems.map(problem => `${fileSource}, ${problem}`), ...levels.flatMap(unknownNames)];

  const read = createReader(input, levels, problems);
  const results = new Map(settingNames.map(name => [name, read(name)]));
  const isSet = (name: SettingName): boolean => results.get(name)?.shown.source !== 'default';
  for (const [one, other] of settingPairs) {
    if (isSet(one) !== isSet(other))
      problems.push(`${isSet(one) ? one : other}: also needs ${isSet(one) ? other : one}`);
  }
  for (const [one, other] of settingNeeds)
    if (isSet(one) && !isSet(other)) problems.push(`${one}: also needs ${other}`);
  problems.push(...backupProblems(isSet, results.get('HOOKTAPE_DATABASE_URL')?.value));
  const proxies = results.get('HOOKTAPE_AUTH_HEADER_PROXIES')?.value;
  if (Array.isArray(proxies) && proxies.length === 0)
    problems.push('HOOKTAPE_AUTH_HEADER_PROXIES: must have at least one address or CIDR');
  if (results.get('HOOKTAPE_PASSWORD_SIGN_IN')?.value === false && !otherSignIns.some(isSet))
    problems.push(`HOOKTAPE_PASSWORD_SIGN_IN: off also needs ${otherSignIns.join(' or ')}`);
  const [base, ingest] = [results.get('HOOKTAPE_BASE_URL')?.value, results.get('HOOKTAPE_INGEST_URL')?.value];
  if (
    typeof ingest === 'string' &&
    hostNameOf(ingest) === hostNameOf(typeof base === 'string' ? base : 'http://localhost')
  )
    problems.push('HOOKTAPE_INGEST_URL: must have another host name than HOOKTAPE_BASE_URL');
  const tunnel = results.get('HOOKTAPE_TUNNEL')?.value;
  if (tunnel !== undefined && tunnel !== 'off' && isSet('HOOKTAPE_INGEST_URL'))
    problems.push(
      'HOOKTAPE_TUNNEL: must be off when HOOKTAPE_INGEST_URL is set, because both are the origin of ingest URLs',
    );
  const password = results.get('HOOKTAPE_OWNER_PASSWORD')?.value;
  if (typeof password === 'string' && password.toLowerCase() === results.get('HOOKTAPE_OWNER_EMAIL')?.value)
    problems.push('HOOKTAPE_OWNER_PASSWORD: must not be the email address');

  // Files are checked even if other settings are wrong. All of these values are text.
  const place = <K extends keyof Places>(key: K, name: SettingName) =>
    defined(key, results.get(name)?.value as string | undefined);
  const places = {
    ...place('dataDir', 'HOOKTAPE_DATA_DIR'),
    ...place('certFile', 'HOOKTAPE_TLS_CERT'),
    ...place('keyFile', 'HOOKTAPE_TLS_KEY'),
    ...place('databaseUrl', 'HOOKTAPE_DATABASE_URL'),
    ...place('secret', 'HOOKTAPE_SECRET'),
  };
  problems.push(...(input.placeProblems?.(places) ?? []));
  if (problems.length > 0) return { ok: false, problems };

  const entries = [...results].map(([name, { value }]) => [name, value]);
  // Every parser has succeeded, and each value comes from the parser of its own row, so the types match SettingValues.
  const config = buildConfig(Object.fromEntries(entries) as SettingValues);
  const derived: Partial<Record<SettingName, string>> = {
    HOOKTAPE_BASE_URL: config.baseUrl,
    HOOKTAPE_DATABASE_URL: config.databaseUrl,
  };
  const sources = [...results.values()].map(({ shown }) => ({ ...shown, value: derived[shown.name] ?? shown.value }));
  return { ok: true, config, sources };
}

/** The current settings as aligned lines, `NAME=value (source)`. */
export function describeConfig(sources: readonly SettingInForce[]): string[] {
  const left = sources.map(({ name, value }) => `${name}=${value}`);
  const width = Math.min(60, Math.max(...left.map(text => text.length)));
  return sources.map(({ source }, i) => `${(left[i] ?? '').padEnd(width)}  (${source})`);
}
