/* The requests and responses of redaction that are not its rules (core/redaction/schema.ts). */
import { type Static, Type as t } from '@sinclair/typebox';
import { OtherBodies, RedactionRules } from '../../core/redaction/schema.ts';
import { nullable } from '../../core/schemas.ts';
import { EventSummary } from '../events/model.ts';

export type { Redaction } from '../../core/redaction/model.ts';

const maxPreviewedEvents = 100;
export const defaultPreviewedEvents = 10;

export const RedactionPreviewRequest = t.Object(
  {
    rules: RedactionRules,
    otherBodies: t.Optional(OtherBodies),
    where: t.Optional(nullable(t.String({ description: 'only events that match this filter' }))),
    limit: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: maxPreviewedEvents,
        default: defaultPreviewedEvents,
        description: 'how many events, the newest ones',
      }),
    ),
  },
  {
    title: 'RedactionPreviewRequest',
    examples: [{ rules: [{ in: 'body', path: 'customer.email', with: 'mask' }] }],
    additionalProperties: false,
  },
);
export type RedactionPreviewRequest = Static<typeof RedactionPreviewRequest>;

const Change = t.Object(
  {
    field: t.String({
      description: 'as a filter writes it; `path`, `ip` for the address of the sender, `body` for a whole body',
    }),
    before: t.String({ description: 'the value, or what was detected in it; cut after 500 characters' }),
    after: nullable(t.String(), { description: 'null: removed' }),
  },
  { title: 'RedactedValue' },
);

export const RedactionPreview = t.Object(
  {
    events: t.Array(
      t.Object({
        event: EventSummary,
        changes: t.Array(Change, { description: 'the first 100; empty if the rules take nothing from this event' }),
      }),
      { description: 'newest first' },
    ),
  },
  { title: 'RedactionPreview' },
);
export type RedactionPreview = Static<typeof RedactionPreview>;

export const RedactionApplyRequest = t.Object(
  {
    where: t.String({ description: 'only events that match this filter; empty: all' }),
    dryRun: t.Optional(t.Boolean({ description: 'only count' })),
  },
  { title: 'RedactionApplyRequest', examples: [{ where: 'received<30d', dryRun: true }] },
);
export const RedactionApplied = t.Object(
  {
    events: t.Integer({ minimum: 0, description: 'how many events match' }),
    changed: t.Integer({ minimum: 0, description: 'from how many the rules take something' }),
  },
  { title: 'RedactionApplied' },
);
export type RedactionApplied = Static<typeof RedactionApplied>;
