/*
 * From the environment and the env file to the Config that everything else is built from, or to all problems at once.
 * Process environment beats env file beats default; an empty value counts as unset. Reads nothing itself but NAME_FILE
 * files, through the reader it is given.
 */

import type { AllowEntry } from '../core/network/allow-list.ts';
import type { Cidr } from '../shared/addresses.ts';
import { didYouMean } from '../shared/suggest.ts';
import { parseEnvFile } from './env-file.ts';
import type { TrustedIssuer } from './issuers.ts';
import { type Setting, type SettingName, type SettingValues, settingNames, settings } from './settings.ts';

export type Config = {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Origin without a trailing slash. */
  readonly baseUrl: string;
  /** The same for ingest URLs, when they have an origin of their own. */
  readonly ingestUrl?: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly databaseAuthToken?: string;
  readonly secret?: string;
  readonly owner?: { readonly email: string; readonly password: string };
  readonly endpointsFile?: string;
  readonly fixedAddresses: boolean;
  readonly maxBodyBytes: number;
  readonly rateLimitPerMinute: number;
  /** 0 = no limit. */
  readonly freeEndpoints: number;
  readonly proEndpoints: number;
  /** 0 = for ever. */
  readonly freeRetentionMs: number;
  readonly proRetentionMs: number;
  readonly sweepEveryMs: number;
  readonly replayAllow: readonly AllowEntry[];
  readonly replayTimeoutMs: number;
  /** `url` with user and password. */
  readonly smtp?: { readonly url: string; readonly from: string };
  readonly alertEmail?: string;
  readonly trustedProxies: readonly Cidr[];
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  readonly oauthIssuers: readonly TrustedIssuer[];
  readonly oauthCimd: boolean;
  readonly metricsToken?: string;
  readonly logLevel: SettingValues['HOOKTAPE_LOG_LEVEL'];
  readonly logFormat: SettingValues['HOOKTAPE_LOG_FORMAT'];
};

/** A setting as `hooktape config` shows it: secrets as `[set]`, source `environment`, `file X`, `NAME_FILE` or `default`. */
export type SettingInForce = { readonly name: SettingName; readonly value: string; readonly source: string };

/** Settings that name files, directories or a database, as far as they are set. */
export type Places = {
  readonly dataDir?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly databaseUrl?: string;
  /** Whether it is long enough depends on what is in the database. */
  readonly secret?: string;
};

export type ConfigInput = {
  /** The process environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The env file, already read; its path is for messages only. */
  readonly envFile?: { readonly path: string; readonly text: string } | undefined;
  /** Text of the file that a NAME_FILE setting names; throws when it cannot be read. */
  readonly readFile: (path: string) => string;
  /** Checks the files and directories that settings name; they are not checked without it. */
  readonly placeProblems?: (places: Places) => readonly string[];
};

