/* Schemas of alerts. A secret is returned only by the request that created it. */

import { type Static, Type as t } from '@sinclair/typebox';
import { HttpUrl, literals, Name, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import {
  alertChannels,
  alertErrorCodes,
  alertKinds,
  defaultAlertCount,
  defaultAlertMinutes,
  kindTakes,
  maxAlertCount,
  maxAlertMinutes,
  maxChannelSecretCharacters,
} from '../../shared/alerts.ts';

export const AlertChannel = t.Object(
  {
    type: literals(alertChannels),
    url: t.Optional(nullable(HttpUrl('of slack, discord, webhook: the webhook’s URL; of ntfy: the topic’s'))),
    to: t.Optional(nullable(textDocumentedAs(t.String({ format: 'email' }), { description: 'of email: the address' }))),
    secret: t.Optional(
      nullable(
        t.String({
          maxLength: maxChannelSecretCharacters,
          description:
            'of webhook: the signing secret `whsec_…`, made by the server when it is left out; of ntfy: an access token, if the topic needs one; empty removes it',
        }),
      ),
    ),
  },
  { title: 'AlertChannel', additionalProperties: false },
);
export type AlertChannel = Static<typeof AlertChannel>;

const kindsWith = (setting: 'where' | 'minutes' | 'count'): string =>
  alertKinds.filter(kind => kindTakes[kind][setting]).join(', ');
const Where = t.String({ description: `of ${kindsWith('where')}: only events that match this filter` });
const Minutes = t.Integer({
  minimum: 1,
  maximum: maxAlertMinutes,
  description: `of ${kindsWith('minutes')}: the time of the condition; required for silence, otherwise default ${defaultAlertMinutes}`,
});
const Count = t.Integer({
  minimum: 1,
  maximum: maxAlertCount,
  description: `of ${kindsWith('count')}: how many events in \`minutes\`; default ${defaultAlertCount}`,
});
const condition = {
  where: t.Optional(nullable(Where)),
  minutes: t.Optional(nullable(Minutes)),
  count: t.Optional(nullable(Count)),
};

export const AlertInput = t.Object(
  {
    name: Name,
    kind: literals(alertKinds),
    ...condition,
    channel: AlertChannel,
    enabled: t.Optional(t.Boolean({ default: true })),
  },
  {
    title: 'AlertInput',
    examples: [
      {
        name: 'No orders',
        kind: 'silence',
        where: 'type:order.*',
        minutes: 30,
        channel: { type: 'ntfy', url: 'https://ntfy.sh/a-topic-that-nobody-guesses' },
      },
    ],
    additionalProperties: false,
  },
);
export type AlertInput = Static<typeof AlertInput>;

export const AlertChange = t.Object(
  {
    name: t.Optional(Name),
    ...condition,
    channel: t.Optional(AlertChannel),
    enabled: t.Optional(t.Boolean()),
  },
  { title: 'AlertChange', examples: [{ minutes: 60 }], additionalProperties: false },
);
export type AlertChange = Static<typeof AlertChange>;

export const Alert = t.Object(
  {
    id: t.String(),
    name: t.String(),
    kind: literals(alertKinds),
    where: nullable(t.String()),
    minutes: nullable(t.Integer()),
    count: nullable(t.Integer()),
    channel: t.Object({
      type: literals(alertChannels),
      url: nullable(t.String()),
      to: nullable(t.String()),
      secret: nullable(t.String({ description: 'of webhook, in the answer that made it; otherwise null' })),
    }),
    enabled: t.Boolean(),
    firing: t.Boolean({ description: 'the last notification said that it fired; kinds that only report stay false' }),
    changedAt: nullable(Timestamp),
    lastSentAt: nullable({ ...Timestamp, description: 'when the channel last took a notification, epoch ms' }),
    lastError: nullable(t.String({ description: 'why the last attempt failed; null after one that did not' })),
    lastErrorCode: nullable(
      literals(alertErrorCodes, {
        description: '`lastError` for programs: `rejected` has `lastErrorStatus`; null for any other error',
      }),
    ),
    lastErrorStatus: nullable(t.Integer({ description: 'with `rejected`: the status of the response' })),
    lastErrorIsFinal: t.Boolean({ description: 'the notification that failed was given up' }),
    createdAt: Timestamp,
  },
  { title: 'Alert' },
);
export type Alert = Static<typeof Alert>;

export const AlertList = t.Object(
  {
    alerts: t.Array(Alert),
    canEmail: t.Boolean({ description: 'whether the server can send email: its operator has set HOOKTAPE_SMTP_URL' }),
  },
  { title: 'AlertList' },
);
export type AlertList = Static<typeof AlertList>;

export const AlertTest = t.Object(
  {
    ok: t.Boolean({ description: 'the channel took it' }),
    status: nullable(t.Integer({ description: 'of HTTP, or of the mail server; null without an answer' })),
    error: nullable(t.String()),
    errorCode: nullable(literals(alertErrorCodes, { description: '`error` for programs; null for any other error' })),
  },
  { title: 'AlertTest' },
);
export type AlertTest = Static<typeof AlertTest>;

export const AlertParams = t.Object({ id: t.String(), aid: t.String() });
