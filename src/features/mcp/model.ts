/*
 * Inputs and outputs of the tools. Outputs that contain captured text carry a notice for the model that reads them: it came
 * from outside systems.
 */
import { type Static, Type as t } from '@sinclair/typebox';
import { nullable } from '../../core/schemas.ts';
import { Endpoint } from '../endpoints/model.ts';
import { EventDetail, EventPage, EventSummary, ReplayAttempt } from '../events/model.ts';
import { ExportFormat } from '../exports/model.ts';
import { ReplayResult } from '../replays/model.ts';
import { TypeSchema } from '../schemas/model.ts';

export { untrustedNotice as notice } from '../../shared/untrusted.ts';
export { exportFileName } from '../exports/model.ts';

/** As many as fit into one result with their previews. */
export const maxListed = 50;
export const maxResultBytes = 64 * 1024;
export const maxBodyCharacters = 32_768;
export const defaultBodyCharacters = 8192;
export const maxWaitSeconds = 55;
export const defaultWaitSeconds = 25;

const Notice = t.String({ description: 'a warning about the other fields' });
const EndpointId = t.String({ description: 'id of an endpoint (ep_…)', maxLength: 64 });
const EventId = t.String({ description: 'id of an event (evt_…)', maxLength: 64 });
const Limit = t.Optional(t.Integer({ minimum: 1, maximum: maxListed, description: 'default 25' }));
const Cursor = t.Optional(t.String({ maxLength: 200, description: 'nextCursor of the previous page' }));

const Where = t.Optional(
  t.String({
    maxLength: 2048,
    description:
      'only deliveries that match this filter: terms such as type:invoice.* platform:stripe method:POST verdict:valid size>10k received>2h tag:golden is:pinned header.x-shop:acme* body.data.amount>1000 has:body.refund, with OR, NOT and parentheses',
  }),
);

const Page = t.Object({
  notice: Notice,
  events: t.Array(EventSummary),
  nextCursor: nullable(
    t.String({
      description:
        'there is more: pass it as cursor. A page may have few events or none, and still be followed by others',
    }),
  ),
  scannedTo: EventPage.properties.scannedTo,
  truncated: t.Boolean({ description: 'whether previews were shortened to fit' }),
});

export const inputs = {
  list_endpoints: t.Object({}),
  create_endpoint: t.Object({ name: t.String({ minLength: 1, maxLength: 200 }) }),
  list_events: t.Object({ endpointId: EndpointId, where: Where, limit: Limit, cursor: Cursor }),
  search_events: t.Object({
    endpointId: EndpointId,
    q: t.String({ minLength: 1, maxLength: 1000, description: 'free text over event type and payload' }),
    where: Where,
    limit: Limit,
    cursor: Cursor,
  }),
  get_event: t.Object({
    eventId: EventId,
    bodyOffset: t.Optional(t.Integer({ minimum: 0, description: 'characters of the body to skip' })),
    bodyCharacters: t.Optional(t.Integer({ minimum: 0, maximum: maxBodyCharacters, description: 'default 8192' })),
  }),
  get_schema: t.Object({
    endpointId: EndpointId,
    type: t.Optional(t.String({ maxLength: 200, description: 'an event type; -: events without one' })),
    platform: t.Optional(t.String({ maxLength: 64, description: 'when several platforms send this type' })),
    as: t.Optional(t.Union([t.Literal('typescript'), t.Literal('jsonschema')], { description: 'default typescript' })),
  }),
  wait_for_event: t.Object({
    endpointId: EndpointId,
    cursor: t.Optional(
      t.String({ maxLength: 200, description: 'cursor of the previous call; without it, only events from now on' }),
    ),
    where: Where,
    timeoutSeconds: t.Optional(t.Integer({ minimum: 1, maximum: maxWaitSeconds, description: 'default 25' })),
  }),
  replay_event: t.Object({
    eventId: EventId,
    url: t.String({ maxLength: 8192, description: 'a destination that a person has replayed to before' }),
  }),
  export_link: t.Object({
    endpointId: EndpointId,
    format: t.Optional(ExportFormat),
    q: t.Optional(t.String({ maxLength: 1000, description: 'only events whose type or payload contains it' })),
    where: Where,
  }),
} as const;

export const outputs = {
  list_endpoints: t.Object({ endpoints: t.Array(Endpoint), truncated: t.Boolean() }),
  create_endpoint: Endpoint,
  list_events: Page,
  search_events: Page,
  get_event: t.Object({
    notice: Notice,
    ...t.Pick(EventDetail, [
      'id',
      'endpointId',
      'eventType',
      'platform',
      'method',
      'receivedAt',
      'path',
      'query',
      'headers',
      'size',
      'sha256',
      'signatureValid',
      'pin',
      'tags',
    ]).properties,
    signatureReason: nullable(
      t.String({
        description:
          'why the signature is not valid, such as no_secret, wrong_secret_or_altered_body, or unconfirmed_secret: a secret that a handshake delivered and that no person has confirmed yet',
      }),
    ),
    body: t.String(),
    bodyEncoding: EventDetail.properties.payloadEncoding,
    bodyOffset: t.Integer(),
    bodyTotal: t.Integer({ description: 'characters of the whole body in this encoding' }),
    truncated: t.Boolean({ description: 'whether the body or the headers are incomplete' }),
    replays: t.Array(t.Pick(ReplayAttempt, ['destination', 'status', 'ok', 'durationMs', 'createdAt'])),
  }),
  get_schema: t.Object({
    notice: Notice,
    schemas: t.Array(TypeSchema, { description: 'the one that was asked for, or without type all' }),
    text: nullable(t.String({ description: 'the schema; null without type' })),
    truncated: t.Boolean({ description: 'whether schemas or text are incomplete' }),
  }),
  wait_for_event: t.Object({
    notice: Notice,
    events: t.Array(EventSummary),
    cursor: t.String({ description: 'pass it to the next call, so that no event in between is missed' }),
    timedOut: t.Boolean(),
    truncated: t.Boolean(),
  }),
  replay_event: t.Object({ notice: Notice, ...ReplayResult.properties }),
  export_link: t.Object({
    url: t.String(),
    fileName: t.String(),
    authorization: t.String({ description: 'the credentials that the download needs' }),
  }),
} as const;

export type ToolName = keyof typeof inputs;
export type Input<N extends ToolName> = Static<(typeof inputs)[N]>;
export type Output<N extends ToolName> = Static<(typeof outputs)[N]>;
