/* What the pages say about alerts. Pure. Names and filters are text from outside: they are shown by the caller, as text. */

import type { Alert, AlertTest } from '../../features/alerts/model.ts';
import { kindTakes } from '../../shared/alerts.ts';
import { formatCount } from '../kit/format/time.ts';

export type Kind = Alert['kind'];
export type ChannelType = Alert['channel']['type'];

/** In the order of the form, the most useful first. `defaultName`: of an alert whose name is left empty. */
export const kinds: readonly { id: Kind; title: string; sentence: string; defaultName: string }[] = [
  {
    id: 'silence',
    title: 'Silence',
    sentence: 'No events for a while: the sender is down or sends elsewhere.',
    defaultName: 'No events',
  },
  {
    id: 'bad_signatures',
    title: 'Invalid signatures',
    sentence: 'Several events have an invalid signature: a secret was rotated, or someone is forging requests.',
    defaultName: 'Invalid signatures',
  },
  {
    id: 'new_type',
    title: 'New event type',
    sentence: 'The sender starts sending an event type that this endpoint has never received.',
    defaultName: 'New event types',
  },
  {
    id: 'schema_change',
    title: 'Changed payload',
    sentence: 'A field of a known event type is added, removed or changes its type.',
    defaultName: 'Changed payloads',
  },
  {
    id: 'forward_stuck',
    title: 'Stuck forward',
    sentence: 'A forward of this endpoint keeps failing.',
    defaultName: 'Stuck forwards',
  },
];

export const kindOf = (kind: Kind) => kinds.find(({ id }) => id === kind) ?? kinds[0];

export const channelTitles: Record<ChannelType, string> = {
  slack: 'Slack',
  discord: 'Discord',
  ntfy: 'ntfy',
  email: 'Email',
  webhook: 'Webhook',
};

/** `30 minutes`, `2 hours`, `1 day`: in the largest unit that is exact. */
export function minutesText(minutes: number): string {
  const { amount, unit } = splitMinutes(minutes);
  return formatCount(amount, unit);
}

export const unitMinutes = { minute: 1, hour: 60, day: 1440 } as const;
export type Unit = keyof typeof unitMinutes;

export function splitMinutes(minutes: number): { amount: number; unit: Unit } {
  const unit = minutes % unitMinutes.day === 0 ? 'day' : minutes % unitMinutes.hour === 0 ? 'hour' : 'minute';
  return { amount: minutes / unitMinutes[unit], unit };
}

export type Condition = Pick<Alert, 'kind' | 'where' | 'minutes' | 'count'>;

type Clause = [before: string, where: string, after: string];

/** A clause around the filter, which is shown as code: `no event that matches`, filter, `arrives for 30 minutes`. */
export function conditionParts({ kind, where, minutes, count }: Condition): Clause {
  const during = minutesText(minutes ?? 0);
  const filter = where ?? '';
  const matching = filter === '' ? '' : ` that ${kind === 'bad_signatures' && count !== 1 ? 'match' : 'matches'}`;
  switch (kind) {
    case 'silence':
      return [`no event${matching}`, filter, `arrives for ${during}`];
    case 'bad_signatures':
      return [
        `${formatCount(count ?? 0, 'event')}${matching}`,
        filter,
        `${count === 1 ? 'has' : 'have'} an invalid signature within ${during}`,
      ];
    case 'new_type':
      return ['a new event type arrives', '', ''];
    case 'schema_change':
      return filter === ''
        ? ['a field of a known event type is added, removed or changes its type', '', '']
        : ['a field is added, removed or changes its type in an event that matches', filter, ''];
    case 'forward_stuck':
      return ['every attempt of a forward has failed', '', `for ${during}`];
  }
}

/** The filter of the events that the condition is about; undefined if it is about all or about none. */
export function eventsOf({ kind, where }: Condition): string | undefined {
  if (kind === 'bad_signatures') return `verdict:invalid${where ? ` (${where})` : ''}`;
  return where || undefined;
}

/** Kinds that report something new each time: they do not begin and end. */
export const isReporting = ({ kind }: Pick<Alert, 'kind'>): boolean => !kindTakes[kind].isCondition;

export type State = { label: string; tone: 'good' | 'bad' | 'muted'; hint: string };

