/* The fields of a guard's form, and the guard that they make. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { parseCidr } from '../../shared/addresses.ts';
import { Checkbox } from '../kit/controls.tsx';
import { choice, lines, storedSecret, typed } from '../kit/fields.tsx';
import { visibleLine } from '../kit/format/visible.ts';
import { type DraftOf, type FormField, type Rules, requestOf, type SchemaOf } from '../kit/schema.ts';

export type Guard = NonNullable<Endpoint['guard']>;

const methods: FormField<readonly string[], string[]> = {
  from: value => value ?? [],
  to: draft => (draft.length === 0 ? undefined : [...draft]),
};

/** Whether the guard asks for a user name and a password. Its own fields make the request. */
const hasBasic: FormField<boolean, Guard['basic']> = {
  from: value => value !== undefined && value !== null,
  to: () => undefined,
  View: ({ input }) => (
    <Checkbox
      label="HTTP Basic"
      hint="Senders send a user name and a password, often as https://user:password@… in the URL."
      checked={input.value}
      onChange={isOn => input.change(isOn)}
    />
  ),
};

type TokenPlace = NonNullable<Guard['token']>['in'];
const noToken = '';
export const places: readonly { id: TokenPlace | ''; label: string }[] = [
  { id: noToken, label: 'none' },
  { id: 'header', label: 'in a header' },
  { id: 'query', label: 'in the query string' },
];

export const secretHint = 'Stored encrypted and not shown again.';

const schema = {
  cidrs: lines({
    label: 'Networks',
    placeholder: 'all',
    hint: 'One IP address or network per line, such as 192.0.2.10 or 2001:db8::/32. Behind a trusted proxy, the forwarded address counts.',
    check: line =>
      parseCidr(line)
        ? undefined
        : `${visibleLine(line.slice(0, 60))} is not an address or a network such as 10.0.0.0/8.`,
  }),
  methods,
  basic: hasBasic,
  'basic.user': typed<string>(
    { label: 'User name', required: 'Enter a user name.' },
    { to: user => user, problem: user => (user.includes(':') ? "A user name can't contain a colon." : undefined) },
  ),
  'basic.password': storedSecret({ label: 'Password', hint: secretHint, required: 'Enter a password.' }),
  'token.in': {
    ...choice({ label: 'Token', options: places }),
    to: (place: TokenPlace | '') => (place === noToken ? undefined : place),
  },
  'token.name': typed<string>({ label: 'Header name', required: 'Enter a name.' }, { to: name => name }),
  'token.value': storedSecret({ label: 'Value', hint: secretHint, required: 'Enter a token, or generate one.' }),
  onRefuse: choice({
    label: 'Refused requests are',
    options: [
      { id: 'record', label: 'stored and marked as refused' },
      { id: 'drop', label: 'not stored' },
    ],
  }),
} satisfies SchemaOf<Guard>;
export type GuardDraft = DraftOf<typeof schema>;

export const guardRules: Rules<typeof schema> = {
  schema,
  applies(path, draft) {
    if (path === 'basic.user' || path === 'basic.password') return draft.basic;
    return (path !== 'token.name' && path !== 'token.value') || draft['token.in'] !== noToken;
  },
};

/** Null without conditions: no guard. */
export const guardOf = (draft: GuardDraft): Guard | null => {
  const guard = requestOf(guardRules, draft) as Guard;
  return Object.keys(guard).length === 1 ? null : guard;
};

/** Another place for the token has another usual name, which does not replace an entered name. */
export function withPlace(draft: GuardDraft, place: GuardDraft['token.in']): Partial<GuardDraft> {
  const isUsual = ['', 'token', 'X-Hook-Token'].includes(draft['token.name']);
  const usual = { '': '', header: 'X-Hook-Token', query: 'token' }[place];
  return { 'token.in': place, ...(isUsual && { 'token.name': usual }) };
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