export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly sources: readonly SettingInForce[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Where values come from: the process environment or the env file. */
type Level = { readonly source: string; readonly get: (name: string) => string | undefined; readonly names: string[] };
/** `text` is undefined when the value cannot be read; the problem is recorded. */
type Found = { readonly text: string | undefined; readonly source: string };

/** Set in the process environment to find the env file, so it cannot be in it. */
const envFileVariable = 'HOOKTAPE_ENV_FILE';

/** Not settings: the build, the tests and client commands read them, and a server may inherit their environment. */
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
      if (name === envFileVariable) return `${name} (${source}): only works in the process environment`;
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
        problems.push(`${name} and ${fileName} (${level.source}): set one of the two`);
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

/** The parts of a `file:` URL that libSQL would read as escapes, query or fragment. */
const escapeFilePath = (path: string): string =>
  path.replace(/[%?#]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function buildConfig(values: SettingValues): Config {
  const certFile = values.HOOKTAPE_TLS_CERT;
  const keyFile = values.HOOKTAPE_TLS_KEY;
  const tls = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined;
  const email = values.HOOKTAPE_OWNER_EMAIL;
  const password = values.HOOKTAPE_OWNER_PASSWORD;
  const dataDir = values.HOOKTAPE_DATA_DIR;
  const baseUrl = values.HOOKTAPE_BASE_URL ?? defaultBaseUrl(values.HOOKTAPE_PORT, tls !== undefined);
  const smtpUrl = values.HOOKTAPE_SMTP_URL;
  const from = values.HOOKTAPE_SMTP_FROM ?? `hooktape@${new URL(baseUrl).hostname}`;
  return {
    host: values.HOOKTAPE_HOST,
    port: values.HOOKTAPE_PORT,
    baseUrl,
    ...defined('ingestUrl', values.HOOKTAPE_INGEST_URL),
    dataDir,
    databaseUrl: values.HOOKTAPE_DATABASE_URL ?? `file:${escapeFilePath(dataDir.replace(/(.)\/+$/, '$1'))}/hooktape.db`,
    ...defined('databaseAuthToken', values.HOOKTAPE_DATABASE_AUTH_TOKEN),
    ...defined('secret', values.HOOKTAPE_SECRET),
    ...defined('owner', email !== undefined && password !== undefined ? { email, password } : undefined),
    ...defined('endpointsFile', values.HOOKTAPE_ENDPOINTS_FILE),
    fixedAddresses: values.HOOKTAPE_FIXED_ADDRESSES,
    maxBodyBytes: values.HOOKTAPE_MAX_BODY,
    rateLimitPerMinute: values.HOOKTAPE_RATE_LIMIT,
    freeEndpoints: values.HOOKTAPE_FREE_ENDPOINTS,
    proEndpoints: values.HOOKTAPE_PRO_ENDPOINTS,
    freeRetentionMs: values.HOOKTAPE_FREE_RETENTION,
    proRetentionMs: values.HOOKTAPE_PRO_RETENTION,
    sweepEveryMs: values.HOOKTAPE_SWEEP_EVERY,
    replayAllow: values.HOOKTAPE_REPLAY_ALLOW,
    replayTimeoutMs: values.HOOKTAPE_REPLAY_TIMEOUT,
    ...defined('smtp', smtpUrl === undefined ? undefined : { url: smtpUrl, from }),
    ...defined('alertEmail', values.HOOKTAPE_ALERT_EMAIL),
    trustedProxies: values.HOOKTAPE_TRUSTED_PROXIES,
    ...defined('tls', tls),
    oauthIssuers: values.HOOKTAPE_OAUTH_ISSUERS,
    oauthCimd: values.HOOKTAPE_OAUTH_CIMD,
    ...defined('metricsToken', values.HOOKTAPE_METRICS_TOKEN),
    logLevel: values.HOOKTAPE_LOG_LEVEL,
    logFormat: values.HOOKTAPE_LOG_FORMAT,
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
];

/** Never throws: `problems` has a sentence for everything that is wrong, without secret values. */
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
      problems.push(`${isSet(one) ? one : other}: needs ${isSet(one) ? other : one}, too`);
  }
  if (isSet('HOOKTAPE_ALERT_EMAIL') && !isSet('HOOKTAPE_SMTP_URL'))
    problems.push('HOOKTAPE_ALERT_EMAIL: needs HOOKTAPE_SMTP_URL, too');
  const [base, ingest] = [results.get('HOOKTAPE_BASE_URL')?.value, results.get('HOOKTAPE_INGEST_URL')?.value];
  if (
    typeof ingest === 'string' &&
    hostNameOf(ingest) === hostNameOf(typeof base === 'string' ? base : 'http://localhost')
  )
    problems.push('HOOKTAPE_INGEST_URL: must have another host name than HOOKTAPE_BASE_URL');
  const password = results.get('HOOKTAPE_OWNER_PASSWORD')?.value;
  if (typeof password === 'string' && password.toLowerCase() === results.get('HOOKTAPE_OWNER_EMAIL')?.value)
    problems.push('HOOKTAPE_OWNER_PASSWORD: must not be the email address');

  // Also when other settings are wrong. All of these values are text.
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
  // Each value comes from its own row's parser and none failed, which is what SettingValues says.
  const config = buildConfig(Object.fromEntries(entries) as SettingValues);
  const derived: Partial<Record<SettingName, string>> = {
    HOOKTAPE_BASE_URL: config.baseUrl,
    HOOKTAPE_DATABASE_URL: config.databaseUrl,
  };
  const sources = [...results.values()].map(({ shown }) => ({ ...shown, value: derived[shown.name] ?? shown.value }));
  return { ok: true, config, sources };
}

/** The settings in force as aligned lines, `NAME=value  (source)`. */
export function describeConfig(sources: readonly SettingInForce[]): string[] {
  const left = sources.map(({ name, value }) => `${name}=${value}`);
  const width = Math.min(60, Math.max(...left.map(text => text.length)));
  return sources.map(({ source }, i) => `${(left[i] ?? '').padEnd(width)}  (${source})`);
}