export function stateOf(alert: Pick<Alert, 'kind' | 'enabled' | 'firing'>): State {
  if (!alert.enabled) return { label: 'Off', tone: 'muted', hint: 'It is not checked and sends no notifications.' };
  if (alert.firing) return { label: 'Firing', tone: 'bad', hint: 'The condition is met.' };
  return isReporting(alert)
    ? { label: 'Watching', tone: 'good', hint: 'Sends a notification for each change.' }
    : { label: 'OK', tone: 'good', hint: 'The condition is not met.' };
}

/** Where notifications go, without the part of a URL that is a credential. */
export function targetText({ type, url, to }: Alert['channel']): string {
  if (type === 'email') return to ?? '';
  const parsed = url === null ? null : URL.parse(url);
  if (!parsed) return '';
  return type === 'slack' || type === 'discord' ? `${parsed.host}/…${parsed.pathname.slice(-4)}` : (url ?? '');
}

/** `setting`: the line of the server's configuration that would help. */
export type Explanation = { text: string; setting?: string };

const receivers = { ...channelTitles, ntfy: 'The ntfy server', email: 'The mail server', webhook: 'The receiver' };

type Channel = Pick<Alert['channel'], 'type' | 'url'>;
type AlertError = { error: string; code: Alert['lastErrorCode']; status: number | null };

/** What an error means, and what helps, as sentences. */
export function explainError({ error, code, status }: AlertError, { type, url }: Channel): Explanation {
  switch (code) {
    case 'not_public':
      return {
        text: "The URL isn't a public address, and this server sends only to public addresses. The operator can allow it with",
        setting: `HOOKTAPE_REPLAY_ALLOW=${URL.parse(url ?? '')?.hostname ?? 'HOST'}`,
      };
    case 'port_not_allowed':
      return {
        text: "This port belongs to a protocol other than HTTP, so the server doesn't send to it. The operator can allow it with",
        setting: `HOOKTAPE_REPLAY_ALLOW=${URL.parse(url ?? '')?.host ?? 'HOST:PORT'}`,
      };
    case 'channel_unreadable':
      return {
        text: "The channel can't be decrypted because HOOKTAPE_SECRET has changed. Edit the alert and enter the channel again.",
      };
    case 'email_not_set_up':
      return {
        text: 'Email is no longer set up on this server. The operator can set it up with',
        setting: 'HOOKTAPE_SMTP_URL',
      };
    case 'rejected':
      return { text: `${receivers[type]} responded with ${status}. ${statusAdvice(status ?? 0, type)}`.trim() };
    case null:
      return { text: sentence(error) };
  }
}

function statusAdvice(status: number, type: ChannelType): string {
  const thing = type === 'ntfy' ? 'topic' : 'webhook';
  if (status === 404 || status === 410) return `The ${thing} may have been deleted: check the URL.`;
  if (status === 401 || status === 403)
    return type === 'ntfy'
      ? 'The topic needs an access token, or the saved token is wrong.'
      : 'It rejected the request: check the URL.';
  if (status === 429) return 'It is rate limiting requests.';
  if (status >= 500) return 'The problem is on its side.';
  if (status >= 300 && status < 400) return 'Redirects are not followed: enter the final URL.';
  return '';
}

/** `connection refused` -> `Connection refused.` */
export const sentence = (text: string): string =>
  text === '' ? '' : text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

type Failure = Explanation & { lead: string; willRetry: boolean };
type LastError = Pick<
  Alert,
  'lastError' | 'lastErrorCode' | 'lastErrorStatus' | 'lastErrorIsFinal' | 'channel' | 'enabled'
>;

/** Why the last notification has not arrived; undefined when nothing is wrong. */
export function failureOf(alert: LastError): Failure | undefined {
  const { lastError: error, lastErrorCode: code, lastErrorStatus: status, lastErrorIsFinal: isFinal } = alert;
  if (error === null) return undefined;
  return {
    ...explainError({ error, code, status }, alert.channel),
    lead: isFinal
      ? "The last notification hasn't arrived and won't be sent again."
      : "The last notification hasn't arrived yet.",
    willRetry: alert.enabled && !isFinal,
  };
}

export function testText({ ok, status, error, errorCode }: AlertTest, channel: Channel): Explanation {
  if (!ok) return explainError({ error: error ?? 'not sent', code: errorCode, status }, channel);
  if (channel.type === 'email') return { text: 'The mail server accepted it. Check the inbox and the spam folder.' };
  return { text: `${receivers[channel.type]} responded with ${status}.` };
}
