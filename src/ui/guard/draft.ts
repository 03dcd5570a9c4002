/* A guard as it is being edited, and the resulting guard. Pure. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { parseCidr } from '../../shared/addresses.ts';
import { visibleLine } from '../kit/format/visible.ts';

export type Guard = NonNullable<Endpoint['guard']>;

/** Stands for a stored secret, which the API never shows; sent back, it keeps the secret. */
const keptSecret = '[set]';

export type GuardDraft = {
  methods: readonly string[];
  /** One network per line. */
  networks: string;
  hasBasic: boolean;
  user: string;
  /** Null: the stored one stays. */
  password: string | null;
  tokenIn: '' | 'header' | 'query';
  tokenName: string;
  /** Null: the stored one stays. */
  token: string | null;
  onRefuse: Guard['onRefuse'];
};

export type GuardField = 'methods' | 'networks' | 'user' | 'password' | 'tokenName' | 'token';
export type GuardProblems = Partial<Record<GuardField, string>>;

export const usualMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

export const draftOf = (guard: Guard | null): GuardDraft => ({
  methods: guard?.methods ?? [],
  networks: guard?.cidrs?.join('\n') ?? '',
  hasBasic: guard?.basic !== undefined,
  user: guard?.basic?.user ?? '',
  password: guard?.basic ? null : '',
  tokenIn: guard?.token?.in ?? '',
  tokenName: guard?.token?.name ?? '',
  token: guard?.token ? null : '',
  onRefuse: guard?.onRefuse ?? 'record',
});

/** The networks, without empty lines. */
export const networksOf = (draft: GuardDraft): string[] => draft.networks.split(/[\s,]+/).filter(line => line !== '');

/** Null: no guard. Problems name the fields that have to be corrected first. */
export function guardOf(draft: GuardDraft): { guard: Guard | null; problems: GuardProblems } {
  const problems: GuardProblems = {};
  const cidrs = networksOf(draft);
  const wrong = cidrs.find(one => !parseCidr(one));
  if (wrong !== undefined)
    problems.networks = `${visibleLine(wrong.slice(0, 60))} is not an address or a network such as 10.0.0.0/8.`;
  if (draft.hasBasic && draft.user === '') problems.user = 'Enter a user name.';
  if (draft.hasBasic && draft.user.includes(':')) problems.user = 'A user name has no colon.';
  if (draft.hasBasic && draft.password === '') problems.password = 'Enter a password.';
  if (draft.tokenIn !== '' && draft.tokenName.trim() === '') problems.tokenName = 'Enter a name.';
  if (draft.tokenIn !== '' && draft.token === '') problems.token = 'Enter a token, or generate one.';
  const conditions = {
    ...(draft.methods.length > 0 && { methods: [...draft.methods] }),
    ...(cidrs.length > 0 && { cidrs }),
    ...(draft.hasBasic && { basic: { user: draft.user, password: draft.password ?? keptSecret } }),
    ...(draft.tokenIn !== '' && {
      token: { in: draft.tokenIn, name: draft.tokenName.trim(), value: draft.token ?? keptSecret },
    }),
  };
  const guard = Object.keys(conditions).length === 0 ? null : { ...conditions, onRefuse: draft.onRefuse };
  return { guard, problems };
}

const fields: readonly (readonly [path: RegExp, field: GuardField])[] = [
  [/^methods\b/, 'methods'],
  [/^cidrs\b/, 'networks'],
  [/^basic\.password\b/, 'password'],
  [/^basic\b/, 'user'],
  [/^token\.value\b/, 'token'],
  [/^token\b/, 'tokenName'],
];

/** `Invalid body: guard.token.name: must …`. Without a field, the message stands alone. */
export function problemOfError(message: string): { problems: GuardProblems; message: string } {
  const [, path = '', words = ''] = /\bguard\.([\w.]+): (.*)$/is.exec(message) ?? [];
  const field = fields.find(([pattern]) => pattern.test(path))?.[1];
  return field
    ? { problems: { [field]: words.charAt(0).toUpperCase() + words.slice(1) }, message: '' }
    : { problems: {}, message };
}

/** 32 letters and digits: 190 bits. */
export function newToken(): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let token = '';
  while (token.length < 32) {
    for (const byte of crypto.getRandomValues(new Uint8Array(48))) {
      // The other bytes would make some letters likelier.
      if (byte < letters.length * 4 && token.length < 32) token += letters[byte % letters.length];
    }
  }
  return token;
}
