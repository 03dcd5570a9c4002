/* Schemas of connected listeners, and of the operation through which they get replays and report results. */
import { type Static, Type as t } from '@sinclair/typebox';
import { literals, nullable, textDocumentedAs } from '../../core/schemas.ts';
import { Timestamp } from '../../http/schemas.ts';
import { consumerNameForm } from '../../shared/consumer-name.ts';
import { EventSummary } from '../events/model.ts';
import { ReportedResponse } from '../replays/model.ts';

/** How long a call may wait for a replay. */
export const maxListenerWaitSeconds = 25;
export const maxListenerTargets = 20;
export const maxListenerTargetCharacters = 300;
export const maxListenerAnswers = 10;
export const maxListenerRunning = 100;

const Name = t.String({ description: consumerNameForm });
const BodyEncoding = literals(['utf8', 'base64'], { description: 'the encoding of `body`' });

export const Listener = t.Object(
  {
    name: Name,
    targets: t.Array(t.String(), { description: 'where it says that it sends events, as it was started' }),
    connectedBy: t.String({ description: 'the email address of its account' }),
    connectedAt: Timestamp,
    connections: t.Integer({ minimum: 1, description: 'how many have this name; a replay goes to the newest' }),
  },
  { title: 'Listener', description: 'a program that is connected, such as `hooktape listen`' },
);
export type Listener = Static<typeof Listener>;

export const ListenerList = t.Object(
  { listeners: t.Array(Listener, { description: 'by name' }) },
  { title: 'ListenerList' },
);
export type ListenerList = Static<typeof ListenerList>;

export const ListenerParams = t.Object({ id: t.String(), name: Name });

export const ListenerAnswer = t.Object(
  {
    id: t.String({ description: 'of the replay' }),
    destination: nullable(t.String({ description: 'the URL that it was sent to; null when there is none' })),
    status: nullable(t.Integer({ minimum: 100, maximum: 999, description: 'null when there was no answer' })),
    durationMs: t.Integer({ minimum: 0, maximum: 86_400_000, format: 'int64' }),
    error: t.Optional(
      textDocumentedAs(t.String({ maxLength: 200 }), { description: 'with `status` null: why there was no answer' }),
    ),
    response: t.Optional(nullable(ReportedResponse)),
  },
  { title: 'ListenerAnswer', additionalProperties: false },
);
export type ListenerAnswer = Static<typeof ListenerAnswer>;

export const ListenerCall = t.Object(
  {
    instance: t.String({
      pattern: '^[0-9A-Za-z-]{8,64}$',
      description: 'random, the same in all calls of one run: it tells two listeners of one name apart',
    }),
    targets: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: maxListenerTargetCharacters }), {
        maxItems: maxListenerTargets,
        description: 'where it sends events; shown to the team',
      }),
    ),
    answers: t.Optional(
      t.Array(ListenerAnswer, { maxItems: maxListenerAnswers, description: 'to replays of earlier calls' }),
    ),
    wait: t.Optional(
      t.Integer({
        minimum: 0,
        maximum: maxListenerWaitSeconds,
        description: 'seconds to wait for a replay; default 0',
      }),
    ),
    running: t.Optional(
      t.Array(t.String({ maxLength: 100 }), {
        maxItems: maxListenerRunning,
        description:
          'ids of the replays that it has and has not answered yet: others that were given out got lost, and are given out again',
      }),
    ),
    leaving: t.Optional(
      t.Boolean({ description: 'true: its last call, which takes no replays. Then it is gone at once' }),
    ),
  },
  {
    title: 'ListenerCall',
    examples: [
      {
        instance: '5f0c1f3e-2a7b-4c59-9f0e-3d1b7a2c4e68',
        targets: ['http://localhost:3000/webhooks'],
        answers: [],
        running: [],
        wait: 25,
      },
    ],
  },
);
export type ListenerCall = Static<typeof ListenerCall>;

export const ListenerReplay = t.Object(
  {
    id: t.String(),
    event: EventSummary,
    query: nullable(t.String({ description: 'as the event came' })),
    method: t.String(),
    headers: t.Array(t.Tuple([t.String(), t.String()]), {
      description: 'to be sent as they are, with `x-service-replay`; without `Host`',
    }),
    body: t.String(),
    bodyEncoding: BodyEncoding,
    signed: t.Boolean({ description: 'the server has signed it: it is not to be signed again' }),
    edited: t.Boolean(),
    timeoutMs: t.Integer({ format: 'int64', description: 'how long the answer is waited for' }),
  },
  { title: 'ListenerReplay' },
);
export type ListenerReplay = Static<typeof ListenerReplay>;

export const ListenerReplays = t.Object(
  {
    replays: t.Array(ListenerReplay, {
      description: 'given out once, and again only if a later call says that it got lost: know them by their ids',
    }),
  },
  { title: 'ListenerReplays' },
);
export type ListenerReplays = Static<typeof ListenerReplays>;
